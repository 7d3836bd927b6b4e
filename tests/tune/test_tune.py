"""`permaudit tune`: the least distorting value that passes, or why there is none."""

from __future__ import annotations

import itertools
import re

import pytest

from permaudit.cli.loading import load_audit
from permaudit.tune import tune

CM2 = {"rule": "threshold", "metric": "CM2", "min": 0.05}
CANDIDATES = {
    "noise": {"anonymizer": "additive-noise", "params": {"alpha": 0.3}},
    "groups": {"anonymizer": "mdav", "params": {"k": 3}},
    "swap": {"anonymizer": "rank-swap", "params": {"p": 5}},
}


@pytest.fixture
def search(write_audit):
    """Return a function that tunes a candidate."""

    def run(name, low, high, *rules, **content):
        audit, host = load_audit(write_audit(**({"candidates": CANDIDATES, "rules": list(rules or [CM2])} | content)))
        return tune(audit, host, name, low=low, high=high)

    return run


@pytest.fixture
def command(write_audit, permaudit):
    """Return a function that runs the command."""

    def run(name, *options, **content):
        audit = write_audit(**({"candidates": CANDIDATES, "rules": [CM2]} | content))
        return permaudit("tune", audit, "--candidate", name, *options)

    return run


# --------------------------------------------------------------------------- what is found


