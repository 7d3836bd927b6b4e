"""Verdicts and outcomes as shape, sign, word and colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.lettering import fitted, width_of
from permaudit.report.charts.marks import diamond, octagon, triangle
from permaudit.report.charts.palette import style_of
from permaudit.report.charts.sheet import Sheet, joined, tag
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from permaudit.outcome import RuleOutcome, Verdict
    from permaudit.report.charts.words import Words

_HEIGHT, _LETTERS = 36.0, 17.0
_MOST_WORD = 280.0
_CHECK, _BANG, _TIMES, _DASH = (
    "M-4 0L-1.2 3L4.2 -3.2",
    "M0 -4.2V0.6M0 3.6V3.7",
    "M-3.2 -3.2L3.2 3.2M3.2 -3.2L-3.2 3.2",
    "M-3.5 0H3.5",
)

_SHAPES: dict[str, tuple[str, str]] = {
    "release": ("release", _CHECK),
    "pass": ("release", _CHECK),
    "review": ("review", _BANG),
    "block": ("block", _TIMES),
    "fail": ("block", _TIMES),
    "error": ("error", _BANG),
    "waived": ("waived", _CHECK),
    "not-applicable": ("open", _DASH),
}


def verdict_badge(prefix: str, *, verdict: Verdict, word: str = "", words: Words = ENGLISH) -> Chart:
    """Draw a verdict that nobody can mistake: shape, sign, word and colour in a frame."""
    text = fitted(word or words.verdicts.get(verdict, verdict), _MOST_WORD, _LETTERS, bold=True)
    sheet = Sheet(prefix, 46 + width_of(text, _LETTERS, bold=True) + 10)
    sheet.rect(1, 1, sheet.width - 2, _HEIGHT - 2, "pc-frame", rx=8)
    sheet.add(_sign(verdict, 22, _HEIGHT / 2, 1.35))
    middle = 40 + (sheet.width - 50) / 2
    sheet.text(middle, _HEIGHT / 2 + _LETTERS * 0.35, text, bold=True, size=_LETTERS, anchor="middle")
    alt = f"{words.verdict}: {text}"
    table = Table(header=(words.verdict,), rows=((text,),), numeric=(False,), keys=("",))
    return Chart(svg=sheet.svg(_HEIGHT, alt), title=text, alt=alt, table=table)


def verdict_sign(verdict: Verdict, word: str = "") -> Markup:
    """Draw the shape of a verdict, as high as the letters, to stand before its word."""
    return _small(verdict, word)


def outcome_sign(outcome: RuleOutcome, word: str = "") -> Markup:
    """Draw the shape of a rule's outcome, as high as the letters, to stand before its word."""
    return _small(outcome, word)


def _small(name: str, word: str) -> Markup:
    """Draw a sign that browsers do not tell, since its word stands beside it; archivable files want a title for every drawing."""
    body = _sign(name, 10, 10, 1.0)
    title = tag("title", shown(word)) if word else Markup("")
    return tag(
        "svg",
        title + tag("style", Markup(style_of(body))) + body,  # noqa: S704 - our own rules
        xmlns="http://www.w3.org/2000/svg",
        aria_hidden="true",
        focusable="false",
        width="1.15em",
        height="1.15em",
        viewBox="0 0 20 20",
        style="vertical-align:-.2em",
    )


def _sign(name: str, x: float, y: float, scale: float) -> Markup:
    """Draw a shape with its sign inside, around a place."""
    kind, stroke = _SHAPES.get(name, ("open", _DASH))
    shapes = {
        "release": lambda: tag("circle", cx=0, cy=0, r=8.5, class_="pc-release"),
        "review": lambda: tag("polygon", points=joined(triangle(0, 0.8, 9.8)), class_="pc-review"),
        "block": lambda: tag("polygon", points=joined(octagon(0, 0, 9)), class_="pc-block"),
        "error": lambda: tag("rect", x=-8, y=-8, width=16, height=16, class_="pc-block"),
        "waived": lambda: tag("polygon", points=joined(diamond(0, 0, 9.5)), class_="pc-review"),
        "open": lambda: tag("circle", cx=0, cy=0, r=8.5, class_="pc-open"),
    }
    down = 1.4 if kind == "review" else 0
    ink = "pc-whisker" if kind == "open" else "pc-sign"
    sign = tag("path", d=stroke, class_=ink, transform=f"translate(0 {down:g})" if down else None)
    return tag("g", shapes[kind]() + sign, transform=f"translate({x:g} {y:g}) scale({scale:g})")
