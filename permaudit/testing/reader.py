"""Does a reader keep the contract? All that speaks against it, at once."""

from __future__ import annotations

import gc
import hashlib
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit.cards import ReaderCard
from permaudit.errors import DataError
from permaudit.model import MeasuringReader
from permaudit.testing.cards import check_card, check_parameters
from permaudit.testing.failures import Inspection, described
from permaudit.testing.printing import nothing_printed
from permaudit.testing.randomness import untouched_randomness
from permaudit.testing.worker import check_worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permaudit.model import Reader

_SHORTEST_CELL = 4
"""Shorter texts also stand in messages by chance."""


def check_reader(
    reader: Reader,
    path: Path | None,
    options: Mapping[str, Any] | None = None,
    *,
    expected: Mapping[str, Sequence[Any]] | None = None,
    refuses: Sequence[Path] = (),
) -> None:
    """Raise `ConformanceError` with all that is wrong with a reader.

    `path` is a small file that it can read, with `options` as an audit file writes them; `expected` are the cells that come
    out, by column. `refuses` are files that it must refuse; files that are damaged or empty are made from `path`. A reader
    of something else than files, whose card says `local=False`, is given None for the path.
    """
    found = Inspection(f"reader {getattr(getattr(reader, 'card', None), 'id', type(reader).__name__)!r}")
    with nothing_printed(found):
        if check_card(found, reader, ReaderCard, ("parameters", "columns", "read")) and found.expect(
            reader.card.local == (path is not None),
            "card",
            f"local is {reader.card.local}, and a path is {'not ' if path is None else ''}given",
        ):
            _check_suffixes(found, reader.card, path)
            chosen = check_parameters(found, reader.parameters, options)
            if chosen is not None:
                table = _check_reading(found, reader, path, chosen, expected)
                if path is not None:
                    _check_refusals(_Attempts(found, reader, chosen, _long_cells(table)), path, refuses)
    found.conclude()


def _check_suffixes(found: Inspection, card: ReaderCard, path: Path | None) -> None:
    """Look at the suffixes by which the host finds the reader."""
    for suffix in card.suffixes:
        is_suffix = isinstance(suffix, str) and suffix.startswith(".") and suffix == suffix.lower() and len(suffix) > 1
        found.expect(is_suffix, "card", f"suffix {suffix!r} is none: a dot and lower-case letters")
    begins = not card.magic or path is None or path.read_bytes().startswith(card.magic)
    found.expect(begins, "card", "the file does not begin with any of the bytes that `magic` declares")


# --------------------------------------------------------------------------- reading


def _check_reading(
    found: Inspection, reader: Reader, path: Any, options: Any, expected: Mapping[str, Sequence[Any]] | None
) -> pa.Table | None:
    """Read all columns and some, here and in another process."""
    before = _fingerprint(path)
    table = None
    with found.during("reading", "reading the file"), untouched_randomness(found, 1), _closed(found):
        names = reader.columns(path, options)
        are_names = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        if not found.expect(are_names, "reading", f"columns() returns no tuple of names, but {names!r}"):
            return None
        table = _table(found, reader, path, names, options)
        if table is not None:
            _check_choice_of_columns(found, reader, path, options, table)
            _check_extent(found, reader, path, options, table)
    found.expect(_fingerprint(path) == before, "input", "changes the file that it reads")
    if table is None:
        return None
    if expected is not None:
        wanted = {name: list(values) for name, values in expected.items()}
        _check_expected(found, table, wanted)
    check_worker(found, _cells, reader, path, options, here=_written(table))
    return table


def _table(found: Inspection, reader: Reader, path: Any, names: tuple[str, ...], options: Any) -> pa.Table | None:
    """Read some columns; None where no proper table comes back."""
    table = reader.read(path, names, options)
    if not found.expect(isinstance(table, pa.Table), "reading", f"returns {type(table).__name__}, not a pyarrow.Table"):
        return None
    same = tuple(table.column_names) == names
    found.expect(
        same, "reading", f"returns the columns {', '.join(table.column_names)} when asked for {', '.join(names)}"
    )
    return table if same else None


def _check_choice_of_columns(found: Inspection, reader: Reader, path: Any, options: Any, table: pa.Table) -> None:
    """Ask for single columns, and for all in the opposite order: what comes back must be the same cells."""
    turned = tuple(reversed(table.column_names))
    for names in {(turned[0],), (turned[-1],), turned}:
        some = _table(found, reader, path, names, options)
        if some is not None:
            same = _written(some) == _written(table.select(list(names)))
            message = f"reads other cells when it is asked for {', '.join(names)} only, or in this order"
            found.expect(same, "reading", message)


