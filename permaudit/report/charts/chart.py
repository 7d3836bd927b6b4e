"""What the charts are given and what they hand back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from markupsafe import Markup

    from permaudit.outcome import Verdict

Better: TypeAlias = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The data of a drawing as text: for readers who do not see it, and for those who want the numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    """For each column: does it hold numbers?"""
    keys: tuple[str, ...]
    """For each row: the `data-key` of the marks that show it, or nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing with all that a reader needs who does not see it."""

    svg: Markup
    """One or several `<svg>` elements that stand in a line and wrap like words."""
    title: str
    alt: str
    """What the drawing says, in words."""
    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a rule demands of a value."""

    value: float
    side: Literal["min", "max"]
    label: str = ""
    """Who demands it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A metric as an axis."""

    name: str
    better: Better
    good: str
    """The word at the good end, such as `safer`."""
    limits: tuple[Limit, ...] = ()
    """Those that every point must keep."""
    partial: tuple[Limit, ...] = ()
    """Those that some points must keep; their labels say which."""
    bounds: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """A candidate on the map of protection and utility."""

    label: str
    protection: float | None
    utility: float | None
    verdict: Verdict | None
    pareto: bool = False
    group: str = ""
    """Only points of one group are in the same Pareto set."""
    protection_spread: float | None = None
    utility_spread: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One step of a sweep, for one metric."""

    x: float | str
    y: float | None
    spread: float | None = None
    verdict: Verdict | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One metric along a sweep."""

    name: str
    points: tuple[CurvePoint, ...]
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One of several small drawings with the same axes."""

    title: str
    series: tuple[Series, ...]
