"""Times, counted in nanoseconds from 1970-01-01; in microseconds where the years are too many for that."""

from __future__ import annotations

from dataclasses import dataclass
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
from permaudit.data.scales.calendar import DAY, TIME, ZONE, CalendarReading, day_number, zone_name
from permaudit.data.scales.dates import filled, refuse_others
from permaudit.data.scales.lines import NaturalLine, in_order
from permaudit.data.scales.named import named_in
from permaudit.data.scales.released import looks_generalized, placed, resolve
from permaudit.errors import shown

if TYPE_CHECKING:
    from permaudit.data.scales.base import Codes, Distinct, Mask
    from permaudit.data.scales.calendar import Unit
    from permaudit.plan import Attribute

_NOUNS = ("time", "times (YYYY-MM-DDThh:mm:ss)")
_OUT_OF_RANGE = {
    "ns": "has times outside the years 1678 to 2261, or finer than a nanosecond, and the original has not",
    "us": "has times finer than a microsecond, and the original spans too many years to count in anything finer",
}


@dataclass(frozen=True, slots=True, eq=False)
class _Times:
    """The times of a column."""

    codes: Codes
    missing: Mask | None
    zone: str | None
    """The name of the time zone; None where times are those of a clock on some wall."""
    has_times: bool
    """Is there any time at all?"""
    days_only: bool = False
    """Does every value name a day without a time?"""
    others: Distinct | None = None


class DatetimeScale:
    """The original's times."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the original."""
        self._star = attribute.star
        self._unit: Unit = "ns"
        column = plain(original)
        try:
            times = _read(column, self._unit, days=True)
        except _RangeError:
            self._unit = "us"
            try:
                times = _read(column, self._unit, days=True)
            except _RangeError:
                raise ColumnError(
                    "spans more years than can be counted in parts of a second as fine as its own"
                ) from None
        self._reading = CalendarReading(self._unit)
        self._zone, self._days_only = times.zone, times.days_only
        self._refuse_plain(times.others)
        self.original = refuse_empty(EncodedColumn(times.codes, some(times.missing)))

    @property
    def per_day(self) -> float:
        """Return how much the numbers grow in a day."""
        return 86_400e9 if self._unit == "ns" else 86_400e6

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        try:
            # Beside times of day, a released day is a period.
            times = _read(plain(column), self._unit, days=self._days_only or not released)
        except _RangeError:
            raise ColumnError(_OUT_OF_RANGE[self._unit]) from None
        said = self._compared(times)
        if times.others is None:
            return EncodedColumn(times.codes, some(times.missing), said)
        if not released:
            self._refuse_plain(times.others)
        found = resolve(times.others, (), self._reading, self._line, self._star)
        refuse_others(times.others, found.unknown, *_NOUNS, "")
        codes, missing = placed(times.codes, times.missing, times.others, found)
        if found.codes and self._zone is not None:
            said += ("released days, months and years are those of UTC",)
        named = named_in(times.others, found.namings, ordered=True)
        return EncodedColumn(codes, some(missing), (*said, *found.statements), named=named)

    @cached_property
    def _line(self) -> NaturalLine:
        """Put the original's times in order."""
        return NaturalLine(in_order(self.original))

    def _compared(self, times: _Times) -> tuple[str, ...]:
        """Refuse times with a zone beside times without one; say where the zones have different names."""
        if not times.has_times or times.zone == self._zone:
            return ()
        if times.zone is None or self._zone is None:
            has, other = ("no", "has one") if times.zone is None else ("a", "has none")
            raise ColumnError(f"has times with {has} time zone, and the original {other}; write both in UTC")
        return ("the time zones of this file and the original have different names: times are compared as instants",)

    def _refuse_plain(self, others: Distinct | None) -> None:
        """Refuse what is no time in a file that must hold plain values."""
        if others is not None:
            generalized = looks_generalized(others.texts, self._reading)
            hint = "; periods, intervals, sets and * may stand in a release only" if generalized else ""
            refuse_others(others, frozenset(others.texts), *_NOUNS, hint)


