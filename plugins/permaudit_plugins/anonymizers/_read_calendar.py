"""Days and times as whole numbers, and back into a column like the one they were read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit_plugins.anonymizers._listed import refused_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit import Attribute

_TEXT_FORMS = (
    pa.timestamp("ns"),
    pa.timestamp("ns", "UTC"),
    pa.timestamp("us"),  # for years that nanoseconds do not reach
    pa.timestamp("us", "UTC"),
)
_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_WRITTEN: tuple[Literal["s", "ms", "us", "ns"], ...] = ("s", "ms", "us", "ns")
_FIRST, _LAST = np.datetime64("0001-01-01", "D"), np.datetime64("9999-12-31", "D")


@dataclass(frozen=True, slots=True, eq=False)
class Calendar:
    """A column of days or times."""

    values: NDArray[np.int64]
    """Units since 1970; where the value is missing, 0."""
    missing: NDArray[np.bool_]
    unit: str
    """Numpy's name of the unit."""
    kind: pa.DataType
    """The type of the column that was read."""
    typed: pa.DataType
    """The type of days or times with this unit."""
    days_only: bool
    """Is every value written as a day?"""

    @property
    def step(self) -> int:
        """Return the coarsest part of a day, in units, of which all values are multiples."""
        values = self.values[~self.missing]
        return next(self._units(name) for name in _PER_DAY if self._holds(name, values))

    def texts(self, values: NDArray[np.int64]) -> list[str]:
        """Write days as YYYY-MM-DD, and times so that no digit is lost; those with a zone in UTC."""
        moments: NDArray[Any] = values.astype(np.int64).view(f"M8[{self.unit}]")
        if self.days_only:
            return list(np.datetime_as_string(moments, unit="D").tolist())
        unit = next(name for name in _WRITTEN if self._holds(name, values))
        zone = "Z" if self.typed.tz is not None else ""
        return [text + zone for text in np.datetime_as_string(moments, unit=unit).tolist()]

    def column(self, values: NDArray[np.int64], missing: NDArray[np.bool_]) -> pa.Array:
        """Return days or times as a column of the type that was read."""
        if pa.types.is_string(self.kind) or pa.types.is_large_string(self.kind):
            return pa.array(self.texts(values), self.kind, mask=missing)
        width = pa.int32() if self.unit == "D" else pa.int64()
        return pa.array(values, mask=missing).cast(width).cast(self.typed).cast(self.kind)

    def _holds(self, name: str, values: NDArray[np.int64]) -> bool:
        """Tell whether all values are whole in a part of a day, which is no finer than the unit."""
        return _PER_DAY[name] == _PER_DAY[self.unit] or not (values % self._units(name)).any()

    def _units(self, name: str) -> int:
        """Return how many units a part of a day has."""
        return _PER_DAY[self.unit] // _PER_DAY[name]


def read_calendar(attribute: Attribute, column: pa.ChunkedArray) -> Calendar:
    """Read a column of days (type date) or times (type datetime); an empty text is missing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string_view(kind):
        kind = pa.large_string()
    column = column.cast(kind)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column = pc.if_else(pc.equal(column, ""), pa.scalar(None, kind), column)
    typed = _days(attribute.name, column) if attribute.type == "date" else _times(attribute.name, column)
    is_day = pa.types.is_date32(typed.type)
    unit = "D" if is_day else typed.type.unit
    missing = typed.is_null().to_numpy()
    whole = typed.cast(pa.int32()).cast(pa.int64()) if is_day else typed.cast(pa.int64())
    values: NDArray[np.int64] = whole.fill_null(0).to_numpy()
    days = values.view(f"M8[{unit}]").astype("M8[D]")
    if ((days < _FIRST) | (days > _LAST)).any():
        raise refused_column(attribute.name, "has years outside 1 to 9999")
    return Calendar(values, missing, unit, kind, typed.type, is_day or _are_days(column))


def _days(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as days."""
    try:
        return column.cast(pa.date32())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise refused_column(name, "has values that are not dates (YYYY-MM-DD)") from None


def _times(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as times."""
    if pa.types.is_timestamp(column.type):
        return column
    for form in (pa.timestamp("s"),) if pa.types.is_date(column.type) else _TEXT_FORMS:
        try:
            return column.cast(form)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    raise refused_column(
        name, "has values that are not times (YYYY-MM-DDThh:mm:ss), or some with a zone and some without"
    )


def _are_days(column: pa.ChunkedArray) -> bool:
    """Tell whether times are written as days, all of them."""
    if pa.types.is_date(column.type):
        return True
    if pa.types.is_timestamp(column.type) or column.null_count == len(column):
        return False
    return bool(pc.max(pc.binary_length(column)).as_py() == len("2001-12-31"))
