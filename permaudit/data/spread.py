"""Columns that need not pass through this process: others read, check and encode them, piece by piece, where they stand.

That works where each value has its number whatever stands beside it: for numbers, dates, ordered categories and booleans in
files that hold their records in groups. One encoding serves all: the scales are those of every other engine. Where a piece does
not fit (a wrong value, a damaged page, a range that only the whole original places), the attribute is read here after all, and
what is said of it is what is said in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit.data.encode import refuse_out_of_bounds
from permaudit.data.missing import filled
from permaudit.data.scales import ColumnError, scale_of
from permaudit.errors import DataError
from permaudit.model import GroupedReader
from permaudit.sourced import Piece, Sourced, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.data.load import OpenedFile
    from permaudit.data.scales import EncodedColumn, Scale
    from permaudit.plan import Attribute, MissingPolicy
    from permaudit.sourced import Each


@dataclass(frozen=True, slots=True)
class Cells:
    """How the cells of one column become numbers, in any piece."""

    reader: GroupedReader
    options: Any
    name: str
    scale: Scale
    policy: MissingPolicy = "lowest"

    def encoded(self, piece: Piece) -> EncodedColumn:
        """Read a piece on the original's scale."""
        piece.refuse_changed()
        table = self.reader.read_group(piece.path, piece.group, (self.name,), self.options)
        # What only the whole original could place is refused, as in the original itself.
        return self.scale.encode(table[self.name], released=False)

    def __call__(self, piece: Piece) -> NDArray[Any]:
        """Return the codes of a piece, with a stand-in for what is missing."""
        return filled(self.encoded(piece), self.policy)

    def standing_in(self, policy: MissingPolicy) -> Cells:
        """Return the same with another stand-in for what is missing."""
        return replace(self, policy=policy)


@dataclass(frozen=True, slots=True)
class Gaps:
    """Where the values of one column are missing, in any piece."""

    cells: Cells

    def __call__(self, piece: Piece) -> NDArray[np.bool_]:
        """Mark them in a piece."""
        missing = self.cells.encoded(piece).missing
        return np.zeros(piece.size, bool) if missing is None else missing


