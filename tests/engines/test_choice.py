"""Which engine is chosen, what is announced, and what is refused instead of being killed."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import click
import pandas as pd
import pytest

from permaudit import choice
from permaudit.cards import EngineCost
from permaudit.choice import Means, choose_engine
from permaudit.cli.loading import load_audit
from permaudit.cli.run import command, size_in
from permaudit.columns import FIXED
from permaudit.errors import DataError, ScratchError
from permaudit.model import Extent

MILLION = 1_000_000


@pytest.fixture
def loaded(write_audit):
    return load_audit(write_audit())


@pytest.fixture
def large(monkeypatch):
    """Return a function that makes every file look as large as is said."""

    def pretend(records):
        monkeypatch.setattr(choice, "extent_of", lambda *_: Extent(records))

    return pretend


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """Let 16 GiB be free."""
    monkeypatch.setattr(choice.memory, "available_memory", lambda: 16 << 30)


def chosen(loaded, engine=None, **means):
    audit, host = loaded
    return choose_engine(audit, host.catalogue, engine, Means(**means))


def test_what_fits_is_audited_in_memory_and_nothing_is_announced(loaded):
    found = chosen(loaded)
    assert (found.engine, found.is_long) == ("memory", False)


def test_what_does_not_fit_into_what_is_free_goes_to_the_disk(loaded, large):
    large(20 * MILLION)
    assert chosen(loaded).engine == "memory"
    large(150 * MILLION)
    assert chosen(loaded).engine == "disk"


def test_what_does_not_fit_into_the_memory_that_is_allowed_goes_to_the_disk(loaded, large):
    large(20 * MILLION)
    assert chosen(loaded, memory=2_000_000_000).engine == "disk"


def test_where_the_disk_needs_too_much_for_each_record_another_engine_is_chosen(loaded, large):
    audit, host = loaded
    frugal = SimpleNamespace(
        card=replace(host.catalogue.engines["disk"].card, id="frugal", cost=EngineCost(sorting=1, pairing=1, record=4))
    )
    more = replace(host.catalogue, engines={**host.catalogue.engines, "frugal": frugal})
    large(50 * MILLION)
    assert choose_engine(audit, more, None, Means(memory=4 << 30)).engine == "disk"
    large(100 * MILLION)
    assert choose_engine(audit, more, None, Means(memory=2 << 30)).engine == "frugal"


def test_an_engine_that_is_named_is_taken(loaded, large):
    assert chosen(loaded, "disk").engine == "disk"
    large(150 * MILLION)
    assert chosen(loaded, "memory").engine == "memory"


def test_no_engine_takes_more_than_is_free(loaded):
    assert chosen(loaded, "disk", memory=1 << 50).memory == chosen(loaded, "disk").memory < 17 << 30


def test_a_made_candidate_needs_the_original_in_memory(write_audit, large):
    made = {"k": {"anonymizer": "mdav", "params": {"k": 5}}}
    loaded = load_audit(write_audit(candidates=made))
    large(150 * MILLION)
    assert chosen(loaded).engine == "memory"


def test_a_long_run_is_announced_with_time_memory_and_scratch_space(loaded, large, monkeypatch):
    monkeypatch.setattr(choice, "_sorting_a_cell", lambda: 1e-7)
    large(30 * MILLION)
    text = str(chosen(loaded, "disk", memory=2_000_000_000))
    pattern = (
        r"engine disk: auditing 30,000,000 records of 3 attributes takes about \d+ (seconds|minutes|hours) and 1\.\d GiB of "
        r"memory, and \d+\.\d GiB of scratch space"
    )
    assert re.fullmatch(pattern, text)
    assert chosen(loaded, "disk", memory=2_000_000_000).is_long


@pytest.mark.parametrize("quiet", [False, True])
def test_the_announcement_reaches_whoever_waits(quiet, write_audit, permaudit, monkeypatch, tmp_path):
    monkeypatch.setattr(choice, "_LONG", 0)
    monkeypatch.setattr(choice, "_WORTH_A_LOOK", 0)
    ran = permaudit("run", write_audit(), "--out", tmp_path / "out", *(["--quiet"] if quiet else []))
    assert (ran.code, ran.log) == (0, "")
    assert ran.err.startswith("engine memory: ") != quiet


def test_the_estimate_grows_with_the_work(loaded, large, monkeypatch):
    monkeypatch.setattr(choice, "_sorting_a_cell", lambda: 1e-7)
    seconds = []
    for records in (MILLION, 10 * MILLION):
        large(records)
        seconds.append(chosen(loaded, "disk").seconds)
    assert seconds[1] == pytest.approx(10 * seconds[0])
    assert chosen(loaded, "memory").seconds < seconds[1]


def test_looking_at_records_is_part_of_the_estimate_and_less_where_they_are_drawn(loaded, large, monkeypatch):
    """Sorting 6e7 cells 2.3 + 3 x 0.1 times, and looking at all of them or at as many as fit."""
    monkeypatch.setattr(choice, "_sorting_a_cell", lambda: 1e-7)
    large(10 * MILLION)
    assert chosen(loaded, "disk").seconds == pytest.approx(6 * (2.6 + 3))
    memory = FIXED + 1200 * MILLION  # room for a million of the ten
    assert chosen(loaded, "disk", memory=memory).seconds == pytest.approx(6 * (2.6 + 0.3))


def test_more_records_than_a_column_in_memory_allows_are_refused_with_advice(loaded, large):
    large(100 * MILLION)
    with pytest.raises(
        DataError, match=r"original.csv: 100,000,000 records of 3 .*the engine disk needs at least 3.0 GiB.*--memory"
    ):
        chosen(loaded, memory=2_000_000_000)


def test_a_scratch_directory_that_is_too_small_is_refused_beforehand(loaded, large, tmp_path, monkeypatch):
    large(30 * MILLION)
    usage = type("Usage", (), {"free": 1 << 30})
    monkeypatch.setattr(choice.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ScratchError, match=r"needs about 3.4 GiB in the scratch directory, and 1.0 GiB are free"):
        chosen(loaded, "disk", scratch=tmp_path)


@pytest.mark.parametrize(
    ("written", "size"), [("2GB", 2_000_000_000), ("1.5 gib", 3 << 29), ("600M", 600_000_000), ("1000000000", 10**9)]
)
def test_sizes_are_read_with_and_without_units(written, size):
    context, (option,) = click.Context(command), [one for one in command.params if one.name == "memory"]
    assert size_in(context, option, written) == size


@pytest.mark.parametrize(("written", "hint"), [("two", "is no size"), ("1PB", "is no size"), ("5MB", "is too little")])
def test_what_is_no_size_is_refused(written, hint, write_audit, permaudit):
    ran = permaudit("run", write_audit(), "--memory", written)
    assert ran.code == 2
    assert hint in ran.err


def test_too_much_for_the_memory_engine_is_refused_with_the_other_engine_as_advice(
    write_audit, permaudit, people, tmp_path
):
    many = pd.concat([people] * 20_000)
    audit = write_audit(files={"original.csv": people})
    for name in ("original", "masked"):
        many.to_parquet(audit.parent / f"{name}.parquet", index=False)
    text = audit.read_text(encoding="utf-8").replace(".csv", ".parquet")
    audit.write_text(text, encoding="utf-8")
    ran = permaudit("run", audit, "--engine", "memory", "--memory", "550MB", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "let --engine disk keep them in files" in ran.err
