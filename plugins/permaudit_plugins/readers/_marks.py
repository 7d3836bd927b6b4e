"""Numbers in the notation of a file -> the notation that permaudit reads: a decimal point, no thousands mark."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from permaudit import DataError, Mistake, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pyarrow as pa

_EXPONENT = r"([eE][+-]?\d+)?"
_WITH_POINT = rf"^[+-]?(\d+\.\d*|\.\d+){_EXPONENT}$"


def rewritten(
    pieces: Iterator[pa.Table], decimal: str, thousands: str | None, codes: Collection[str]
) -> Iterator[pa.Table]:
    """Rewrite the cells that are numbers in the notation of the file, whole; leave all others, and the codes, alone.

    Where the decimal mark is a comma, `1.5` is no number in the file's notation, but would be one to whoever reads the
    column later: that is a mistake, never a guess.
    """
    return pieces if decimal == "." and thousands is None else _each_rewritten(pieces, decimal, thousands, codes)


def _each_rewritten(
    pieces: Iterator[pa.Table], decimal: str, thousands: str | None, codes: Collection[str]
) -> Iterator[pa.Table]:
    """Rewrite piece by piece, and tell of the mistakes of all of them."""
    records = 0
    counts: Counter[str] = Counter()
    firsts: dict[str, int] = {}
    for piece in pieces:
        table = piece
        for place, name in enumerate(piece.column_names):
            if name in codes:
                continue
            column, doubtful = _rewritten(piece.column(place), decimal, thousands)
            table = table.set_column(place, name, column)
            if count := int(np.count_nonzero(doubtful)):
                counts[name] += count
                firsts.setdefault(name, records + int(np.argmax(doubtful)) + 1)
        records += piece.num_rows
        yield table
    if counts:
        raise DataError(_mistake(name, count, firsts[name]) for name, count in counts.items())


def _mistake(name: str, count: int, first: int) -> Mistake:
    """Say what is doubtful in a column."""
    what = "cell" if count == 1 else "cells"
    message = (
        f"column '{shown(name)}' has {count} {what} with a point that is not the declared notation (first in "
        f"record {first}); say thousands: or decimal: as the file has it, or list the column under codes:"
    )
    return Mistake("", None, None, message)


def _rewritten(column: pa.ChunkedArray, decimal: str, thousands: str | None) -> tuple[pa.ChunkedArray, np.ndarray]:
    """Return the column in permaudit's notation, and a mark for each cell that must not be taken for a number."""
    mark = re.escape(decimal)
    whole = r"\d+" if thousands is None else rf"(\d+|\d{{1,3}}({re.escape(thousands)}\d{{3}})+)"
    number = rf"^[+-]?({whole}({mark}\d*)?|{mark}\d+){_EXPONENT}$"
    is_number = pc.fill_null(pc.match_substring_regex(column, number), fill_value=False)
    plain = column if thousands is None else pc.replace_substring(column, thousands, "")
    plain = pc.replace_substring(plain, decimal, ".") if decimal != "." else plain
    if decimal == ".":
        doubtful = np.zeros(len(column), dtype=bool)
    else:
        looks_like_one = pc.fill_null(pc.match_substring_regex(column, _WITH_POINT), fill_value=False)
        doubtful = np.asarray(pc.and_(looks_like_one, pc.invert(is_number)))
    return pc.if_else(is_number, plain, column), doubtful
