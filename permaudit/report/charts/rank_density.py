"""Original rank against released rank as a picture: shares of records in squares, never single records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.layout import PANEL, WIDTH, empty, flow
from permaudit.report.charts.lettering import SMALL, fitted, fitted_name
from permaudit.report.charts.numbers import known
from permaudit.report.charts.sheet import Sheet, tag
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.report.charts.words import Words

_LEFT, _TOP, _SIDE = 20.0, 22.0, 124.0
_STEPS = (0.5, 1.5, 3.0, 6.0)
"""Where the classes end, in multiples of what a random order would put into a square."""
_CLEARLY = 1.5
_DOT = 1.5


def rank_density(  # noqa: PLR0913
    prefix: str,
    *,
    title: str,
    panels: Sequence[tuple[str, Sequence[Sequence[float]] | None]],
    floor: float = 0.0,
    cap: int = 12,
    words: Words = ENGLISH,
) -> Chart:
    """Draw one square picture per attribute; shares below `floor` are neither drawn nor told from none."""
    title = shown(title, 120)
    there = [(name, _coarse(grid, floor)) for name, grid in panels if grid]
    if not there:
        return empty(prefix, title, words.nothing, (words.attribute, words.rank_class))
    drawn = there[: max(1, cap)]
    alt = words.density_alt.format(title=title, n=len(there))
    pictures = [
        _picture(f"{prefix}-{place}", name, grid, floor, words, alt if place == 1 else f"{title}: {shown(name)}")
        for place, (name, grid) in enumerate(drawn, 1)
    ]
    pictures.append(_key(f"{prefix}-key", len(there) - len(drawn), floor, words))
    return Chart(svg=Markup("\n").join(pictures), title=title, alt=alt, table=_table(there, floor, words))


def _picture(  # noqa: PLR0913, PLR0917
    prefix: str, name: str, grid: Sequence[Sequence[float]], floor: float, words: Words, alt: str
) -> Markup:
    """Draw the squares of one attribute."""
    sheet = Sheet(prefix, PANEL, panel=True)
    sheet.text(_LEFT, 14, fitted_name(name, PANEL - _LEFT - 4, bold=True), bold=True)
    count = max(len(grid), *(len(row) for row in grid))
    cell = _SIDE / max(1, count)
    random = 1 / max(1, count) ** 2
    squares: dict[str, list[str]] = {}
    for across, row in enumerate(grid):
        for up, share in enumerate(row):
            x, y = _LEFT + (across + 0.5) * cell, _TOP + _SIDE - (up + 0.5) * cell
            step = _step(share, random, floor)
            if step is not None:
                squares.setdefault(f"pc-h{step}", []).append(_square(x, y, cell * _side(step)))
            elif floor > 0:
                squares.setdefault("pc-flag", []).append(_square(x, y, _DOT))
    for class_, paths in sorted(squares.items()):
        sheet.add(tag("path", d="".join(paths), class_=class_))
    sheet.rect(_LEFT, _TOP, _SIDE, _SIDE, "pc-box")
    bottom = _TOP + _SIDE + 13
    sheet.text(_LEFT, bottom, words.low, soft=True, size=SMALL)
    sheet.text(_LEFT + _SIDE, bottom, words.high, soft=True, size=SMALL, anchor="end")
    sheet.text(_LEFT + _SIDE / 2, bottom, words.original_rank, soft=True, size=SMALL, anchor="middle")
    sheet.add(
        tag(
            "text",
            words.released_rank,
            class_="pc-soft",
            font_size=SMALL,
            text_anchor="middle",
            transform=f"translate({_LEFT - 7:g} {_TOP + _SIDE / 2:g}) rotate(-90)",
        )
    )
    return sheet.svg(bottom + 8, alt)


def _coarse(grid: Sequence[Sequence[float]], floor: float) -> Sequence[Sequence[float]]:
    """Join neighbouring classes until a random order would put clearly more than `floor` into each square."""
    size = len(grid)
    if floor <= 0 or any(len(row) != size for row in grid):
        return grid
    for joined in (step for step in range(1, size + 1) if size % step == 0):
        left = size // joined
        if 1 / left**2 >= _CLEARLY * floor:
            return [
                [
                    sum(grid[down][right] for down in _block(row, joined) for right in _block(column, joined))
                    for column in range(left)
                ]
                for row in range(left)
            ]
    return grid


def _block(place: int, joined: int) -> range:
    """Return the classes that become one."""
    return range(place * joined, (place + 1) * joined)


def _step(share: float | None, random: float, floor: float) -> int | None:
    """Return the class of a share, from 0 upwards; none where there is nothing to see or to show."""
    if not known(share) or share <= 0 or share < floor:
        return None
    return sum(share > bound * random for bound in _STEPS)


def _key(prefix: str, more: int, floor: float, words: Words) -> Markup:
    """Draw what the squares mean."""
    sheet = Sheet(prefix, WIDTH)
    sheet.text(6, 13, fitted(words.density_key, WIDTH - 12, SMALL, bold=True), size=SMALL, bold=True)
    rows = [(_sample(step), text) for step, text in enumerate(words.density_steps)]
    if floor > 0:
        rows.append((tag("path", d=_square(6, 0, _DOT), class_="pc-flag"), words.density_few))
    y = flow(sheet, 18, rows, 12)
    if more > 0:
        sheet.text(6, y + 12, words.more.format(n=more), soft=True, size=SMALL)
        y += 18
    return sheet.svg(y, f"{words.density_key}: {', '.join(words.density_steps)}")


def _sample(step: int) -> Markup:
    """Draw a square of a class."""
    return tag("path", d=_square(6, 0, 11.5 * _side(step)), class_=f"pc-h{step}")


def _square(x: float, y: float, size: float) -> str:
    """Return the path of a square around a place."""
    return f"M{x - size / 2:.2f} {y - size / 2:.2f}h{size:.2f}v{size:.2f}h{-size:.2f}z"


def _side(step: int) -> float:
    """Return how much of its place a square fills: more records, larger and darker."""
    return 0.44 + 0.14 * step


def _table(panels: Sequence[tuple[str, Sequence[Sequence[float]]]], floor: float, words: Words) -> Table:
    """Return the shares: a row for each attribute and class of original rank."""
    count = max((len(row) for _, grid in panels for row in grid), default=0)
    rows = tuple(
        (shown(name), str(place), *(_told(row[at] if at < len(row) else None, floor, words) for at in range(count)))
        for name, grid in panels
        for place, row in enumerate(grid, 1)
    )
    header = (words.attribute, words.rank_class, *(f"{words.released_rank} {place}" for place in range(1, count + 1)))
    return Table(header=header, rows=rows, numeric=(False, *(True for _ in header[1:])), keys=tuple("" for _ in rows))


def _told(share: float | None, floor: float, words: Words) -> str:
    """Write a share, unless it is too small to be told."""
    if known(share) and share < floor:
        return words.density_below.format(floor=words.measured(floor))
    return words.measured(share, words.missing)
