"""Lay two ranked files beside each other: everything the metrics need to know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.model import Moments
from permaudit.permutation.bykey import cross_moments_by_key
from permaudit.permutation.identity import trivial_permutation, unchanged
from permaudit.permutation.moments import cross_moments, own_moments
from permaudit.permutation.reversal import mirrored_permutation, opposite_moments_by_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked


def pair_moments(  # noqa: PLR0913 - two files, and what is known of them
    attributes: Sequence[str],
    x: Ranked,
    y: Ranked,
    threads: int | None = None,
    original_own: NDArray[np.float64] | None = None,
    *,
    mirrored: bool = False,
) -> Moments:
    """Return the moments of an original and a release; give the original's own ones if they are known already."""
    original = own_moments(x, threads) if original_own is None else original_own
    release = own_moments(y, threads)
    return Moments(
        attributes=tuple(attributes),
        records=x.records,
        original=original,
        release=release,
        cross=cross_moments(x, y, threads),
        cross_by_key=cross_moments_by_key(x, y, threads),
        unchanged=tuple(unchanged(x, y).tolist()),
        # Equal multisets have equal moments: most releases need no second look.
        trivial_permutation=close(original, release) and trivial_permutation(x, y),
        mirror_by_key=opposite_moments_by_key(x, y, threads) if mirrored else None,
        mirrored_permutation=mirrored
        and close(np.abs(original), np.abs(release))
        and mirrored_permutation(x, y, original, release),
    )


def close(original: NDArray[np.float64], release: NDArray[np.float64]) -> bool:
    """Tell whether own moments are equal up to rounding, wherever the original's were computed."""
    return bool(np.allclose(original, release, rtol=0, atol=1e-9 * np.abs(original).max()))
