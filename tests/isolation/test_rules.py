"""Whatever a foreign rule does in its process, it is a finding of that rule, and never a `pass` that nobody gave."""

from __future__ import annotations

import json
import os
import pickle

import pytest

from permaudit.allowed import Allowed
from permaudit.isolation.failure import CallFailedError
from permaudit.isolation.limits import Limits
from permaudit.plan import RuleUse
from permaudit.plugins import load_plugins
from permaudit.testing import case_of
from permaudit.verdict import judge, verdict_of

from .conftest import PRINTED

RULE = """
import ctypes, os, sys, time
from pathlib import Path
from permaudit import Finding, Parameters, Rule, RuleCard, hookimpl

permaudit_api = 1

class Fault(Parameters):
    judging: str = "pass"
    announcing: str = "pass"

class Odd(Rule):
    card = RuleCard(id="odd", title="Odd", why="because")
    parameters = Fault

    def limits(self, params):
        exec(params.announcing)
        return ()

    def judge(self, params, case):
        found = Finding(rule="odd", outcome="pass", message=f"{len(case.metrics)} {os.getpid()}", why="because")
        scope = {**globals(), "case": case, "found": found}
        exec(params.judging, scope)
        return scope["found"]

@hookimpl
def permaudit_rules():
    return [Odd()]
"""


@pytest.fixture
def host_within(install):
    """Return a function that loads the rule with so many seconds for a call."""
    install("acme", {"acme": RULE})
    return lambda seconds: load_plugins([Allowed.reading("acme")], Limits(seconds=seconds, memory=256 << 20))


@pytest.fixture
def host(host_within):
    return host_within(60.0)


@pytest.fixture
def judged(host):
    """Return a function that gives the rule's finding for a candidate with one metric."""

    def run(*, host=host, **params):
        rule = host.catalogue.rules["odd"]
        use = RuleUse(rule="odd", params=rule.parameters(**params), origin="audit file")
        return judge(case_of({"CM2": 0.5}), [use], host.catalogue)[0]

    return run


FAULTS = {
    "raise ValueError('CANARY')": "the rule raised ValueError",
    "sys.exit(0)": "the rule raised SystemExit",
    "os._exit(0)": "the rule ended its process with exit code 0",
    "print('CANARY')": f"the rule {PRINTED}",
    "ctypes.string_at(0)": "the rule was ended by the signal SIGSEGV",
    "x = [bytearray(1 << 24) for _ in range(1000)]": "the rule ran out of memory (its limit is 256 MB)",
    "os.kill(os.getppid(), 9); time.sleep(600)": "the rule ended the process that watches over it",
    "found = None": "the rule returned no valid finding",
    "found = 'pass'": "the rule returned no valid finding",
    "found = case": "the rule returned no valid finding",
    "found = lambda: 0": "the rule returned function, which cannot leave its process",
    "found = Path()": "the rule returned an object of type PosixPath, which is no plain data",
    "found.evidence['x'] = 'CANARY' * (1 << 22)": "the rule returned more than 16 MB",
}


def test_whatever_goes_wrong_is_an_error_and_blocks(judged):
    told = {fault: judged(judging=fault) for fault in FAULTS}
    assert {fault: finding.message for fault, finding in told.items()} == FAULTS
    assert {finding.outcome for finding in told.values()} == {"error"}
    assert {verdict_of([finding]) for finding in told.values()} == {"block"}
    assert "CANARY" not in repr(told.values())
    assert judged().outcome == "pass"


@pytest.mark.parametrize("fault", ["time.sleep(600)", "while True: found.outcome"])
def test_one_that_hangs_is_ended(host_within, judged, fault):
    finding = judged(host=host_within(1.0), judging=fault)
    assert (finding.outcome, finding.message) == ("error", "the rule took longer than 1 seconds")


def test_it_judges_in_another_process_and_changes_nothing_here(host, judged):
    changes = "print('CANARY', file=sys.stderr); os.chdir('/'); case.metrics.clear(); object.__setattr__(case, 'name', 'other')"
    before, case = os.getcwd(), case_of({"CM2": 0.5})  # noqa: PTH109 - as it is written there
    use = RuleUse(rule="odd", params=host.catalogue.rules["odd"].parameters(judging=changes), origin="audit file")
    [finding, _] = judge(case, [use], host.catalogue)
    many, number = finding.message.split()
    assert (finding.outcome, many) == ("pass", "1")
    assert int(number) != os.getpid()
    assert (case.name, set(case.metrics), os.getcwd()) == ("candidate", {"CM2"}, before)  # noqa: PTH109 - as above


def test_one_that_cannot_say_what_it_limits_is_an_error_and_is_asked_once(host, judged, tmp_path):
    asked = f"open({str(tmp_path / 'asked')!r}, 'a').write('x'); os._exit(0)"
    for _ in range(3):
        finding = judged(announcing=asked)
        assert (finding.outcome, finding.message) == ("error", "the rule ended its process with exit code 0")
    assert (tmp_path / "asked").read_text() == "x"
    sent = pickle.loads(pickle.dumps(host.catalogue.rules["odd"]))
    with pytest.raises(CallFailedError):
        sent.limits(sent.parameters(announcing=asked))
    assert (tmp_path / "asked").read_text() == "x"


def test_an_audit_goes_on_and_is_blocked(install, write_audit, permaudit, tmp_path):
    install("acme", {"acme": RULE})
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}, {"rule": "odd", "judging": "os._exit(0)"}]
    assert permaudit("run", write_audit(rules=rules, plugins={"allow": ["acme"]}), "--out", tmp_path / "out").code == 1
    result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
    outcomes = {finding["rule"]: finding["outcome"] for finding in result["candidates"][0]["rules"]}
    assert (result["verdict"], outcomes["odd"], outcomes["threshold"]) == ("block", "error", "pass")


def test_one_that_cannot_even_announce_itself_is_a_mistake(install, write_audit, permaudit):
    install("acme", {"acme": RULE})
    audit = write_audit(rules=[{"rule": "odd", "announcing": "os._exit(0)"}], plugins={"allow": ["acme"]})
    ran = permaudit("run", audit)
    assert ran.code == 2
    assert ran.err.startswith("rule 'odd' cannot say its metrics: it ended its process with exit code 0\n")
