"""Whether cells are values of an identifier in another spelling: cut, turned round, without signs, or hashed."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    Rewrite = Callable[[str], tuple[str, ...]]

_MOST_CELLS = 2_000
_MOST_VALUES = 100_000
_SHORTEST = 4
"""Shorter texts are parts of too many others."""
_MOST_LENGTHS = 12
_CODED = re.compile(r"[0-9a-z]{8,}")
_HASHES = {"MD5": hashlib.md5, "SHA-1": hashlib.sha1, "SHA-256": hashlib.sha256, "SHA-512": hashlib.sha512}
_NO_DIGITS = re.compile(r"[^0-9]+")
_MOST = 0.5
_NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to write identifiers anew: one of the texts made of a cell must be one of those made of a value."""

    said: str
    of_cell: Rewrite
    of_value: Rewrite
    share: float = _MOST
    """What share of the cells must be such: more where chance can do it too."""


def other_spelling(cells: pa.ChunkedArray, values: pa.Array) -> str | None:
    """Say how the cells spell these values; None where they do not.

    Both are looked at in part where they are many: of the cells that are values, as large a share is found among some of
    the values as these are of all.
    """
    some_cells = _some(cells, _MOST_CELLS)
    some_values = _some(values, _MOST_VALUES)
    there = len(some_values) / max(len(values), 1)
    for way in _ways(some_cells, some_values):
        written = [way.of_cell(cell) for cell in some_cells]
        wanted = {text for several in written for text in several} - {""}
        known = {text for value in some_values for text in way.of_value(value) if text in wanted}
        if sum(not known.isdisjoint(several) for several in written) > way.share * there * len(some_cells):
            return way.said
    return None


def same_digits(cells: pa.ChunkedArray, values: pa.ChunkedArray) -> bool:
    """Tell whether most cells have the same digits as the value beside them."""
    pairs = list(zip(_some(cells, _MOST_CELLS), _some(values, _MOST_CELLS), strict=True))
    return sum(bool(_digits(one)) and _digits(one) == _digits(two) for one, two in pairs) > _MOST * len(pairs)


def _some(column: pa.ChunkedArray | pa.Array, most: int) -> list[str]:
    """Return texts of a column, spread over all of it."""
    step = -(-len(column) // most)
    some = column.take(np.arange(0, len(column), step)) if step > 1 else column
    return [text or "" for text in some.to_pylist()]


def _ways(cells: Sequence[str], values: Sequence[str]) -> Iterator[_Way]:
    """Return the ways that make sense for such cells, the cheapest first."""
    yield _Way("in another spelling", _as_one(_plain), _as_one(_plain))
    yield _Way("turned round", _as_one(_plain), lambda value: (_plain(value)[::-1],))
    yield _Way("by their digits", _as_one(_digits), _as_one(_digits), _NEARLY_ALL)
    yield _Way("cut off", _as_one(_plain), _ends(_lengths(cells)), _NEARLY_ALL)
    yield _Way("with something added", _ends(_lengths(values)), _as_one(_plain), _NEARLY_ALL)
    if sum(bool(_CODED.fullmatch(_plain(cell))) for cell in cells) > _MOST * len(cells):
        yield from _codes(Counter(len(_plain(cell)) for cell in cells).most_common(1)[0][0])


def _codes(length: int) -> Iterator[_Way]:
    """Return the ways to write a value as a code, or to hash it to one of so many characters."""
    yield _Way("in hexadecimal", _as_one(_plain), lambda value: (value.encode().hex(),))
    yield _Way("in base 64", _as_one(_plain), lambda value: (_base64(value.encode()),))
    for name, function in _HASHES.items():
        yield _Way(f"hashed with {name}", _as_one(_plain), _hashed(function, length))


def _hashed(function: Callable[..., hashlib._Hash], length: int) -> Rewrite:
    """Return how values are hashed, however they were spelt before, and cut off where the cells are."""

    def rewrite(value: str) -> tuple[str, ...]:
        forms = {value, value.lower(), value.upper(), _plain(value), _digits(value)}
        digests = [function(form.encode(), usedforsecurity=False).digest() for form in forms]
        return tuple(text[:length] for digest in digests for text in (digest.hex(), _base64(digest)))

    return rewrite


def _ends(lengths: Sequence[int]) -> Rewrite:
    """Return how a text is cut to each of these lengths, before and behind."""

    def rewrite(text: str) -> tuple[str, ...]:
        plain = _plain(text)
        return tuple(part for length in lengths if length < len(plain) for part in (plain[:length], plain[-length:]))

    return rewrite


def _as_one(form: Callable[[str], str]) -> Rewrite:
    """Return how a text is written in one form."""
    return lambda text: (form(text),)


def _base64(content: bytes) -> str:
    """Write bytes in base 64, as texts are compared."""
    return _plain(base64.b64encode(content).decode())


def _plain(text: str) -> str:
    """Write a text in small letters, without blanks and signs."""
    return "".join(filter(str.isalnum, text.lower()))


def _digits(text: str) -> str:
    """Return the digits of a text, without zeros before them."""
    return _NO_DIGITS.sub("", text).lstrip("0")


def _lengths(texts: Sequence[str]) -> list[int]:
    """Return the lengths that most texts have, but for very short ones."""
    counted = Counter(length for text in texts if (length := len(_plain(text))) >= _SHORTEST)
    return [length for length, _ in counted.most_common(_MOST_LENGTHS)]
