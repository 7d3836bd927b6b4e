"""Quasi-identifiers as dimensions that a group of records can be cut along, and how a group is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permaudit_plugins.anonymizers._listed import refused_column
from permaudit_plugins.anonymizers._read_calendar import read_calendar
from permaudit_plugins.anonymizers._read_categories import read_categories, read_nodes
from permaudit_plugins.anonymizers._read_numbers import read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import pyarrow as pa
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Attribute, Taxonomy

    Places = NDArray[np.intp]
    Masks = list[NDArray[np.bool_]]


class Dimension(Protocol):
    """One attribute of all records; what it is asked about a group has no missing values."""

    @property
    def places(self) -> Places:
        """Return for each record the place of its value; -1 where it is missing."""

    def width(self, group: Places) -> float:
        """Return how much of the attribute's range a group has, from 0 (a single value) to 1."""

    def cut(self, group: Places, k: int, rng: Generator, *, strict: bool) -> Masks:
        """Mark the parts of a group, each of at least k records; none where it cannot be cut."""

    def text(self, group: Places) -> str:
        """Write the range of a group."""


def dimension_of(attribute: Attribute, column: pa.ChunkedArray) -> Dimension:
    """Return the dimension of an attribute; raise `DataError` where its values cannot be generalized."""
    match attribute.type:
        case "nominal":
            return Tree(*read_nodes(attribute, column))
        case "numeric":
            numbers = read_numbers(attribute.name, column)
            return _line(numbers.values, numbers.missing, lambda values: [repr(value) for value in values.tolist()])
        case "date" | "datetime":
            calendar = read_calendar(attribute, column)
            return _line(calendar.values, calendar.missing, calendar.texts)
        case _:
            categories = read_categories(attribute, column)
            write = _category_writer(attribute.name, categories.names)
            occurring, places = _distinct(categories.places, categories.places < 0)
            return Line(
                places, _positions(occurring), lambda low, high: write(int(occurring[low]), int(occurring[high]))
            )


