"""Where records do not fit into memory, copies are looked for among some of them, and stay beside their originals."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from permaudit import NotApplicable, Rows, Shelf, rowsample
from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.rowsample import rows_within_memory
from permaudit.runner import run_audit

from .audits import cases, written
from .files import noisy, people, shuffled

ROOM = rowsample._FIXED + rowsample._CELL * 4 * 2000  # noqa: SLF001 - for two thousand records of four attributes
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


@pytest.mark.parametrize(
    ("case", "verdict", "outcome"),
    [("linked by row", "review", "review"), ("copied in another order", "block", "fail")],
)
def test_a_sample_can_block_but_never_release(case, verdict, outcome, tmp_path, monkeypatch):
    monkeypatch.setattr(rowsample, "_CELL", (2_000_000_000 - rowsample._FIXED) // (6 * 300))  # noqa: SLF001
    path = tmp_path / "audit.yaml"
    path.write_text(yaml.safe_dump(written(tmp_path, cases()[case], "csv"), sort_keys=False), encoding="utf-8")
    audit, host = load_audit(path)
    (found,) = run_audit(audit, host, engine="disk", means=Means(2_000_000_000, tmp_path)).candidates
    (finding,) = [one for one in found.rules if one.rule == "no-copied-records"]
    assert (found.verdict, finding.outcome) == (verdict, outcome)
    assert "of 600 released records, drawn by what they hold" in found.metrics["COPIES"].details["sampled"]
    if outcome == "review":  # a failure has more important things to say
        assert "of 600 released records, drawn by what they hold" in finding.message
