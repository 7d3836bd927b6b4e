"""How dates and times are written in a release: days, months, years, times, and intervals of them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from permaudit.data.scales.generalized import spanning

if TYPE_CHECKING:
    from permaudit.data.scales.generalized import Place, Span

Unit: TypeAlias = Literal["D", "us", "ns"]

PER_DAY: dict[Unit, int] = {"D": 1, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}

DAY = r"\d{4}-\d{2}-\d{2}"
ZONE = r"(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)"
TIME = DAY + r"[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?"

_DAY = re.compile(DAY, re.ASCII)
_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_YEARS = re.compile(r"(?P<low>\d{4})\s*[-\u2013]\s*(?P<high>\d{4})", re.ASCII)
_TIME = re.compile(rf"(?P<time>{TIME})(?P<zone>{ZONE})?", re.ASCII)
_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = 12


def day_number(text: str) -> int | None:
    """Return the days from 1970-01-01 to a day that is written as YYYY-MM-DD, or None."""
    if not _DAY.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None


class CalendarReading:
    """How one scale reads them: in days, or in small parts of a second."""

    def __init__(self, unit: Unit) -> None:
        """Take the unit of the scale."""
        self._unit: Unit = unit

    def point(self, text: str) -> tuple[Place, Place] | None:
        """Return the first and the last unit of a day, a month, a year or a time."""
        days = self._days(text)
        if days is not None:
            return days[0] * PER_DAY[self._unit], days[1] * PER_DAY[self._unit] - 1
        time = None if self._unit == "D" else self._time(text)
        return None if time is None else (time, time)

    def own(self, text: str) -> Span | None:
        """Read `2001-01/2001-06` and `1990-1999`."""
        if found := _YEARS.fullmatch(text):
            return spanning(found["low"], found["high"], self)
        low, slash, high = text.partition("/")
        return spanning(low, high, self) if slash else None

    def _days(self, text: str) -> tuple[int, int] | None:
        """Return the first day of a period and the first one after it."""
        if (day := day_number(text)) is not None:
            return day, day + 1
        if found := _MONTH.fullmatch(text):
            year, month = int(found[1]), int(found[2])
            return _month(year, month, 1) if 1 <= month <= _MONTHS else None
        return _month(int(text), 1, _MONTHS) if _YEAR.fullmatch(text) else None

    def _time(self, text: str) -> int | None:
        """Return a time in units since 1970, exactly; one without a zone as if it were in UTC."""
        found = _TIME.fullmatch(text)
        if found is None or day_number(text[:10]) is None:
            return None
        whole, _, fraction = found["time"].partition(".")
        since = datetime.fromisoformat(whole) - datetime(1970, 1, 1) - _offset(found["zone"])  # noqa: DTZ001
        parts = PER_DAY[self._unit] // 86_400
        return (since.days * 86_400 + since.seconds) * parts + int(fraction.ljust(9, "0")) * parts // 10**9


def _month(year: int, month: int, months: int) -> tuple[int, int] | None:
    """Return the first day of some months and the first one after them."""
    if year < 1:
        return None
    start = date(year, month, 1).toordinal() - _EPOCH
    after = year * _MONTHS + month - 1 + months
    if after >= 10_000 * _MONTHS:
        return start, date.max.toordinal() - _EPOCH + 1
    return start, date(after // _MONTHS, after % _MONTHS + 1, 1).toordinal() - _EPOCH


def _offset(zone: str | None) -> timedelta:
    """Return how much later than UTC the clocks of a zone are."""
    if zone is None or zone == "Z":
        return timedelta(0)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if zone[0] == "-" else offset


def zone_name(zone: str) -> str:
    """Write a zone so that those without an offset are one and the same."""
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return "UTC" if zone == "Z" or digits == "0000" else f"{zone[0]}{digits}"
