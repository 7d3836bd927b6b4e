"""Released records with gaps, as whoever holds the original would complete them: by the record that fits the rest best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from permaudit.model import Columns

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

_MOST_COMPLETED, _MOST_PLACED = 2_000, 10_000_000
"""So many records are completed, and so many original ones put in place for it; more would take too long."""
COMPLETING = 80
"""Bytes that completing takes for each cell of the larger file, measured, with both files."""
_NEAR = 0.05
"""A gap is filled where the rest is as near to somebody as this share of the original's records are to each other."""
_MOST_ASKED = 1_000
_FEWEST_LEFT = 2
"""A single value is next to somebody's, whoever it is of: it makes no record."""
_NOWHERE = -1.0
"""Where an original's gap stands: beside no value."""


def can_be_completed(gaps: Mapping[str, Mask], originals: int) -> bool:
    """Tell whether there are few enough records with gaps, in few enough attributes at a time, to look for each."""
    pattern = np.column_stack(list(gaps.values()))
    pattern = pattern[pattern.any(axis=1)]
    return len(pattern) <= _MOST_COMPLETED and len(np.unique(pattern, axis=0)) * originals <= _MOST_PLACED


def completed(
    original: Columns, release: Columns, gaps: Mapping[str, Mask], original_gaps: Mapping[str, Mask]
) -> dict[str, NDArray[Any]]:
    """Fill the gaps of released records with the values of the original record that is nearest in all other attributes.

    A copy with gaps becomes the copy again. Where the rest is no nearer to that record than most people are to somebody in
    these attributes, gaps stay gaps: few values that are left would make a copy of anybody. The distance is the largest
    difference of ranks. Which of equally near records is taken depends on what they hold, not on where they stand.
    """
    from scipy.spatial import cKDTree  # noqa: PLC0415 - only for those who have gaps

    names = list(release)
    filled = {name: np.array(release[name], np.result_type(release[name], original[name])) for name in names}
    order = np.lexsort([original[name] for name in names])
    columns = {name: np.asarray(original[name])[order] for name in names}
    places = {name: _places(columns[name], _taken(original_gaps.get(name), order)) for name in names}
    pattern = np.column_stack([gaps[name] for name in names])
    for which in np.unique(pattern[pattern.any(axis=1)], axis=0):
        rows = np.flatnonzero((pattern == which).all(axis=1))
        left = [name for name, gone in zip(names, which, strict=True) if not gone]
        if len(left) < _FEWEST_LEFT:
            continue
        tree = cKDTree(np.column_stack([places[name][0] for name in left]), balanced_tree=False)
        asked = np.column_stack([_placed(np.asarray(release[name])[rows], places[name][1]) for name in left])
        apart, nearest = map(np.asarray, tree.query(asked, p=np.inf))
        near = apart <= _usual_distance(tree)
        for name, gone in zip(names, which, strict=True):
            if gone:
                filled[name][rows[near]] = columns[name][nearest[near]]
    return filled


def _usual_distance(tree: Any) -> float:
    """Return how near a small share of the original's records are to the nearest other one."""
    some = np.linspace(0, tree.n - 1, min(tree.n, _MOST_ASKED)).astype(np.intp)
    others = np.asarray(tree.query(tree.data[some], k=[2], p=np.inf)[0])
    return float(np.quantile(others, _NEAR)) if tree.n > 1 else 0.0


def _taken(mask: Mask | None, order: NDArray[np.intp]) -> Mask | None:
    """Return a mask in another order."""
    return None if mask is None else mask[order]


def _places(values: NDArray[Any], missing: Mask | None) -> tuple[Floats, NDArray[Any]]:
    """Return where the original's values stand among themselves, from 0 to 1, and those values in order."""
    ordered = np.sort(values if missing is None else values[~missing])
    places = _placed(values, ordered) if ordered.size else np.zeros(len(values))
    return (places if missing is None else np.where(missing, _NOWHERE, places)), ordered


def _placed(values: NDArray[Any], ordered: NDArray[Any]) -> Floats:
    """Return the share of ordered values below each value, and half of those that tie; between two, as far as they are apart."""
    levels, counts = np.unique(ordered, return_counts=True)
    return np.asarray(np.interp(values, levels, (np.cumsum(counts) - counts / 2) / ordered.size), np.float64)
