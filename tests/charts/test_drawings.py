"""What each chart shows, read back from its drawing: places are those of the numbers."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from permaudit.outcome import Baseline, MetricNote, MetricResult
from permaudit.report import charts
from permaudit.report.charts import Axis, CurvePoint, Limit, MapPoint, Panel, Series, Words
from permaudit.report.charts.labels import Box, Places
from permaudit.report.charts.lettering import SMALL, width_of
from permaudit.report.charts.worked_picture import ORIGINAL, PERMUTED, RELEASED

SVG = "{http://www.w3.org/2000/svg}"
NOTE = MetricNote(
    title="t", measures="m", direction="higher is safer", low="none", high="all", blind_spots="", reference=""
)


def of_class(chart, name: str) -> list[ET.Element]:
    """Return the elements of a class, in all drawings of a chart."""
    return [one for one in ET.fromstring(f"<all>{chart.svg}</all>").iter() if name in one.get("class", "").split()]


def corners(element: ET.Element) -> list[tuple[float, float]]:
    """Return the corners of a polygon or a line of several pieces."""
    return [tuple(map(float, pair.split(","))) for pair in element.get("points").split()]


def middle(element: ET.Element) -> float:
    """Return where a shape is, from left to right."""
    if element.tag == f"{SVG}circle":
        return float(element.get("cx"))
    across = [x for x, _ in corners(element)]
    return (min(across) + max(across)) / 2


def texts(chart) -> list[str]:
    """Return the lines of text in the order in which they are drawn."""
    return [one.text or "" for one in ET.fromstring(f"<all>{chart.svg}</all>").iter(f"{SVG}text")]


# --------------------------------------------------------------------------- one metric


def scale(result: MetricResult, *limits: Limit, direction: str = "higher is safer") -> charts.Chart:
    note = MetricNote(**{field.name: getattr(NOTE, field.name) for field in fields(NOTE)} | {"direction": direction})
    return charts.metric_scale("s", name="M", result=result, note=note, limits=limits)


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
def test_the_value_stands_where_its_number_belongs(value):
    track = of_class(scale(MetricResult(status="ok", value=value)), "pc-track")[0]
    left, width = float(track.get("x")), float(track.get("width"))
    mark = of_class(scale(MetricResult(status="ok", value=value)), "pc-value")[0]
    assert middle(mark) == pytest.approx(left + value * width, abs=0.01)


def test_an_advisory_value_is_open_and_says_that_it_does_not_decide():
    chart = scale(MetricResult(status="advisory", value=0.9))
    assert not of_class(chart, "pc-value")
    assert of_class(chart, "pc-hollow")
    assert "advisory: does not decide here" in texts(chart)


@pytest.mark.parametrize("status", ["not-applicable", "error"])
def test_without_a_value_no_mark_is_drawn_and_the_reason_stands_there(status):
    chart = scale(MetricResult(status=status, reason="there is one attribute only"))
    assert not of_class(chart, "pc-value")
    assert not of_class(chart, "pc-hollow")
    assert "there is one attribute only" in texts(chart)
    assert "there is one attribute only" in chart.alt


def test_null_and_baseline_are_never_drawn_over_each_other():
    for null in (0.5, 0.51, 0.52):
        chart = scale(MetricResult(status="ok", value=0.1, null=null, baseline=Baseline(value=0.5, what="x")))
        pointer, square = (one for one in of_class(chart, "pc-hollow")[:2][::-1])
        high = min(y for _, y in corners(pointer))
        low = float(square.get("y")) + float(square.get("height"))
        apart = abs(middle(pointer) - float(square.get("x")) - 4)
        assert low <= high + 1 or apart >= 8


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        ([Limit(value=0.25, side="min")], (0.25, 1)),
        ([Limit(value=0.25, side="max")], (0, 0.25)),
        ([Limit(value=0.25, side="min"), Limit(value=0.5, side="min"), Limit(value=0.75, side="max")], (0.5, 0.75)),
    ],
)
def test_the_shaded_part_is_what_all_limits_leave(limits, share):
    chart = scale(MetricResult(status="ok", value=0.1), *limits)
    track, zone = of_class(chart, "pc-track")[0], of_class(chart, "pc-zone")[0]
    left, width = float(track.get("x")), float(track.get("width"))
    start, wide = float(zone.get("x")), float(zone.get("width"))
    assert ((start - left) / width, (start + wide - left) / width) == pytest.approx(share, abs=0.001)


def test_limits_that_contradict_each_other_leave_nothing_shaded():
    chart = scale(MetricResult(status="ok", value=0.5), Limit(value=0.8, side="min"), Limit(value=0.2, side="max"))
    assert not of_class(chart, "pc-zone")


@pytest.mark.parametrize(("direction", "side"), [("higher is safer", "right"), ("lower is safer", "left")])
def test_the_good_side_is_named_in_words_and_the_arrow_points_there(direction, side):
    chart = scale(MetricResult(status="ok", value=0.5), direction=direction)
    assert f"safer is to the {side}" in chart.alt
    tip = corners(of_class(chart, "pc-flag")[0])[0][0]
    assert (tip > 300) == (side == "right")


def test_the_words_name_every_number_that_is_drawn():
    result = MetricResult(
        status="ok",
        value=0.0342,
        null=0.9853,
        interval=(0.0271, 0.0436),
        baseline=Baseline(value=0.8123, spread=0.0117, what="the holdout"),
        replicates=[0.03, 0.04],
    )
    chart = scale(result, Limit(value=0.05, side="min", label="policy"))
    for told in (chart.alt, " ".join(texts(chart)), str(chart.table.rows)):
        for text in ("0.0342", "0.9853", "0.0271", "0.0436", "0.8123", "0.0117", "0.05 (policy)"):
            assert text in told


# --------------------------------------------------------------------------- bars and spectra


def bars(items, **more) -> charts.Chart:
    return charts.key_bars("b", title="t", items=items, value_name="v", **more)


def test_bars_are_sorted_as_long_as_their_values_and_those_without_one_come_last():
    chart = bars([("a", 0.5), ("none", None), ("b", 0.25), ("c", 1.0)])
    lengths = [float(one.get("width")) for one in of_class(chart, "pc-bar")]
    assert [length / lengths[-1] for length in lengths] == pytest.approx([0.25, 0.5, 1], abs=0.001)
    assert [row[0] for row in chart.table.rows] == ["b", "a", "c", "none"]
    assert [row[0] for row in bars([("a", 0.5), ("b", 0.9)], order="descending").table.rows] == ["b", "a"]
    assert [row[0] for row in bars([("z", 0.5), ("b", 0.1)], order="given").table.rows] == ["z", "b"]


def test_what_is_over_the_cap_is_counted_and_stays_in_the_table():
    chart = bars([(f"a{place}", place / 100) for place in range(30)], cap=5)
    assert len(of_class(chart, "pc-bar")) == 5
    assert "and 25 more, in the table" in texts(chart)
    assert len(chart.table.rows) == 30


def test_the_two_parts_of_a_bar_make_up_the_whole():
    chart = bars([("a", 0.3)], parts=("one", "other"))
    filled, open_ = of_class(chart, "pc-bar")[-1], of_class(chart, "pc-other")[-1]
    end = float(filled.get("x")) + float(filled.get("width"))
    assert float(open_.get("x")) == pytest.approx(end, abs=1)
    whole = float(open_.get("x")) + float(open_.get("width")) - float(filled.get("x"))
    assert float(filled.get("width")) / whole == pytest.approx(0.3, abs=0.01)


def test_both_spectra_stand_side_by_side_with_heights_in_proportion():
    chart = charts.spectra("s", title="t", original=[0.6, 0.3, 0.1], release=[0.4, 0.4, 0.2])
    heights = [float(one.get("height")) for one in of_class(chart, "pc-bar")[1:]]
    assert [high / heights[0] for high in heights] == pytest.approx([1, 0.5, 1 / 6], abs=0.01)
    assert chart.table.rows[0] == ("1", "0.6000", "0.4000")


# --------------------------------------------------------------------------- densities


def test_a_kept_order_is_a_rising_diagonal_of_the_largest_squares():
    grid = [[1 / 12 if row == column else 0.0 for column in range(12)] for row in range(12)]
    path = of_class(charts.rank_density("d", title="t", panels=[("a", grid)]), "pc-h4")[0].get("d")
    starts = [tuple(map(float, pair)) for pair in re.findall(r"M(\S+) (\S+?)h", path)]
    assert len(starts) == 12
    assert starts == sorted(starts, key=lambda start: (start[0], -start[1]))
    assert len({round(x + y, 1) for x, y in starts}) == 1


def test_a_random_order_is_an_even_picture():
    grid = [[1 / 144] * 12 for _ in range(12)]
    path = of_class(charts.rank_density("d", title="t", panels=[("a", grid)]), "pc-h1")[0].get("d")
    assert path.count("M") == 144


def test_shares_below_the_floor_are_not_told_from_none():
    few = [[0.3, 0.001, 0.2], [0.0, 0.3, 0.0], [0.0, 0.0, 0.199]]
    none = [[0.3, 0.0, 0.2], [0.0, 0.3, 0.0], [0.0, 0.001, 0.199]]
    first, second = (charts.rank_density("d", title="t", panels=[("a", grid)], floor=0.01) for grid in (few, none))
    assert first == second
    assert "below 0.0100" in first.table.rows[0]


def test_classes_are_joined_until_squares_hold_enough_and_no_share_is_lost():
    grid = [[(row + column) / 1584 for column in range(12)] for row in range(12)]
    chart = charts.rank_density("d", title="t", panels=[("a", grid)], floor=10 / 1080)
    cells = [cell for row in chart.table.rows for cell in row[2:]]
    assert len(cells) == 36
    assert sum(float(cell) for cell in cells if "below" not in cell) == pytest.approx(1, abs=0.05)


# --------------------------------------------------------------------------- the map


def mapped(*points: MapPoint, better: str = "higher", limits=(), **more) -> charts.Chart:
    protection = Axis(name="P", better=better, good="safer", limits=tuple(limits))
    utility = Axis(name="U", better="higher", good="more useful", limits=(Limit(value=0.5, side="min"),))
    return charts.risk_utility_map("m", title="t", points=points, protection=protection, utility=utility, **more)


def spot(protection, utility, verdict="release", **more) -> MapPoint:
    return MapPoint(label=f"{protection}", protection=protection, utility=utility, verdict=verdict, **more)


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_better_is_always_to_the_right(better):
    marks = of_class(mapped(spot(0.2, 0.9), spot(0.8, 0.9), better=better), "pc-mark")
    first, second = (middle(mark.find(f"{SVG}circle")) for mark in marks)
    assert (first < second) == (better == "higher")


def test_every_verdict_has_its_own_shape():
    verdicts = ("release", "review", "block", None)
    chart = mapped(*(spot(place / 5, 0.5, verdict) for place, verdict in enumerate(verdicts)))
    shapes = {
        (mark[-1].tag, len(mark[-1].get("points", "").split()), mark[-1].get("class"))
        for mark in of_class(chart, "pc-mark")
    }
    assert len({shape[:2] for shape in shapes}) == 4
    assert {"release", "review", "block", "not judged"} <= set(texts(chart))


def test_marks_and_rows_of_the_table_share_their_keys():
    chart = mapped(spot(0.1, 0.2), spot(None, 0.2), spot(0.3, 0.4, key="mine"))
    drawn = [mark.get("data-key") for mark in of_class(chart, "pc-mark")]
    assert chart.table.keys == ("m-p1", "m-p2", "mine")
    assert drawn == ["m-p1", "mine"]
    assert "1 without a value: only in the table" in texts(chart)


def test_the_best_trade_offs_are_joined_from_left_to_right():
    chart = mapped(
        spot(0.9, 0.1, pareto=True), spot(0.1, 0.9, pareto=True), spot(0.5, 0.5, pareto=True), spot(0.2, 0.2)
    )
    (front,) = [one for one in of_class(chart, "pc-front") if one.tag == f"{SVG}polyline"]
    across = [x for x, _ in corners(front)]
    assert len(across) == 3
    assert across == sorted(across)


def test_groups_of_points_have_lines_of_their_own():
    few = [spot(0.1, 0.5, pareto=True, group="2"), spot(0.4, 0.2, pareto=True, group="2")]
    more = [spot(0.2, 0.9, pareto=True, group="3"), spot(0.6, 0.7, pareto=True, group="3")]
    fronts = [corners(one) for one in of_class(mapped(*few, *more), "pc-front") if one.tag == f"{SVG}polyline"]
    assert [len(front) for front in fronts] == [2, 2]
    assert max(y for _, y in fronts[1]) < min(y for _, y in fronts[0])  # more useful is further up


@pytest.mark.parametrize("partial", [True, False], ids=["for some points", "for all points"])
def test_no_name_stands_on_a_limit(partial):
    limits = (Limit(value=0.5, side="min"),)
    axis = Axis(name="P", better="higher", good="safer", **{"partial" if partial else "limits": limits})
    names = [f"candidate {place}" for place in range(6)]
    points = [
        MapPoint(label=name, protection=0.44 + 0.02 * place, utility=0.1 + 0.15 * place, verdict="release")
        for place, name in enumerate(names)
    ]
    chart = charts.risk_utility_map(
        "m", title="t", points=points, protection=axis, utility=Axis(name="U", better="higher", good="good")
    )
    if partial:
        (line,) = [
            one for one in of_class(chart, "pc-limit") if one.get("y1") != one.get("y2") and float(one.get("y1")) > 0
        ]
        edge = float(line.get("x1"))
    else:
        edge = float(of_class(chart, "pc-zone")[0].get("x"))
    written = [one for one in ET.fromstring(chart.svg).iter(f"{SVG}text") if one.text in names]
    assert len(written) >= 4
    for one in written:
        wide, x = width_of(one.text, SMALL), float(one.get("x"))
        start = x - {"start": 0, "middle": wide / 2, "end": wide}[one.get("text-anchor", "start")]
        assert not start < edge < start + wide


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_shaded_region_holds_the_points_that_keep_all_limits_and_no_other(better):
    limits = [Limit(value=0.4, side="min" if better == "higher" else "max")]
    points = [spot(x / 10, y / 10) for x in range(1, 10) for y in range(1, 10)]
    chart = mapped(*points, better=better, limits=limits, cap_labels=0)
    zone = of_class(chart, "pc-zone")[0]
    left, top, width, height = (float(zone.get(name)) for name in ("x", "y", "width", "height"))
    marks = {mark.get("data-key"): mark.find(f"{SVG}circle") for mark in of_class(chart, "pc-mark")}
    for key, point in zip(chart.table.keys, points, strict=True):
        x, y = float(marks[key].get("cx")), float(marks[key].get("cy"))
        within = left - 0.1 <= x <= left + width + 0.1 and top - 0.1 <= y <= top + height + 0.1
        kept = (point.protection >= 0.4 if better == "higher" else point.protection <= 0.4) and point.utility >= 0.5
        assert within == kept


def test_few_points_are_named_and_many_are_numbered_and_capped():
    few = mapped(*(spot(place / 10, 1 - place / 10) for place in range(8)))
    many = mapped(*(spot(place / 100, 1 - place / 100) for place in range(100)), cap_labels=7)
    assert {"0.1", "0.7"} <= set(texts(few))
    assert sum(text.isdigit() and text not in {"0", "1"} for text in texts(many)) <= 7


def test_labels_never_overlap_each_other_or_a_mark():
    frame = Box(0, 0, 300, 200)
    marks = [(20 + 37 * place % 260, 20 + 53 * place % 160) for place in range(25)]
    places = Places(frame, [Box(x - 6, y - 6, x + 6, y + 6) for x, y in marks])
    places.avoid((0, 0), (300, 200))
    taken = len(places.taken)
    labels = [places.put(mark, 5, f"candidate {place}", str(place)) for place, mark in enumerate(marks)]
    boxes = places.taken[taken:]
    assert len(boxes) == sum(label is not None for label in labels) > 5
    assert not any(one.meets(other) for one, other in combinations(boxes, 2))
    assert not any(box.meets(other) for box in boxes for other in places.taken[:taken])
    assert all(box.within(frame) for box in boxes)


# --------------------------------------------------------------------------- curves


def curve(*ys: float | None, **more) -> charts.Chart:
    points = tuple(CurvePoint(x=float(place + 1), y=y, **more) for place, y in enumerate(ys))
    panel = Panel(title="p", series=(Series(name="M", points=points, limits=(Limit(value=0.5, side="min"),)),))
    return charts.sweep_curves("c", title="t", parameter="k", value_name="v", panels=[panel])


def test_a_line_is_broken_where_a_value_is_missing():
    pieces = [corners(one) for one in of_class(curve(0.1, 0.2, None, 0.4, 0.5), "pc-s0") if one.tag == f"{SVG}polyline"]
    assert [len(piece) for piece in pieces] == [2, 2]


def test_the_band_is_one_standard_deviation_to_both_sides():
    chart = curve(0.5, 0.5, spread=0.25)
    band = corners(next(one for one in of_class(chart, "pc-b0") if one.tag == f"{SVG}polygon"))
    line = corners(next(one for one in of_class(chart, "pc-s0") if one.tag == f"{SVG}polyline"))
    assert line[0][1] - band[0][1] == pytest.approx(band[-1][1] - line[0][1])
    assert line[0][1] - band[0][1] > 10


def test_small_drawings_share_their_axes():
    panels = [
        Panel(title=str(count), series=(Series(name="M", points=(CurvePoint(x=1, y=high), CurvePoint(x=9, y=0.0))),))
        for count, high in ((2, 0.2), (3, 3.0))
    ]
    chart = charts.sweep_curves("c", title="t", parameter="k", value_name="v", panels=panels)
    first, second = (corners(one) for one in of_class(chart, "pc-s0") if one.tag == f"{SVG}polyline")
    assert first[1] == second[1]
    assert first[0][1] > second[0][1]


def test_every_point_is_a_row_and_every_mark_has_its_key():
    points = (CurvePoint(x=1, y=0.1, verdict="block", key="one"), CurvePoint(x=2, y=0.2, verdict="release", key="two"))
    panel = Panel(title="p", series=(Series(name="M", points=points),))
    chart = charts.sweep_curves("c", title="t", parameter="k", value_name="v", panels=[panel])
    assert chart.table.keys == ("one", "two")
    assert [mark.get("data-key") for mark in of_class(chart, "pc-mark")] == ["one", "two"]
    assert chart.table.rows[0] == ("p", "M", "1", "0.1000", "-", "block")


# --------------------------------------------------------------------------- the picture of the model


def test_the_numbers_of_the_picture_add_up():
    """The permuted values are the reverse-mapped ones: the original's value of the released rank."""
    ranks = [sorted(RELEASED).index(value) for value in RELEASED]
    assert [sorted(ORIGINAL)[rank] for rank in ranks] == list(PERMUTED)
    assert sorted(ORIGINAL) == sorted(PERMUTED)
    assert max(abs(after - before) for before, after in zip(PERMUTED, RELEASED, strict=True)) <= 2


