"""Whether a released column spells one value in several ways: values are read, and not how they are written.

`true` or `TRUE`, `20-29` or `[20,29]`, a zero more at the end of a number: each such choice can say something of the record that
no metric sees. Files spell values differently for harmless reasons, too, but then the value decides how: a program that drops
zeros at the end drops them everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.load import as_written, with_text
from permaudit.data.scales.base import is_text, plain
from permaudit.data.scales.calendar import DAY
from permaudit.data.scales.meaning import meaning_of
from permaudit.data.scales.numbers import NUMBER
from permaudit.data.tokens import tokens_of
from permaudit.errors import DataError
from permaudit.plan import TableSource

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit.model import Reader
    from permaudit.plan import Attribute, Source

_WHOLE = "^-?(0|[1-9][0-9]*)$"
_SHORTEST = r"^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$"
"""As R writes most numbers: no zero at the end, no point behind whole ones."""
_FLOAT = (
    r"^-?(0\.0|[1-9][0-9]{0,15}\.(0|[0-9]*[1-9])|0\.0{0,3}[1-9]([0-9]*[1-9])?"
    r"|[1-9](\.[0-9]*[1-9])?e(-(0[5-9]|[1-9][0-9]+)|\+(1[6-9]|[2-9][0-9]|[0-9]{3,})))$"
)
"""As Python writes floats."""
_FORMS = {"numeric": (_WHOLE, _SHORTEST, _FLOAT), "date": (f"^{DAY}$",)}
"""Ways to write values in each of which there is one spelling for each value; but for zero, which may have a sign."""
_FIXED = r"^-?(0|[1-9][0-9]*)\.[0-9]{%s}$"
_SIGNED_ZERO = r"^-0+(\.0*)?$"
_ZERO = r"^0+(\.0*)?$"
_MOST_DECIMALS = 20
_MOST_TEXTS = 5_000_000
"""Of more different texts the first ones are looked at."""


def respelt_in(source: Source, attributes: Sequence[Attribute], readers: Mapping[str, Reader]) -> dict[str, str]:
    """Return the released columns that spell a value in several ways, each with how many values are concerned."""
    tokens = frozenset(tokens_of(source))
    known = {attribute.name: attribute for attribute in attributes}
    marks = {name: _Marks.of(source, attribute) for name, attribute in known.items()}
    forms = {name: _Forms(attribute, marks[name]) for name, attribute in known.items()}
    for name, column in _pieces(source, list(known), readers):
        forms[name].take(_texts(column, tokens))
    spelt = {name: _Spelt(attribute, marks[name]) for name, attribute in known.items() if not forms[name].is_uniform}
    for name, column in _pieces(source, list(spelt), readers):
        spelt[name].take(_texts(column, tokens, blanks=True))
    return {name: told for name, column in spelt.items() if (told := column.told())}


def _pieces(
    source: Source, names: Sequence[str], readers: Mapping[str, Reader]
) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """Give columns of text as they are written, piece by piece; one that cannot be read so stands in nobody else's way."""
    try:
        names = with_text(source, names, readers)
        if not names:
            return
        for piece in as_written(source, names, readers):
            yield from ((name, piece[name]) for name in names)
    except DataError:
        if len(names) > 1:
            for name in names:
                yield from _pieces(source, [name], readers)


def _texts(column: pa.ChunkedArray, tokens: Collection[str], *, blanks: bool = False) -> pa.ChunkedArray:
    """Return what is written in a column, without declared tokens for missing values; nothing where it holds no text."""
    column = plain(column)
    if not is_text(column.type):
        return pa.chunked_array([], pa.large_string())
    texts = column.cast(pa.large_string()).drop_null()
    if not blanks:  # by length: to compare with a Python value, pyarrow imports pandas
        texts = texts.filter(pc.binary_length(texts).cast(pa.bool_()))
    return texts.filter(pc.invert(pc.is_in(texts, pa.array(sorted(tokens), texts.type)))) if tokens else texts


