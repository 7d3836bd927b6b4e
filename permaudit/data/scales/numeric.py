"""Numbers: compared as they are; whole numbers and decimals without any rounding."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.data.scales.base import ColumnError, EncodedColumn, either, many, refuse_empty, some
from permaudit.data.scales.generalized import Span, looks_generalized, resolve, spanning
from permaudit.data.scales.numbers import (
    HUGE_EXPONENT,
    NUMBER,
    WHOLE_FLOATS,
    Numbers,
    as_decimals,
    read_numbers,
    refuse_others,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from permaudit.data.scales.base import Codes, Distinct, Mask
    from permaudit.data.scales.generalized import Place, Resolved
    from permaudit.plan import Attribute

_NUMBER = re.compile(NUMBER, re.ASCII)
_HYPHENED = re.compile(rf"(?P<low>{NUMBER})\s*[-\u2013]\s*(?P<high>{NUMBER})", re.ASCII)
_MOST_DECIMALS = 15
_LONGEST_NUMBER = 100
_HUGE_EXPONENT = re.compile(HUGE_EXPONENT, re.ASCII)
_GAP = 2**31
"""What lies between the codes of neighbours where values are held by their order only: room for every released value."""


class NumberReading:
    """How numbers are written in a release."""

    def point(self, text: str) -> tuple[Place, Place] | None:
        """Return the number, if the text is one."""
        if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text) or _HUGE_EXPONENT.search(text):
            return None
        if math.isinf(float(text)):
            return None
        number = Decimal(text)
        return number, number

    def own(self, text: str) -> Span | None:
        """Read `20-29` and `65+`; a number below zero is no interval."""
        if found := _HYPHENED.fullmatch(text):
            return spanning(found["low"], found["high"], self)
        if text.endswith("+") and (point := self.point(text[:-1].strip())):
            return Span(point[0], None)
        return None


_READING = NumberReading()


class NumericScale:
    """The original's numbers."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the original."""
        if attribute.decimals is not None and not 0 <= attribute.decimals <= _MOST_DECIMALS:
            raise ColumnError(f"cannot be rounded: decimals must be from 0 to {_MOST_DECIMALS}")
        self._attribute = attribute
        self._exact: Sequence[Decimal] | None = None
        numbers = self._read(original)
        if numbers.others is not None:
            _refuse_plain(numbers.others)
        self._bits = numbers.bits
        self._exact = numbers.exact
        codes = numbers.values if numbers.exact is None else numbers.values.astype(np.int64) * _GAP
        said = (
            ()
            if numbers.exact is None
            else ("values have more digits than 64 bits hold: they are held by their order",)
        )
        self.original = refuse_empty(EncodedColumn(codes, some(numbers.missing), said))

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        numbers = self._read(column)
        if numbers.others is not None and not released:
            _refuse_plain(numbers.others)
        codes, said = self._codes(numbers)
        missing = numbers.missing
        if numbers.others is not None:
            found = resolve(numbers.others, (), _READING, self._line, self._attribute.star)
            if found.unknown:
                refuse_others(numbers.others, found.unknown, "")
            codes, missing = _placed(codes, missing, numbers.others, found)
            said += found.statements
        if self._bits is not None and numbers.bits is not None and self._bits != numbers.bits:
            widths = f"the original holds {self._bits}-bit and this file {numbers.bits}-bit floats"
            said += (f"{widths}: values may tie in one and not in the other; round both with decimals:",)
        return EncodedColumn(codes, some(missing), said)

    @cached_property
    def _line(self) -> NaturalLine | ExactLine:
        """Put the original's values in order, when the first interval asks for it."""
        codes, missing = self.original.codes, self.original.missing
        ordered = np.sort(codes if missing is None else codes[~missing])
        return NaturalLine(ordered) if self._exact is None else ExactLine(self._exact, ordered)

    def _read(self, column: pa.ChunkedArray) -> Numbers:
        """Read numbers, and round them where that is declared."""
        numbers = read_numbers(column, exactly=self._exact is not None)
        decimals = self._attribute.decimals
        return numbers if decimals is None else _rounded(numbers, decimals)

    def _codes(self, numbers: Numbers) -> tuple[Codes, tuple[str, ...]]:
        """Put numbers on the original's scale."""
        if self._exact is not None:
            values, places = (numbers.exact, numbers.values) if numbers.exact else as_decimals(numbers.values)
            return exact_codes(values, self._exact)[places], ()
        if numbers.exact is None:
            return numbers.values, ()
        floats = np.array([float(value) for value in numbers.exact])
        ties = int(np.count_nonzero(np.diff(floats) == 0))
        said = f"{many(ties, 'distinct value')} may tie with another: they differ beyond the digits of a 64-bit float"
        return floats[numbers.values], (said,) if ties else ()


def _refuse_plain(others: Distinct) -> None:
    """Refuse what is no number in a file that must hold plain values."""
    hint = "; intervals, sets and * may stand in a release only" if looks_generalized(others.texts, _READING) else ""
    refuse_others(others, frozenset(others.texts), hint)


