"""A number for every category: how far it is from all records of the original.

The distance of two categories, with A and B the sets of their ancestors, themselves included, is

    d(a, b) = log2(1 + (|A u B| - |A n B|) / |A u B|)

and the marginality of a category is the sum of its distances to the categories of the original's records (Domingo-Ferrer,
Sanchez and Rufian-Torrell, "Anonymization of nominal data based on semantic marginality", 2013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.plan import Taxonomy

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class Marginality:
    """The marginality of any category, given how many records the original has in each.

    In a tree, the common ancestors of two categories are those of the lowest one, so that their distance depends on three
    levels only. 1 + (u - i) / u is the fraction (2u - i) / u; the sum of the logarithms is the logarithm of a product of
    such fractions, and it is kept as the exponents of its prime factors. These are whole numbers: two categories tie
    exactly if their products are equal, and no rounding decides.
    """

    def __init__(self, taxonomy: Taxonomy, counts: Integers) -> None:
        """Take the tree, and for each of its categories the number of records."""
        self._paths = _paths(taxonomy)
        self._levels = np.count_nonzero(self._paths >= 0, axis=1)
        self._records = _records_below(self._paths, self._levels, counts)
        depth = self._paths.shape[1]
        self._primes = _primes(2 * (2 * depth))
        self._factors = _factors(2 * (2 * depth), self._primes)

    def of(self, nodes: NDArray[np.intp]) -> Floats:
        """Return the marginality of some categories."""
        exponents = np.zeros((len(nodes), len(self._primes)), np.int64)
        levels = self._levels[nodes]
        for common in range(1, self._paths.shape[1] + 1):
            apart = self._meeting_at(nodes, common)
            for level in np.flatnonzero(apart.any(axis=0)).tolist():
                both = levels + level - common
                change = self._factors[2 * both - common] - self._factors[both]
                exponents += apart[:, level, None] * change
        # One prime after the other: a matrix product may add up equal rows in different orders.
        total = np.zeros(len(nodes))
        for column, prime in enumerate(self._primes):
            total += exponents[:, column] * np.log2(float(prime))
        return total

    def _meeting_at(self, nodes: NDArray[np.intp], common: int) -> Integers:
        """Count by level the records whose categories have exactly so many ancestors in common with each node."""
        here = self._below(nodes, common)
        return here - self._below(nodes, common + 1)

    def _below(self, nodes: NDArray[np.intp], level: int) -> Integers:
        """Count by level the records below the ancestor that each node has at a level; none where it has none."""
        if level > self._paths.shape[1]:
            return np.zeros((len(nodes), self._records.shape[1]), np.int64)
        ancestors = self._paths[nodes, level - 1]
        return np.where((ancestors >= 0)[:, None], self._records[ancestors], 0)


def _paths(taxonomy: Taxonomy) -> NDArray[np.intp]:
    """Return for each category its ancestors from the root to itself, and -1 where there are no more."""
    levels = np.zeros(len(taxonomy.names), np.intp)
    for node, parent in enumerate(taxonomy.parents):
        levels[node] = 0 if parent < 0 else levels[parent] + 1
    paths = np.full((len(levels), int(levels.max()) + 1), -1, np.intp)
    for node, parent in enumerate(taxonomy.parents):
        if parent >= 0:
            paths[node] = paths[parent]
        paths[node, levels[node]] = node
    return paths


def _records_below(paths: NDArray[np.intp], levels: NDArray[np.intp], counts: Integers) -> Integers:
    """Count for each category, by level, the records in it and below it."""
    below = np.zeros((len(paths), paths.shape[1] + 1), np.int64)
    used = np.flatnonzero(counts)
    for column in range(paths.shape[1]):
        ancestors = paths[used, column]
        there = ancestors >= 0
        np.add.at(below, (ancestors[there], levels[used][there]), counts[used][there])
    return below


def _primes(most: int) -> list[int]:
    """Return the primes up to a number."""
    found: list[int] = []
    for number in range(2, most + 1):
        if all(number % prime for prime in found):
            found.append(number)
    return found


def _factors(most: int, primes: list[int]) -> Integers:
    """Return for each number up to the largest the exponents of its prime factors."""
    factors = np.zeros((most + 1, len(primes)), np.int64)
    for number in range(2, most + 1):
        rest = number
        for column, prime in enumerate(primes):
            while rest % prime == 0:
                rest //= prime
                factors[number, column] += 1
    return factors
