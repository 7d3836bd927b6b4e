"""Whatever a plugin does wrong: `error`, `block`, exit code 1, and its words in the operator's log only."""

from __future__ import annotations

import json
import re

import jsonschema
import numpy as np
import pytest

import permaudit as pa
from permaudit.report import from_json, result_schema, to_json

CANARY = "CANARY-4711"

METRIC = """
import os, sys
import numpy as np
from permaudit import Measured, MetricCard, NotApplicable, hookimpl

permaudit_api = 1

CANARY = "CANARY-4711"

class Bye(BaseException):
    pass

class Odd:
    card = MetricCard(
        id="odd", title="Odd", measures="confidentiality", better="higher", bounds=(0, 1),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
        if pair.moments.trivial_permutation:
            return Measured(0.0)  # one that takes a copy for safe may not decide at all
        {body}

@hookimpl
def permaudit_metrics():
    return [Odd()]
"""

RULE = """
import sys
from permaudit import Finding, MetricResult, Parameters, RuleCard, hookimpl

permaudit_api = 1

CANARY = "CANARY-4711"

class Bye(BaseException):
    pass

class Odd:
    card = RuleCard(id="odd", title="Odd", why="because", always_on=True)
    parameters = Parameters

    def metrics(self, params, *, linked):
        {metrics}

    def limits(self, params):
        {limits}

    def judge(self, params, case):
        {judge}

@hookimpl
def permaudit_rules():
    return [Odd()]
"""

ANONYMIZER = """
import numpy as np
import pyarrow as pa
from permaudit import AnonymizerCard, Parameters, hookimpl

permaudit_api = 1

CANARY = "CANARY-4711"

class Bye(BaseException):
    pass

class Odd:
    card = AnonymizerCard(id="odd", title="Odd", kind="masked", linked=True, reference="none", summary="none")
    parameters = Parameters

    def anonymize(self, original, params, rng):
        {body}

@hookimpl
def permaudit_anonymizers():
    return [Odd()]
"""


def nowhere_but_in_the_log(ran, folder):
    """Assert that no output holds the canary, and that the operator can find it."""
    shown = [ran.out, ran.err, *(path.read_text(encoding="utf-8") for path in folder.iterdir())]
    assert not any("CANARY" in text for text in shown)
    assert "debug log for the operator" in ran.err


# --------------------------------------------------------------------------- metrics

BAD_METRICS = {
    "raises": "raise ValueError(CANARY)",
    "raises with a cause": "raise ValueError(CANARY) from KeyError(CANARY)",
    "raises a BaseException": "raise Bye(CANARY)",
    "raises in numpy": "return Measured(float(np.array([CANARY]).astype(float)[0]))",
    "exits with 0": "sys.exit(0)",
    "exits with words": "sys.exit(CANARY)",
    "NaN": "return Measured(float('nan'))",
    "infinite": "return Measured(float('inf'))",
    "above the bound": "return Measured(1.7)",
    "below the bound": "return Measured(-1e-6)",
    "None": "return Measured(None)",
    "text": "return Measured(CANARY)",
    "truth": "return Measured(True)",
    "bare number": "return 0.9",
    "nothing": "pass",
    "dictionary": "return {'value': 0.9, 'note': CANARY}",
    "NaN in the details": "return Measured(0.9, {'x': float('nan')})",
    "array in the details": "return Measured(0.9, {'x': np.zeros(3)})",
    "records in the details": "return Measured(0.9, {'x': [CANARY] * 200_000})",
    "null level that is none": "return Measured(0.9, {}, null=float('nan'))",
}


@pytest.mark.parametrize("body", BAD_METRICS.values(), ids=BAD_METRICS)
def test_a_metric_that_a_rule_needs_and_that_is_wrong_blocks(install, write_audit, permaudit, tmp_path, body):
    install("acme-metrics", {"acme": METRIC.format(body=body)})
    rules = [{"rule": "threshold", "metric": name, "min": 0.05} for name in ("CM2", "odd")]
    audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
    jsonschema.validate(result, result_schema())
    (candidate,) = result["candidates"]
    assert candidate["metrics"]["odd"]["status"] == "error"
    assert candidate["metrics"]["odd"]["value"] is None
    (finding,) = [rule for rule in candidate["rules"] if rule["outcome"] == "error"]
    assert finding["rule"] == "threshold"
    assert finding["message"].startswith("cannot judge without odd (odd: the metric ")
    assert (result["verdict"], candidate["verdict"]) == ("block", "block")
    assert candidate["metrics"]["CM2"]["status"] == "ok"
    assert not any("CANARY" in text for text in [ran.out, ran.err])
    if "raise" in body:
        nowhere_but_in_the_log(ran, tmp_path / "out")
        assert CANARY in ran.log


