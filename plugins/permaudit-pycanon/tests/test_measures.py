"""The measures of pycanon on tables that can be counted by hand, and against definitions written down again."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

from permaudit import Needs, NotApplicable
from permaudit.cli.main import cli
from permaudit.testing import check_metric, comparison_of
from permaudit_pycanon.measures import MEASURES

BY_ID = {measure.card.id.removeprefix("PYCANON-"): measure for measure in MEASURES}
ROLES = {"AGE": "quasi-identifier", "TOWN": "quasi-identifier", "WAGE": "confidential"}
RELEASE = {
    "AGE": [1, 1, 1, 2, 2, 2, 2, 3, 3, 3],
    "TOWN": [1, 1, 1, 1, 1, 1, 1, 2, 2, 2],
    "WAGE": [10, 20, 30, 10, 10, 10, 40, 20, 20, 30],
}
"""Classes of 3, 4 and 3 records, with 3, 2 and 2 wages."""


def compared(release=RELEASE, roles=ROLES):
    original = {name: np.arange(len(values)) for name, values in release.items()}
    return replace(comparison_of(original, release, needs=Needs(rows=True)), roles=roles)


def measured(name, pair=None):
    return BY_ID[name].compute(pair or compared(), np.random.default_rng(0))


@pytest.mark.parametrize("name", ["K", "L", "T"])  # the others are made like L
def test_it_keeps_the_contract(name):
    check_metric(BY_ID[name])


def test_k_is_the_size_of_the_smallest_class():
    found = measured("K")
    assert (found.value, found.details["k"]) == (1 / 3, 3)
    assert found.details["quasi_identifiers"] == ["AGE", "TOWN"]


def test_l_is_the_smallest_number_of_wages_in_a_class():
    assert (measured("L").value, measured("L").details["l"]) == (1 / 2, 2)


def test_alpha_is_the_greatest_share_of_one_wage_in_a_class():
    assert measured("ALPHA").value == pytest.approx(3 / 4)


def test_entropy_l_is_rounded_down_to_a_whole_number_of_values():
    shares = (3 / 4, 1 / 4)
    least = math.exp(-sum(share * math.log(share) for share in shares))
    assert measured("ENTROPY-L").details["l"] == math.floor(least) == 1


def test_t_is_the_greatest_distance_of_a_class_from_the_whole():
    """The ordered distance of Li, Li and Venkatasubramanian: mean absolute difference of the cumulative shares."""
    frame = pd.DataFrame(RELEASE)
    wages = sorted(set(frame["WAGE"]))
    whole = np.cumsum([(frame["WAGE"] == wage).mean() for wage in wages])
    distances = [
        np.abs(np.cumsum([(some["WAGE"] == wage).mean() for wage in wages]) - whole).sum() / (len(wages) - 1)
        for _, some in frame.groupby(["AGE", "TOWN"])
    ]
    assert measured("T").value == pytest.approx(max(distances))


def test_without_roles_every_attribute_is_a_quasi_identifier():
    assert measured("K", compared(roles={})).details["quasi_identifiers"] == ["AGE", "TOWN", "WAGE"]
    assert measured("K", compared(roles={})).value == 1


def test_without_roles_each_attribute_is_confidential_in_turn_and_the_worst_counts():
    values = []
    for secret in RELEASE:
        roles = {name: "confidential" if name == secret else "quasi-identifier" for name in RELEASE}
        values.append(measured("ALPHA", compared(roles=roles)).value)
    assert measured("ALPHA", compared(roles={})).value == max(values)


@pytest.mark.parametrize("role", ["quasi-identifier", "confidential"])
def test_half_declared_roles_get_an_answer_and_no_value(role):
    with pytest.raises(NotApplicable, match="no attribute has the role"):
        measured("L", compared(roles={"AGE": role}))


def test_missing_values_are_refused_since_pycanon_would_forget_their_records():
    pair = compared()
    release = dict(pair.rows.release) | {"AGE": np.array([np.nan, *range(9)])}
    with pytest.raises(ValueError, match="missing values"):
        measured("K", replace(pair, rows=replace(pair.rows, release=release)))


def test_what_would_take_pycanon_minutes_gets_an_answer_and_no_value():
    many = {"AGE": np.arange(200), "TOWN": np.arange(200), "WAGE": np.arange(200)}
    with pytest.raises(NotApplicable, match="generalize the quasi-identifiers first"):
        measured("T", compared(many))


def test_an_audit_stops_a_release_whose_classes_are_too_small(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"AGE": rng.integers(20, 60, 200), "TOWN": rng.integers(9, size=200), "WAGE": rng.integers(999, size=200)}
    )
    frame.to_csv(tmp_path / "original.csv", index=False)
    audit = {
        "permaudit": 1,
        "title": "Classes",
        "original": "original.csv",
        "attributes": {name: {"type": "numeric", "role": role} for name, role in ROLES.items()},
        "candidates": {"noisy": {"anonymizer": "additive-noise", "params": {"alpha": 1}}},
        "rules": [
            {"rule": "threshold", "metric": "CM2", "min": 0.01},
            {"rule": "threshold", "metric": "PYCANON-K", "max": 0.2},
        ],
        "plugins": {"allow": ["permaudit-pycanon"]},
    }
    (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit), encoding="utf-8")
    ran = CliRunner().invoke(cli, ["run", str(tmp_path / "audit.yaml"), "--out", str(tmp_path / "out")], obj=False)
    [candidate] = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    assert candidate["metrics"]["PYCANON-K"]["value"] == 1, ran.output
    assert candidate["metrics"]["PYCANON-K"]["details"]["quasi_identifiers"] == ["AGE", "TOWN"]
    assert candidate["verdict"] == "block"
