"""What CM1 and CM2 say beside their value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.permutation import least_protected, squared_multiple_correlations

if TYPE_CHECKING:
    from permaudit import Moments
    from permaudit.permutation import Canonical


def linked_details(moments: Moments, canonical: Canonical) -> dict[str, Any]:
    """Return the canonical correlations, the attribute that gives most away, and how firm the ground is."""
    explained = squared_multiple_correlations(moments)
    worst = least_protected(moments)
    return {
        "canonical_correlations": canonical.rho.tolist(),
        "least_protected": moments.attributes[worst],
        "explained_by_release": dict(zip(moments.attributes, explained.tolist(), strict=True)),
        "rank_original": canonical.rank_x,
        "rank_release": canonical.rank_y,
        "condition_original": canonical.condition_x,
        "condition_release": canonical.condition_y,
    }
