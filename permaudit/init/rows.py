"""Do the rows of two files belong together? What the ranks and the equal cells say."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.scales.base import plain
from permaudit.permutation import canonical_correlations, cross_moments, own_moments, rank_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Columns = Mapping[str, NDArray[Any]]

FAR = 6
"""So many standard deviations are no chance any more; the rule about the declared linkage has the same limit."""
_RECORDS_PER_COLUMN = 8
_MANY_VALUES = 10
_TINY = 1e-300


def excess(original: Columns, release: Columns) -> float:
    """Return by how many standard deviations the ranks of paired rows agree more than those of unrelated files.

    Bartlett's statistic -(n - 1 - (p + q + 1) / 2) sum ln(1 - rho^2) is chi-square with pq degrees of freedom for unrelated
    files (Bartlett 1938), so its mean is pq and its variance 2pq. Few records bear few columns.
    """
    records = len(next(iter(original.values()), ()))
    names = list(original)[: records // _RECORDS_PER_COLUMN]
    if not names:
        return 0.0
    x, y = (rank_columns([side[name] for name in names]) for side in (original, release))
    found = canonical_correlations(own_moments(x), own_moments(y), cross_moments(x, y))
    freedom = found.rank_x * found.rank_y
    if not freedom:
        return 0.0
    logs = np.log(np.maximum(1 - found.rho**2, _TINY)).sum()
    statistic = -(records - 1 - (found.rank_x + found.rank_y + 1) / 2) * float(logs)
    return (statistic - freedom) / sqrt(2 * freedom)


def unsorted(original: Columns, release: Columns) -> tuple[Columns, Columns]:
    """Leave out the columns by which both files are sorted: sorting makes the rows of any two files agree."""
    names = [name for name in original if not (_ascends(original[name]) and _ascends(release[name]))]
    return {name: original[name] for name in names}, {name: release[name] for name in names}


def places(original: pa.ChunkedArray, release: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give the values of two columns numbers, as text and in their order: equal ones have equal numbers."""
    texts = [plain(column).cast(pa.large_string()) for column in (original, release)]
    both = pa.chunked_array([chunk for text in texts for chunk in text.chunks], pa.large_string()).combine_chunks()
    encoded = both.dictionary_encode(null_encoding="encode")
    ranks = np.argsort(pc.array_sort_indices(encoded.dictionary).to_numpy())
    codes = ranks[encoded.indices.to_numpy(zero_copy_only=False)]
    return codes[: len(original)], codes[len(original) :]


def equal_in_place(original: NDArray[Any], release: NDArray[Any]) -> tuple[float, float, float]:
    """Return the share of rows with equal values, what chance would give, and how many deviations lie between."""
    records, size = original.size, int(max(original.max(), release.max())) + 1
    chance = float(np.bincount(original, minlength=size) @ np.bincount(release, minlength=size)) / records**2
    equal = float((original == release).mean())
    spread = sqrt(max(chance * (1 - chance), 0.0) / records)
    return equal, chance, (equal - chance) / spread if spread else 0.0


def found_again(original: Columns, release: Columns) -> float:
    """Return the share of released records that equal an original one in every column.

    0 where the original's own records are not mostly different from each other: then equal ones say nothing.
    """
    split = len(next(iter(original.values()), ()))
    codes = np.zeros(split + len(next(iter(release.values()), ())), np.int64)
    for name, values in original.items():
        column = np.unique(np.concatenate([values, release[name]]), return_inverse=True)[1]
        # Numbered anew after each column, or the product of many columns could overflow.
        codes = np.unique(codes * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    known = np.unique(codes[:split])
    return float(np.isin(codes[split:], known).mean()) if 2 * known.size > split else 0.0


def same_values(original: Columns, release: Columns) -> Sequence[str]:
    """Return the columns whose released values are the original ones, in some order; a few values may be so by chance."""
    return [
        name
        for name, values in original.items()
        if values.size == release[name].size
        and np.array_equal(np.sort(values), np.sort(release[name]))
        and np.unique(values).size >= _MANY_VALUES
    ]


def _ascends(values: NDArray[Any]) -> bool:
    """Tell whether the file is sorted by the column, in either direction."""
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())
