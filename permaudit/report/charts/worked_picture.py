"""A picture that explains the permutation model with five made-up records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.layout import WIDTH
from permaudit.report.charts.lettering import SMALL, wrapped
from permaudit.report.charts.sheet import Sheet
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from permaudit.report.charts.words import Words

_RECORDS = "ABCDE"
ORIGINAL = (12, 19, 25, 31, 44)
PERMUTED = (19, 12, 25, 44, 31)
RELEASED = (20, 13, 24, 45, 33)

_BOX, _HIGH, _ROW, _TOP = 44.0, 24.0, 32.0, 62.0
_COLUMNS = (34.0, 172.0, 300.0)


def worked_picture(prefix: str, *, words: Words = ENGLISH) -> Chart:
    """Draw how values change places first and change a little then, with numbers that add up."""
    sheet = Sheet(prefix, WIDTH)
    for x, text in zip(_COLUMNS, (words.picture_original, words.picture_permuted, words.picture_released), strict=True):
        sheet.text(x + _BOX / 2, _TOP - 10, text, bold=True, size=SMALL, anchor="middle")
    _steps(sheet, words)
    for place, value in enumerate(ORIGINAL):
        middle = _TOP + _ROW * place + _HIGH / 2
        target = PERMUTED.index(value)
        end = _TOP + _ROW * target + _HIGH / 2
        style = "pc-s1" if target != place else "pc-s0"
        sheet.line((_COLUMNS[0] + _BOX, middle), (_COLUMNS[1] - 7, end), style)
        _tip(sheet, _COLUMNS[1] - 1, end)
        change = RELEASED[place] - PERMUTED[place]
        sheet.line((_COLUMNS[1] + _BOX, middle), (_COLUMNS[2] - 7, middle), "pc-s0")
        _tip(sheet, _COLUMNS[2] - 1, middle)
        between = (_COLUMNS[1] + _BOX + _COLUMNS[2]) / 2
        sheet.text(between - 3, middle - 4, f"{change:+d}".replace("-", "\u2212"), size=SMALL, anchor="middle")
        sheet.text(10, middle + 4, _RECORDS[place], bold=True)
        for x, column in zip(_COLUMNS, (ORIGINAL, PERMUTED, RELEASED), strict=True):
            sheet.rect(x, middle - _HIGH / 2, _BOX, _HIGH, "pc-cell", rx=4)
            sheet.text(x + _BOX / 2, middle + 4, str(column[place]), anchor="middle")
    bottom = _TOP + _ROW * len(ORIGINAL)
    header = (words.picture_record, words.picture_original, words.picture_permuted, words.picture_noise_column)
    rows = tuple(
        (name, str(first), str(second), f"{last - second:+d}", str(last))
        for name, first, second, last in zip(_RECORDS, ORIGINAL, PERMUTED, RELEASED, strict=True)
    )
    table = Table(
        header=(*header, words.picture_released),
        rows=rows,
        numeric=(False, True, True, True, True),
        keys=tuple("" for _ in rows),
    )
    return Chart(
        svg=sheet.svg(bottom, words.picture_alt), title=words.picture_title, alt=words.picture_alt, table=table
    )


def _steps(sheet: Sheet, words: Words) -> None:
    """Write what the two steps are, above the arrows."""
    between = ((_COLUMNS[0] + _BOX + _COLUMNS[1]) / 2, (_COLUMNS[1] + _BOX + _COLUMNS[2]) / 2)
    for x, room, step, means in (
        (between[0], 165.0, words.picture_step, words.picture_step_means),
        (between[1], 150.0, words.picture_noise, words.picture_noise_means),
    ):
        sheet.text(x, 12, wrapped(step, room, 1, SMALL)[0], bold=True, size=SMALL, anchor="middle")
        for place, line in enumerate(wrapped(means, room, 2, SMALL)):
            sheet.text(x, 26 + 13 * place, line, soft=True, size=SMALL, anchor="middle")


def _tip(sheet: Sheet, x: float, y: float) -> None:
    """Draw the tip of an arrow."""
    sheet.polygon([(x, y), (x - 7, y - 3.5), (x - 7, y + 3.5)], "pc-flag")
