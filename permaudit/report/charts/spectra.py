"""Two spectra side by side: how the original and the release spread along the same directions."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.hatching import hatched
from permaudit.report.charts.layout import WIDTH, bar_sample, empty, flow, line_sample
from permaudit.report.charts.lettering import SMALL, fitted
from permaudit.report.charts.numbers import known
from permaudit.report.charts.scales import Linear, covering
from permaudit.report.charts.sheet import Sheet
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.report.charts.words import Words

_LEFT, _HEIGHT = 38.0, 130.0


def spectra(  # noqa: PLR0913
    prefix: str,
    *,
    title: str,
    original: Sequence[float],
    release: Sequence[float],
    cap: int = 12,
    words: Words = ENGLISH,
) -> Chart:
    """Draw both spectra as pairs of bars, with a line where all directions would be equal."""
    title, header = shown(title, 120), (words.direction, words.original, words.released)
    pairs = list(zip_longest(original, release))
    if not pairs:
        return empty(prefix, title, words.nothing, header)
    drawn = pairs[: max(1, cap)]
    even = 1 / len(pairs)
    _, high = covering((0.0, even), [value for pair in drawn for value in pair])
    sheet = Sheet(prefix, WIDTH)
    signs = (
        (bar_sample(), words.original),
        (bar_sample(open_=True), words.released),
        (line_sample("pc-limit", 16), words.even),
    )
    top = flow(sheet, 0, signs, 16) + 24
    sheet.text(6, top - 12, fitted(words.share, WIDTH - 12, SMALL), soft=True, size=SMALL)
    scale = Linear(0.0, high, top + _HEIGHT, top)
    for y, text in scale.marks(5):
        sheet.line((_LEFT, y), (WIDTH - 6, y), "pc-grid")
        sheet.text(_LEFT - 5, y + 4, text, soft=True, size=SMALL, anchor="end")
    room = (WIDTH - 6 - _LEFT) / len(drawn)
    thick = min(26.0, room * 0.4)
    for place, (before, after) in enumerate(drawn):
        middle = _LEFT + room * (place + 0.5)
        if known(before):
            sheet.rect(middle - thick, scale(before), thick, scale.start - scale(before), "pc-bar")
        if known(after):
            hatched(sheet, middle, scale(after), thick, scale.start - scale(after))
        sheet.text(middle, top + _HEIGHT + 14, str(place + 1), soft=True, size=SMALL, anchor="middle")
    sheet.line((_LEFT, scale(even)), (WIDTH - 6, scale(even)), "pc-limit")
    sheet.line((_LEFT, top + _HEIGHT), (WIDTH - 6, top + _HEIGHT), "pc-axis")
    bottom = top + _HEIGHT + 30
    sheet.text(
        (_LEFT + WIDTH) / 2,
        bottom,
        fitted(words.directions, WIDTH - _LEFT - 8, SMALL),
        soft=True,
        size=SMALL,
        anchor="middle",
    )
    if len(pairs) > len(drawn):
        bottom += 15
        more = words.more.format(n=len(pairs) - len(drawn))
        sheet.text((_LEFT + WIDTH) / 2, bottom, more, soft=True, size=SMALL, anchor="middle")
    alt = words.spectra_alt.format(
        title=title,
        n=len(pairs),
        original=words.measured(pairs[0][0], words.missing),
        released=words.measured(pairs[0][1], words.missing),
    )
    rows = tuple(
        (str(place), words.measured(before, words.missing), words.measured(after, words.missing))
        for place, (before, after) in enumerate(pairs, 1)
    )
    table = Table(header=header, rows=rows, numeric=(True, True, True), keys=tuple("" for _ in rows))
    return Chart(svg=sheet.svg(bottom + 8, alt), title=title, alt=alt, table=table)
