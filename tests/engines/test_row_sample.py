"""Where records do not fit into memory, copies are looked for among some of them, and stay beside their originals."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from scipy.spatial import cKDTree

from permaudit import Comparison, NotApplicable, Rows, Shelf, rowsample
from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.columns import FIXED
from permaudit.rowsample import rows_within_memory
from permaudit.runner import run_audit
from permaudit_plugins.metrics.copies import Copies

from .audits import cases, written
from .files import noisy, people, shuffled

ROOM = FIXED + rowsample._CELL * 4 * 2000  # noqa: SLF001 - for two thousand records of four attributes
ORIGINAL = people(20_000)
STRANGERS = people(20_000, seed=5)


def some_copied(share, seed=3):
    """Put copies of some original records among strangers, in another order."""
    copied = np.random.default_rng(seed).random(20_000) < share
    return shuffled({name: np.where(copied, ORIGINAL[name], values) for name, values in STRANGERS.items()})


def records(columns):
    return {tuple(row) for row in np.column_stack(list(columns.values())).tolist()}


@pytest.fixture
def drawn(tmp_path):
    """Return a function that lays files on a shelf and draws from them."""
    with Shelf(ROOM, tmp_path) as shelf:
        yield lambda *files, linked: rows_within_memory(
            Rows(*(shelf.keep(file.items()) for file in files)), linked=linked
        )


def test_every_drawn_copy_is_beside_its_original(drawn):
    release = some_copied(0.1)
    found = drawn(ORIGINAL, release, people(9_000, seed=8), linked=False)
    copies = records(found.release) & records(ORIGINAL)
    assert copies <= records(found.original)
    assert len(copies) == pytest.approx(0.1 * len(found.release["a0"]), abs=60)
    assert all(1000 < len(side["a0"]) < 3000 for side in (found.original, found.release))
    assert found.sampled.startswith(f"{len(found.release['a0'])} of 20000 released records")


def test_nearly_every_drawn_near_copy_is_beside_its_original_and_neighbours_are_as_near_as_they_were(drawn):
    release = {name: values + 0.01 * values.std() * np.sin(np.arange(20_000)) for name, values in ORIGINAL.items()}
    found = drawn(ORIGINAL, shuffled(release), linked=False)
    assert (_nearest(found.release, found.original) <= 0.01).mean() > 0.9
    strangers = drawn(ORIGINAL, STRANGERS, linked=False)
    inside, all_of_them = _nearest(strangers.release, strangers.original), _nearest(STRANGERS, ORIGINAL)
    assert np.median(inside) == pytest.approx(np.median(all_of_them), rel=0.25)


def _nearest(asked, known):
    first, second = (
        np.column_stack([values / ORIGINAL[name].std() for name, values in columns.items()])
        for columns in (asked, known)
    )
    return cKDTree(second).query(first, p=np.inf)[0]


def test_the_records_that_were_not_drawn_can_be_gone_through_where_there_is_room(drawn, tmp_path):
    whole = drawn(ORIGINAL, STRANGERS, linked=False).whole
    assert {name: values.tolist() for name, values in whole.release.items()} == {
        name: values.tolist() for name, values in STRANGERS.items()
    }
    with Shelf(FIXED + 10_000, tmp_path) as shelf:
        rows = Rows(*(shelf.keep(file.items()) for file in (ORIGINAL, STRANGERS)))
        assert rows_within_memory(rows, linked=False).whole is None


def test_linked_records_are_drawn_in_pairs(drawn):
    release = noisy(ORIGINAL)
    found = drawn(ORIGINAL, release, linked=True)
    pairs = set(zip(found.original["a0"].tolist(), found.release["a0"].tolist(), strict=True))
    assert pairs <= set(zip(ORIGINAL["a0"].tolist(), release["a0"].tolist(), strict=True))


def test_what_fits_is_not_drawn_from(tmp_path):
    with Shelf(1 << 40, tmp_path) as shelf:
        rows = Rows(shelf.keep(ORIGINAL.items()), shelf.keep(STRANGERS.items()))
        assert rows_within_memory(rows, linked=False) is rows
    in_memory = Rows(ORIGINAL, STRANGERS)
    assert rows_within_memory(in_memory, linked=False) is in_memory


def test_a_handful_of_different_records_cannot_be_drawn_from(drawn):
    few = {name: np.arange(20_000) % 2 for name in ORIGINAL}
    with pytest.raises(NotApplicable, match="too few of them differ"):
        drawn(few, few, linked=False)


def copies_of(release, drawn, *, linked=False):
    pair = Comparison("masked" if linked else "synthetic", linked, None, drawn(ORIGINAL, release, linked=linked))
    return Copies().compute(pair, np.random.default_rng(0)).details


@pytest.mark.parametrize("linked", [False, True])
def test_a_single_copy_is_found_among_all_records_wherever_it_is(drawn, linked):
    release = {name: values.copy() for name, values in (noisy(ORIGINAL) if linked else STRANGERS).items()}
    for name, values in release.items():
        values[[7, 12_345]] = ORIGINAL[name][[7, 12_345]]
    details = copies_of(release, drawn, linked=linked)
    look = details["looks"]["equal" if linked else "unique"]
    assert (details["copied_records"], look["found"], details["equal_among"]) == (2, 2, 20_000)
    assert look["surprise"] < 1e-6


def test_exact_looks_at_all_records_are_those_in_memory(drawn):
    release = some_copied(0.1)
    release["a1"] = np.where(np.arange(20_000) % 7 == 0, STRANGERS["a1"], release["a1"])
    details = copies_of(release, drawn)
    pair = Comparison("synthetic", linked=False, moments=None, rows=Rows(ORIGINAL, release))
    whole = Copies().compute(pair, np.random.default_rng(0)).details
    assert details["copied_records"] == whole["copied_records"]
    for name in ("equal", "unique", "in_part"):
        assert details["looks"][name]["found"] == whole["looks"][name]["found"]
    assert details["looks"]["in_part"]["without"] == whole["looks"]["in_part"]["without"] == ["a1"]


@pytest.mark.parametrize(
    ("case", "verdict", "outcome"),
    [("linked by row", "review", "review"), ("copied in another order", "block", "fail")],
)
def test_a_small_sample_can_block_but_never_release(case, verdict, outcome, tmp_path, monkeypatch):
    monkeypatch.setattr(rowsample, "_CELL", (2_000_000_000 - FIXED) // (6 * 300))
    path = tmp_path / "audit.yaml"
    path.write_text(yaml.safe_dump(written(tmp_path, cases()[case], "csv"), sort_keys=False), encoding="utf-8")
    audit, host = load_audit(path)
    (found,) = run_audit(audit, host, engine="disk", means=Means(2_000_000_000, tmp_path)).candidates
    (finding,) = [one for one in found.rules if one.rule == "no-copied-records"]
    assert (found.verdict, finding.outcome) == (verdict, outcome)
    assert "seen_from" in finding.evidence
    assert "of 600 released records, drawn by what they hold" in found.metrics["COPIES"].details["sampled"]


@pytest.mark.parametrize(("room", "counted"), [(1 << 20, False), (1 << 17, True)])
def test_records_with_gaps_count_as_copies_where_there_is_no_room_to_complete_them(room, counted, tmp_path):
    """Both files would be in memory as a whole, with a tree beside them: that is 80 bytes for each of 3,600 cells."""
    path, case = tmp_path / "audit.yaml", cases()["records with gaps left out, unlinked"]
    path.write_text(yaml.safe_dump(written(tmp_path, case, "parquet"), sort_keys=False), encoding="utf-8")
    (candidate,) = run_audit(*load_audit(path), engine="disk", means=Means(FIXED + room, tmp_path)).candidates
    assert any("too many to look for copies among them" in text for text in candidate.warnings) is counted
    assert candidate.verdict != "release"
