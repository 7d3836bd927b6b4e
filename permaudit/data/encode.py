"""Columns as they stand in a file -> numbers, on the scales that the original defines."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.columns import StoredColumns
from permaudit.data.missing import filled
from permaudit.data.scales import ColumnError, EncodedColumn, refuse, scale_of
from permaudit.errors import DataError, Mistake, shown
from permaudit.permutation.threads import run_each, workers
from permaudit.sourced import Sourced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from permaudit.columns import Shelf, Stored
    from permaudit.data.load import Loaded
    from permaudit.data.scales import Scale
    from permaudit.data.spread import Cells
    from permaudit.plan import Attribute, MissingPolicy

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """The scales that an original defines, and what is wrong with it."""

    every: Mapping[str, Scale]
    """Also of columns with mistakes, as if their wrong values were missing: good to find the mistakes of other files."""
    mended: frozenset[str]
    """The columns with mistakes."""
    mistakes: tuple[Mistake, ...]

    @property
    def original(self) -> dict[str, EncodedColumn]:
        """Return the original's columns that have no mistakes."""
        return {name: scale.original for name, scale in self.every.items() if name not in self.mended}


class StoredEncoded(Mapping[str, EncodedColumn]):
    """Encoded columns in files, to which others can be added; one that is asked for is read anew each time."""

    def __init__(self, shelf: Shelf) -> None:
        """Start without a column."""
        self._shelf = shelf
        self._codes: dict[str, Stored | Sourced] = {}
        self._missing: dict[str, Stored | Sourced] = {}
        self._cells: dict[str, Stored] = {}
        self._kinds: dict[str, Stored] = {}
        self._about: dict[str, EncodedColumn] = {}
        self._gaps: dict[str, int] = {}

    def add(self, columns: Mapping[str, EncodedColumn]) -> None:
        """Lay down some more columns."""
        for name, column in columns.items():
            self._codes[name] = self._shelf.put(column.codes)
            if column.missing is not None:
                self._missing[name] = self._shelf.put(column.missing)
                self._gaps[name] = int(column.missing.sum())
            if column.kinds is not None:
                self._kinds[name] = self._shelf.put(column.kinds)
            named = column.named
            if named is not None:
                self._cells[name] = self._shelf.put(named.cells)
                named = replace(named, cells=named.cells[:0].copy())
            self._about[name] = replace(column, codes=column.codes[:0].copy(), missing=None, named=named, kinds=None)

    def leave(self, name: str, codes: Sourced, missing: Sourced, gaps: int, statements: tuple[str, ...]) -> None:
        """Add a column that stays where it stands, and whose codes its pieces give; `gaps` of its values are missing."""
        self._codes[name] = codes
        if gaps:
            self._missing[name], self._gaps[name] = missing, gaps
        self._about[name] = EncodedColumn(np.zeros(0, codes.dtype), None, statements)

    def in_order(self, names: Sequence[str]) -> None:
        """Put the columns in this order, as far as they are there."""
        self._codes = {name: self._codes[name] for name in names if name in self._codes}

    @property
    def with_gaps(self) -> list[str]:
        """Return the columns in which a value is missing."""
        return [name for name in self if name in self._missing]

    @property
    def with_ranges(self) -> list[str]:
        """Return the columns with generalized cells."""
        return [name for name in self if name in self._cells]

    @property
    def with_kinds(self) -> list[str]:
        """Return the columns with categories that may tie."""
        return list(self._kinds)

    def kept_apart(self) -> StoredEncoded:
        """Return the same columns with categories by what they are, and none that tie; the files are shared."""
        found = copy(self)
        found._codes, found._kinds = {**self._codes, **self._kinds}, {}  # noqa: SLF001 - its own
        return found

    def noted(self, name: str) -> tuple[int, tuple[str, ...]]:
        """Return how many values of a column are missing, and what is stated of it, without reading it."""
        return self._gaps.get(name, 0), self._about[name].statements

    def filled(self, policies: Mapping[str, MissingPolicy]) -> StoredColumns:
        """Return the codes, with a stand-in for what is missing; what stands in a table stays there."""
        stored = dict(self._codes)
        for name in self.with_gaps:
            column = stored[name]
            if isinstance(column, Sourced):
                stored[name] = replace(column, get=cast("Cells", column.get).standing_in(policies[name]))
            else:
                stored[name] = self._shelf.put(filled(self[name], policies[name]))
        return StoredColumns(stored, self._shelf)

    def __getitem__(self, name: str) -> EncodedColumn:
        """Read one column."""
        missing = self._missing[name].load() if name in self._missing else None
        about = self._about[name]
        named = None if about.named is None else replace(about.named, cells=self._cells[name].load())
        kinds = self._kinds[name].load() if name in self._kinds else None
        return replace(about, codes=self._codes[name].load(), missing=missing, named=named, kinds=kinds)

    def __contains__(self, name: object) -> bool:
        """Look for a name; a mapping would read the column."""
        return name in self._codes

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._codes)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._codes)


