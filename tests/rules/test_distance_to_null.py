"""How far a release is on the way from a verbatim copy to a file of other people."""

from __future__ import annotations

import numpy as np
import pytest

import permaudit

from .cases import case_of, finding_of, full, measured, use_of, verdict


def test_the_calibrated_value_is_compared():
    case = case_of({"CM2": full(0.45)})  # half of its null level, 0.9
    assert finding_of("distance-to-null", case, metric="CM2", min=0.5).outcome == "pass"
    assert finding_of("distance-to-null", case, metric="CM2", min=0.51).outcome == "fail"


def test_the_message_speaks_of_the_way_between_copy_and_strangers():
    found = finding_of("distance-to-null", case_of({"CM2": full(0.45)}), metric="CM2", min=0.8)
    assert found.message == (
        "CM2 is 0.4500, 50% of the way from a verbatim copy (0) to files that have nothing to do with each other (0.9000); "
        "demanded are 80%"
    )
    assert found.fix == "protect FICA more, the attribute that gives most away"


def test_the_probability_is_demanded_on_top_of_the_distance():
    case = case_of({"CM2": full(0.81)})  # p-value 0.2
    for least, p_value, outcome in ((0.8, 0.1, "pass"), (0.8, 0.3, "fail"), (0.95, 0.1, "fail")):
        found = finding_of("distance-to-null", case, metric="CM2", min=least, **{"p-value": p_value})
        assert found.outcome == outcome
        assert "of 100 pairs of unrelated files about 20 would show links as strong as these" in found.message


@pytest.mark.parametrize(
    "result",
    [measured(0.9), full(0.9, details={}), full(0.9, "not-applicable"), full(0.9, details={"p_value": "high"})],
    ids=["no null", "no test", "not applicable", "no number"],
)
def test_what_is_not_known_is_for_a_person_to_decide(result):
    found = finding_of("distance-to-null", case_of({"CM2": result}), metric="CM2", min=0.1, **{"p-value": 0.01})
    assert found.outcome == "review"


def test_an_unlinked_release_cannot_pass_by_looking_unrelated():
    case = case_of({"CM2": full(0.89, "advisory")}, linked=False)
    assert finding_of("distance-to-null", case, metric="CM2", min=0.1).outcome == "not-applicable"
    assert verdict(case, use_of("distance-to-null", metric="CM2", min=0.1)) == "review"


def test_it_counts_as_a_limit():
    assert verdict(case_of({"CM2": full(0.81)}), use_of("distance-to-null", metric="CM2", min=0.8)) == "release"


def test_strangers_pass_and_noise_that_hides_little_does_not(people):
    rng = np.random.default_rng(3)
    rules = [{"rule": "distance-to-null", "metric": "CM2", "min": 0.8, "p-value": 0.001}]
    strangers = people.sample(frac=1, random_state=1).reset_index(drop=True)
    noisy = people + rng.normal(0, 0.5 * people.std().to_numpy(), people.shape)
    found = []
    for release in (strangers, noisy):
        (candidate,) = permaudit.audit(people, release, kind="masked", rules=rules).candidates
        found.append({finding.rule: finding.outcome for finding in candidate.rules}["distance-to-null"])
    assert found == ["pass", "fail"]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"min": 1.2}, "rules[0].min"),
        ({"min": 0}, "rules[0].min"),
        ({}, "rules[0]"),
        ({"min": 0.5, "p-value": 0.9}, "rules[0].p-value"),
        ({"min": 0.5, "p_value": 0.1}, "rules[0].p_value is not a known key"),
    ],
)
def test_mistakes_are_shown_where_they_stand(people, masked, params, words):
    with pytest.raises(permaudit.AuditFileError) as error:
        permaudit.audit(people, masked, kind="masked", rules=[{"rule": "distance-to-null", "metric": "CM2", **params}])
    assert words in str(error.value)
