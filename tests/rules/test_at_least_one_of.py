"""One of several limits is enough, if its metric counts for this kind of release."""

from __future__ import annotations

import pytest

import permaudit

from .cases import CATALOGUE, case_of, finding_of, full, measured, use_of, verdict

CM1 = {"metric": "CM1", "min": 0.3}
CM2 = {"metric": "CM2", "min": 0.3}
CM3 = {"metric": "CM3", "min": 0.3}
COPIES = {"metric": "COPIES", "max": 0.1}
UM = {"metric": "UM", "min": 0.3}
GOOD, BAD = full(0.5), full(0.1)


def judged(case, *limits):
    return finding_of("at-least-one-of", case, of=list(limits))


def test_one_limit_that_holds_is_enough():
    assert judged(case_of({"CM1": GOOD, "CM2": BAD}), CM1, CM2).outcome == "pass"
    assert judged(case_of({"CM1": BAD, "CM2": GOOD}), CM1, CM2).outcome == "pass"


def test_where_none_holds_every_limit_is_named():
    found = judged(case_of({"CM1": BAD, "CM2": BAD}), CM1, CM2)
    assert found.outcome == "fail"
    assert found.message == ("none of 2 limits holds: CM1 is 0.1000, not at least 0.3; CM2 is 0.1000, not at least 0.3")
    assert "protect FICA more" in found.fix


def test_each_limit_has_a_scale_of_its_own():
    case = case_of({"CM2": full(0.4)})
    on_lower = {"metric": "CM2", "min": 0.35, "on": "lower"}
    assert judged(case, on_lower, {"metric": "CM2", "min": 0.45}).outcome == "fail"
    assert judged(case, on_lower, {"metric": "CM2", "min": 0.7, "on": "relative"}).outcome == "pass"


@pytest.mark.parametrize("status", ["advisory", "not-applicable"])
def test_a_metric_that_does_not_count_never_holds(status):
    case = case_of({"CM2": full(0.9, status), "CM3": BAD}, linked=False)
    assert judged(case, CM2, CM3).outcome in {"fail", "review"}
    assert verdict(case, use_of("at-least-one-of", of=[CM2, CM3])) != "release"


def test_an_unlinked_release_is_judged_by_the_limit_that_counts_there():
    case = case_of({"CM2": full(0.9, "advisory"), "CM3": GOOD}, linked=False)
    use = use_of("at-least-one-of", of=[CM2, CM3])
    assert judged(case, CM2, CM3).outcome == "pass"
    assert verdict(case, use) == "release"


def test_a_linked_release_cannot_make_up_for_its_links_by_what_does_not_look_at_them():
    case = case_of({"CM2": BAD, "CM3": GOOD})
    found = judged(case, CM2, CM3)
    assert found.outcome == "review"
    assert "does not look at the links" in found.message
    assert judged(case_of({"CM2": GOOD, "CM3": BAD}), CM2, CM3).outcome == "pass"


def test_one_broken_metric_is_an_error_even_if_another_limit_holds():
    broken = measured(None, "error")
    found = judged(case_of({"CM1": GOOD, "CM2": broken}), CM1, CM2)
    assert found.outcome == "error"
    assert verdict(case_of({"CM1": GOOD, "CM2": broken}), use_of("at-least-one-of", of=[CM1, CM2])) == "block"


def test_a_limit_that_could_not_be_judged_leaves_it_to_a_person_if_no_other_holds():
    on_lower = {"metric": "CM2", "min": 0.01, "on": "lower"}
    case = case_of({"CM1": BAD, "CM2": measured(0.9)})
    assert judged(case, CM1, on_lower).outcome == "review"
    assert judged(case_of({"CM1": GOOD, "CM2": measured(0.9)}), CM1, on_lower).outcome == "pass"


def test_where_no_metric_counts_the_rule_does_not_apply_and_nothing_is_released():
    advisory = full(0.9, "advisory")
    case = case_of({"CM1": advisory, "CM2": advisory}, linked=False)
    assert judged(case, CM1, CM2).outcome == "not-applicable"
    assert verdict(case, use_of("at-least-one-of", of=[CM1, CM2])) == "review"


# --------------------------------------------------------------------------- does it judge?


@pytest.mark.parametrize(
    ("limits", "linked", "limited"),
    [
        ([CM1, CM2], True, {"CM1", "CM2"}),
        ([CM2, CM3], True, {"CM2"}),
        ([CM3, COPIES], True, {"CM3", "COPIES"}),
        ([CM2, CM3], False, {"CM3"}),
        ([CM3, COPIES], False, set()),
        ([CM3, {"metric": "CM3", "min": 0.9, "on": "relative"}], False, {"CM3"}),
        ([CM3, {"metric": "CM3", "min": 0.0, "on": "relative"}], False, set()),
        ([CM1, {"metric": "CM2", "min": 0.0}], True, set()),
    ],
)
def test_a_metric_counts_as_limited_only_where_no_other_can_make_up_for_it(limits, linked, limited):
    from permaudit.verdict import demands_of  # noqa: PLC0415

    use = use_of("at-least-one-of", of=limits)
    assert set(demands_of(CATALOGUE.rules["at-least-one-of"], use, CATALOGUE, linked=linked)) == limited


def test_utility_among_the_alternatives_judges_no_confidentiality():
    case = case_of({"CM2": GOOD, "UM": GOOD})
    assert verdict(case, use_of("at-least-one-of", of=[CM2, UM])) == "release"  # only CM2 can decide: UM sees no links
    unlinked = case_of({"CM3": GOOD, "UM": GOOD}, linked=False)
    assert verdict(unlinked, use_of("at-least-one-of", of=[CM3, UM])) == "review"


def test_a_synthetic_release_that_could_pass_without_cm3_is_blocked(people, others):
    rules = [{"rule": "at-least-one-of", "of": [{"metric": "CM3", "min": 0.2}, {"metric": "COPIES", "max": 0.5}]}]
    (candidate,) = permaudit.audit(people, others, kind="synthetic", rules=rules).candidates
    assert {found.rule: found.outcome for found in candidate.rules}["cm3-for-synthetic"] == "fail"
    assert candidate.verdict == "block"


def test_the_same_alternatives_serve_masked_and_synthetic_releases(people, masked, others):
    rules = [
        {
            "rule": "at-least-one-of",
            "of": [{"metric": "CM2", "min": 0.05}, {"metric": "CM3", "min": 0.3, "on": "relative"}],
        }
    ]
    for release, kind in ((masked, "masked"), (others, "synthetic")):
        assert permaudit.audit(people, release, kind=kind, rules=rules).verdict == "release"


# --------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ([{"metric": "CM2", "min": 1.4}, CM1], "rules[0].of[0].min must be between 0 and 1"),
        ([CM1, {"metric": "CM7", "min": 0.4}], "rules[0].of[1].metric: 'CM7' is not a known metric"),
        ([CM1], "rules[0].of"),
        ([CM1, {"metric": "CM2"}], "a threshold needs min, max or both"),
    ],
)
def test_mistakes_are_shown_where_they_stand(people, masked, of, words):
    with pytest.raises(permaudit.AuditFileError) as error:
        permaudit.audit(people, masked, kind="masked", rules=[{"rule": "at-least-one-of", "of": of}])
    assert words in str(error.value)
