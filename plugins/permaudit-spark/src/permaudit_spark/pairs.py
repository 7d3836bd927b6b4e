"""Moments of ranked files whose records are paired by their place in the file."""

from __future__ import annotations

from functools import partial
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from permaudit_spark.sums import covariances, merged, products

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit.permutation.exact import ExactSum
    from permaudit_spark.ranks import RankedFile
    from permaudit_spark.sums import Ranks

_MULTIPLIERS = (np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xC2B2_AE3D_27D4_EB4F))
_MIX = np.uint64(29)
_LAST_MIX = np.uint64(32)


def cross_moments(x: RankedFile, y: RankedFile) -> tuple[Floats, tuple[bool, ...]]:
    """Return the cross-covariances, and for each attribute whether every record keeps its rank."""
    total, same = x.matrices.zip(y.matrices).map(partial(_cross, bound=x.layout.records)).treeReduce(_both)
    return covariances(total, x.layout.records), tuple(same.tolist())


def same_records(x: RankedFile, y: RankedFile, signs: Sequence[NDArray[np.int32]]) -> bool:
    """Tell whether the files hold the same rank records, as multisets, once some attributes of y are turned upside down.

    The hashes of the records are added up, which is the same in any order. They are of 128 bits: should different records
    have the same sum, a release would be called a copy, never the reverse.
    """
    if not signs:
        return False
    plain = np.ones(x.layout.attributes, np.int32)
    original = x.matrices.map(partial(_hashes, signs=[plain])).treeReduce(add)
    release = y.matrices.map(partial(_hashes, signs=signs)).treeReduce(add)
    return bool((release == original).all(axis=1).any())


def _cross(both: tuple[Ranks, Ranks], bound: int) -> tuple[ExactSum, NDArray[np.bool_]]:
    """Sum the products of two blocks, and look where they are the same."""
    left, right = both
    return products(left, right, bound), np.asarray((left == right).all(axis=0))


def _both(
    one: tuple[ExactSum, NDArray[np.bool_]], other: tuple[ExactSum, NDArray[np.bool_]]
) -> tuple[ExactSum, NDArray[np.bool_]]:
    """Add the sums of two parts, and keep what is the same in both."""
    return merged(one[0], other[0]), one[1] & other[1]


def _hashes(matrix: Ranks, signs: Sequence[NDArray[np.int32]]) -> NDArray[np.uint64]:
    """Add up the hashes of the records of a block, for each choice of signs in two ways."""
    return np.array([[_hash(matrix * sign, multiplier) for multiplier in _MULTIPLIERS] for sign in signs])


def _hash(matrix: Ranks, multiplier: np.uint64) -> np.uint64:
    """Add up the hashes of the records of a block; what does not fit into 64 bits is let go."""
    hashes = np.zeros(len(matrix), np.uint64)
    for column in matrix.T:
        hashes += np.ascontiguousarray(column).view(np.uint32)
        hashes *= multiplier
        hashes ^= hashes >> _MIX
    hashes *= multiplier
    hashes ^= hashes >> _LAST_MIX
    return np.uint64(hashes.sum(dtype=np.uint64))
