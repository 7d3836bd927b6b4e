"""Categories with a declared order: a value's code is its place in it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.scales.base import (
    ColumnError,
    EncodedColumn,
    category_texts,
    either,
    near_misses,
    refuse,
    refuse_empty,
    some,
)
from permaudit.data.scales.lines import NaturalLine, in_order
from permaudit.data.scales.named import named_in
from permaudit.data.scales.released import looks_generalized, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from permaudit.data.scales.base import Distinct
    from permaudit.data.scales.generalized import Place, Span
    from permaudit.data.scales.released import Resolved
    from permaudit.plan import Attribute, StarMeaning


class OrdinalScale:
    """The declared order, and where the original's records stand in it."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the original."""
        _refuse_order(attribute)
        places = {name: place for place, name in enumerate(attribute.order)}
        self._coded = CodedTexts(
            places, attribute.star, ("value that is", "values that are"), "not in the declared order"
        )
        self.original = self._coded.original(category_texts(original))

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        return self._coded.encode(category_texts(column), released=released)


def _refuse_order(attribute: Attribute) -> None:
    """Refuse an order that is not declared, or that is none."""
    if not attribute.order:
        raise ColumnError(
            "is ordinal: declare its values from the lowest to the highest, as in order: [low, middle, high]"
        )
    if len(set(attribute.order)) < len(attribute.order):
        raise ColumnError("is ordinal, and order: names a value twice")
    if "" in attribute.order:
        raise ColumnError("is ordinal, and order: names an empty value; empty cells are missing values")


class CodedTexts:
    """Texts with a code each; released ones may also be sets and ranges of them."""

    def __init__(self, codes: Mapping[str, int], star: StarMeaning | None, nouns: tuple[str, str], what: str) -> None:
        """Take the codes, the meaning of `*`, and the words for a text that has no code."""
        self._codes = codes
        self._star = star
        self._nouns = tuple(f"{noun} {what}" for noun in nouns)
        self._original: EncodedColumn | None = None

    def original(self, texts: Distinct) -> EncodedColumn:
        """Encode the original, which defines where generalized values stand."""
        self._original = refuse_empty(self._encoded_plainly(texts))
        return self._original

    def encode(self, texts: Distinct, *, released: bool) -> EncodedColumn:
        """Encode another column."""
        if not released or all(text in self._codes for text in texts.texts):
            return self._encoded_plainly(texts)
        found = resolve(texts, self._codes, self, self._line, self._star)
        self._refuse(texts, found.unknown)
        return self._encoded(texts, found)

    def point(self, text: str) -> tuple[Place, Place] | None:
        """Return the code of a text."""
        code = self._codes.get(text)
        return None if code is None else (code, code)

    def own(self, text: str) -> Span | None:  # noqa: ARG002
        """Know no further form of interval: `A+` may be a mark."""
        return None

    @cached_property
    def _line(self) -> NaturalLine:
        """Put the original's codes in order."""
        assert self._original is not None  # noqa: S101 - for the type checker
        return NaturalLine(in_order(self._original))

    def _encoded_plainly(self, texts: Distinct) -> EncodedColumn:
        """Encode a column that must hold the declared texts only."""
        self._refuse(texts, frozenset(text for text in texts.texts if text not in self._codes), plainly=True)
        codes = np.array([self._codes[text] for text in texts.texts], np.int64)
        return EncodedColumn(texts.spread(codes), texts.missing)

    def _encoded(self, texts: Distinct, found: Resolved) -> EncodedColumn:
        """Encode a column with generalized values."""
        values = [self._codes.get(text, found.codes.get(text, 0)) for text in texts.texts]
        codes = np.array(values, np.float64 if any(isinstance(value, float) for value in values) else np.int64)
        missing = either(texts.missing, texts.marks(found.missing) if found.missing else None)
        named = named_in(texts, found.namings, ordered=True)
        return EncodedColumn(texts.spread(codes), some(missing), found.statements, named=named)

    def _refuse(self, texts: Distinct, unknown: frozenset[str], *, plainly: bool = False) -> None:
        """Refuse texts without a code: how many records have one, and the first of them."""
        hint = near_misses(sorted(unknown), list(self._codes))
        if plainly and looks_generalized(unknown, self):
            hint = "; ranges, sets and * may stand in a release only"
        refuse(texts.marks(unknown), self._nouns[0], hint, self._nouns[1])
