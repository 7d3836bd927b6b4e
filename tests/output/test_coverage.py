"""What entered each metric, and why the rest did not: no record and no attribute drops out in silence."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def audited(write_audit, permaudit, people, masked, tmp_path):
    """Audit a release that is linked by two columns, lost records, has gaps, and a column that never varied."""
    keys = {"HOUSE": np.arange(len(people)) // 2, "PERSON": np.arange(len(people)) % 2}
    release = masked.assign(SAME=1, **keys).iloc[:-7].sample(frac=1, random_state=1)
    release.iloc[:5, release.columns.get_loc("FICA")] = np.nan
    audit = write_audit(
        files={"original.csv": people.assign(SAME=1, **keys), "masked.csv": release},
        attributes={**dict.fromkeys(["FICA", "FEDTAX", "INTVAL", "SAME"], "numeric")},
        missing="drop-records",
        candidates={"x": {"path": "masked.csv", "kind": "masked", "linkage": {"key": ["HOUSE", "PERSON"]}}},
    )
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code in {0, 1, 3}, ran.err
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_text())["candidates"]
    return candidate, ran.out


def test_every_metric_says_which_attributes_and_records_entered_and_why_others_did_not(audited, people):
    candidate, _ = audited
    entered = len(people) - 7 - 5
    assert candidate["records"]["compared"] == entered
    assert candidate["coverage"].keys() == candidate["metrics"].keys()
    for name, covered in candidate["coverage"].items():
        assert covered["attributes"] == ["FICA", "FEDTAX", "INTVAL"], name
        assert covered["records"] == entered, name
        assert "7" in covered["reason"], name
        assert "5" in covered["reason"], name
    assert [left["attribute"] for left in candidate["excluded"]] == ["SAME"]


def test_a_key_of_two_columns_links_and_is_named_where_it_is_still_in_the_release(audited):
    candidate, shown = audited
    assert candidate["linkage"] == "key"
    assert candidate["records"]["suppressed"] == 7
    assert not {"HOUSE", "PERSON"} & set(candidate["attributes"])
    (finding,) = [rule for rule in candidate["rules"] if rule["rule"] == "no-identifiers"]
    assert "HOUSE" in finding["message"]
    assert "PERSON" in finding["message"]
    assert "HOUSE" in shown