def with_gaps(columns: Mapping[str, EncodedColumn]) -> list[str]:
    """Return the columns in which a value is missing."""
    if isinstance(columns, StoredEncoded):
        return columns.with_gaps
    return [name for name, column in columns.items() if column.missing is not None]


def with_ranges(columns: Mapping[str, EncodedColumn]) -> list[str]:
    """Return the columns with generalized cells."""
    if isinstance(columns, StoredEncoded):
        return columns.with_ranges
    return [name for name, column in columns.items() if column.named is not None]


def with_kinds(columns: Mapping[str, EncodedColumn]) -> list[str]:
    """Return the columns with categories that may tie."""
    if isinstance(columns, StoredEncoded):
        return columns.with_kinds
    return [name for name, column in columns.items() if column.kinds is not None]


def kept_apart(columns: Mapping[str, EncodedColumn]) -> Mapping[str, EncodedColumn]:
    """Return the columns with categories by what they are, and none that tie."""
    if isinstance(columns, StoredEncoded):
        return columns.kept_apart()
    return {
        name: column if column.kinds is None else replace(column, codes=column.kinds, kinds=None)
        for name, column in columns.items()
    }


def noted(columns: Mapping[str, EncodedColumn], name: str) -> tuple[int, tuple[str, ...]]:
    """Return how many values of a column are missing, and what is stated of it."""
    if isinstance(columns, StoredEncoded):
        return columns.noted(name)
    column = columns[name]
    return 0 if column.missing is None else int(column.missing.sum()), column.statements


def scales_of(attributes: Iterable[Attribute], original: Loaded) -> Scales:
    """Let the original define the scale of every attribute; text that became numbers is held no longer."""
    todo = list(attributes)
    defined = run_each(lambda one: _defined(one, original), todo, workers(None, original.records))
    found = {attribute.name: one for attribute, one in zip(todo, defined, strict=True)}
    return Scales(
        {name: one.scale for name, one in found.items() if one.scale is not None},
        frozenset(name for name, one in found.items() if one.mended),
        tuple(_mistake(original.shown, name, one.error) for name, one in found.items() if one.error is not None),
    )


def encode(
    column_of: Callable[[str], pa.ChunkedArray], scales: Mapping[str, Scale], where: str, *, released: bool = True
) -> dict[str, EncodedColumn]:
    """Encode the audited columns on the original's scales; raise with every column that does not fit."""

    def one(name: str) -> EncodedColumn | ColumnError:
        try:
            return scales[name].encode(column_of(name), released=released)
        except ColumnError as error:
            return error

    encoded: dict[str, EncodedColumn] = {}
    mistakes = []
    threads = workers(None, max((scale.original.codes.size for scale in scales.values()), default=0))
    for name, found in zip(scales, run_each(one, scales, threads), strict=True):
        if isinstance(found, ColumnError):
            mistakes.append(_mistake(where, name, found))
        else:
            encoded[name] = found
    if mistakes:
        raise DataError(mistakes)
    return encoded


@dataclass(frozen=True, slots=True, eq=False)
class _Defined:
    """What an original makes of one attribute."""

    scale: Scale | None
    mended: bool = False
    error: ColumnError | None = None


def _defined(attribute: Attribute, original: Loaded) -> _Defined:
    """Let the original define the scale of one attribute, or say what is wrong with it."""
    # Anonymizers are given numbers as numbers, and everything else as it stands in the source.
    column = original.let_go(attribute.name) if attribute.type == "numeric" else original.table[attribute.name]
    scale = None
    try:
        scale = scale_of(attribute, column)
        refuse_out_of_bounds(attribute, scale.original)
    except ColumnError as error:
        if scale is not None:
            return _Defined(scale, error=error)
        scale = _mended(attribute, column, error)
        return _Defined(scale, mended=scale is not None, error=error)
    return _Defined(scale)


def _mended(attribute: Attribute, column: pa.ChunkedArray, error: ColumnError) -> Scale | None:
    """Return the scale without the values that are wrong; None where it is not single values that are."""
    for _ in range(_ATTEMPTS):  # another kind of mistake may come to light
        if error.wrong is None:
            return None
        column = pc.if_else(pa.array(error.wrong), pa.scalar(None, column.type), column)
        try:
            return scale_of(attribute, column)
        except ColumnError as another:
            error = another
    return None


def refuse_out_of_bounds(attribute: Attribute, column: EncodedColumn) -> None:
    """Refuse an original whose values lie outside the declared bounds."""
    if attribute.bounds is not None:
        low, high = attribute.bounds
        outside = (column.codes < low) | (column.codes > high)
        refuse(
            outside if column.missing is None else outside & ~column.missing,
            "value outside its bounds",
            "",
            "values outside its bounds",
        )


def _mistake(where: str, name: str, error: ColumnError) -> Mistake:
    """Name the column."""
    return Mistake(where, None, None, f"column '{shown(name)}' {error}")
