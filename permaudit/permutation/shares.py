"""What each attribute has to do with the links between two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.permutation.confidentiality import cm2_without_each, cm3

if TYPE_CHECKING:
    from permaudit.model import Moments

_FEWEST = 2


def links_without_each(moments: Moments) -> list[float | None]:
    """Return CM2 without each attribute in turn; None where nothing would be left."""
    size = len(moments.attributes)
    return cm2_without_each(moments).tolist() if size >= _FEWEST else [None] * size


def protection_by_key(moments: Moments) -> list[float | None]:
    """Return what an intruder faces who links by each attribute in turn; None where there is no other attribute."""
    size = len(moments.attributes)
    return cm3(moments).tolist() if size >= _FEWEST else [None] * size
