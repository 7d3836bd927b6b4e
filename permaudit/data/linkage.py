"""Which released record comes from which original one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.errors import DataError, Mistake, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The rows that are compared, on both sides in the same order; None stands for all rows as they come."""

    original: Rows | None = None
    release: Rows | None = None
    suppressed: int = 0
    """Original records without a released one."""
    added: int = 0
    """Released records without an original one."""


ALL_ROWS = Match()


def match_by_key(
    original: pa.Table, release: pa.Table, key: Sequence[str], where_original: str, where_release: str
) -> Match:
    """Match the records whose key columns agree, as text; raise where a key is missing or stands twice."""
    split = original.num_rows
    joint = _joint_codes(original, release, key)
    sides = ((where_original, original, joint[:split]), (where_release, release, joint[split:]))
    mistakes = [mistake for where, table, codes in sides for mistake in _key_mistakes(where, table, codes, key)]
    if mistakes:
        raise DataError(mistakes)
    _, in_original, in_release = np.intersect1d(joint[:split], joint[split:], assume_unique=True, return_indices=True)
    if not in_original.size:
        text = f"no record has a key {', '.join(map(shown, key))} of {where_original}; are the keys written in the same way?"
        raise DataError.one(where_release, text)
    # In the original's order, so that the result does not depend on how the key sorts.
    order = np.argsort(in_original)
    return Match(
        original=in_original[order],
        release=in_release[order],
        suppressed=split - in_original.size,
        added=release.num_rows - in_release.size,
    )


def _joint_codes(original: pa.Table, release: pa.Table, key: Sequence[str]) -> NDArray[np.int64]:
    """Give every distinct key of both files a number."""
    codes = np.zeros(original.num_rows + release.num_rows, np.int64)
    for name in key:
        chunks = [*_as_text(original[name]).chunks, *_as_text(release[name]).chunks]
        encoded = pa.chunked_array(chunks, pa.string()).combine_chunks().dictionary_encode(null_encoding="encode")
        column = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        # Numbered anew after each column, or the product of many columns could overflow.
        codes = np.unique(codes * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return codes


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write keys as text: a number in one file may be text in the other."""
    return column.cast(pa.string())


def _key_mistakes(where: str, table: pa.Table, codes: NDArray[np.int64], key: Sequence[str]) -> list[Mistake]:
    """Say which keys are missing or repeated."""
    mistakes = []
    for name in key:
        empty = np.asarray(pc.fill_null(pc.equal(_as_text(table[name]), ""), fill_value=True))
        if empty.any():
            count, first = int(empty.sum()), int(empty.argmax()) + 1
            text = f"key column '{shown(name)}' has {_many(count, 'missing value')} (first in record {first})"
            mistakes.append(Mistake(where, None, None, text))
    if not mistakes:
        firsts = np.zeros(codes.size, bool)
        firsts[np.unique(codes, return_index=True)[1]] = True
        if not firsts.all():
            count, first = int((~firsts).sum()), int((~firsts).argmax()) + 1
            names = ", ".join(shown(name) for name in key)
            verb = "repeats" if count == 1 else "repeat"
            text = f"{_many(count, 'record')} {verb} the key {names} of an earlier one (first in record {first})"
            mistakes.append(Mistake(where, None, None, text))
    return mistakes


def _many(count: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{count} {noun}{'s' * (count != 1)}"
