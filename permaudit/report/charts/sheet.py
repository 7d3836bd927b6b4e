"""A sheet to draw on: SVG markup in which every text and every attribute is escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias
from zlib import crc32

from markupsafe import Markup, escape

from permaudit.errors import shown
from permaudit.report.charts.lettering import FAMILY, SIZE
from permaudit.report.charts.palette import style_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Anchor: TypeAlias = Literal["start", "middle", "end"]
Point: TypeAlias = tuple[float, float]

_LONGEST_ALT = 2000
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


def tag(name: str, content: str = "", **attributes: str | float | None) -> Markup:
    """Write an element; content that is no markup is escaped, `class_` stands for `class` and `_` for `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = escape(content)
    return Markup(f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>")  # noqa: S704 - escaped above


def identifier(prefix: str) -> str:
    """Turn a prefix into one that an id may begin with; prefixes that differ stay different."""
    fit = _UNFIT.sub("-", prefix)[:60]
    if fit == prefix and fit[:1].isalpha():
        return fit
    return f"c-{fit}-{crc32(prefix.encode('utf-8', 'surrogatepass')):08x}"


@dataclass(slots=True)
class Sheet:
    """What was drawn so far."""

    prefix: str
    width: float
    parts: list[Markup] = field(default_factory=list)
    panel: bool = False
    """Is it one of several small drawings that stand side by side?"""

    def __post_init__(self) -> None:
        """Make sure that ids can begin with the prefix."""
        self.prefix = identifier(self.prefix)

    def add(self, *markup: Markup) -> None:
        """Draw something that is markup already."""
        self.parts.extend(markup)

    def text(  # noqa: PLR0913
        self,
        x: float,
        y: float,
        content: str,
        *,
        soft: bool = False,
        bold: bool = False,
        size: float = SIZE,
        anchor: Anchor = "start",
    ) -> None:
        """Write a line; y is where the letters stand."""
        self.add(
            tag(
                "text",
                content,
                x=x,
                y=y,
                class_="pc-soft" if soft else "pc-ink",
                font_size=None if size == SIZE else size,
                font_weight="bold" if bold else None,
                text_anchor=None if anchor == "start" else anchor,
            )
        )

    def line(self, start: Point, end: Point, class_: str) -> None:
        """Draw a line."""
        self.add(tag("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=class_))

    def rect(self, x: float, y: float, width: float, height: float, class_: str, rx: float | None = None) -> None:  # noqa: PLR0913, PLR0917
        """Draw a rectangle."""
        self.add(tag("rect", x=x, y=y, width=max(0.0, width), height=max(0.0, height), rx=rx, class_=class_))

    def polyline(self, points: Iterable[Point], class_: str) -> None:
        """Join points by straight lines."""
        self.add(tag("polyline", points=joined(points), class_=class_))

    def polygon(self, points: Iterable[Point], class_: str) -> None:
        """Draw an area."""
        self.add(tag("polygon", points=joined(points), class_=class_))

    def svg(self, height: float, alt: str) -> Markup:
        """Return the drawing with its text alternative and its own style."""
        body = Markup("").join(self.parts)
        return tag(
            "svg",
            tag("title", shown(alt, _LONGEST_ALT)) + tag("style", Markup(style_of(body))) + body,  # noqa: S704 - our own rules
            xmlns="http://www.w3.org/2000/svg",
            id=self.prefix,
            class_="pc pc-panel" if self.panel else "pc",
            role="img",
            width=self.width,
            height=height,
            viewBox=f"0 0 {_plain(self.width)} {_plain(height)}",
            style="max-width:100%",
            font_family=FAMILY,
            font_size=SIZE,
        )


def joined(points: Iterable[Point]) -> str:
    """Write points as SVG wants them."""
    return " ".join(f"{_plain(x)},{_plain(y)}" for x, y in points)


def _plain(value: str | float) -> str:
    """Write a length with at most two decimals."""
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
