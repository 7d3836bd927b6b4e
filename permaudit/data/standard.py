"""Ranks as directions: what two columns tell of each other is the product of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation import rank_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

AROUND = 10
"""So many neighbours on each side are what is around a record."""


def standard_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the ranks with mean 0 and length 1."""
    centered = rank_columns([values], threads=1).doubled[:, 0].astype(np.float64)
    size = float(np.sqrt((centered**2).sum()))
    return np.asarray(centered / size if size else centered)


def scores(columns: Iterable[NDArray[Any]]) -> Scores:
    """Return columns as ranks of mean 0 and variance 1."""
    return np.vstack([np.sqrt(column.size) * standard_ranks(column) for column in columns]).astype(np.float32)


def likeness(columns: Scores) -> NDArray[np.float64]:
    """Return the correlations of standardised columns."""
    return np.asarray(columns @ columns.T / columns.shape[1], np.float64)


def sharpened(columns: Scores) -> Scores:
    """Take from each score the mean of those around it, but for its own and those beside it."""
    places = columns.shape[-1]
    up_to = np.zeros((*columns.shape[:-1], places + 1))
    np.cumsum(columns, axis=-1, out=up_to[..., 1:])
    here = np.arange(places)
    first, left, right, last = (np.clip(here + by, 0, places) for by in (-AROUND, -1, 2, AROUND + 1))
    around = up_to[..., last] - up_to[..., right] + up_to[..., left] - up_to[..., first]
    return np.asarray(columns - around / np.maximum(last - right + left - first, 1), np.float32)
