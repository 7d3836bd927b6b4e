"""Contrast as WCAG 2.2 computes it, on all backgrounds and in both schemes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from permaudit.report.charts.palette import BACKGROUNDS, CLASSES, COLOURS, HEAT, style_of

GROUNDS = [(scheme, ground) for scheme, grounds in BACKGROUNDS.items() for ground in grounds]
OKABE_ITO = {"#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00"}
DECORATION = {
    "pc-sign": "stands on a filled shape: tested by itself",
    "pc-grid": "helps the eye; the numbers are written beside the axis",
    "pc-under": "keeps hatching away from what lies on it",
    "pc-zonefill": "tint within a frame that has contrast",
    "pc-zonehatch": "hatching within a frame that has contrast",
    "pc-lead": "leads from a label to its mark; the table says the same",
    **{f"pc-b{place}": "tint of a band; the table says the same" for place in range(4)},
}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize(("scheme", "ground"), GROUNDS)
@pytest.mark.parametrize("name", [name for name, paint in CLASSES.items() if paint.purpose == "text"])
def test_text_has_a_contrast_of_four_and_a_half(name, scheme, ground):
    assert contrast(COLOURS[scheme][CLASSES[name].fill], ground) >= 4.5


@pytest.mark.parametrize(("scheme", "ground"), GROUNDS)
@pytest.mark.parametrize("name", [name for name, paint in CLASSES.items() if paint.purpose == "graphic"])
def test_a_shape_has_a_contrast_of_three_by_its_area_or_its_outline(name, scheme, ground):
    paint = CLASSES[name]
    colours = [COLOURS[scheme][colour] for colour in (paint.fill, paint.stroke) if colour in COLOURS[scheme]]
    assert max(contrast(colour, ground) for colour in colours) >= 3


def test_what_needs_no_contrast_says_why():
    assert {name for name, paint in CLASSES.items() if paint.purpose == "decoration"} == set(DECORATION)


@pytest.mark.parametrize("scheme", BACKGROUNDS)
@pytest.mark.parametrize("name", ["pc-release", "pc-review", "pc-block"])
def test_the_sign_within_a_shape_can_be_read(name, scheme):
    assert contrast(COLOURS[scheme]["sign"], COLOURS[scheme][CLASSES[name].fill]) >= 3


@pytest.mark.parametrize("scheme", BACKGROUNDS)
def test_bars_can_be_told_from_the_shaded_region_behind_them(scheme):
    tint, ground = COLOURS[scheme]["green"], BACKGROUNDS[scheme][0]
    mixed = "#" + "".join(
        f"{round(0.14 * int(tint[place : place + 2], 16) + 0.86 * int(ground[place : place + 2], 16)):02x}"
        for place in (1, 3, 5)
    )
    assert contrast(COLOURS[scheme]["blue"], mixed) >= 3
    assert contrast(COLOURS[scheme]["ink"], mixed) >= 4.5


@pytest.mark.parametrize("scheme", BACKGROUNDS)
def test_the_hues_are_those_of_okabe_and_ito(scheme):
    hues = {colour for name, colour in COLOURS[scheme].items() if name in {"blue", "vermillion", "green", "orange"}}
    assert hues <= OKABE_ITO


@pytest.mark.parametrize("scheme", BACKGROUNDS)
def test_the_steps_of_the_heat_map_are_in_order_also_in_grey(scheme):
    steps = [contrast(colour, BACKGROUNDS[scheme][0]) for colour in HEAT[scheme]]
    assert all(after > 1.35 * before for before, after in pairwise(steps))
    assert steps[-1] >= 10


def test_styles_hold_only_what_is_used_and_dark_colours_only_for_screens():
    style = style_of('<rect class="pc-bar"/><rect class="pc-h2"/>')
    light, _, dark = style.partition("@media screen and (prefers-color-scheme:dark)")
    assert set(re.findall(r"\.(pc[\w-]*)", style)) == {"pc", "pc-bar", "pc-h2"}
    assert COLOURS["light"]["blue"] in light
    assert COLOURS["dark"]["blue"] in dark
    assert COLOURS["dark"]["blue"] not in light


def test_series_differ_also_without_colour():
    dashes = [re.search(r"stroke-dasharray:([^;]*)", CLASSES[f"pc-s{place}"].more) for place in range(8)]
    widths = [re.search(r"stroke-width:([^;]*)", CLASSES[f"pc-s{place}"].more)[1] for place in range(8)]
    assert len({(dash and dash[1], width) for dash, width in zip(dashes, widths, strict=True)}) == 8


def test_the_colours_of_the_example_can_be_read_on_light_and_dark_screens():
    page = Path(__file__).parents[2] / "docs" / "report.md"
    if not page.is_file():
        pytest.skip("the docs are not beside the tests: this is the built wheel")
    light, dark = re.findall(r"--accent: (#\w+)", page.read_text(encoding="utf-8"))
    assert (round(contrast(light, "#ffffff"), 1), round(contrast(dark, "#14171c"), 1)) == (9.4, 9.1)