# --------------------------------------------------------------------------- values with an order


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Values with an order."""

    places: Places
    """Among the distinct values, from the lowest."""
    positions: NDArray[np.float64]
    """Where each distinct value lies between the lowest, at 0, and the highest, at 1."""
    write: Callable[[int, int], str]
    """Writes the range between two places."""

    def width(self, group: Places) -> float:
        """Return the share of the range."""
        return float(self.positions[group.max()] - self.positions[group.min()])

    def cut(self, group: Places, k: int, rng: Generator, *, strict: bool) -> Masks:
        """Cut at the median; strictly, equal values stay together, and the cut is the one nearest to the median."""
        if strict:
            ordered = np.sort(group)
            sizes = np.flatnonzero(np.diff(ordered)) + 1
            size = int(sizes[np.argmin(np.abs(2 * sizes - group.size))])
            below = group < ordered[size]
        else:
            size = group.size // 2
            below = np.zeros(group.size, bool)
            # Equal values are dealt at random, or the order of the file would decide who is in which group.
            below[np.lexsort((rng.random(group.size), group))[:size]] = True
        return [below, ~below] if min(size, group.size - size) >= k else []

    def text(self, group: Places) -> str:
        """Write the range of a group."""
        return self.write(int(group.min()), int(group.max()))


def _line(values: NDArray[Any], missing: NDArray[np.bool_], texts: Callable[[NDArray[Any]], Sequence[str]]) -> Line:
    """Put numbers in order; a range is written as `[low,high]`, and a single value as itself."""
    distinct, places = _distinct(values, missing)
    written = texts(distinct)
    return Line(
        places,
        _positions(distinct),
        lambda low, high: written[low] if low == high else f"[{written[low]},{written[high]}]",
    )


def _distinct(values: NDArray[Any], missing: NDArray[np.bool_]) -> tuple[NDArray[Any], Places]:
    """Return the distinct values in order, and the place of each value among them."""
    places = np.full(values.size, -1, np.intp)
    distinct, places[~missing] = np.unique(values[~missing], return_inverse=True)
    return distinct, places


def _positions(distinct: NDArray[Any]) -> NDArray[np.float64]:
    """Put values in order between 0 and 1."""
    halves = distinct.astype(np.float64) / 2  # the range of the largest floats is none
    if halves.size < 2 or halves[0] == halves[-1]:  # noqa: PLR2004
        return np.linspace(0.0, 1.0, halves.size)
    positions: NDArray[np.float64] = (halves - halves[0]) / (halves[-1] - halves[0])
    return positions


def _category_writer(name: str, order: Sequence[str]) -> Callable[[int, int], str]:
    """Return what writes a range of ordered categories: `low..high`, or `{one,other}` where the names allow only that."""
    in_sets = not any("," in text or ";" in text or text != text.strip() for text in order)
    in_ranges = not any(
        ".." in text or "\n" in text or text != text.strip(" .") or text.startswith(tuple("<>≤≥[({"))
        for text in map(str, order)
    )
    if not in_sets and not in_ranges:
        raise refused_column(
            name,
            "has categories with commas or blanks, which cannot stand in a set, and with dots, brackets or signs of "
            "comparison, which cannot stand in a range; rename some",
        )

    def write(low: int, high: int) -> str:
        if low == high:
            return order[low]
        if in_ranges and not (in_sets and high == low + 1):
            return f"{order[low]}..{order[high]}"
        return "{" + ",".join(order[low : high + 1]) + "}"

    return write


# --------------------------------------------------------------------------- categories in a taxonomy


class Tree:
    """Categories in a taxonomy: a group is cut into those below the children of their lowest common ancestor."""

    def __init__(self, taxonomy: Taxonomy, places: Places) -> None:
        """Take the tree, and the category of each record."""
        self.places = places
        self._names = taxonomy.names
        self._paths = _paths(taxonomy.parents)
        self._leaves = _leaves(taxonomy.parents)
        used = places[places >= 0]
        self._most = self._leaves[self._common(used)[0]] - 1 if used.size else 0

    def width(self, group: Places) -> float:
        """Return the share of the leaves that are below the lowest common ancestor."""
        return float((self._leaves[self._common(group)[0]] - 1) / self._most) if self._most else 0.0

    def cut(self, group: Places, k: int, rng: Generator, *, strict: bool) -> Masks:  # noqa: ARG002
        """Cut by children; where that is not strict, children with fewer than k records stay together."""
        _, level = self._common(group)
        if level == self._paths.shape[1]:
            return []
        children, part, sizes = np.unique(self._paths[group, level], return_inverse=True, return_counts=True)
        small = sizes < k
        if strict and small.any():
            return []
        if small.any() and sizes[small].sum() < k and not small.all():
            small[np.argmin(np.where(small, group.size, sizes))] = True
        parts = [part == child for child in np.flatnonzero(~small)]
        rest = small[part]
        parts += [rest] if rest.any() else []
        return parts if len(parts) > 1 and children.size > 1 else []

    def text(self, group: Places) -> str:
        """Write the lowest common ancestor of a group."""
        return self._names[self._common(group)[0]]

    def _common(self, group: Places) -> tuple[int, int]:
        """Return the lowest common ancestor of some categories, and its level, from 1 for the root."""
        paths = self._paths[np.unique(group)]
        shared = (paths == paths[0]).all(axis=0) & (paths[0] >= 0)
        level = int(np.argmin(shared)) if not shared.all() else shared.size
        return int(paths[0, level - 1]), level


def _paths(parents: Sequence[int]) -> Places:
    """Return for each category its ancestors from the root to itself, and -1 where there are no more."""
    levels = np.zeros(len(parents), np.intp)
    for node, parent in enumerate(parents):
        levels[node] = 0 if parent < 0 else levels[parent] + 1
    paths = np.full((len(parents), int(levels.max()) + 1), -1, np.intp)
    for node, parent in enumerate(parents):
        if parent >= 0:
            paths[node] = paths[parent]
        paths[node, levels[node]] = node
    return paths


def _leaves(parents: Sequence[int]) -> NDArray[np.int64]:
    """Count for each category the leaves below it; a leaf counts itself."""
    inner = set(parents)
    leaves = np.array([node not in inner for node in range(len(parents))], np.int64)
    for node in range(len(parents) - 1, 0, -1):  # every category comes after its parent
        leaves[parents[node]] += leaves[node]
    return leaves
