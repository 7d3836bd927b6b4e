"""The colours: Okabe and Ito's, which people with any colour vision can tell apart, on light and on dark paper.

Every class names what it paints and how much contrast that needs; a test computes the contrast on all backgrounds. Colour
is never the only sign: shapes, dashes, hatching and words say the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Scheme: TypeAlias = Literal["light", "dark"]
Purpose: TypeAlias = Literal["text", "graphic", "decoration"]

BACKGROUNDS: dict[Scheme, tuple[str, ...]] = {"light": ("#ffffff", "#f5f6f8"), "dark": ("#14171c", "#1d2129")}
"""What the charts may stand on."""

COLOURS: dict[Scheme, dict[str, str]] = {
    "light": {
        "ink": "#1b1f24",
        "soft": "#555c66",
        "axis": "#767d88",
        "grid": "#dde1e7",
        "paper": "#ffffff",
        "sign": "#14171c",
        "blue": "#0072b2",
        "vermillion": "#d55e00",
        "green": "#009e73",
        "orange": "#e69f00",
    },
    "dark": {
        "ink": "#e8eaed",
        "soft": "#aeb5bf",
        "axis": "#868e99",
        "grid": "#353c46",
        "paper": "#14171c",
        "sign": "#14171c",
        "blue": "#56b4e9",
        "vermillion": "#d55e00",
        "green": "#009e73",
        "orange": "#e69f00",
    },
}

HEAT: dict[Scheme, tuple[str, ...]] = {
    "light": ("#e4eef7", "#a9cde6", "#5ba3d0", "#1f6fb2", "#08306b"),
    "dark": ("#1f3a56", "#2a648f", "#4696c4", "#93cae6", "#eef6fc"),
}
"""From few to many: each step is darker (on dark paper lighter) than the one before, so that grey says the same."""


@dataclass(frozen=True, slots=True)
class Paint:
    """What a class of elements looks like, in names of colours."""

    purpose: Purpose
    fill: str = ""
    stroke: str = ""
    more: str = ""

    def css(self, scheme: Scheme) -> str:
        """Write the colours of one scheme."""
        colours = COLOURS[scheme]
        pairs = (("fill", self.fill), ("stroke", self.stroke))
        return ";".join(f"{name}:{colours.get(colour, colour)}" for name, colour in pairs if colour)


def _line(colour: str, more: str = "", purpose: Purpose = "graphic") -> Paint:
    return Paint(purpose, "none", colour, more)


def _shape(colour: str) -> Paint:
    return Paint("graphic", colour, "ink", "stroke-width:1;stroke-linejoin:round")


CLASSES: dict[str, Paint] = {
    "pc-ink": Paint("text", "ink"),
    "pc-soft": Paint("text", "soft"),
    "pc-sign": Paint("decoration", "none", "sign", "stroke-width:2;stroke-linecap:round;stroke-linejoin:round"),
    "pc-axis": _line("axis", "stroke-width:1"),
    "pc-grid": _line("grid", "stroke-width:1", "decoration"),
    "pc-track": Paint("graphic", "grid", "axis", "stroke-width:1"),
    "pc-limit": _line("ink", "stroke-width:1.5;stroke-dasharray:4 2"),
    "pc-flag": Paint("graphic", "ink"),
    "pc-under": _line("paper", "stroke-width:5", "decoration"),
    "pc-whisker": _line("ink", "stroke-width:1.5"),
    "pc-hollow": Paint("graphic", "paper", "ink", "stroke-width:1.5;stroke-linejoin:round"),
    "pc-value": _shape("blue"),
    "pc-bar": Paint("graphic", "blue"),
    "pc-other": Paint("graphic", "paper", "vermillion", "stroke-width:1.25"),
    "pc-hatch": _line("vermillion", "stroke-width:1.25"),
    "pc-zone": Paint("graphic", "none", "green", "stroke-width:1.25;stroke-dasharray:2 2"),
    "pc-zonefill": Paint("decoration", "green", "", "fill-opacity:.14"),
    "pc-zonehatch": _line("green", "stroke-width:1;stroke-opacity:.35", "decoration"),
    "pc-release": _shape("green"),
    "pc-review": _shape("orange"),
    "pc-block": _shape("vermillion"),
    "pc-open": Paint("graphic", "paper", "ink", "stroke-width:1.25"),
    "pc-front": _line("ink", "stroke-width:1.25;stroke-dasharray:5 3"),
    "pc-spread": _line("axis", "stroke-width:1.25"),
    "pc-lead": _line("soft", "stroke-width:.75", "decoration"),
    "pc-s0": _line("blue", "stroke-width:2"),
    "pc-s1": _line("vermillion", "stroke-width:2;stroke-dasharray:7 3"),
    "pc-s2": _line("green", "stroke-width:2;stroke-dasharray:2 2.5"),
    "pc-s3": _line("ink", "stroke-width:1.75;stroke-dasharray:8 3 2 3"),
    "pc-s4": _line("blue", "stroke-width:2;stroke-dasharray:12 5"),
    "pc-s5": _line("vermillion", "stroke-width:2;stroke-dasharray:10 3 2 3 2 3"),
    "pc-s6": _line("green", "stroke-width:1.25"),
    "pc-s7": _line("ink", "stroke-width:1.25;stroke-dasharray:1 3"),
    "pc-b0": Paint("decoration", "blue", "", "fill-opacity:.18"),
    "pc-b1": Paint("decoration", "vermillion", "", "fill-opacity:.18"),
    "pc-b2": Paint("decoration", "green", "", "fill-opacity:.18"),
    "pc-b3": Paint("decoration", "ink", "", "fill-opacity:.14"),
    "pc-cell": Paint("graphic", "paper", "ink", "stroke-width:1"),
    "pc-frame": _line("ink", "stroke-width:2"),
    "pc-box": Paint("graphic", "none", "axis", "stroke-width:1"),
}

SHRINK = "@media all{.pc{height:auto}}"
_NAMES = re.compile(r'class="([^"]*)"')


def style_of(body: str) -> str:
    """Return the rules that a drawing needs: light ones that every reader knows, and dark ones for dark screens.

    WeasyPrint applies no style of the page within a drawing and skips `@media`: it takes the light rules, as paper does. It
    would take `height:auto` for a height of nothing, and needs it not: so that stands where only browsers look.
    """
    used = {name for names in _NAMES.findall(body) for name in names.split()}
    paints = [(name, paint) for name, paint in CLASSES.items() if name in used]
    light = [f".{name}{{{_joined(paint.css('light'), paint.more)}}}" for name, paint in paints]
    dark = [f".{name}{{{paint.css('dark')}}}" for name, paint in paints]
    for place, (day, night) in enumerate(zip(HEAT["light"], HEAT["dark"], strict=True)):
        if f"pc-h{place}" in used:
            light.append(f".pc-h{place}{{fill:{day}}}")
            dark.append(f".pc-h{place}{{fill:{night}}}")
    if "pc-mark" in used:
        light.append(".pc-on *{stroke-width:3.5}")
    if "pc-dense" in used:
        light.append(".pc-dense *{stroke-width:.4}.pc-dense .pc-release,.pc-dense .pc-block{stroke:none}")
    return "".join(light) + SHRINK + "@media screen and (prefers-color-scheme:dark){" + "".join(dark) + "}"


def _joined(*parts: str) -> str:
    return ";".join(part for part in parts if part)
