"""Sweeps over sets of attributes, as in the paper's figures."""

from __future__ import annotations

import json

import pytest

NAMES = ["FICA", "FEDTAX", "INTVAL"]


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (
            [["FICA", "FEDTX"]],
            "sweeps.groups.attributes[0]: 'FEDTX' is not a declared attribute; did you mean 'FEDTAX'?",
        ),
        ([["FICA", "FICA"]], "sweeps.groups.attributes[0] names an attribute twice"),
        (
            [["FICA", "FEDTAX"], ["FICA", "INTVAL"]],
            "sweeps.groups.attributes[1] names an attribute twice, or as many as",
        ),
        ([[]], "sweeps.groups.attributes[0]"),
        ("FICA", "sweeps.groups.attributes"),
    ],
)
def test_sets_that_cannot_be_told_apart_or_are_none_are_mistakes_in_the_file(write_audit, permaudit, sets, message):
    sweep = {"anonymizer": "mdav", "params": {"k": [3, 9]}, "attributes": sets}
    ran = permaudit("check", write_audit(sweeps={"groups": sweep}, candidates={}))
    assert ran.code == 2
    assert message in ran.err


def test_a_point_of_some_attributes_is_never_released(write_audit, permaudit, tmp_path):
    sweep = {"anonymizer": "rank-swap", "params": {"p": [30, 60]}, "attributes": [NAMES[:2], NAMES]}
    audit = write_audit(sweeps={"swapping": sweep})
    ran = permaudit(
        "anonymize", audit, "swapping p=30, 2 attributes", "-o", tmp_path / "x.csv", "--out", tmp_path / "out"
    )
    assert ran.code == 2
    assert "is made of some attributes only" in ran.err
    assert not (tmp_path / "x.csv").exists()


def test_the_screen_and_the_summary_tell_points_of_another_number_of_attributes_apart(write_audit, permaudit, tmp_path):
    sweep = {"anonymizer": "rank-swap", "params": {"p": [30, 60]}, "attributes": [NAMES[:2], NAMES]}
    ran = permaudit("run", write_audit(sweeps={"swapping": sweep}), "--out", tmp_path / "out")
    assert "attributes" in ran.out
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    rows = [
        line.split("|")[1:3]
        for line in summary.partition("## Sweep swapping")[2].splitlines()
        if line.startswith("| 30")
    ]
    assert [[cell.strip() for cell in row] for row in rows] == [["30.0", "2"], ["30.0", "3"]]


def test_no_point_of_a_sweep_over_sets_is_the_best_or_can_be_approved(write_audit, permaudit, tmp_path):
    sweep = {"anonymizer": "rank-swap", "params": {"p": [60, 90]}, "attributes": [NAMES[:2], NAMES]}
    audit = write_audit(sweeps={"swapping": sweep}, candidates=None)
    permaudit("run", audit, "--out", tmp_path / "out", "--format", "html")
    told = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    [found] = told["sweeps"]
    assert "release" in {point["verdict"] for point in found["points"]}
    assert found["best"] is None
    assert "different attributes" in found["best_because"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Nothing here can be approved." in page
    assert 'class="tick"' not in page
    assert 'id="candidates"' not in page