@dataclass(frozen=True, slots=True)
class Left:
    """A column that stays where it stands."""

    codes: Sourced
    missing: Sourced
    gaps: int
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a column in one piece, or in several."""

    kind: np.dtype[Any]
    gaps: int
    range: tuple[Any, Any] | None
    """The least and the greatest code; None where no value is there."""
    statements: tuple[str, ...]


def left_in_place(attributes: Sequence[Attribute], files: Sequence[OpenedFile], each: Each) -> list[dict[str, Left]]:
    """Return for each file, the original first, the columns of all attributes that can stay where they stand in every file."""
    nowhere: list[dict[str, Left]] = [{} for _ in files]
    try:
        pieces = [_pieces(file) for file in files]
        if not all(pieces):
            return nowhere
        kinds = [_kinds(file, [attribute.name for attribute in attributes]) for file in files]
    except (DataError, OSError):  # whoever reads it will say so
        return nowhere
    apt = [one for one in attributes if all(_is_apt(one, kind.get(one.name)) for kind in kinds)]
    scales = {one.name: scale for one in apt if (scale := _scale(one, kinds[0][one.name])) is not None}
    seen = []
    for place, (file, parts) in enumerate(zip(files, pieces, strict=True)):
        _, reader, options = file.parts[0]
        assert isinstance(reader, GroupedReader)  # noqa: S101 - it gave the pieces
        cells = [Cells(reader, options, name, scale) for name, scale in scales.items()]
        bounds = [one for one in apt if one.name in scales] if place == 0 else []
        found = each(partial(_looked_at, cells=cells, bounds=bounds), parts) if cells else []
        whole = {one.name: _put_together([part[at] for part in found]) for at, one in enumerate(cells)}
        seen.append({one.name: (one, about) for one in cells if (about := whole[one.name]) is not None})
        if place == 0:  # an original without any value defines no scale
            seen[0] = {name: one for name, one in seen[0].items() if one[1].range is not None}
    names = [name for name in scales if all(name in one for one in seen)]
    return [{name: _left(*one[name], parts) for name in names} for one, parts in zip(seen, pieces, strict=True)]


def _pieces(file: OpenedFile) -> tuple[Piece, ...]:
    """Return the pieces of all parts, in order; none where a reader knows of none."""
    pieces, start = [], 0
    for part, reader, options in file.parts:
        if not isinstance(reader, GroupedReader):
            return ()
        path = part.path.absolute()
        state = state_of(path)
        for group, size in enumerate(reader.groups(path, options)):
            if size:
                pieces.append(Piece(start, size, path, part.shown, group, state))
                start += size
    return tuple(pieces)


def _kinds(file: OpenedFile, names: Sequence[str]) -> dict[str, pa.DataType]:
    """Return the types of the columns that have the same one in all parts."""
    kinds: dict[str, set[pa.DataType]] = {name: set() for name in names}
    for part, reader, options in file.parts:
        assert isinstance(reader, GroupedReader)  # noqa: S101 - or there were no pieces
        for name, kind in zip(names, reader.types(part.path, tuple(names), options), strict=True):
            kinds[name].add(kind)
    return {name: found.pop() for name, found in kinds.items() if len(found) == 1}


def _is_apt(attribute: Attribute, kind: pa.DataType | None) -> bool:
    """Tell whether each value of a column has its number whatever stands beside it.

    Not so: large whole numbers, decimals and text, whose type depends on all of them; values that rounding may make one;
    times, whose unit depends on how many years they span; categories whose place depends on how many have each.
    """
    if kind is None:
        return False
    is_number = (pa.types.is_integer(kind) and kind != pa.uint64()) or pa.types.is_floating(kind)
    match attribute.type:
        case "numeric":
            return attribute.decimals is None and (is_number or pa.types.is_boolean(kind))
        case "date":
            return bool(pa.types.is_date(kind) or (pa.types.is_timestamp(kind) and kind.tz is None) or _is_text(kind))
        case "ordinal" | "boolean":
            return is_number or bool(pa.types.is_boolean(kind)) or _is_text(kind)
    return False


def _is_text(kind: pa.DataType) -> bool:
    """Tell whether a type is one of text, with a dictionary or without."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _scale(attribute: Attribute, kind: pa.DataType) -> Scale | None:
    """Return the scale that the type alone defines; None where it does not."""
    try:
        return scale_of(attribute, pa.chunked_array([], kind))
    except ColumnError:
        return None


def _looked_at(piece: Piece, cells: Sequence[Cells], bounds: Sequence[Attribute]) -> list[_Seen | None]:
    """Look at every column of a piece, one at a time; None for one that does not fit."""
    return [_seen(piece, one, bounds[place] if bounds else None) for place, one in enumerate(cells)]


def _seen(piece: Piece, cells: Cells, bounds: Attribute | None) -> _Seen | None:
    """Look at one column of a piece."""
    try:
        column = cells.encoded(piece)
        if bounds is not None:
            refuse_out_of_bounds(bounds, column)
    except (ColumnError, DataError, OSError):
        return None
    if column.named is not None or column.kinds is not None or column.hides:
        return None  # there is more to it than codes
    there = column.codes if column.missing is None else column.codes[~column.missing]
    found = (there.min(), there.max()) if there.size else None
    return _Seen(column.codes.dtype, column.codes.size - there.size, found, column.statements)


def _put_together(parts: Sequence[_Seen | None]) -> _Seen | None:
    """Put together what is known of all pieces of a column; None where one of them does not fit, or not to the others."""
    fitting = [part for part in parts if part is not None]
    if len(fitting) < len(parts) or len({part.kind for part in fitting}) != 1:
        return None
    ranges = [part.range for part in fitting if part.range is not None]
    statements = dict.fromkeys(said for part in fitting for said in part.statements)
    whole = (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None
    return _Seen(fitting[0].kind, sum(part.gaps for part in fitting), whole, tuple(statements))


def _left(cells: Cells, seen: _Seen, pieces: tuple[Piece, ...]) -> Left:
    """Return the column as whoever works on it needs it."""
    size = pieces[-1].start + pieces[-1].size
    differs = seen.range is not None and (seen.range[0] != seen.range[1] or seen.gaps > 0)
    codes = Sourced(pieces, cells, seen.kind, size, differs)
    missing = Sourced(pieces, Gaps(cells), np.dtype(bool), size, differs=True)
    return Left(codes, missing, seen.gaps, seen.statements)
