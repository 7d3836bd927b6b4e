"""Whatever a foreign anonymizer does in its process, the host gets a checked release or says what went wrong."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

from permaudit import DataError, Original, Parameters, PermauditError, to_arrow
from permaudit.isolation.limits import Limits
from permaudit.make import BrokenAnonymizerError, make_releases
from permaudit.plan import Attribute, MadeCandidate

NOISE = (
    "columns = dict(zip(original.table.column_names, map(to_numpy, original.table.columns)))\n"
    "return Made(pa.table({name: values + rng.normal(size=values.size) for name, values in columns.items()}))"
)
CANDIDATE = MadeCandidate(name="odd", anonymizer="odd", params=Parameters(), replicates=2)


@pytest.fixture
def original():
    """Return an original of two columns."""
    names = ("A", "B")
    table = pa.table({name: to_arrow(np.arange(100.0)) for name in names})
    return Original(table, {name: Attribute(name=name, type="numeric") for name in names}, study=True)


def made(host, original, seed=1):
    return list(make_releases(host.catalogue.anonymizers["odd"], CANDIDATE, original, seed))


def test_a_release_comes_back_as_it_would_be_made_here(foreign, original):
    host = foreign(anonymizer=NOISE)
    here = import_module("acme").OddAnonymizer()
    there = host.catalogue.anonymizers["odd"]
    assert there.card == here.card
    assert there.parameters is here.parameters
    one = there.anonymize(original, Parameters(), np.random.default_rng(3))
    assert one.table.equals(here.anonymize(original, Parameters(), np.random.default_rng(3)).table)


def test_rows_texts_and_notes_come_back_too(foreign):
    table = pa.table({"A": pa.array(["x", None, "z"]), "B": to_arrow(np.arange(3.0))})
    body = "return Made(original.table.take(pa.array([2, 0])), rows=np.array([2, 0]), notes=('two of three',))"
    host = foreign(anonymizer=body)
    original = Original(table, {}, study=False)
    found = host.catalogue.anonymizers["odd"].anonymize(original, Parameters(), np.random.default_rng(1))
    assert found.table.to_pydict() == {"A": ["z", "x"], "B": [2.0, 0.0]}
    assert (found.rows.tolist(), found.notes) == ([2, 0], ("two of three",))


def test_a_release_of_thousands_of_columns_with_gaps_comes_back(foreign):
    table = pa.table({f"A{number}": pa.array(["x", None, "z"]) for number in range(3000)})
    anonymizer = foreign().catalogue.anonymizers["odd"]
    made = anonymizer.anonymize(Original(table, {}, study=False), Parameters(), np.random.default_rng(1))
    assert made.table.equals(table)


def test_replicates_differ_and_a_study_repeats_them(foreign, original):
    host = foreign(anonymizer=NOISE)
    first, again = made(host, original), made(host, original)
    assert not first[0].table.equals(first[1].table)
    assert [one.table for one in first] == [one.table for one in again]


UNKNOWN = "does not say from which original record each released one comes"
DAMAGED = r"""
letters = pa.StringArray.from_buffers(2, pa.py_buffer(b'\0\0\0\0\0\0\0\x60\1\0\0\0'), pa.py_buffer(b'x'))
return Made(pa.table({name: letters for name in original.table.column_names}), rows=np.array([0, 1]))
"""
WRONG = {
    "raises": ("raise ValueError('CANARY')", "raised ValueError"),
    "leaves with 0": ("os._exit(0)", "ended its process with exit code 0"),
    "exits with 0": ("sys.exit(0)", "raised SystemExit"),
    "segmentation fault": ("ctypes.string_at(0)", "was ended by the signal SIGSEGV"),
    "prints": ("print('CANARY')\nreturn Made(original.table)", "printed to standard output, and what is printed may"),
    "nothing": ("pass", "returned NoneType, not a release"),
    "a table": ("return original.table", "returned Table, not a release"),
    "a frame": (
        "return Made(original.table.to_pandas())",
        "returned an object of type DataFrame, which is no plain data",
    ),
    "other columns": ("return Made(original.table.rename_columns(['A', 'C']))", "returned other columns"),
    "fewer records": ("return Made(original.table.slice(1))", "says that it keeps the records, but"),
    "a table that would crash whoever looks at it": (DAMAGED, "returned a table that is damaged"),
    "a number for notes": ("return Made(original.table, notes=7)", "returned notes that are no tuple of texts"),
    "numbers as notes": ("return Made(original.table, notes=(7,))", "returned notes that are no tuple of texts"),
    "a number for rows": ("return Made(original.table, rows=7)", UNKNOWN),
    "text for rows": ("return Made(original.table, rows=np.array(['x'] * 100))", UNKNOWN),
    "shares for rows": ("return Made(original.table, rows=np.arange(100.0))", UNKNOWN),
    "a table for rows": ("return Made(original.table, rows=np.arange(100).reshape(50, 2))", UNKNOWN),
    "the original changed": (
        "to_numpy(original.table['A'])[:] = 0\nreturn Made(original.table)",
        "raised ValueError",
    ),
    "its memory changed": (
        "ctypes.memset(original.table['A'].chunk(0).buffers()[1].address, 0, 8)\nreturn Made(original.table)",
        "was ended by the signal SIGSEGV",
    ),
}


@pytest.mark.parametrize(("body", "reason"), WRONG.values(), ids=WRONG)
def test_an_anonymizer_that_goes_wrong_is_an_error_and_the_host_goes_on(foreign, original, body, reason):
    host = foreign(anonymizer=body)
    with pytest.raises(BrokenAnonymizerError) as caught:
        made(host, original)
    assert str(caught.value).startswith(f"the anonymizer {reason}")
    assert original.table["A"].to_pylist() == list(range(100))


def test_one_that_does_not_end_is_ended(foreign, original):
    host = foreign(anonymizer="while True: pass", limits=Limits(seconds=1.0))
    with pytest.raises(BrokenAnonymizerError, match="the anonymizer took longer than 1 seconds"):
        made(host, original)


@pytest.mark.parametrize(
    "body",
    [
        "x = [bytearray(1 << 24) for _ in range(1000)]",
        "return Made(pa.table({name: np.zeros(1 << 28) for name in original.table.column_names}))",
    ],
)
def test_one_that_takes_too_much_memory_is_stopped(foreign, original, body):
    host = foreign(anonymizer=body, limits=Limits(memory=256 << 20))
    with pytest.raises(BrokenAnonymizerError, match="the anonymizer ran out of memory"):
        made(host, original)


def test_what_it_says_of_the_data_is_told_in_its_own_words(foreign, original):
    body = "raise DataError([Mistake('', None, None, 'one'), Mistake('', None, None, 'two')])"
    with pytest.raises(DataError) as caught:
        made(foreign(anonymizer=body), original)
    assert str(caught.value) == "candidate odd: one\ncandidate odd: two"


def test_another_error_for_users_is_told_in_its_own_words(foreign, original):
    host = foreign(anonymizer="raise PermauditError('needs the package oracle')")
    with pytest.raises(PermauditError, match="needs the package oracle"):
        made(host, original)
