"""The columns of a table on their own: the places of their values in order, and back from quantiles to a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from permaudit_plugins.anonymizers._latent import mid_ranks, rank_correlations
from permaudit_plugins.anonymizers._normal import normal_scores
from permaudit_plugins.anonymizers._read_calendar import read_calendar
from permaudit_plugins.anonymizers._read_categories import read_categories
from permaudit_plugins.anonymizers._read_numbers import read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permaudit import Attribute, Original

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Places = NDArray[np.intp]


class Margin(Protocol):
    """One column on its own."""

    @property
    def places(self) -> Places:
        """Return for each record the place of its value in their order; -1 where it is missing."""

    def column(self, shares: Floats, missing: Mask) -> pa.Array:
        """Return a column with the quantiles at these shares, and without a value where it is to be missing."""


def margins_of(original: Original, *, smooth: bool) -> dict[str, Margin]:
    """Read all columns; nominal ones last, because the others decide in which order their categories stand."""
    margins: dict[str, Margin] = {}
    nominal: dict[str, Categorical] = {}
    for name, attribute in original.attributes.items():
        if attribute.type == "nominal":
            nominal[name] = _categorical(attribute, original.table[name])
        else:
            margins[name] = _ordered(attribute, original.table[name], smooth=smooth)
    scores = _leading_scores([margin.places for margin in margins.values()])
    margins |= {name: margin if scores is None else margin.sorted_by(scores) for name, margin in nominal.items()}
    return {name: margins[name] for name in original.table.column_names}


def _ordered(attribute: Attribute, column: pa.ChunkedArray, *, smooth: bool) -> Margin:
    """Return the margin of a column whose values have an order."""
    if column.null_count == len(column):
        return Categorical(np.full(len(column), -1, np.intp), column)  # no value has no type
    match attribute.type:
        case "numeric":
            numbers = read_numbers(attribute.name, column)
            is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
            kind = column.type if is_number else None

            def write(values: NDArray[Any], missing: Mask) -> pa.Array:
                made = pa.array(values, mask=missing)
                return made if kind is None else made.cast(kind)

            return _measured(numbers.values, numbers.missing, write, smooth=smooth)
        case "date" | "datetime":
            calendar = read_calendar(attribute, column)
            step = calendar.step
            return _measured(
                calendar.values // step,
                calendar.missing,
                lambda values, missing: calendar.column(values * step, missing),
                smooth=smooth,
            )
        case _:
            return _categorical(attribute, column)


def _leading_scores(columns: Sequence[Places]) -> Floats | None:
    """Return for each record its score on the first principal component of the normal scores; None without columns."""
    if not columns:
        return None
    weights = np.linalg.eigh(rank_correlations(columns))[1][:, -1]
    weights *= np.sign(weights[np.argmax(np.abs(weights))])
    total = np.zeros(columns[0].size)
    for weight, places in zip(weights, columns, strict=True):
        there = places >= 0
        total[there] += weight * normal_scores(mid_ranks(places[there]))
    return total


# --------------------------------------------------------------------------- numbers, days, times


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Values that can be interpolated."""

    places: Places
    ordered: NDArray[Any]
    """The values that are there, sorted."""
    write: Callable[[NDArray[Any], Mask], pa.Array]
    smooth: bool

    def column(self, shares: Floats, missing: Mask) -> pa.Array:
        """Return the quantiles."""
        size = self.ordered.size
        if not size:
            return self.write(np.zeros(shares.size, self.ordered.dtype), np.ones(shares.size, bool))
        if not self.smooth or size == 1:
            return self.write(self.ordered[np.minimum((shares * size).astype(np.intp), size - 1)], missing)
        positions = shares * (size - 1)
        below = np.minimum(positions.astype(np.intp), size - 2)
        return self.write(_between(self.ordered[below], self.ordered[below + 1], positions - below), missing)


def _measured(
    values: NDArray[Any], missing: Mask, write: Callable[[NDArray[Any], Mask], pa.Array], *, smooth: bool
) -> Measured:
    """Put values in order."""
    places = np.full(values.size, -1, np.intp)
    _, places[~missing] = np.unique(values[~missing], return_inverse=True)
    return Measured(places, np.sort(values[~missing]), write, smooth)


def _between(low: NDArray[Any], high: NDArray[Any], share: Floats) -> NDArray[Any]:
    """Interpolate; whole numbers stay whole, and between equal values there is nothing else."""
    if low.dtype.kind != "f":
        # In unsigned arithmetic the difference of any two whole numbers is exact.
        start = low.astype(np.uint64)
        gap = high.astype(np.uint64) - start
        step = np.minimum(np.rint(gap.astype(np.float64) * share), np.nextafter(2.0**64, 0)).astype(np.uint64)
        whole: NDArray[Any] = (start + np.minimum(step, gap)).astype(low.dtype)
        return whole
    values = low * (1 - share) + high * share
    if (low == np.rint(low)).all() and (high == np.rint(high)).all():
        values = np.rint(values)
    return np.clip(values, low, high)


# --------------------------------------------------------------------------- categories


@dataclass(frozen=True, slots=True, eq=False)
class Categorical:
    """Categories, which come by their shares."""

    places: Places
    source: pa.ChunkedArray

    def column(self, shares: Floats, missing: Mask) -> pa.Array:
        """Return the categories; each is taken from the first record that has it, so that the type is kept."""
        there = np.flatnonzero(self.places >= 0)
        if not there.size:
            return pa.nulls(shares.size, self.source.type)
        _, first, counts = np.unique(self.places[there], return_index=True, return_counts=True)
        drawn = np.searchsorted(np.cumsum(counts), shares * there.size, side="right")
        rows = there[first[np.minimum(drawn, counts.size - 1)]]
        return self.source.take(pa.array(rows, mask=missing)).combine_chunks()

    def sorted_by(self, scores: Floats) -> Categorical:
        """Return the same categories in the order of their mean scores."""
        there = self.places >= 0
        counts = np.bincount(self.places[there])
        means = np.bincount(self.places[there], scores[there]) / np.maximum(counts, 1)
        order = np.argsort(np.round(means, 9), kind="stable")  # where rounding decided, the order of the names does
        places = np.full(self.places.size, -1, np.intp)
        places[there] = np.argsort(order)[self.places[there]]
        return Categorical(places, self.source)


def _categorical(attribute: Attribute, column: pa.ChunkedArray) -> Categorical:
    """Read categories."""
    return Categorical(read_categories(attribute, column).places, column)
