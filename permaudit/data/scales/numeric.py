"""Numbers: compared as they are; whole numbers and decimals without any rounding."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.scales.base import ColumnError, EncodedColumn, differ, many, refuse_empty, some
from permaudit.data.scales.generalized import Span, spanning
from permaudit.data.scales.lines import GAP, WHOLE_FLOATS, ExactLine, NaturalLine, exact_codes, in_order
from permaudit.data.scales.named import named_in
from permaudit.data.scales.numbers import (
    HUGE_EXPONENT,
    NUMBER,
    Numbers,
    as_decimals,
    read_numbers,
    refuse_others,
    written_numbers,
)
from permaudit.data.scales.released import looks_generalized, placed, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from permaudit.data.scales.base import Codes, Distinct
    from permaudit.data.scales.generalized import Place
    from permaudit.plan import Attribute

_NUMBER = re.compile(NUMBER, re.ASCII)
_HYPHENED = re.compile(rf"(?P<low>{NUMBER})\s*[-\u2013]\s*(?P<high>{NUMBER})", re.ASCII)
_MOST_DECIMALS = 15
_LONGEST_NUMBER = 100
_LARGEST_FLOAT = sys.float_info.max
_HUGE_EXPONENT = re.compile(HUGE_EXPONENT, re.ASCII)


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
        if len(text) > 2 * _LONGEST_NUMBER:
            return None
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
        codes = numbers.values if numbers.exact is None else numbers.values.astype(np.int64) * GAP
        said = (
            ()
            if numbers.exact is None
            else ("values have more digits than 64 bits hold: they are held by their order",)
        )
        self.original = refuse_empty(EncodedColumn(codes, some(numbers.missing), said, numbers.rounded_off))

    @property
    def in_own_units(self) -> bool:
        """Tell whether the codes are the numbers themselves, and not their order only."""
        return self._exact is None

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        numbers = self._read(column)
        if numbers.others is not None and not released:
            _refuse_plain(numbers.others)
        codes, said = self._codes(numbers)
        missing, named = numbers.missing, None
        if numbers.others is not None:
            found = resolve(numbers.others, (), _READING, self._line, self._attribute.star)
            if found.unknown:
                refuse_others(numbers.others, found.unknown, "")
            codes, missing = placed(codes, missing, numbers.others, found)
            said += found.statements
            named = named_in(numbers.others, found.namings, ordered=True)
        if self._bits is not None and numbers.bits is not None and self._bits != numbers.bits:
            widths = f"the original holds {self._bits}-bit and this file {numbers.bits}-bit floats"
            said += (f"{widths}: values may tie in one and not in the other; round both with decimals:",)
        return EncodedColumn(codes, some(missing), said, numbers.rounded_off, named)

    @cached_property
    def _line(self) -> NaturalLine | ExactLine:
        """Put the original's values in order, when the first interval asks for it."""
        ordered = in_order(self.original)
        return NaturalLine(ordered) if self._exact is None else ExactLine(self._exact, ordered)

    def _read(self, column: pa.ChunkedArray) -> Numbers:
        """Read numbers, and round them where that is declared."""
        numbers = written_numbers(column) or read_numbers(column, exactly=self._exact is not None)
        decimals = self._attribute.decimals
        if decimals is None:
            return numbers
        rounded = _rounded(numbers, decimals)
        left = differ(rounded.values, rounded.missing)
        return replace(rounded, rounded_off=not left and differ(numbers.values, numbers.missing))

    def _codes(self, numbers: Numbers) -> tuple[Codes, tuple[str, ...]]:
        """Put numbers on the original's scale."""
        if self._exact is not None:
            values, places = (numbers.exact, numbers.values) if numbers.exact else as_decimals(numbers.values)
            return exact_codes(values, self._exact)[places], ()
        if numbers.exact is None:
            return numbers.values, ()
        floats = np.clip([float(value) for value in numbers.exact], -_LARGEST_FLOAT, _LARGEST_FLOAT)
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