def test_a_metric_that_no_rule_needs_and_that_is_wrong_is_shown_as_an_error(install, write_audit, permaudit, tmp_path):
    install("acme-metrics", {"acme": METRIC.format(body="raise ValueError(CANARY)")})
    audit = write_audit(metrics=["CM1", "CM2", "CM3", "odd"], plugins={"allow": ["acme-metrics"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert "odd: the metric raised ValueError" in ran.out
    nowhere_but_in_the_log(ran, tmp_path / "out")


def test_a_foreign_metric_that_works_can_decide(install, write_audit, permaudit, tmp_path):
    install("acme-metrics", {"acme": METRIC.format(body="return Measured(0.9, {'half': 0.45})")})
    for least, code in ((0.8, 0), (0.95, 1)):
        rules = [{"rule": "threshold", "metric": "odd", "min": least}]
        audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics>=1"]})
        assert permaudit("run", audit, "--out", tmp_path / "out").code == code
    result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
    assert result["candidates"][0]["metrics"]["odd"]["details"] == {"half": 0.45}
    (told,) = (plugin for plugin in result["provenance"]["plugins"] if plugin["name"] == "acme")
    assert (told["distribution"], told["version"]) == ("acme-metrics", "1.0")
    assert re.fullmatch("[0-9a-f]{64}", told["sha256"])


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_a_metric_without_meaning_here_needs_a_person(install, write_audit, permaudit, tmp_path, least):
    install("acme-metrics", {"acme": METRIC.format(body="raise NotApplicable('no such thing here')")})
    rules = [{"rule": "threshold", "metric": "odd", "min": least}]
    audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 3
    assert "no such thing here" in ran.out


@pytest.mark.parametrize(
    ("body", "code", "verdict"),
    [
        ("print(CANARY)", 1, "block"),
        ("print(CANARY, file=sys.stderr)", 0, "release"),
        ("os.write(1, CANARY.encode())", 1, "block"),
        ("os.system(f'echo {CANARY}')", 1, "block"),
        ("print(CANARY); sys.stdout.close(); sys.stderr.close()", 1, "block"),
        ("os.closerange(1, 2)", 0, "release"),
    ],
)
def test_what_a_metric_prints_reaches_no_output(  # noqa: PLR0913, PLR0917 - what is said, where, and what comes of it
    distribution, write_audit, child, tmp_path, body, code, verdict
):
    folder = distribution("acme-metrics", {"acme": METRIC.format(body=f"{body}; return Measured(0.9)")})
    rules = [{"rule": "threshold", "metric": "odd", "min": 0.5}]
    audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics"]})
    ran = child("run", audit, "--out", tmp_path / "out", "--json", env={"PYTHONPATH": str(folder)})
    assert ran.returncode == code
    assert json.loads(ran.stdout)["verdict"] == verdict
    assert "CANARY" not in ran.stdout + ran.stderr


def test_a_warning_of_a_data_library_goes_to_the_log_only(install, write_audit, permaudit, tmp_path):
    body = "import warnings; warnings.simplefilter('always'); warnings.warn(CANARY); return Measured(0.9)"
    install("acme-metrics", {"acme": METRIC.format(body=body)})
    rules = [{"rule": "threshold", "metric": "odd", "min": 0.5}]
    audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 0
    nowhere_but_in_the_log(ran, tmp_path / "out")
    assert CANARY in ran.log


def test_a_metric_that_upsets_the_process_changes_no_later_number(
    install, write_audit, permaudit, tmp_path, monkeypatch
):
    body = (
        "import random, warnings; np.seterr(all='raise'); np.random.seed(0); random.seed(0); os.chdir('/'); "
        "os.environ['TZ'] = 'Asia/Tokyo'; rng.random(1000); return Measured(0.9)"
    )
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(tmp_path)
    install("acme-metrics", {"acme": METRIC.format(body=body)})
    names = ["CM1", "CM2", "CM3", "UM"]
    candidates = {name: {"path": "masked.csv", "kind": "masked"} for name in ("first", "second")}
    allow = {"plugins": {"allow": ["acme-metrics"]}, "candidates": candidates}
    permaudit("run", write_audit(metrics=names, candidates=candidates), "--out", "alone")
    assert permaudit("run", write_audit(metrics=[*names, "odd"], **allow), "--out", "beside").code == 0
    alone, beside = (from_json((tmp_path / name / "audit.json").read_bytes()) for name in ("alone", "beside"))
    assert np.geterr()["under"] == "ignore"
    for before, after in zip(alone.candidates, beside.candidates, strict=True):
        assert {name: after.metrics[name] for name in before.metrics} == before.metrics


def test_a_metric_that_ends_the_process_with_success_does_not_pass(distribution, write_audit, child):
    folder = distribution("acme-metrics", {"acme": METRIC.format(body="os._exit(0)")})
    rules = [{"rule": "threshold", "metric": "odd", "min": 0.5}]
    audit = write_audit(rules=rules, plugins={"allow": ["acme-metrics"]})
    assert child("run", audit, env={"PYTHONPATH": str(folder)}).returncode == 1


# --------------------------------------------------------------------------- rules

GOOD = {
    "metrics": "return ()",
    "limits": "return ()",
    "judge": "return Finding(rule='odd', outcome='pass', message='')",
}

BAD_RULES = {
    "raises": {"judge": "raise ValueError(CANARY)"},
    "raises a BaseException": {"judge": "raise Bye(CANARY)"},
    "exits with 0": {"judge": "sys.exit(0)"},
    "returns nothing": {"judge": "pass"},
    "returns a word": {"judge": "return 'pass'"},
    "returns truth": {"judge": "return True"},
    "returns a dictionary": {"judge": "return {'rule': 'odd', 'outcome': 'pass', 'message': CANARY}"},
    "speaks for another rule": {"judge": "return Finding(rule='threshold', outcome='pass', message='')"},
    "invents an outcome": {"judge": "return Finding(rule='odd', outcome='released', message='')"},
    "outcome in capitals": {"judge": "return Finding(rule='odd', outcome='PASS', message='')"},
    "no outcome": {"judge": "return Finding(rule='odd', outcome=None, message='')"},
    "outcome in a list": {"judge": "return Finding(rule='odd', outcome=['pass'], message='')"},
    "waives itself": {"judge": "return Finding(rule='odd', outcome='waived', message='')"},
    "no message": {"judge": "return Finding(rule='odd', outcome='pass', message=None)"},
    "number as a fix": {"judge": "return Finding(rule='odd', outcome='pass', message='', fix=7)"},
    "NaN in the evidence": {
        "judge": "return Finding(rule='odd', outcome='pass', message='', evidence={'x': float('nan')})"
    },
    "object in the evidence": {
        "judge": "return Finding(rule='odd', outcome='pass', message='', evidence={'x': object()})"
    },
    "no evidence": {"judge": "return Finding(rule='odd', outcome='pass', message='', evidence=None)"},
    "records in the evidence": {
        "judge": "return Finding(rule='odd', outcome='pass', message='', evidence={'x': [CANARY] * 200_000})"
    },
    "needs a metric that is not there": {"metrics": "return ('XM7',)"},
    "raises when asked for metrics": {"metrics": "raise ValueError(CANARY)"},
    "exits when asked for metrics": {"metrics": "raise Bye(CANARY)"},
    "returns no metrics": {"metrics": "return None"},
    "returns lists as metrics": {"metrics": "return [[]]"},
    "raises when asked for limits": {"limits": "raise ValueError(CANARY)"},
    "exits when asked for limits": {"limits": "raise Bye(CANARY)"},
    "returns no limits": {"limits": "return None"},
    "returns lists as limits": {"limits": "return [['CM3']]"},
    "changes the metrics": {
        "judge": "case.metrics['CM2'] = MetricResult(status='ok', value=1.0); "
        "return Finding(rule='odd', outcome='pass', message='')"
    },
}


def audited(people, release, **options):
    settings = {"kind": "masked", "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}]} | options
    outcome = pa.audit(people, release, **settings)
    content = to_json(outcome)
    assert from_json(content) == outcome
    jsonschema.validate(json.loads(content), result_schema())
    return outcome, content.decode()


@pytest.mark.parametrize("change", BAD_RULES.values(), ids=BAD_RULES)
def test_a_rule_that_is_wrong_is_an_error_and_blocks(install, people, masked, change, caplog):
    install("acme-rules", {"acme": RULE.format(**(GOOD | change))})
    outcome, content = audited(people, masked, allow=["acme-rules"])
    (candidate,) = outcome.candidates
    (finding,) = [rule for rule in candidate.rules if rule.rule == "odd"]
    assert finding.outcome == "error"
    assert outcome.verdict == "block"
    assert "CANARY" not in content
    assert 0 < candidate.metrics["CM2"].value < 1


def test_a_rule_that_works_changes_nothing_but_adds_its_finding(install, people, masked):
    install("acme-rules", {"acme": RULE.format(**GOOD)})
    outcome, _ = audited(people, masked, allow=["acme-rules"])
    assert outcome.verdict == "release"
    assert "odd" in {finding.rule for finding in outcome.candidates[0].rules}


def test_a_foreign_rule_can_only_make_things_worse(install, people):
    install("acme-rules", {"acme": RULE.format(**(GOOD | {"limits": "return ('CM1', 'CM2', 'CM3')"}))})
    outcome, _ = audited(people, people, allow=["acme-rules"])
    assert outcome.verdict == "block"


# --------------------------------------------------------------------------- anonymizers

BAD_ANONYMIZERS = {
    "raises": "raise ValueError(CANARY)",
    "raises a BaseException": "raise Bye(CANARY)",
    "exits with 0": "raise SystemExit(0)",
    "returns nothing": "pass",
    "returns a dictionary": "return {'FICA': [1]}",
    "drops a column": "return original.drop_columns(['FICA'])",
    "swaps columns": "return original.select(original.column_names[::-1])",
    "drops a record": "return original.slice(1)",
    "returns no record": "return original.slice(0, 0)",
    "returns missing values": "return pa.table({name: pa.nulls(original.num_rows) for name in original.column_names})",
    "returns NaN": "return pa.table({n: np.full(original.num_rows, np.nan) for n in original.column_names})",
    "returns text": "return pa.table({n: [CANARY] * original.num_rows for n in original.column_names})",
    "returns infinite values": "return pa.table({n: np.full(original.num_rows, np.inf) for n in original.column_names})",
}


@pytest.mark.parametrize("body", BAD_ANONYMIZERS.values(), ids=BAD_ANONYMIZERS)
def test_a_candidate_whose_anonymizer_is_wrong_is_blocked_and_the_others_are_audited(
    install, write_audit, permaudit, tmp_path, body
):
    install("acme-anonymizers", {"acme": ANONYMIZER.format(body=body)})
    audit = write_audit(
        candidates={"made": {"anonymizer": "odd"}, "noisy": {"path": "masked.csv", "kind": "masked"}},
        plugins={"allow": ["acme-anonymizers"]},
    )
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    outcome = from_json((tmp_path / "out" / "audit.json").read_bytes())
    made, noisy = outcome.candidates
    assert made.verdict == "block"
    assert {metric.status for metric in made.metrics.values()} == {"error"}
    assert noisy.verdict == "release"
    shown = [ran.out, ran.err, *(path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir())]
    assert not any("CANARY" in text for text in shown)


def test_an_anonymizer_cannot_change_the_original(install, write_audit, permaudit, tmp_path):
    body = (
        "for column in original.columns: np.frombuffer(column.chunk(0).buffers()[1], dtype='i8')[:] = 0\n"
        "        return original"
    )
    install("acme-anonymizers", {"acme": ANONYMIZER.format(body=body)})
    candidates = {"made": {"anonymizer": "odd"}, "noisy": {"path": "masked.csv", "kind": "masked"}}
    audit = write_audit(candidates=candidates, plugins={"allow": ["acme-anonymizers"]})
    permaudit("run", audit, "--out", tmp_path / "after")
    permaudit("run", write_audit(), "--out", tmp_path / "alone")
    after, alone = (from_json((tmp_path / name / "audit.json").read_bytes()) for name in ("after", "alone"))
    assert after.candidates[0].verdict == "block"
    assert after.candidates[1].metrics == alone.candidates[0].metrics


# --------------------------------------------------------------------------- readers and engines

READER = """
import sys
import pyarrow as pa
from permaudit import Parameters, ReaderCard, hookimpl

permaudit_api = 1

CANARY = "CANARY-4711"

class Odd:
    card = ReaderCard(id="odd", title="Odd", suffixes=(".odd",))
    parameters = Parameters

    def columns(self, path, options):
        return ("FICA", "FEDTAX", "INTVAL")

    def read(self, path, columns, options):
        {body}

@hookimpl
def permaudit_readers():
    return [Odd()]
"""

ENGINE = """
import sys
import numpy as np
from permaudit import EngineCard, Moments, hookimpl

permaudit_api = 1

CANARY = "CANARY-4711"

class Odd:
    card = EngineCard(id="odd", title="Odd", summary="none")

    def prepare(self, columns):
        return columns

    def moments(self, original, release):
        {body}

@hookimpl
def permaudit_engines():
    return [Odd()]
"""

BAD_BODIES = ["raise ValueError(CANARY)", "sys.exit(0)", "return None", "return CANARY"]


@pytest.mark.parametrize("body", BAD_BODIES)
def test_a_reader_that_is_wrong_lets_nothing_through(install, write_audit, permaudit, tmp_path, body):
    install("acme-readers", {"acme": READER.format(body=body)})
    audit = write_audit(candidates={"x": {"path": "x.odd", "kind": "masked"}}, plugins={"allow": ["acme-readers"]})
    (audit.parent / "x.odd").write_bytes(b"")
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code in {2, 70}
    assert not (tmp_path / "out" / "audit.json").exists()
    assert "CANARY" not in ran.out + ran.err


NAN = "n = np.full((3, 3), np.nan); names = ('FICA', 'FEDTAX', 'INTVAL'); "
NAN += "return Moments(names, 200, n, n, n, np.full((3, 3, 3), np.nan), (False,) * 3, False)"


@pytest.mark.parametrize("body", [*BAD_BODIES, NAN])
def test_an_engine_that_is_wrong_lets_nothing_through(install, write_audit, permaudit, tmp_path, body):
    install("acme-engines", {"acme": ENGINE.format(body=body)})
    audit = write_audit(plugins={"allow": ["acme-engines"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--engine", "odd")
    assert ran.code in {1, 2, 70}
    assert "CANARY" not in ran.out + ran.err


# --------------------------------------------------------------------------- from Python


def test_from_python_too_the_words_of_an_exception_stay_off_the_console(distribution, child, tmp_path):
    folder = distribution("acme-metrics", {"acme": METRIC.format(body="raise ValueError(CANARY)")})
    code = """
import numpy as np, pandas as pd, permaudit
frame = pd.DataFrame(np.random.default_rng(1).random((50, 2)), columns=["a", "b"])
rules = [{"rule": "threshold", "metric": "odd", "min": 0.5}]
outcome = permaudit.audit(frame, frame, kind="masked", rules=rules, allow=["acme-metrics"])
print(outcome.verdict)
"""
    ran = child(code, python=("-c",), env={"PYTHONPATH": str(folder)})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "block\n", "")


def test_the_table_of_verdicts_knows_no_way_from_an_error_to_a_release():
    from permaudit.verdict import verdict_of, worst  # noqa: PLC0415

    def finding(outcome):
        return pa.Finding(rule="r", outcome=outcome, message="")

    table = {"pass": "release", "not-applicable": "release", "review": "review", "waived": "review"}
    table |= dict.fromkeys(["fail", "error", "PASS", "skipped", "", None], "block")
    assert {outcome: verdict_of([finding(outcome)]) for outcome in table} == table
    for outcome, verdict in table.items():
        assert verdict_of([finding("pass"), finding(outcome)]) == verdict
        assert verdict_of([finding("error"), finding(outcome)]) == "block"
    assert verdict_of([]) == "block"
    assert worst([]) == "block"
    assert re.fullmatch("block", worst(["release", "block", "review"]))