# --------------------------------------------------------------------------- languages


def test_every_word_of_the_charts_can_be_said_in_another_language():
    """Replace every text by one that no drawing has, and look for what is left of the English one."""
    odd = {}
    for field in fields(Words):
        default = getattr(charts.ENGLISH, field.name)
        if isinstance(default, str):
            odd[field.name] = " ".join(["Ω", *re.findall(r"\{\w+\}", default)])
        elif isinstance(default, tuple):
            odd[field.name] = tuple("Ω" for _ in default)
        elif not isinstance(default, int):
            odd[field.name] = dict.fromkeys(default, "Ω")
    words = Words(**odd)
    note = MetricNote(
        title="#", measures="#", direction="higher is safer", low="#", high="#", blind_spots="", reference=""
    )
    result = MetricResult(
        status="advisory",
        value=0.5,
        null=0.9,
        interval=(0.4, 0.6),
        replicates=[0.5, 0.6],
        baseline=Baseline(value=0.4, what="#"),
    )
    limit = Limit(value=0.3, side="min", label="#")
    axis = Axis(name="#", better="higher", good="safer", limits=(limit,))
    points = [
        MapPoint(label="#", protection=0.1 * n, utility=0.5, verdict=v, pareto=True)
        for n, v in enumerate(("release", None))
    ]
    series = Series(
        name="#", points=tuple(CurvePoint(x=10.0**n, y=0.5, spread=0.1, verdict="review") for n in range(4))
    )
    drawn = [
        charts.metric_scale("a", name="#", result=result, note=note, limits=[limit], words=words),
        charts.metric_scale("b", name="#", result=MetricResult(status="error"), note=note, words=words),
        charts.key_bars(
            "c", title="#", items=[("#", 0.5), ("#", None)], value_name="#", cap=1, limits=[limit], words=words
        ),
        charts.key_bars("d", title="#", items=[], value_name="#", words=words),
        charts.spectra("e", title="#", original=[0.5, 0.5], release=[0.5], cap=1, words=words),
        charts.rank_density(
            "f", title="#", panels=[("#", [[0.5, 0.0], [0.0, 0.5]])] * 2, floor=0.01, cap=1, words=words
        ),
        charts.risk_utility_map(
            "g",
            title="#",
            points=[*points, MapPoint(label="#", protection=None, utility=0.5, verdict="block")],
            protection=axis,
            utility=axis,
            words=words,
        ),
        charts.sweep_curves(
            "h",
            title="#",
            parameter="#",
            value_name="#",
            panels=[Panel(title="#", series=(series,))] * 3,
            cap=2,
            words=words,
        ),
        charts.worked_picture("i", words=words),
        charts.verdict_badge("j", verdict="block", words=words),
    ]
    for chart in drawn:
        shown = ET.fromstring(f"<all>{re.sub('<style>.*?</style>', '', chart.svg)}</all>").itertext()
        told = [
            *shown,
            chart.title,
            chart.alt,
            *chart.table.header,
            *(cell for row in chart.table.rows for cell in row),
        ]
        assert not re.search(r"[a-z]{2,}", " ".join(told))
