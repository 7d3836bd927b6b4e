"""Days, counted from 1970-01-01."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.scales.base import (
    ColumnError,
    EncodedColumn,
    distinct_texts,
    is_text,
    nulls,
    plain,
    refuse,
    refuse_empty,
    some,
    type_name,
)
from permaudit.data.scales.calendar import CalendarReading, day_number
from permaudit.data.scales.lines import NaturalLine, in_order
from permaudit.data.scales.named import named_in
from permaudit.data.scales.released import looks_generalized, placed, resolve

if TYPE_CHECKING:
    from permaudit.data.scales.base import Codes, Distinct
    from permaudit.plan import Attribute

_READING = CalendarReading("D")
_SLASHED = r"^\d{1,4}[./]\d{1,2}[./]\d{1,4}"
_TIMED = r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:"


class DateScale:
    """The original's days."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the original."""
        self._star = attribute.star
        encoded, others = _read(original)
        _refuse_plain(others)
        self.original = refuse_empty(encoded)

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        encoded, others = _read(column)
        if others is None:
            return encoded
        if not released:
            _refuse_plain(others)
        found = resolve(others, (), _READING, self._line, self._star)
        refuse_others(others, found.unknown, "date", "dates (YYYY-MM-DD)", "")
        codes, missing = placed(encoded.codes, encoded.missing, others, found)
        named = named_in(others, found.namings, ordered=True)
        return EncodedColumn(codes, some(missing), found.statements, named=named)

    @cached_property
    def _line(self) -> NaturalLine:
        """Put the original's days in order."""
        return NaturalLine(in_order(self.original))


def _refuse_plain(others: Distinct | None) -> None:
    """Refuse what is no date in a file that must hold plain values."""
    if others is not None:
        generalized = looks_generalized(others.texts, _READING)
        hint = "; periods, intervals, sets and * may stand in a release only" if generalized else ""
        refuse_others(others, frozenset(others.texts), "date", "dates (YYYY-MM-DD)", hint)


def refuse_others(others: Distinct, unknown: frozenset[str], noun: str, nouns: str, hint: str) -> None:
    """Refuse the texts that are no dates or times, with a guess at what went wrong."""
    texts = pa.array(sorted(unknown), pa.string())
    if not hint and pc.any(pc.match_substring_regex(texts, _SLASHED)).as_py():
        hint = "; write the year first, as in 2001-12-31"
    elif not hint and noun == "date" and pc.any(pc.match_substring_regex(texts, _TIMED)).as_py():
        hint = "; some have a time of day: declare type: datetime"
    elif not hint and pc.any(pc.match_substring_regex(texts, r"^\s|\s$")).as_py():
        hint = "; some have blanks around them"
    refuse(others.marks(unknown), f"value that is not a {noun}", hint, f"values that are not {nouns}")


def _read(column: pa.ChunkedArray) -> tuple[EncodedColumn, Distinct | None]:
    """Return the days of a column, and the texts that are none."""
    column = plain(column)
    kind = column.type
    if is_text(kind):
        return _from_text(distinct_texts(column))
    if pa.types.is_timestamp(kind) and kind.tz is None:
        return EncodedColumn(_midnights(column), nulls(column)), None
    if pa.types.is_date64(kind):
        return EncodedColumn(_midnights(column.cast(pa.timestamp("ms"))), nulls(column)), None
    if pa.types.is_date32(kind):
        return EncodedColumn(filled(column.cast(pa.int32())), nulls(column)), None
    if pa.types.is_null(kind):
        return EncodedColumn(np.zeros(len(column), np.int64), some(np.ones(len(column), bool))), None
    hint = "; declare it with type: datetime" if pa.types.is_timestamp(kind) else ""
    raise ColumnError(f"is of type {type_name(kind)}, not a date{hint}")


def filled(column: pa.ChunkedArray) -> Codes:
    """Return whole numbers, with 0 where they are missing."""
    values: Codes = (column.fill_null(0) if column.null_count else column).to_numpy()
    return values.astype(np.int64, copy=False)


def _midnights(column: pa.ChunkedArray) -> Codes:
    """Return the days of times, each of which must be the beginning of one."""
    per_day = {"s": 86_400, "ms": 86_400_000, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}[column.type.unit]
    values = filled(column.cast(pa.int64()))
    hint = "; declare it with type: datetime"
    refuse(values % per_day != 0, "value with a time of day", hint, "values with a time of day")
    return values // per_day


def _from_text(texts: Distinct) -> tuple[EncodedColumn, Distinct | None]:
    """Read the distinct texts."""
    days = [day_number(text) for text in texts.texts]
    codes = texts.spread(np.array([day or 0 for day in days], np.int64))
    encoded = EncodedColumn(codes, texts.missing)
    return encoded, texts.only(np.array([day is None for day in days], bool)) if None in days else None