def _rounded(numbers: Numbers, decimals: int) -> Numbers:
    """Round to some decimals, halves to even; whole numbers stay as they are."""
    if numbers.exact is not None:
        step = Decimal(1).scaleb(-decimals)
        rounded = [_quantized(value, step) for value in numbers.exact]
        ordered = sorted(set(rounded))
        place = {value: number for number, value in enumerate(ordered)}
        places = np.array([place[value] for value in rounded], np.int64)[numbers.values]
        return Numbers(places, numbers.missing, ordered, numbers.others)
    if numbers.values.dtype.kind != "f":
        return numbers
    values = numbers.values
    # Larger floats have no such decimals, and scaling them could overflow.
    small = np.abs(values) < WHOLE_FLOATS / 10.0**decimals
    values = np.where(small, np.round(np.where(small, values, 0.0), decimals), values)
    return Numbers(values, numbers.missing, None, numbers.others, numbers.bits)


def _quantized(value: Decimal, step: Decimal) -> Decimal:
    """Round an exact number, whatever its number of digits."""
    places = Fraction(value) / Fraction(step)
    return Decimal(round(places)) * step if abs(places) < 10**27 else value


def _placed(codes: Codes, missing: Mask | None, others: Distinct, found: Resolved) -> tuple[Codes, Mask | None]:
    """Put the codes of generalized values among those of the numbers."""
    if found.missing:
        missing = either(missing, others.marks(found.missing))
    if not found.codes:
        return codes, missing
    at = np.flatnonzero(others.marks(found.codes))
    values: list[Any] = [found.codes.get(text, 0) for text in others.texts]
    if codes.dtype.kind != "f":
        if np.abs(codes.astype(np.float64)).max(initial=0) > WHOLE_FLOATS:
            values = [math.floor(value) for value in values]  # a half is nothing beside such numbers
        elif any(isinstance(value, float) for value in values):
            codes = codes.astype(np.float64)
    try:
        placed = np.array(values, codes.dtype)
    except OverflowError:
        codes, placed = codes.astype(np.float64), np.array(values, np.float64)
    codes = codes.copy()
    codes[at] = placed[others.index[at]]
    return codes, missing


# --------------------------------------------------------------------------- the original in order


class NaturalLine:
    """The original's values in order, held as the numbers they are."""

    def __init__(self, ordered: Codes) -> None:
        """Take the sorted values."""
        self._ordered = ordered
        self._is_float = ordered.dtype.kind == "f"

    @property
    def size(self) -> int:
        """Return how many there are."""
        return int(self._ordered.size)

    def below(self, place: Place, *, including: bool) -> int:
        """Return how many values are below the place, or equal to it."""
        number: Any
        if self._is_float:
            number = float(place)
        else:
            number = math.floor(place) if including else math.ceil(place)
            limits = np.iinfo(self._ordered.dtype)
            if number > limits.max:
                return self.size
            if number < limits.min:
                return 0
        return int(np.searchsorted(self._ordered, self._ordered.dtype.type(number), "right" if including else "left"))

    def halfway(self, first: int, second: int) -> float:
        """Return the number halfway between two values."""
        low, high = self._ordered[first].item(), self._ordered[second].item()
        return _mean(low, high)

    def middle(self, low: Place, high: Place) -> float:
        """Return the number halfway between two places."""
        if self._is_float:
            return _mean(float(low), float(high))
        middle = (Fraction(low) + Fraction(high)) / 2
        return int(middle) if middle.denominator == 1 else float(middle)


def _mean(low: float, high: float) -> float:
    """Return the number halfway between two; whole numbers stay whole where the half would be rounded."""
    if low == high:
        return low
    total = low + high
    if isinstance(total, int):
        return total // 2 if total % 2 == 0 or abs(total) > WHOLE_FLOATS else total / 2
    return total / 2 if math.isfinite(total) else low / 2 + high / 2


class ExactLine:
    """The original's values in order, where no 64-bit type keeps them apart."""

    def __init__(self, values: Sequence[Decimal], ordered: Codes) -> None:
        """Take the distinct values in order, and the sorted codes of all records."""
        self._values = values
        self._ordered = ordered

    @property
    def size(self) -> int:
        """Return how many there are."""
        return int(self._ordered.size)

    def below(self, place: Place, *, including: bool) -> int:
        """Return how many values are below the place, or equal to it."""
        distinct = (bisect_right if including else bisect_left)(self._values, place)
        return int(np.searchsorted(self._ordered, distinct * _GAP))

    def halfway(self, first: int, second: int) -> float:
        """Return the code halfway between those of two values."""
        return (int(self._ordered[first]) + int(self._ordered[second])) // 2

    def middle(self, low: Place, high: Place) -> float:
        """Return the code of the gap that the middle of two places falls into."""
        middle: Any = (Fraction(low) + Fraction(high)) / 2
        return bisect_left(self._values, middle) * _GAP - _GAP // 2


def exact_codes(values: Sequence[Decimal], original: Sequence[Decimal]) -> Codes:
    """Give distinct values, in order, codes among those of the original: its own where equal, else one in the gap.

    The original's distinct values have the codes 0, g, 2g, ...; there is room in a gap for as many values as a file can
    have records, so that no two values share a code.
    """
    codes = np.empty(len(values), np.int64)
    gap, used = -1, 0
    for number, value in enumerate(values):
        place = bisect_left(original, value)
        if place < len(original) and original[place] == value:
            codes[number] = place * _GAP
            continue
        used = used + 1 if place == gap else 1
        gap = place
        codes[number] = (place - 1) * _GAP + used
    return codes
