"""How the cells of delimited text write numbers and missing values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from permaudit.init.columns import cell_type, present_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LOOKED_AT = 10_000
_TOKENS = ("NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "none", "NaN", "nan", "NaT", ".", "-", "--", "?")
"""What programs write for a missing value. Nothing else is ever taken for one, or copied from the data."""
_TOKEN_ARRAY = pa.array(_TOKENS, pa.string())
_ALREADY_MISSING = frozenset({"NaN", "nan"})
"""What the numeric scale takes for missing by itself."""
_DEFAULT: tuple[str, str | None] = (".", None)
_COMMAS: set[tuple[str, str | None]] = {(",", None), (".", ",")}
"""The two readings of 1,234."""
_LONG = 9
_WITH_POINT = r"^[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?$"


def notation_of(table: pa.Table, delimiter: str | None) -> tuple[dict[str, Any], str]:
    """Return the options for the decimal and the thousands mark that make the most columns numeric, and the doubt left."""
    columns = [cells for cells in _some_cells(table) if cell_type(cells) is None]
    scores = {marks: sum(_fits(cells, *marks) for cells in columns) for marks in _candidates(delimiter)}
    best = max(scores, key=lambda marks: scores[marks])
    if best == _DEFAULT:
        return {}, ""
    found: dict[str, Any] = {
        name: mark for name, mark, usual in zip(("decimal", "thousands"), best, _DEFAULT, strict=True) if mark != usual
    }
    doubt = f"numbers are written with {_words(*best)}"
    if any(scores[marks] == scores[best] for marks in scores if {marks, best} == _COMMAS):
        doubt += "; the comma may also be read the other way"
    if best[0] != _DEFAULT[0]:
        # In such a file 1.5 is no number; a column that is written like that all the same stays as it stands.
        others = [name for name in table.column_names if _is_doubtful(table[name], *best)]
        if others:
            found["codes"] = others
            doubt += "; not so in the columns under codes, which have a point"
    return found, doubt


def missing_tokens(table: pa.Table, known: Sequence[str] = ()) -> list[str]:
    """Return the names of missing values: those that are known, and those without which a column would be of a type."""
    found: set[str] = set()
    for name in table.column_names:
        cells = present_values(table[name])
        marked = pc.is_in(cells, _TOKEN_ARRAY)
        if not pc.any(marked).as_py():
            continue
        here = set(pc.unique(cells.filter(marked)).to_pylist())
        found |= here & set(known)
        rest = cells.filter(pc.invert(marked)).slice(0, _LOOKED_AT)
        kind = cell_type(rest) if len(rest) else None
        if kind is not None:
            found |= here - (_ALREADY_MISSING if kind == "numeric" else frozenset())
    return [token for token in _TOKENS if token in found]


def _some_cells(table: pa.Table) -> Iterator[pa.ChunkedArray]:
    """Yield some cells of each column, without the missing ones."""
    for name in table.column_names:
        cells = present_values(table[name]).slice(0, _LOOKED_AT)
        cells = cells.filter(pc.invert(pc.is_in(cells, _TOKEN_ARRAY)))
        if len(cells):
            yield cells


def _candidates(delimiter: str | None) -> Sequence[tuple[str, str | None]]:
    """Return the notations to try, the likelier first: where a semicolon parts the cells, a comma is a decimal mark."""
    commas = sorted(_COMMAS, key=lambda marks: (marks[0] == ",") == (delimiter in {None, ","}))
    return [
        _DEFAULT,
        *commas,
        (",", "."),
        (",", " "),
        (".", " "),
        (".", "'"),
        (",", "'"),
        (".", "\u00a0"),
        (",", "\u00a0"),
    ]


def _fits(cells: pa.ChunkedArray, decimal: str, thousands: str | None) -> bool:
    """Tell whether all cells are numbers in a notation, and no codes.

    Codes have leading zeros, or are long and all of one length, as phone numbers are that are written in groups of three.
    """
    is_number = pc.all(pc.match_substring_regex(cells, _number(decimal, thousands))).as_py()
    is_code = pc.any(pc.match_substring_regex(cells, r"^[+-]?0\d")).as_py()
    if thousands is not None:
        lengths = pc.min_max(pc.utf8_length(cells)).as_py()
        is_code = is_code or lengths["min"] == lengths["max"] >= _LONG
    return bool(is_number and not is_code)


def _is_doubtful(column: pa.ChunkedArray, decimal: str, thousands: str | None) -> bool:
    """Tell whether some cells would be numbers with a point, but are none in this notation."""
    pointed = pc.match_substring_regex(column, _WITH_POINT)
    return bool(pc.any(pc.and_not(pointed, pc.match_substring_regex(column, _number(decimal, thousands)))).as_py())


def _number(decimal: str, thousands: str | None) -> str:
    """Return the pattern of a number."""
    mark = re.escape(decimal)
    whole = r"\d+" if thousands is None else rf"(\d+|\d{{1,3}}({re.escape(thousands)}\d{{3}})+)"
    return rf"^[+-]?({whole}({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?$"


def _words(decimal: str, thousands: str | None) -> str:
    """Name the marks."""
    marks = {".": "a point", ",": "a comma", " ": "a blank", "'": "an apostrophe", "\u00a0": "a no-break space"}
    parts = [f"{marks[decimal]} before the decimals"]
    parts += [] if thousands is None else [f"{marks[thousands]} between the thousands"]
    return " and ".join(parts)