@dataclass(frozen=True, slots=True)
class _Marks:
    """The marks in numbers that the audit file declares for a column."""

    decimal: str = "."
    thousands: str | None = None

    @classmethod
    def of(cls, source: Source, attribute: Attribute) -> _Marks:
        """Return what is declared for an attribute."""
        options = None if isinstance(source, TableSource) else source.options
        if attribute.type != "numeric" or attribute.name in getattr(options, "codes", ()):
            return cls()
        return cls(getattr(options, "decimal", "."), getattr(options, "thousands", None))

    def without(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """Write numbers as everywhere else."""
        if self.thousands is not None:
            texts = pc.replace_substring(texts, self.thousands, "")
        return texts if self.decimal == "." else pc.replace_substring(texts, self.decimal, ".")


class _Zeros:
    """Zeros with and without a sign: rounding leaves it to numbers that were just below zero."""

    def __init__(self) -> None:
        """Begin without a number."""
        self._signed = self._below = 0
        self._plain = False

    def take(self, texts: pa.ChunkedArray) -> None:
        """Count the zeros among the next numbers."""
        has_sign = pc.starts_with(texts, "-")
        below = pc.sum(has_sign).as_py() or 0
        signed = pc.sum(pc.match_substring_regex(texts.filter(has_sign), _SIGNED_ZERO)).as_py() or 0 if below else 0
        self._signed, self._below = self._signed + signed, self._below + below - signed
        self._plain = self._plain or pc.any(pc.match_substring_regex(texts, _ZERO)).as_py()

    @property
    def are_a_choice(self) -> bool:
        """Tell whether zero is written in two ways, and more often with a sign than there are numbers below it."""
        return self._plain and self._signed > self._below


class _Forms:
    """Which uniform ways of writing a column is in, as far as it was read."""

    def __init__(self, attribute: Attribute, marks: _Marks) -> None:
        """Begin with all that there are for such an attribute."""
        # Marks between thousands are a choice of their own.
        self.left: set[str] = set() if marks.thousands else set(_FORMS.get(attribute.type, ()))
        self._marks = marks
        self._zeros = _Zeros()
        self._begun = False
        self._is_numeric = attribute.type == "numeric"

    def take(self, texts: pa.ChunkedArray) -> None:
        """Look at the next piece."""
        if not len(texts) or (self._begun and not self.left):
            return
        texts = self._marks.without(texts)
        if not self._begun and self._is_numeric and self.left:
            decimals = len(texts[0].as_py().partition(".")[2])
            self.left |= {_FIXED % decimals} if 0 < decimals <= _MOST_DECIMALS else set()
        self._begun = True
        self.left = {form for form in self.left if pc.all(pc.match_substring_regex(texts, form)).as_py()}
        if self._is_numeric and self.left:
            self._zeros.take(texts)

    @property
    def is_uniform(self) -> bool:
        """Tell whether there is one spelling for each value."""
        return bool(self.left) and not self._zeros.are_a_choice


class _Spelt:
    """The different texts of a column, and how often each is there."""

    def __init__(self, attribute: Attribute, marks: _Marks) -> None:
        """Begin without a text."""
        self._marks = marks
        self._meaning = meaning_of(attribute)
        self._is_numeric = attribute.type == "numeric"
        self._pieces: list[pa.Table] = []
        self._many = 0

    def take(self, texts: pa.ChunkedArray) -> None:
        """Count the texts of the next piece."""
        if len(texts) and self._many < _MOST_TEXTS:
            counts = texts.value_counts()
            self._pieces.append(pa.table({"text": counts.field("values"), "many": counts.field("counts")}))
            self._many += len(counts)

    def told(self) -> str:
        """Say how many values are spelt in several ways; nothing where none is."""
        if not self._pieces:
            return ""
        whole = pa.concat_tables(self._pieces).group_by("text").aggregate([("many", "sum")])
        written, many = whole["text"].combine_chunks(), whole["many_sum"].to_numpy()
        texts = self._marks.without(written)
        maybe = pa.array(self._maybe_equal(texts))
        spellings: defaultdict[Hashable, list[str]] = defaultdict(list)
        for text, spelt in zip(texts.filter(maybe).to_pylist(), written.filter(maybe).to_pylist(), strict=True):
            spellings[self._meaning(text)].append(spelt)
        is_below = pc.starts_with(texts, "-").to_numpy(zero_copy_only=False)
        is_zero = pc.match_substring_regex(texts, _SIGNED_ZERO).to_numpy(zero_copy_only=False)
        rounded = self._is_numeric and many[is_zero].sum() <= many[is_below & ~is_zero].sum()
        several = sum(_are_several(found, rounded=rounded) for found in spellings.values())
        if not several:
            return ""
        return f"spells {several} value{'s' * (several != 1)} in more than one way"

    def _maybe_equal(self, texts: pa.Array) -> NDArray[np.bool_]:
        """Mark the texts that may mean the same as another one: of plain numbers those that are equal as floats."""
        maybe = np.ones(len(texts), bool)
        if not self._is_numeric:
            return maybe
        is_number = pc.match_substring_regex(texts, f"^({NUMBER})$").to_numpy(zero_copy_only=False)
        try:
            numbers = texts.filter(pa.array(is_number)).cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:  # a sign before a number above zero
            return maybe
        _, place, times = np.unique(numbers + 0.0, return_inverse=True, return_counts=True)
        # A number in braces may be equal to one without.
        maybe[is_number] = (times[place] > 1) | bool((~is_number).any())
        return maybe


def _are_several(texts: list[str], *, rounded: bool) -> bool:
    """Tell whether these are several spellings; where numbers were rounded, those just below zero keep their sign."""
    if rounded and len({text.removeprefix("-") for text in texts}) == 1:
        return False
    return len(texts) > 1
