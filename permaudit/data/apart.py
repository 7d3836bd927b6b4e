"""Whether columns that were carried over from the original tell people apart, each alone or several together."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.written import in_one_spelling, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Rows = tuple[NDArray[np.intp], NDArray[np.intp]]

MANY = 0.1
"""So many of the people may be alone with what is said of them, and no more."""
_MOST = 0.5
_FAR = 4.0
"""So many standard deviations are no chance any more."""
_MOST_COLUMNS = 12
"""Among so many columns all pairs are looked at."""


def alone(codes: Codes) -> NDArray[np.bool_]:
    """Return which records share their value with no other one."""
    _, places, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(counts[places] == 1)


def share_alone(columns: Sequence[pa.ChunkedArray]) -> float:
    """Return the share of records that no other one equals in all of these columns."""
    return float(alone(joined([codes_of(texts(column))[0] for column in columns])).mean())


def numbers_the_rows(column: pa.ChunkedArray) -> bool:
    """Tell whether a column counts the records in the order of the file, and so says nothing that the order does not."""
    if len(column) <= 2 or column.null_count:  # noqa: PLR2004 - any two numbers are evenly spaced
        return False
    written = texts(column)
    signs = pc.replace_substring_regex(written, pattern="[0-9]", replacement="")
    if len(signs.unique()) > 1:
        return False
    try:
        numbers = pc.replace_substring_regex(written, pattern="[^0-9]", replacement="").cast(pa.int64())
    except pa.ArrowInvalid:
        return False
    steps = np.diff(numbers.to_numpy())
    return bool(steps[0]) and bool((steps == steps[0]).all())


def told_apart(released: pa.Table, original: pa.Table, rows: Rows | None) -> tuple[tuple[str, ...], float] | None:
    """Return the fewest columns that tell many people apart, with the share of released records they do it for.

    Counted are the records that are alone with their values in both files, and have the same ones in both. Where the
    records are linked, each must be its own. Where they are not, strangers of the same population meet each other too:
    with `a` records of the original to be expected in a cell, a released one is alone there and meets exactly one with
    probability at most `a exp(-a)`, and between the halves of the original with `(a / 2) exp(-a)`. So twice what the halves
    have in common is what chance can do.
    """
    return apart_among(_on_both_sides(released, original, rows), rows)


def apart_among(sides: Mapping[str, tuple[Codes, Codes]], rows: Rows | None) -> tuple[tuple[str, ...], float] | None:
    """Do the same with columns whose values have numbers already, the same in the original and in the release."""
    for names in _sets(list(sides)):
        first, second = _joint([sides[name] for name in names])
        if (met := _met(first, second)) > max(MANY, _by_chance(first)):
            return names, met
        if rows is not None and (own := _own(first[rows[0]], second[rows[1]])) > MANY:
            return names, own
    return None


def _sets(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Return which columns are looked at together, the fewest first."""
    yield from ((name,) for name in names)
    yield from combinations(names[:_MOST_COLUMNS], 2)
    if len(names) > 2:  # noqa: PLR2004 - two are a pair
        yield tuple(names)


def _on_both_sides(released: pa.Table, original: pa.Table, rows: Rows | None) -> Mapping[str, tuple[Codes, Codes]]:
    """Return the released columns that the original has too, under the same or another name, as numbers of both."""
    found = {}
    for name in released.column_names:
        column = in_one_spelling(released[name])
        best, agreement = None, 0.0
        for other in [name] if name in original.column_names else original.column_names:
            first, second = codes_of(in_one_spelling(original[other]), column)
            in_place = 0.0 if rows is None else float((first[rows[0]] == second[rows[1]]).mean())
            if (agrees := _common(first, second) + in_place) > agreement:
                best, agreement = (first, second), agrees
        if best is not None and (agreement > _MOST or name in original.column_names):
            found[name] = best
    return found


def codes_of(*columns: pa.ChunkedArray) -> list[Codes]:
    """Give every distinct text of these columns a number, the same in all of them."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    encoded = pa.chunked_array(chunks, pa.large_string()).combine_chunks().dictionary_encode(null_encoding="encode")
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def joined(several: Sequence[Codes]) -> Codes:
    """Give every distinct combination a number."""
    codes = np.zeros(len(several[0]), np.int64)
    for column in several:
        # Numbered anew after each column, or the product of many columns could overflow.
        codes = np.unique(codes * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return codes


def _joint(sides: Sequence[tuple[Codes, Codes]]) -> tuple[Codes, Codes]:
    """Give every distinct combination of both files a number, the same in both."""
    codes = joined([np.concatenate(one) for one in sides])
    split = len(sides[0][0])
    return codes[:split], codes[split:]


def _common(first: Codes, second: Codes) -> float:
    """Return how much of what is in two columns is in both, by share."""
    size = max(first.max(initial=0), second.max(initial=0)) + 1
    shares = [np.bincount(codes, minlength=size) / max(len(codes), 1) for codes in (first, second)]
    return float(np.minimum(*shares).sum())


def _met(first: Codes, second: Codes) -> float:
    """Return the share of the second file's records that are alone there and meet one that is alone in the first."""
    return float((alone(second) & np.isin(second, first[alone(first)])).mean())


def _own(first: Codes, second: Codes) -> float:
    """Return the share of linked records that are alone with their values on both sides, and have the same ones."""
    return float((alone(first) & alone(second) & (first == second)).mean())


def _by_chance(original: Codes) -> float:
    """Return what share strangers can have in common with the original at most, and a few standard deviations more."""
    half = len(original) // 2
    drawn = original[np.random.default_rng(0).permutation(len(original))]
    share = _met(drawn[:half], drawn[half:])
    return 2 * (share + _FAR * float(np.sqrt((share + 1 / half) / half)))
