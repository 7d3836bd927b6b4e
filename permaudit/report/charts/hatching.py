"""Hatching, drawn line by line: a pattern would need an id, and not every reader draws patterns alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.report.charts.sheet import tag

if TYPE_CHECKING:
    from permaudit.report.charts.sheet import Sheet


def strokes(x: float, y: float, width: float, height: float, gap: float) -> str:
    """Return the path of slanted lines within a rectangle."""
    lines = []
    along = gap
    while along < width + height:
        start = (x + max(0.0, along - height), y + min(height, along))
        end = (x + min(width, along), y + max(0.0, along - width))
        lines.append(f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}")
        along += gap
    return "".join(lines)


def hatched(sheet: Sheet, x: float, y: float, width: float, height: float) -> None:
    """Draw an open bar with hatching."""
    if min(width, height) < 1:
        return
    sheet.rect(x + 0.6, y + 0.6, width - 1.2, height - 1.2, "pc-other")
    if lines := strokes(x, y, width, height, 5):
        sheet.add(tag("path", d=lines, class_="pc-hatch"))


def zone(sheet: Sheet, x: float, y: float, width: float, height: float) -> None:
    """Shade what passes: hatched, since colour alone says nothing."""
    sheet.rect(x, y, width, height, "pc-zonefill")
    if lines := strokes(x, y, width, height, 8):
        sheet.add(tag("path", d=lines, class_="pc-zonehatch"))
    sheet.rect(x, y, width, height, "pc-zone")
