"""Readers that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit import DataError, Extent, Parameters, ReaderCard

if TYPE_CHECKING:
    from pathlib import Path

BROKEN: list[tuple[type, str, str]] = []

CARD = ReaderCard(id="acme-pipes", title="Cells between pipes", suffixes=(".pipes",))


class Sound:
    """A reader that keeps the contract: the broken ones differ from it in one thing."""

    card: Any = CARD
    parameters: Any = Parameters

    def columns(self, path: Path, options: Any) -> tuple[str, ...]:
        return self.lines(path)[0]

    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        names, *records = self.lines(path)
        places = [names.index(name) for name in columns]
        return pa.table([[record[place] for record in records] for place in places], names=list(columns))

    def lines(self, path: Path) -> list[tuple[str, ...]]:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise DataError.one("", "is not encoded as UTF-8") from None
        if "\0" in text:
            raise DataError.one("", "holds zeros: it is not text")
        lines = [tuple(line.split("|")) for line in text.splitlines()]
        if not lines or any(len(line) != len(lines[0]) for line in lines) or len({*lines[0]}) < len(lines[0]):
            raise DataError.one("", "has lines of different length, no line, or a column twice")
        return lines


def broken(check: str, words: str):
    def register(kind: type) -> type:
        BROKEN.append((kind, check, words))
        return kind

    return register


@broken("card", "has no ReaderCard")
class WithoutCard(Sound):
    card = None


@broken("card", "suffix 'pipes' is none")
class WithoutDot(Sound):
    card = replace(CARD, suffixes=("pipes",))


@broken("card", "does not begin with any of the bytes")
class WithOtherMagic(Sound):
    card = replace(CARD, magic=(b"PIPES",))


# --------------------------------------------------------------------------- reading


@broken("reading", "columns() returns no tuple of names")
class ReturnsAListOfNames(Sound):
    def columns(self, path: Path, options: Any) -> Any:
        return list(super().columns(path, options))


@broken("reading", "returns dict, not a pyarrow.Table")
class ReturnsADictionary(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> Any:
        return super().read(path, columns, options).to_pydict()


@broken("reading", "returns the columns NAME, AGE, TOWN when asked for")
class ReturnsAllColumns(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        return super().read(path, self.columns(path, options), options)


@broken("reading", "reads other cells when it is asked for")
class MixesUpColumns(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        names = self.columns(path, options)
        return super().read(path, names[: len(columns)], options).rename_columns(list(columns))


@broken("reading", "reads '31' instead of '031' in column 'AGE'")
class GuessesNumbers(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        table = super().read(path, columns, options)
        return pa.table({name: [cell.lstrip("0") for cell in table[name].to_pylist()] for name in columns})


@broken("reading", "reads 2 records instead of 3")
class LosesTheLastRecord(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        return super().read(path, columns, options)[:-1]


@broken("extent", "tells of 1000000 records where there are 3")
class Exaggerates(Sound):
    def extent(self, path: Path, columns: tuple[str, ...], options: Any) -> Extent:
        return Extent(1_000_000)


# --------------------------------------------------------------------------- manners


@broken("input", "changes the file")
class TouchesTheFile(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        table = super().read(path, columns, options)
        with path.open("a", encoding="utf-8") as stream:
            stream.write("Zoe|0|Z\n")
        return table


@broken("input", "leaves files open")
class LeavesTheFileOpen(Sound):
    def lines(self, path: Path) -> list[tuple[str, ...]]:
        path.open()
        return super().lines(path)


@broken("global random state", "Python's global random state")
class DrawsLots(Sound):
    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        random.random()
        return super().read(path, columns, options)


@broken("worker", "cannot be sent to another process")
class HoldsALambda(Sound):
    def __init__(self) -> None:
        self.split = lambda line: line


# --------------------------------------------------------------------------- refusals


@broken("refuses", "raised UnicodeDecodeError")
class ChokesOnBytes(Sound):
    def lines(self, path: Path) -> list[tuple[str, ...]]:
        path.read_text(encoding="utf-8")
        return super().lines(path)


@broken("refuses", "quotes a cell of the data")
class QuotesTheData(Sound):
    def lines(self, path: Path) -> list[tuple[str, ...]]:
        try:
            return super().lines(path)
        except DataError:
            raise DataError.one("", f"is broken near {path.read_bytes()[:60]!r}") from None


@broken("refuses", "without a reason")
class RefusesWithoutReason(Sound):
    def lines(self, path: Path) -> list[tuple[str, ...]]:
        try:
            return super().lines(path)
        except DataError:
            raise DataError([]) from None


# --------------------------------------------------------------------------- what it prints


@broken("output", "prints to standard output while it is called")
class Prints(Sound):
    def lines(self, path: Path) -> list[tuple[str, ...]]:
        lines = super().lines(path)
        sys.__stdout__.write(f"{lines[0]}\n")
        return lines
