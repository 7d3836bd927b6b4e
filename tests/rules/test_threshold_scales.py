"""A threshold can limit the value, the calibrated one, the less favourable end of the interval, or the relative one."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

import permaudit
from permaudit.outcome import VERDICTS

from .cases import case_of, finding_of, full, measured, use_of, verdict

NUMBERS = {"value": 0.4, "calibrated": 0.4 / 0.9, "lower": 0.3, "relative": 0.8}


@pytest.mark.parametrize(("scale", "number"), NUMBERS.items())
def test_each_scale_is_limited_by_its_own_number(scale, number):
    case = case_of({"CM2": full(0.4)})
    for least, outcome in ((number - 1e-9, "pass"), (number + 1e-9, "fail")):
        assert finding_of("threshold", case, metric="CM2", min=least, on=scale).outcome == outcome


def test_the_value_is_limited_where_nothing_else_is_said():
    found = finding_of("threshold", case_of({"CM2": full(0.4)}), metric="CM2", min=0.41)
    assert (found.outcome, found.message) == ("fail", "CM2 is 0.4000, not at least 0.41")


def test_the_less_favourable_end_is_the_upper_one_where_lower_is_better():
    case = case_of({"COPIES": full(0.4)})
    assert finding_of("threshold", case, metric="COPIES", max=0.49, on="lower").outcome == "fail"
    assert finding_of("threshold", case, metric="COPIES", max=0.51, on="lower").outcome == "pass"


@pytest.mark.parametrize("scale", ["calibrated", "lower", "relative"])
def test_a_scale_that_is_not_there_is_for_a_person_to_decide(scale):
    found = finding_of("threshold", case_of({"CM2": measured(0.9)}), metric="CM2", min=0.01, on=scale)
    assert found.outcome == "review"
    assert found.fix
    assert verdict(case_of({"CM2": measured(0.9)}), use_of("threshold", metric="CM2", min=0.01, on=scale)) == "review"


@pytest.mark.parametrize("scale", NUMBERS)
@pytest.mark.parametrize("status", ["advisory", "not-applicable"])
def test_only_a_valid_metric_can_pass_or_fail(scale, status):
    found = finding_of("threshold", case_of({"CM2": full(0.9, status)}), metric="CM2", min=0.01, on=scale)
    assert found.outcome == {"advisory": "not-applicable", "not-applicable": "review"}[status]


@pytest.mark.parametrize(
    ("scale", "limits", "judges"),
    [
        ("value", {"min": 0.0}, False),
        ("value", {"min": 1e-300}, False),
        ("value", {"min": 0.001}, False),
        ("value", {"min": 0.01}, True),
        ("value", {"max": 0.5}, False),
        ("lower", {"min": 0.0}, False),
        ("lower", {"min": 0.1}, True),
        ("calibrated", {"min": 0.0}, False),
        ("calibrated", {"min": 0.009}, False),
        ("calibrated", {"min": 0.2}, True),
        ("calibrated", {"max": 0.9}, False),
        ("relative", {"min": 0.0}, False),
        ("relative", {"min": 0.001}, False),
        ("relative", {"min": 0.5}, True),
        ("relative", {"max": 3.0}, False),
    ],
)
def test_a_limit_that_demands_next_to_nothing_judges_nothing(scale, limits, judges):
    use = use_of("threshold", metric="CM2", on=scale, **limits)
    case = case_of({"CM2": full(0.4)})
    assert finding_of("threshold", case, metric="CM2", on=scale, **limits).outcome == "pass"
    assert verdict(case, use) == ("release" if judges else "review")


@pytest.mark.parametrize(
    ("scale", "limits", "judges"),
    [
        ("value", {"max": 1.0}, False),
        ("value", {"max": 0.9}, True),
        ("lower", {"max": 1.0}, False),
        ("relative", {"max": 2.0}, True),
        ("relative", {"min": 0.1}, False),
        ("calibrated", {"min": 0.2}, True),
        ("calibrated", {"max": 0.9}, False),
    ],
)
def test_where_lower_is_better_the_upper_limit_judges(scale, limits, judges):
    case = case_of({"COPIES": full(0.4)})
    assert verdict(case, use_of("threshold", metric="COPIES", on=scale, **limits)) == (
        "release" if judges else "review"
    )


# --------------------------------------------------------------------------- words


def test_a_failing_finding_names_the_attribute_that_gives_most_away():
    found = finding_of("threshold", case_of({"CM2": full(0.4)}), metric="CM2", min=0.8)
    assert found.fix.startswith("protect FICA more, the attribute that gives most away")
    assert found.evidence["least_protected"] == "FICA"


def test_a_failing_finding_names_the_key_by_which_the_files_line_up():
    details = {"worst_key": "FEDTAX", "by_key": {"FICA": 0.5, "FEDTAX": 0.4}}
    found = finding_of("threshold", case_of({"CM3": full(0.4, details=details)}, linked=False), metric="CM3", min=0.8)
    assert found.fix.startswith("protect FEDTAX more: sorted by it, the two files line up best")
    assert found.evidence["worst_key"] == "FEDTAX"


def test_whoever_lost_utility_is_not_told_to_protect_more():
    found = finding_of("threshold", case_of({"UM": full(0.4, details={})}), metric="UM", min=0.8)
    assert found.fix.startswith("distort less")


def test_a_number_on_the_better_side_of_a_limit_is_no_reason_to_protect_more():
    found = finding_of("threshold", case_of({"CM2": full(0.4)}), metric="CM2", max=0.3)
    assert (found.outcome, "protect" in found.fix) == ("fail", False)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("calibrated", "0.4444 on a scale from identical (0) to unrelated files (1)"),
        ("lower", "its 95 % interval reaches to 0.3000"),
        ("relative", "0.8000 times its baseline, 0.5000 (one random half of the original beside the other)"),
    ],
)
def test_the_message_says_which_number_was_limited(scale, words):
    found = finding_of("threshold", case_of({"CM2": full(0.4)}), metric="CM2", min=0.1, on=scale)
    assert words in found.message
    assert found.evidence["on"] == scale
    assert found.evidence[scale] == pytest.approx(NUMBERS[scale])


# --------------------------------------------------------------------------- whole audits


@pytest.mark.parametrize("scale", ["calibrated", "lower"])
def test_a_masked_release_is_judged_on_every_scale(people, masked, scale):
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05, "on": scale}]
    (candidate,) = permaudit.audit(people, masked, kind="masked", rules=rules).candidates
    assert candidate.verdict == "release"
    (found,) = [finding for finding in candidate.rules if finding.rule == "threshold"]
    result = candidate.metrics["CM2"]
    assert found.evidence[scale] == (result.calibrated if scale == "calibrated" else result.interval[0])


def test_a_synthetic_release_is_judged_relative_to_its_baseline(people, others):
    for least, expected in ((0.5, "release"), (3.0, "block")):
        rules = [{"rule": "threshold", "metric": "CM3", "min": least, "on": "relative"}]
        (candidate,) = permaudit.audit(people, others, kind="synthetic", rules=rules).candidates
        assert candidate.verdict == expected


def test_a_holdout_that_is_the_original_in_other_units_is_no_baseline(people, others):
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.5, "on": "relative"}]
    (candidate,) = permaudit.audit(
        people, others, kind="synthetic", rules=rules, holdout=people + 10 * people.max()
    ).candidates
    assert candidate.metrics["CM3"].relative is None
    assert candidate.verdict == "review"


def test_too_few_records_for_an_interval_end_in_review_and_never_in_release(people, masked):
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.001, "on": "lower"}]
    (candidate,) = permaudit.audit(people[:50], masked[:50], kind="masked", rules=rules).candidates
    assert candidate.metrics["CM2"].interval is None
    assert VERDICTS.index(candidate.verdict) >= VERDICTS.index("review")


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (
            {"min": 1.4, "on": "calibrated"},
            "rules[0].min must be between 0 and 1, the bounds of CM2 (calibrated), not 1.4",
        ),
        ({"min": 1.4, "on": "lower"}, "rules[0].min must be between 0 and 1, the bounds of CM2, not 1.4"),
        ({"min": -0.5, "on": "relative"}, "rules[0].min must be at least 0, the bounds of CM2 (relative), not -0.5"),
        ({"min": 0.5, "on": "absolute"}, "rules[0].on"),
    ],
)
def test_limits_are_held_against_the_bounds_of_their_scale(people, masked, limit, words):
    with pytest.raises(permaudit.AuditFileError) as error:
        permaudit.audit(people, masked, kind="masked", rules=[{"rule": "threshold", "metric": "CM2", **limit}])
    assert words in str(error.value)


def test_a_relative_limit_may_be_above_one(people, others):
    rules = [{"rule": "threshold", "metric": "CM3", "min": 1.2, "on": "relative"}]
    permaudit.audit(people, others, kind="synthetic", rules=rules)


def test_a_limit_without_a_number_is_none():
    with pytest.raises(ValidationError):
        use_of("threshold", metric="CM2", on="lower")
