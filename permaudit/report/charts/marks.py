"""Shapes for verdicts and outcomes: who sees no colour still sees which is which."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from permaudit.report.charts.sheet import joined, tag

if TYPE_CHECKING:
    from markupsafe import Markup

    from permaudit.outcome import Verdict


def verdict_mark(verdict: Verdict | None, x: float, y: float, radius: float = 5.0) -> Markup:
    """Draw a circle for release, a triangle for review, a cross for block, an open diamond where nobody judged."""
    if verdict == "release":
        return tag("circle", cx=x, cy=y, r=radius * 0.92, class_="pc-release")
    if verdict == "review":
        return tag("polygon", points=joined(triangle(x, y, radius * 1.2)), class_="pc-review")
    if verdict == "block":
        return tag("polygon", points=joined(cross(x, y, radius * 1.05)), class_="pc-block")
    return tag("polygon", points=joined(diamond(x, y, radius)), class_="pc-open")


def triangle(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a triangle that stands on its base."""
    return [(x, y - radius), (x + radius * 0.95, y + radius * 0.7), (x - radius * 0.95, y + radius * 0.7)]


def diamond(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a diamond."""
    return [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]


def octagon(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the corners of a stop sign."""
    turns = [pi / 8 + step * pi / 4 for step in range(8)]
    return [(x + radius * cos(turn), y + radius * sin(turn)) for turn in turns]


def cross(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """Return the outline of a lying cross."""
    arm = radius * 0.42
    outline = [(0, -arm), (radius - arm, -radius), (radius, arm - radius), (arm, 0), (radius, radius - arm)]
    outline += [(radius - arm, radius), (0, arm), (arm - radius, radius), (-radius, radius - arm), (-arm, 0)]
    outline += [(-radius, arm - radius), (arm - radius, -radius)]
    return [(x + right, y + down) for right, down in outline]