class _RangeError(Exception):
    """A time does not fit into 64 bits in this unit."""


def _read(column: pa.ChunkedArray, unit: Unit, *, days: bool) -> _Times:
    """Return the times of a plain column; with `days`, a day without a time is its midnight."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        codes = filled(_cast(column, pa.timestamp(unit, kind.tz)).cast(pa.int64()))
        zone = None if kind.tz is None else _typed_zone(kind.tz)
        return _Times(codes, nulls(column), zone, has_times=column.null_count < len(column))
    if pa.types.is_date(kind):
        column = column.cast(pa.string())
    elif pa.types.is_null(kind):
        return _Times(np.zeros(len(column), np.int64), np.ones(len(column), bool), None, has_times=False)
    elif not is_text(kind):
        raise ColumnError(f"is of type {type_name(kind)}, not a time")
    return _from_text(distinct_texts(column), unit, days=days)


def _typed_zone(name: str) -> str:
    """Write the zone of a typed column as that of a text."""
    if name in {"UTC", "Etc/UTC", "Z", "GMT", "Etc/GMT"}:
        return "UTC"
    return zone_name(name) if name[0] in "+-" else shown(name)


def _cast(column: pa.ChunkedArray | pa.Array, kind: pa.DataType) -> pa.ChunkedArray | pa.Array:
    """Cast, and tell values that do not fit without quoting them."""
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        raise _RangeError from None


def _from_text(texts: Distinct, unit: Unit, *, days: bool) -> _Times:
    """Read the distinct texts."""
    written = pa.array(texts.texts, pa.large_string())
    is_day = _matching(written, DAY) if days else np.zeros(len(written), bool)
    is_zoned = _matching(written, TIME + ZONE)
    is_local = _matching(written, TIME)
    is_fine = is_day | is_zoned | is_local
    if not _all_exist(written.filter(pa.array(is_fine))):
        is_fine &= np.array([day_number(text[:10]) is not None for text in texts.texts], bool)
    zone = _one_zone(texts, written, is_fine & is_zoned, is_fine & ~is_zoned)
    stamp = pa.timestamp(unit, None if zone is None else "UTC")
    codes = np.zeros(len(written), np.int64)
    codes[is_fine] = _cast(written.filter(pa.array(is_fine)), stamp).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return _Times(
        texts.spread(codes),
        texts.missing,
        zone,
        has_times=bool(is_fine.any()),
        days_only=bool((is_fine & is_day).any() and is_day[is_fine].all()),
        others=None if is_fine.all() else texts.only(~is_fine),
    )


def _matching(texts: pa.Array, pattern: str) -> Mask:
    """Tell which texts have a form."""
    matching: Mask = pc.match_substring_regex(texts, f"^{pattern}$").to_numpy(zero_copy_only=False)
    return matching


def _all_exist(written: pa.Array) -> bool:
    """Tell whether the days of all times are in the calendar."""
    try:
        pc.utf8_slice_codeunits(written, 0, 10).cast(pa.timestamp("s"))
    except pa.ArrowInvalid:
        return False
    return True


def _one_zone(texts: Distinct, written: pa.Array, is_zoned: Mask, is_local: Mask) -> str | None:
    """Return the time zone that all times have; refuse a mixture."""
    if not is_zoned.any():
        return None
    if is_local.any():
        marks = texts.marks({text for text, local in zip(texts.texts, is_local, strict=True) if local})
        nouns = ("value without a time zone among others with one", "values without a time zone among others with one")
        refuse(marks, nouns[0], "; write all of them in UTC, ending in Z", nouns[1])
    ends = pc.extract_regex(written.filter(pa.array(is_zoned)), f"(?P<zone>{ZONE})$").field("zone").unique().to_pylist()
    zones = {zone_name(end) for end in ends}
    if len(zones) > 1:
        raise ColumnError(f"has times in {len(zones)} time zones; write all of them in UTC, ending in Z")
    return zones.pop()