def _check_extent(found: Inspection, reader: Reader, path: Any, options: Any, table: pa.Table) -> None:
    """See that a reader that tells how much there is never tells too much."""
    if isinstance(reader, MeasuringReader):
        extent = reader.extent(path, tuple(table.column_names), options)
        if extent is not None:
            message = f"tells of {extent.records} records where there are {table.num_rows}: files that fit are refused"
            found.expect(extent.records <= table.num_rows, "extent", message)


def _check_expected(found: Inspection, table: pa.Table, wanted: dict[str, list[Any]]) -> None:
    """Hold the cells against those that the author knows."""
    names = list(wanted)
    message = f"finds the columns {', '.join(table.column_names)} instead of {', '.join(names)}"
    if found.expect(table.column_names == names, "reading", message):
        for name, values in wanted.items():
            cells = table[name].to_pylist()
            places = [place for place, (one, other) in enumerate(zip(cells, values, strict=False)) if one != other]
            if found.expect(
                len(cells) == len(values), "reading", f"reads {len(cells)} records instead of {len(values)}"
            ):
                told = f"reads {cells[places[0]]!r} instead of {values[places[0]]!r}" if places else ""
                found.expect(not places, "reading", f"{told} in column '{name}': nothing may be guessed or changed")


def _cells(reader: Reader, path: Any, options: Any) -> list[list[str]]:
    """Read a file, as plain values that can be compared."""
    return _written(reader.read(path, reader.columns(path, options), options))


def _written(table: pa.Table) -> list[list[str]]:
    """Return the cells as text, whatever their types."""
    return [[repr(cell) for cell in table[name].to_pylist()] for name in table.column_names]


def _fingerprint(path: Path | None) -> str | None:
    """Return what tells whether a file was changed."""
    return None if path is None else hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def _closed(found: Inspection) -> Iterator[None]:
    """Note files that are left open."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", ResourceWarning)
        yield
        gc.collect()
    left = [warning for warning in heard if issubclass(warning.category, ResourceWarning)]
    found.expect(not left, "input", "leaves files open; open them with `with`")


# --------------------------------------------------------------------------- refusals


@dataclass(frozen=True, slots=True)
class _Attempts:
    """Attempts to read files that are not as they should be."""

    found: Inspection
    reader: Reader
    options: Any
    cells: set[str]
    """What no message may hold."""

    def read(self, path: Path, what: str) -> bool:
        """Tell whether a file can be read; note everything that is neither a table nor a proper refusal."""
        try:
            with _closed(self.found):
                self.reader.read(path, self.reader.columns(path, self.options), self.options)
        except DataError as error:
            text = " ".join(mistake.message for mistake in error.mistakes)
            self.found.expect(text.strip(), "refuses", f"refuses {what} without a reason")
            is_quoted = any(cell in text for cell in self.cells)
            self.found.expect(not is_quoted, "refuses", f"quotes a cell of the data when it refuses {what}")
            return False
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            advice = "raise DataError with what is wrong, and no cell of the data"
            self.found.fail("refuses", f"raised {described(error)} on {what}; {advice}")
            return False
        return True


def _check_refusals(attempts: _Attempts, path: Path, refuses: Sequence[Path]) -> None:
    """Give it damaged files: a table or a `DataError` may come back, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="permaudit-reader-") as name:
        for what, content in _damaged(path.read_bytes()):
            damaged = Path(name) / path.name
            damaged.write_bytes(content)
            attempts.read(damaged, what)
    for file in refuses:
        if attempts.read(file, f"{file.name}, which it must refuse"):
            attempts.found.fail("refuses", f"reads {file.name}, which it must refuse")


def _damaged(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Return what a file may be like that something happened to."""
    yield "an empty file", b""
    yield "a file that was cut off", content[: len(content) * 2 // 3]
    yield "a file of other bytes", bytes(range(256)) * 4
    yield "a file with zeros in it", content[: len(content) // 2] + b"\0" * 64 + content[len(content) // 2 :]


def _long_cells(table: pa.Table | None) -> set[str]:
    """Return the cells that cannot stand in a message by chance."""
    if table is None:
        return set()
    texts = {str(cell) for name in table.column_names for cell in table[name].to_pylist()}
    return {text for text in texts if len(text) >= _SHORTEST_CELL and text not in table.column_names}
