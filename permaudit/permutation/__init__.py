"""The mathematics of the permutation model: numpy in, numpy out.

Data flow: `rank_columns` -> `pair_moments` -> `canonical_correlations` -> `cm1`, `cm2`; `cm3` and `utility` need the
moments only. Everything follows Domingo-Ferrer, Muralidhar and Bras-Amorós, "General Confidentiality and Utility
Metrics for Privacy-Preserving Data Publishing Based on the Permutation Model".
"""

from permaudit.permutation.bykey import cross_moments_by_key
from permaudit.permutation.canonical import Canonical, canonical_correlations
from permaudit.permutation.confidentiality import cm1, cm2, cm3, mirror
from permaudit.permutation.identity import trivial_permutation, unchanged
from permaudit.permutation.moments import cross_moments, own_moments
from permaudit.permutation.movement import movements
from permaudit.permutation.null import (
    bartlett_p_value,
    cm1_null_mean,
    links_beyond_chance,
    links_by_chance,
    wilks_null_mean,
)
from permaudit.permutation.pair import pair_moments
from permaudit.permutation.protection import least_protected, squared_multiple_correlations
from permaudit.permutation.ranks import Ranked, rank_columns
from permaudit.permutation.reverse import ReverseMapping, reverse_map
from permaudit.permutation.shares import links_without_each, protection_by_key
from permaudit.permutation.um import Utility, utility
from permaudit.permutation.values import cm1_values, cm2_values, cm3_values, mirror_values, um_values

__all__ = [
    "Canonical",
    "Ranked",
    "ReverseMapping",
    "Utility",
    "bartlett_p_value",
    "canonical_correlations",
    "cm1",
    "cm1_null_mean",
    "cm1_values",
    "cm2",
    "cm2_values",
    "cm3",
    "cm3_values",
    "cross_moments",
    "cross_moments_by_key",
    "least_protected",
    "links_beyond_chance",
    "links_by_chance",
    "links_without_each",
    "mirror",
    "mirror_values",
    "movements",
    "own_moments",
    "pair_moments",
    "protection_by_key",
    "rank_columns",
    "reverse_map",
    "squared_multiple_correlations",
    "trivial_permutation",
    "um_values",
    "unchanged",
    "utility",
    "wilks_null_mean",
]
