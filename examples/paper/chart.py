# ruff: noqa: INP001 - an example beside its script, not a package
"""A figure as SVG: one panel for each number of attributes, one line for each metric."""

from __future__ import annotations

from html import escape
from math import log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from results import Figure, Point

# Colours of Okabe and Ito, told apart by everybody; the dashes do the same on paper.
LINES = {"UM": ("#0072B2", ""), "CM1": ("#D55E00", "7 3"), "CM2": ("#009E73", "2 3")}
PANEL, HEIGHT, GAP = 260, 220, 44
LEFT, TOP, BOTTOM, RIGHT = 58, 74, 56, 16
INK, GRID = "#222222", "#DDDDDD"
APART = 6
"""Points that are so far from the one before get a mark: what lies between was not run."""


def chart(figure: Figure, curves: Mapping[int, Sequence[Point]], ticks: Sequence[float], alternative: str) -> str:
    """Draw the curves of a figure."""
    width = LEFT + len(curves) * PANEL + (len(curves) - 1) * GAP + RIGHT
    height = TOP + HEIGHT + BOTTOM
    title = f"Figure {figure.number}: {figure.method}"
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-labelledby="title text" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" '
            f'font-size="12" fill="{INK}">'
        ),
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="text">{escape(alternative)}</desc>',
        f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
        *_legend(width),
    ]
    for place, (size, curve) in enumerate(curves.items()):
        parts += _panel(figure, f"{size} attributes", curve, ticks, LEFT + place * (PANEL + GAP))
    middle = LEFT + (width - LEFT - RIGHT) / 2
    parts += [
        f'<text x="{middle:g}" y="{height - 12}" text-anchor="middle">{escape(figure.axis)}</text>',
        f'<text transform="translate(16 {TOP + HEIGHT / 2:g}) rotate(-90)" text-anchor="middle">value of the metric</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(width: int) -> list[str]:
    """Show which line is which metric."""
    parts = []
    for place, (metric, style) in enumerate(LINES.items()):
        x = width - RIGHT - 90 * (len(LINES) - place)
        parts += [
            f'<path d="M{x} 20h34" {_stroke(*style)}/>',
            f'<text x="{x + 42}" y="24">{metric}</text>',
        ]
    return parts


def _stroke(colour: str, dashes: str) -> str:
    """Write how a line is drawn."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="none" stroke="{colour}" stroke-width="2"{dashed}'


def _panel(figure: Figure, name: str, curve: Sequence[Point], ticks: Sequence[float], left: float) -> list[str]:
    """Draw one panel: its frame, its axes and its lines."""
    scale = log10 if figure.log else float
    low, high = scale(min(ticks)), scale(max(ticks))

    def x(parameter: float) -> float:
        return left + PANEL * (scale(parameter) - low) / (high - low)

    def y(value: float) -> float:
        return TOP + HEIGHT * (1 - value)

    parts = [f'<text x="{left + PANEL / 2:g}" y="{TOP - 12}" text-anchor="middle" font-weight="bold">{name}</text>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += [
            f'<path d="M{left} {y(share):g}h{PANEL}" stroke="{GRID}"/>',
            f'<text x="{left - 6}" y="{y(share) + 4:g}" text-anchor="end" font-size="11">{share:g}</text>',
        ]
    for tick in ticks:
        parts += [
            f'<path d="M{x(tick):.1f} {TOP + HEIGHT}v4" stroke="{INK}"/>',
            f'<text x="{x(tick):.1f}" y="{TOP + HEIGHT + 17}" text-anchor="middle" font-size="11">{tick:g}</text>',
        ]
    parts.append(f'<path d="M{left} {TOP}v{HEIGHT}h{PANEL}" fill="none" stroke="{INK}"/>')
    for metric, style in LINES.items():
        spots = [(x(one.parameter), y(one.value(metric))) for one in curve]
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in spots)
        parts.append(f'<polyline points="{path}" {_stroke(*style)}/>')
        before = float("-inf")
        for across, down in spots:
            if across - before >= APART:
                parts.append(f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.3" fill="{style[0]}"/>')
            before = across
    return parts
