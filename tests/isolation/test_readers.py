"""Whatever a foreign reader does in its process, the host gets a sound table, or the audit ends with `block`'s exit code."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from permaudit.allowed import Allowed
from permaudit.errors import DataError, PluginFailedError
from permaudit.isolation.limits import Limits
from permaudit.model import Extent, MeasuringReader
from permaudit.plugins import load_plugins

from .conftest import PRINTED

READER = """
import ctypes, os, sys, time
from pathlib import Path
import pyarrow as pa
from permaudit import DataError, Extent, Parameters, ReaderCard, hookimpl

permaudit_api = 1

class Fault(Parameters):
    naming: str = "pass"
    reading: str = "pass"
    looking: str = "pass"

def done(fault, found, **names):
    scope = {**globals(), **names, "found": found}
    exec(fault, scope)
    return scope["found"]

class Odd:
    card = ReaderCard(id="odd", title="Odd", suffixes=(".odd",))
    parameters = Fault

    def columns(self, path, options):
        return done(options.naming, ("FICA", "FEDTAX", "INTVAL"))

    def read(self, path, columns, options):
        lines = [line.split() for line in path.read_text().splitlines()]
        cells = dict(zip(("FICA", "FEDTAX", "INTVAL"), zip(*lines)))
        return done(options.reading, pa.table({name: pa.array(cells[name]) for name in columns}))

class Measuring(Odd):
    card = ReaderCard(id="measuring", title="Measuring", suffixes=(".measured",))

    def extent(self, path, columns, options):
        return done(options.looking, Extent(3))

@hookimpl
def permaudit_readers():
    return [Odd(), Measuring()]
"""


@pytest.fixture
def readers_within(install):
    """Return a function that loads the readers with so many seconds for a call."""
    install("acme", {"acme": READER})

    def load(seconds):
        return load_plugins([Allowed.reading("acme")], Limits(seconds=seconds, memory=256 << 20)).catalogue.readers

    return load


@pytest.fixture
def readers(readers_within):
    return readers_within(60.0)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "x.odd"
    file.write_text("1 2 CANARY\n4 5 6\n", encoding="utf-8")
    return file


DEAD = {
    "raise ValueError('CANARY')": "raised ValueError",
    "sys.exit(0)": "raised SystemExit",
    "os._exit(0)": "ended its process with exit code 0",
    "print('CANARY')": PRINTED,
    "ctypes.string_at(0)": "was ended by the signal SIGSEGV",
    "x = [bytearray(1 << 24) for _ in range(1000)]": "ran out of memory (its limit is 256 MB)",
}
NO_TABLE = {
    "found = None": "returned NoneType, not a table",
    "found = found.to_pylist()": "returned list, not a table",
    "found = found.select(['FICA'])": "returned other columns than those it was asked for",
    "found = found.select(['INTVAL', 'FEDTAX', 'FICA'])": "returned other columns than those it was asked for",
    "found = lambda: 0": "returned function, which cannot leave its process",
    # Text whose offsets lead far beyond its letters: whoever looked at it in the host would crash.
    "bad = pa.StringArray.from_buffers(2, pa.py_buffer(b'\\0\\0\\0\\0\\0\\0\\0\\x60\\1\\0\\0\\0'), pa.py_buffer(b'x'))\n"
    "found = pa.table({name: bad for name in found.column_names})": "returned a table that is damaged",
}
NO_NAMES = {
    "found = list(found)": "returned list, not a tuple of names of columns",
    "found = (1, 2)": "returned tuple, not a tuple of names of columns",
    "found = ('FICA', 'FICA')": "names the column 'FICA' twice",
}
WHO = "the reader 'odd' of acme 1.0 "


def told(call, *arguments):
    with pytest.raises(PluginFailedError) as caught:
        call(*arguments)
    return str(caught.value)


def test_a_table_comes_back_as_it_was_read(readers, path):
    reader = readers["odd"]
    options = reader.parameters(reading="print('CANARY', file=sys.stderr); os.chdir('/')")
    assert reader.columns(path, options) == ("FICA", "FEDTAX", "INTVAL")
    assert reader.read(path, ("INTVAL", "FICA"), options) == pa.table({"INTVAL": ["CANARY", "6"], "FICA": ["1", "4"]})


def test_whatever_goes_wrong_while_it_reads_is_said_without_a_cell(readers, path):
    reader, faults = readers["odd"], DEAD | NO_TABLE
    names = ("FICA", "FEDTAX", "INTVAL")
    found = {fault: told(reader.read, path, names, reader.parameters(reading=fault)) for fault in faults}
    assert found == {fault: WHO + text for fault, text in faults.items()}


def test_one_that_hangs_is_ended(readers_within, path):
    reader = readers_within(1.0)["odd"]
    options = reader.parameters(reading="time.sleep(600)")
    assert told(reader.read, path, ("FICA",), options) == WHO + "took longer than 1 seconds"


def test_whatever_goes_wrong_while_it_names_columns_is_said(readers, path):
    reader, faults = readers["odd"], {"os._exit(0)": DEAD["os._exit(0)"], **NO_NAMES}
    found = {fault: told(reader.columns, path, reader.parameters(naming=fault)) for fault in faults}
    assert found == {fault: WHO + text for fault, text in faults.items()}


def test_only_one_that_can_measure_is_asked_to(readers, path):
    assert not isinstance(readers["odd"], MeasuringReader)
    measuring = readers["measuring"]
    assert isinstance(measuring, MeasuringReader)
    assert measuring.extent(path, (), measuring.parameters()) == Extent(3)
    assert measuring.extent(path, (), measuring.parameters(looking="found = None")) is None
    for fault in ("found = 3", "found = Extent(-1)", "found = Extent('many')"):
        text = told(measuring.extent, path, (), measuring.parameters(looking=fault))
        assert text == "the reader 'measuring' of acme 1.0 tells no number of records and bytes"


def test_what_it_refuses_in_words_is_a_mistake_in_the_data(readers, path):
    reader = readers["odd"]
    options = reader.parameters(reading="raise DataError.one('', 'is no such file')")
    with pytest.raises(DataError, match="is no such file"):
        reader.read(path, ("FICA",), options)


@pytest.mark.parametrize("which", ["original", "release"])
def test_an_audit_that_cannot_be_read_ends_as_block_does(install, write_audit, permaudit, which):
    install("acme", {"acme": READER})
    broken = {"path": "x.odd", "format": "odd", "options": {"reading": "os._exit(0)"}}
    changes = {"original": broken} if which == "original" else {"candidates": {"given": {**broken, "kind": "masked"}}}
    audit = write_audit(**changes, plugins={"allow": ["acme"]})
    (audit.parent / "x.odd").write_text("1 2 3\n" * 200, encoding="utf-8")
    ran = permaudit("run", audit)
    assert (ran.code, ran.out) == (1, ""), ran.err
    assert ran.err.startswith(f"x.odd: {WHO}ended its process with exit code 0; nothing may be released\n")


def test_an_audit_reads_through_it(install, write_audit, permaudit, masked):
    install("acme", {"acme": READER})
    audit = write_audit(candidates={"given": {"path": "x.odd", "kind": "masked"}}, plugins={"allow": ["acme"]})
    pd.DataFrame(masked).to_csv(audit.parent / "x.odd", sep=" ", index=False, header=False)
    assert permaudit("run", audit).code == 0
