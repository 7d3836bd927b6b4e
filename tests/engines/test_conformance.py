"""Every engine gives the same result of the same audit: all metrics, rules and verdicts, not only the four."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import yaml

from permaudit import DataError
from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.columns import StoredColumns
from permaudit.runner import run_audit
from permaudit.sourced import Sourced
from permaudit_plugins.engines.disk import DiskEngine

from .audits import cases, differences, plain, written

CASES = cases()
GONE = {
    "categories that tie, some copied, with a holdout",
    "linked by a map, in another order and with gaps",
    "linked by a map, with fewer records",
    "linked by key, with fewer records",
    "linked by key, with fewer records, ties and gaps left out",
    "records with gaps left out, unlinked",
}
"""Where records are chosen in both files, or categories are read, what is left of them is laid down."""


@dataclass(frozen=True, slots=True)
class SpreadingDisk(DiskEngine):
    """The engine on disk with workers: whatever they are given and give back could go to another machine."""

    seen: ClassVar[list[bool]] = []
    """Were all columns of a file that it compared left where they stood?"""
    meanwhile: ClassVar[list] = []
    """What somebody does while it works."""
    card = replace(DiskEngine.card, id="spreading", spreads=True)

    def each(self, work, tasks, shelf):
        assert shelf.directory.exists()
        work, tasks = pickle.loads(pickle.dumps((work, tasks)))
        return pickle.loads(pickle.dumps([work(task) for task in tasks]))

    def prepare(self, columns):
        if isinstance(columns, StoredColumns):
            for work in self.meanwhile:
                work()
            stayed = all(isinstance(column, Sourced) for column in columns.stored.values())
            columns = columns.shelf.keep(columns.items())
            self.seen.append(stayed)
        return DiskEngine.prepare(self, columns)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return a function that gives the path of an audit, and what the engine in memory says of it."""

    @cache
    def audited(name, suffix):
        path = audit_file(tmp_path_factory.mktemp("audit"), CASES[name], suffix)
        return path, plain(run_audit(*load_audit(path), engine="memory"))

    return audited


def audit_file(folder, case, suffix="parquet"):
    path = folder / "audit.yaml"
    path.write_text(yaml.safe_dump(written(folder, case, suffix), sort_keys=False), encoding="utf-8")
    return path


def audited(path, engine, scratch):
    audit, host = load_audit(path)
    engines = {**host.catalogue.engines, "spreading": SpreadingDisk()}
    host = replace(host, catalogue=replace(host.catalogue, engines=engines))
    found = run_audit(audit, host, engine=engine, means=Means(1 << 30, scratch))
    assert found.provenance.engine == engine
    assert {result.status for result in found.candidates[0].metrics.values()} <= {"ok", "advisory"}
    assert list(scratch.iterdir()) == []
    return plain(found)


@pytest.mark.parametrize(("name", "suffix"), [*zip(CASES, cycle(["csv", "parquet"]), strict=False)])
def test_the_result_does_not_depend_on_the_engine(name, suffix, expected, tmp_path):
    path, known = expected(name, suffix)
    assert list(differences(known, audited(path, "disk", tmp_path))) == []


@pytest.mark.parametrize("name", CASES)
def test_columns_that_workers_read_where_they_stand_give_the_same_result(name, expected, tmp_path):
    path, known = expected(name, "parquet")
    SpreadingDisk.seen.clear()
    assert list(differences(known, audited(path, "spreading", tmp_path))) == []
    assert any(SpreadingDisk.seen) is (name not in GONE)


def test_what_only_the_whole_original_places_is_read_here_and_the_rest_where_it_stands(tmp_path):
    frames, said = CASES["linked by row"]
    release = frames["c"].copy()
    release.loc[400:, "school"] = "{none, primary}"
    path = audit_file(tmp_path, ({**frames, "c": release}, said))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expected = plain(run_audit(*load_audit(path), engine="memory"))
    assert list(differences(expected, audited(path, "spreading", scratch))) == []


def test_mistakes_in_any_piece_are_told_as_in_memory(tmp_path):
    """Of several kinds, in several pieces and files: which columns, how many, and the first record."""
    frames, said = CASES["linked by row"]
    original, release = (frames[name].copy() for name in ("original", "c"))
    original.loc[[5, 590], "a1"] = np.nan
    original.loc[300, "born"] = "31.12.2001"
    release.loc[[333, 444], "a0"] = np.inf
    release.loc[599, "school"] = "Primary"
    said = {**said, "attributes": said["attributes"] | {"a3": {"type": "numeric", "bounds": [-1e6, 1e6]}}}
    path = audit_file(tmp_path, ({"original": original, "c": release}, said))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    told = []
    for engine in ("memory", "spreading"):
        with pytest.raises(DataError) as error:
            audited(path, engine, scratch)
        told.append(sorted(map(str, error.value.mistakes)))
    assert told[0] == told[1]
    assert len(told[0]) == 5


@pytest.mark.parametrize("is_noticed", ["at once", "at the end"])
def test_a_file_that_others_read_must_stay_the_same_to_the_end(is_noticed, tmp_path, monkeypatch):
    """Also where its size and its time say that it did, and every cell is what it was."""
    path = audit_file(tmp_path, CASES["copied"])
    SpreadingDisk.seen.clear()
    file, scratch = tmp_path / "c.parquet", tmp_path / "scratch"
    scratch.mkdir()
    content, status = file.read_bytes(), file.stat()

    def spoil():
        file.write_bytes(content.replace(b"pandas_version", b"Pandas_version"))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + (is_noticed == "at once")))

    monkeypatch.setattr(SpreadingDisk, "meanwhile", [spoil])
    with pytest.raises(DataError, match=r"c\.parquet: changed while it was read"):
        audited(path, "spreading", scratch)
    assert len(SpreadingDisk.seen) == (1 if is_noticed == "at once" else 2)


@pytest.mark.parametrize("engine", ["memory", "disk", "spreading"])
def test_two_releases_that_tell_together_are_held_against_each_other_among_gaps(engine, tmp_path):
    """Noise that one adds and the other takes away; what stands in the gaps is far from every value."""
    rng = np.random.default_rng(3)
    income, noise = 1e6 + rng.normal(0, 100, 400), rng.normal(0, 300, 400)
    other = rng.normal(size=400)
    files = {
        "original": (income, other),
        "more": (income + noise, other + rng.normal(size=400)),
        "less": (income - noise, other + rng.normal(size=400)),
    }
    for name, columns in files.items():
        frame = pd.DataFrame(dict(zip(("INCOME", "AGE"), columns, strict=True)))
        frame["INCOME"] = frame["INCOME"].where(rng.random(400) > 0.05)
        frame.to_parquet(tmp_path / f"{name}.parquet", index=False, row_group_size=150)
    content = {
        "permaudit": 1,
        "title": "t",
        "original": "original.parquet",
        "missing": "lowest",
        "attributes": {"INCOME": "numeric", "AGE": "numeric"},
        "candidates": {name: {"path": f"{name}.parquet", "kind": "masked"} for name in ("more", "less")},
        "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.01}],
    }
    path, scratch = tmp_path / "audit.yaml", tmp_path / "scratch"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    scratch.mkdir()
    for candidate in audited(path, engine, scratch)["candidates"]:
        (found,) = [one for one in candidate["rules"] if one["rule"] == "no-unprotected-attribute"]
        assert (found["outcome"], found["attributes"]) == ("review", ["INCOME"])