@pytest.mark.parametrize("least", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("name", ["noise", "groups", "swap"])
def test_the_value_found_passes_and_its_neighbour_on_the_less_distorting_side_does_not(search, name, least):
    low, high, near = {"noise": (0.01, 1, 0.01), "groups": (2, 60, 1), "swap": (1, 100, 1)}[name]
    found = search(name, low, high, CM2 | {"min": least})
    border = [
        (failing, passing)
        for failing, passing in itertools.pairwise(found.trials)
        if passing.passes and not failing.passes and passing.value - failing.value <= near
    ]
    assert border
    assert found.best.passes
    assert found.best.utility == max(trial.utility for trial in found.trials if trial.passes)
    if found.monotone:
        assert [found.best] == [passing for _, passing in border]
    for trial in found.trials:
        assert trial.passes == (trial.protection >= least)


def test_whole_numbers_are_searched_among_whole_numbers(search):
    assert all(isinstance(trial.value, int) for trial in search("groups", 2, 60).trials)


def test_every_value_is_tried_once_and_with_the_same_noise(search):
    first, second = search("noise", 0.01, 1), search("noise", 0.01, 1)
    assert first == second
    values = [trial.value for trial in first.trials]
    assert values == sorted(set(values))


def test_a_rule_at_each_end_leaves_a_place_between_them(search):
    found = search("noise", 0.01, 1, CM2, {"rule": "threshold", "metric": "UM", "min": 0.7})
    ends = found.trials[0], found.trials[-1]
    assert not any(end.passes for end in ends)
    assert found.best.passes
    assert not found.monotone


def test_utility_is_measured_also_where_nobody_asked_for_it(search):
    found = search("noise", 0.01, 1, metrics=["CM2"])
    assert found.utility_metric == "UM"
    assert found.best == search("noise", 0.01, 1).best


# --------------------------------------------------------------------------- what is said


def test_the_answer_is_printed_with_all_trials_and_can_be_used_as_it_is(command, write_audit, permaudit, tmp_path):
    ran = command("noise", "--from", 0.01)
    assert ran.code == 0
    [value] = re.findall(r"^least distorting value that passes: alpha = (\S+)$", ran.out, re.MULTILINE)
    assert re.search(rf"^ +{re.escape(value)} .* release$", ran.out, re.MULTILINE)
    assert ran.err.count("trying ") == len(re.findall(r"^ +[\d.]+ .* (release|block)$", ran.out, re.MULTILINE))
    assert "a study with a known seed" in ran.out
    candidates = {"noise": {"anonymizer": "additive-noise", "params": {"alpha": float(value)}}}
    audit = write_audit(candidates=candidates, rules=[CM2])
    assert permaudit("run", audit, "--out", tmp_path / "out", "--study-seed", 1).code == 0


@pytest.mark.parametrize(("name", "least"), [("noise", "0.01"), ("swap", "1")])
def test_a_bound_that_may_not_be_reached_is_kept_off_by_a_hundredth(command, name, least):
    ran = command(name)
    assert ran.code == 0, ran.err
    assert ran.err.splitlines()[0] == f"trying {least}"


def test_where_everything_passes_the_least_distorting_end_is_the_answer(command):
    ran = command("noise", "--from", 0.8, "--to", 0.9)
    assert ran.code == 0
    assert "least distorting value that passes: alpha = 0.8\n" in ran.out
    assert ran.err == "trying 0.8\ntrying 0.9\n"


def test_where_nothing_passes_the_exit_code_is_1(command):
    ran = command("noise", "--from", 0.01, "--to", 0.1)
    assert ran.code == 1
    assert "none of these values passes all rules" in ran.out
    assert "least distorting" not in ran.out
    assert ran.err.count("trying") == 11


def test_a_response_that_is_not_monotone_is_said_to_be_so(command):
    ran = command("noise", "--from", 0.01, rules=[CM2, {"rule": "threshold", "metric": "UM", "min": 0.7}])
    assert ran.code == 0
    assert "the response is not monotone over these values" in ran.out
    assert "not monotone" not in command("noise", "--from", 0.2).out


def test_another_seed_is_another_study(command):
    ran = [command("noise", "--from", 0.1, "--study-seed", seed).out for seed in (1, 1, 2)]
    assert ran[0] == ran[1] != ran[2]


# --------------------------------------------------------------------------- refusals

REFUSED = {
    "no upper bound": (("groups",), "say where to search for 'k' with --to: mdav declares no such bound"),
    "no range": (("noise", "--from", 0.5, "--to", 0.5), "cannot search for 'alpha' from 0.5 to 0.5"),
    "endless": (("noise", "--from", 0.5, "--to", "inf"), "cannot search for 'alpha' from 0.5 to inf"),
    "no number": (("noise", "--from", "nan"), "cannot search for 'alpha' from nan to 1"),
    "out of bounds": (
        ("groups", "--from", 1, "--to", 9),
        "'k' of mdav cannot be 1: input should be greater than or equal to 2",
    ),
    "a fraction": (
        ("groups", "--from", 2.5, "--to", 9),
        "'k' of mdav cannot be 2.5: input should be a valid integer, got a number with a fractional part",
    ),
    "unknown parameter": (("groups", "--parameter", "q", "--to", 9), "'q' is no parameter of mdav"),
    "a word": (("groups", "--parameter", "scale", "--to", 9), "'scale' is no number in candidate 'groups'"),
    "unknown candidate": (
        ("nobody", "--to", 9),
        "no candidate 'nobody' that an anonymizer makes; there are noise, groups, swap",
    ),
    "data": (
        ("groups", "--to", 900),
        "candidate groups: k is 900, but there are only 200 records to put into one group",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_searched_is_exit_code_2(command, arguments, message):
    ran = command(*arguments)
    assert ran.code == 2
    assert [line for line in ran.err.splitlines() if not line.startswith("trying")] == [message]
    assert not ran.out


def test_a_candidate_without_a_number_has_nothing_to_tune(command):
    ran = command("new", "--to", 3, candidates={"new": {"anonymizer": "ipso"}})
    assert (ran.code, ran.err) == (2, "say which parameter to tune with --parameter; numbers are none\n")


def test_declared_bounds_are_the_range_where_there_are_both(command, people):
    grades = people.assign(GRADE=["low", "middle", "high", "top"] * 50, ZONE=["a", "b", "c", "d", "e"] * 40)[
        ["GRADE", "ZONE"]
    ]
    ran = command(
        "words",
        files={"original.csv": grades},
        attributes={
            "GRADE": {"type": "ordinal", "order": ["low", "middle", "high", "top"]},
            "ZONE": {"type": "ordinal", "order": ["a", "b", "c", "d", "e"]},
        },
        candidates={"words": {"anonymizer": "pram", "params": {"p": 0.5}}},
    )
    assert ran.code == 0
    assert ran.err.startswith("trying 0\ntrying 1\n")


@pytest.mark.parametrize(("stream", "code"), [("stderr", 0), ("stdout", 2)])
def test_what_a_foreign_anonymizer_writes_is_not_part_of_the_answer(command, install, stream, code):
    install("acme", {"chatty": CHATTY.format(stream=stream)})
    ran = command(
        "c",
        "--from",
        0.5,
        "--to",
        0.9,
        candidates={"c": {"anonymizer": "chatty", "params": {"alpha": 0.7}}},
        plugins={"allow": ["acme"]},
    )
    assert ran.code == code
    assert "CANARY" not in ran.out + ran.err
    assert "CANARY" in ran.log


CHATTY = """
import sys

import numpy as np
import pyarrow as pa
from permaudit import AnonymizerCard, Made, Parameters, hookimpl, to_numpy

permaudit_api = 1

class ChattyParameters(Parameters):
    alpha: float

class Chatty:
    card = AnonymizerCard(id="chatty", title="Chatty", kind="masked", linked=True, reference="none", summary="none")
    parameters = ChattyParameters

    def anonymize(self, original, params, rng):
        print("CANARY", file=sys.{stream})
        columns = dict(zip(original.table.column_names, map(to_numpy, original.table.columns)))
        return Made(pa.table({{name: rng.permutation(values) for name, values in columns.items()}}))

@hookimpl
def permaudit_anonymizers():
    return [Chatty()]
"""
