"""What CM1 and CM2 say beside their value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit import ValidFor
from permaudit.permutation import (
    cm2,
    least_protected,
    links_by_chance,
    squared_multiple_correlations,
)

if TYPE_CHECKING:
    from permaudit import Moments
    from permaudit.permutation import Canonical


PAPER = (
    "Domingo-Ferrer, Muralidhar and Bras-Amorós, General Confidentiality and Utility Metrics for Privacy-Preserving Data "
    "Publishing Based on the Permutation Model (arXiv 2010.03502)"
)
LINKED_ONLY = ValidFor(
    linked="Each released record belongs to a known original one, which is what this metric compares.",
    unlinked="The records are not linked: row i is not the same person in both files, so the value says nothing about "
    "protection; it is shown as in the paper's table of synthetic data.",
    section="the definition of CM1 and CM2 for data whose mapping of records is known",
)


def linked_details(moments: Moments, canonical: Canonical) -> dict[str, Any]:
    """Return the canonical correlations, the attribute that gives most away, and how firm the ground is."""
    explained = squared_multiple_correlations(moments)
    worst = least_protected(moments)
    chance = links_by_chance(cm2(canonical), canonical.rank_x, canonical.rank_y, moments.records)
    return {
        "canonical_correlations": canonical.rho.tolist(),
        "least_protected": moments.attributes[worst],
        "explained_by_release": dict(zip(moments.attributes, explained.tolist(), strict=True)),
        "rank_original": canonical.rank_x,
        "rank_release": canonical.rank_y,
        "condition_original": canonical.condition_x,
        "condition_release": canonical.condition_y,
        "p_value": chance.p_value,
        "test": chance.test,
    }
