"""`junit.xml`: what a pipeline that reads nothing else must know."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from permaudit import shown
from permaudit.outcome import Place, WaiverResult
from permaudit.report.junit import to_junit
from permaudit.verdict import verdict_of

from .hostile import HOSTILE, named

LETS_PASS = {"pass", "not-applicable"}


def parsed(outcome):
    """Return the test cases by suite, as another program reads them."""
    suites = JUnitXml.fromstring(to_junit(outcome))
    return {suite.name: {case.name: case for case in suite} for suite in suites}


def broken(outcome):
    """Return how many failures and errors another program counts."""
    suites = JUnitXml.fromstring(to_junit(outcome))
    listed = [result for suite in suites for case in suite for result in case.result]
    counted = sum(isinstance(result, Failure | Error) for result in listed)
    assert suites.failures + suites.errors == counted
    assert sum(suite.failures + suite.errors for suite in suites) == counted
    assert suites.skipped == sum(isinstance(result, Skipped) for result in listed)
    assert suites.tests == sum(len(list(suite)) for suite in suites)
    return counted


def judged(outcome, *said):
    """Return the outcome with one candidate for which the rules said these things."""
    (candidate,) = outcome.candidates
    rules = [replace(candidate.rules[0], rule=f"rule {number}", outcome=one) for number, one in enumerate(said)]
    verdict = verdict_of(rules)
    return replace(outcome, verdict=verdict, candidates=[replace(candidate, rules=rules, verdict=verdict)])


def test_there_is_a_case_for_every_candidate_and_rule_and_one_for_the_verdict(outcome):
    (candidate,) = outcome.candidates
    twice = replace(outcome, candidates=[candidate, replace(candidate, name="other")])
    suites = parsed(twice)
    assert list(suites) == ["permaudit", candidate.name, "other"]
    assert list(suites["permaudit"]) == ["verdict"]
    assert list(suites["other"]) == [finding.rule for finding in candidate.rules]


def test_a_release_breaks_nothing(outcome):
    assert outcome.verdict == "release"
    assert broken(outcome) == 0


@pytest.mark.parametrize(
    "said", list(product(["pass", "fail", "review", "waived", "not-applicable", "error"], repeat=2))
)
def test_something_is_broken_exactly_where_the_verdict_is_not_release(outcome, said):
    made = judged(outcome, *said)
    assert (broken(made) > 0) == (made.verdict != "release")
    cases = parsed(made)[made.candidates[0].name].values()
    for outcome_said, case in zip(said, cases, strict=True):
        results = [type(result) for result in case.result]
        assert (not results) == (outcome_said == "pass")
        assert (results == [Skipped]) == (outcome_said == "not-applicable")
        assert (results == [Error]) == (outcome_said == "error")


def test_an_outcome_that_nobody_knows_is_an_error(outcome):
    assert broken(judged(outcome, "fine")) == 2


def test_a_study_never_looks_like_a_success(outcome):
    study = replace(outcome, provenance=replace(outcome.provenance, study=True))
    assert broken(study) == 1
    (failure,) = parsed(study)["permaudit"]["verdict"].result
    assert "must not be released" in failure.message


def test_a_verdict_without_a_reason_is_still_seen(outcome):
    assert broken(replace(outcome, verdict="block", candidates=[])) == 1


def test_waivers_come_first_and_are_no_tests(outcome):
    waiver = WaiverResult(
        rule="threshold",
        candidate="release",
        attribute=None,
        reason="agreed",
        approved_by=["A. Smith", "B. Jones"],
        expires="2027-01-31",
        sha256=None,
        state="unused",
        message="no rule needed it",
    )
    cases = parsed(replace(outcome, waivers=[waiver, waiver]))["permaudit"]
    assert list(cases) == ["waiver of threshold for release", "waiver of threshold for release (2)", "verdict"]
    (skipped,) = cases["waiver of threshold for release"].result
    for part in ("unused", "A. Smith and B. Jones", "2027-01-31", "agreed"):
        assert part in skipped.message


def test_a_case_says_where_its_rule_was_asked_for(outcome):
    (candidate,) = outcome.candidates
    asked, always = (replace(candidate.rules[0], rule=name, place=place) for name, place in PLACES.items())
    provenance = replace(outcome.provenance, places={candidate.name: Place(file="a.yaml", line=7, column=1)})
    made = replace(outcome, candidates=[replace(candidate, rules=[asked, always])], provenance=provenance)
    cases = parsed(made)[candidate.name]
    attributes = {name: (case._elem.get("file"), case._elem.get("line")) for name, case in cases.items()}  # noqa: SLF001
    assert attributes == {"asked": ("p.yaml", "3"), "always": ("a.yaml", "7")}


PLACES = {"asked": Place(file="p.yaml", line=3, column=5), "always": None}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_any_name_gives_a_file_with_the_same_cases(outcome, name):
    ordinary = [
        (suite.tests, suite.failures, suite.errors) for suite in JUnitXml.fromstring(to_junit(named(outcome, "x")))
    ]
    suites = JUnitXml.fromstring(to_junit(named(outcome, name)))
    assert [(suite.tests, suite.failures, suite.errors) for suite in suites] == ordinary
    assert suites.name == shown(name, 1000)
    for suite in suites:
        titles = [case.name for case in suite]
        assert len(set(titles)) == len(titles)
        for case in suite:
            for result in case.result:
                text = f"{result.message}{result.text or ''}"
                assert text.replace("\n", "").isprintable()
                assert len(text) < 5000


def test_the_same_outcome_gives_the_same_bytes(outcome):
    assert to_junit(outcome) == to_junit(replace(outcome))
