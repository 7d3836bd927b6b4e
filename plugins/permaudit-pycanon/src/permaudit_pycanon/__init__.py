"""Measures of the equivalence classes of a release by pycanon: k-anonymity, l-diversity, t-closeness and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit import hookimpl
from permaudit_pycanon.measures import MEASURES

if TYPE_CHECKING:
    from permaudit_pycanon.measures import ClassMeasure

permaudit_api = 1


@hookimpl
def permaudit_metrics() -> list[ClassMeasure]:
    """Provide one metric for each measure."""
    return list(MEASURES)
