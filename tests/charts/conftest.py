"""Every chart with ordinary, odd and hostile data: what the tests of this room look at."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from permaudit.outcome import Baseline, MetricNote, MetricResult
from permaudit.report import charts
from permaudit.report.charts import Axis, CurvePoint, Limit, MapPoint, Panel, Series

HOSTILE = (
    "<script>alert(1)</script>",
    ']]><image href="http://example.invalid/x.png"/>',
    '"><svg onload="alert(1)">',
    "tab\tnewline\nnull\x00bell\x07",
    "right\u202eto left\u200b",
    "half \ud800 a character",
    "{{7*7}} {n} %s &amp; &lt;",
    "x" * 100_000,
    "W" * 70,
    "漢字の属性名がとても長い場合",
    "",
)

NOTE = MetricNote(
    title="Confidentiality, all links",
    measures="confidentiality",
    direction="higher is safer",
    low="at least one attribute, or a combination of some, is left in its original order",
    high="like a random permutation of the records",
    blind_spots="",
    reference="",
)
RESULT = MetricResult(
    status="ok",
    value=0.0342,
    null=0.9853,
    interval=(0.0271, 0.0436),
    baseline=Baseline(
        value=0.8123, spread=0.0117, draws=20, what="a random half of the original beside the other half"
    ),
)
RULE = Limit(value=0.05, side="min", label="policy")


def metric_scales() -> dict[str, charts.Chart]:
    """Return the scale with all kinds of results."""
    lower = MetricNote(
        title="Copied records",
        measures="risk",
        direction="lower is safer",
        low="no record is a copy",
        high="every record is a copy",
        blind_spots="",
        reference="",
    )
    spread = MetricResult(
        status="ok",
        value=0.6673,
        std=0.02,
        replicates=[0.6673 + 0.02 * math.sin(place) for place in range(20)],
        null=0.98,
        baseline=Baseline(value=0.84, what="the holdout"),
    )
    return {
        "usual": charts.metric_scale("scale-usual", name="CM2", result=RESULT, note=NOTE, limits=[RULE]),
        "replicates": charts.metric_scale(
            "scale-replicates",
            name="CM3",
            result=spread,
            note=NOTE,
            limits=[Limit(value=0.3, side="min", label="policy"), Limit(value=0.45, side="min", label="audit file")],
        ),
        "lower": charts.metric_scale(
            "scale-lower",
            name="copies",
            result=MetricResult(status="ok", value=0.004, interval=(0.0, 0.012)),
            note=lower,
            limits=[Limit(value=0.01, side="max")],
        ),
        "advisory": charts.metric_scale(
            "scale-advisory", name="CM1", result=MetricResult(status="advisory", value=0.99, null=0.99), note=NOTE
        ),
        "none": charts.metric_scale(
            "scale-none",
            name="CM3",
            result=MetricResult(status="not-applicable", reason="a single attribute leaves nothing to link by"),
            note=NOTE,
            limits=[RULE],
        ),
        "error": charts.metric_scale(
            "scale-error",
            name="CM3",
            result=MetricResult(status="error", value=math.nan, reason="it raised"),
            note=NOTE,
        ),
        "together": charts.metric_scale(
            "scale-together",
            name="UM",
            result=MetricResult(
                status="ok", value=1.0, null=1.0, interval=(1.0, 1.0), baseline=Baseline(value=1.0, what="x")
            ),
            note=NOTE,
            limits=[Limit(value=1.0, side="min")],
        ),
        "unbounded": charts.metric_scale(
            "scale-unbounded",
            name="distance",
            result=MetricResult(status="ok", value=1234.5, null=-3.0),
            note=NOTE,
            bounds=(-math.inf, math.inf),
            limits=[Limit(value=math.nan, side="min")],
        ),
        "impossible": charts.metric_scale(
            "scale-impossible",
            name="CM2",
            result=RESULT,
            note=NOTE,
            limits=[Limit(value=0.8, side="min"), Limit(value=0.2, side="max")],
        ),
    }


def bars() -> dict[str, charts.Chart]:
    """Return bars with all kinds of items."""
    items = [("FICA", 0.81), ("FEDTAX", 0.034), ("INTVAL", 0.42), ("POTHVAL", 0.668)]
    many = [(f"ATTRIBUTE_{place}", (place * 37 % 1000) / 1000) for place in range(1000)]
    return {
        "usual": charts.key_bars(
            "bars-usual",
            title="What is left to an intruder who sorts by one attribute",
            items=items,
            value_name="CM3 by key",
            better="higher",
            good="safer",
            limits=[Limit(value=0.3, side="min", label="policy")],
        ),
        "parts": charts.key_bars(
            "bars-parts",
            title="Permutation and residual noise",
            items=[("FICA", 0.97), ("FEDTAX", 0.12), ("INTVAL", None), ("POTHVAL", 1.0), ("AGE", 0.0)],
            value_name="share of the permutation",
            parts=("permutation", "residual noise"),
        ),
        "lower": charts.key_bars(
            "bars-lower",
            title="Explained",
            items=items,
            value_name="explained",
            better="lower",
            good="safer",
            order="descending",
        ),
        "many": charts.key_bars("bars-many", title="Many", items=many, value_name="distance"),
        "empty": charts.key_bars("bars-empty", title="Nothing", items=[], value_name="distance"),
        "one": charts.key_bars("bars-one", title="One", items=[("AGE", 0.5)], value_name="distance", order="given"),
        "none": charts.key_bars(
            "bars-none", title="None", items=[("AGE", None), ("SEX", math.nan)], value_name="distance"
        ),
        "equal": charts.key_bars(
            "bars-equal", title="Equal", items=[("AGE", 0.0), ("SEX", 0.0)], value_name="distance"
        ),
        "negative": charts.key_bars(
            "bars-negative", title="Below zero", items=[("AGE", -0.5), ("SEX", 0.25)], value_name="difference"
        ),
    }


def two_spectra() -> dict[str, charts.Chart]:
    """Return spectra of all kinds."""
    long = [0.5 * 0.7**place for place in range(40)]
    return {
        "usual": charts.spectra(
            "spectra-usual", title="Spectra", original=[0.61, 0.22, 0.12, 0.05], release=[0.42, 0.27, 0.19, 0.12]
        ),
        "long": charts.spectra("spectra-long", title="Many attributes", original=long, release=long[::-1]),
        "one": charts.spectra("spectra-one", title="One attribute", original=[1.0], release=[1.0]),
        "empty": charts.spectra("spectra-empty", title="Nothing", original=[], release=[]),
        "uneven": charts.spectra("spectra-uneven", title="Uneven", original=[0.5, 0.5], release=[math.nan]),
    }


def density(noise: float, seed: int = 3) -> list[list[float]]:
    """Return the density of ranks under noise."""
    rng = np.random.default_rng(seed)
    original = np.arange(1200)
    released = np.argsort(np.argsort(original / 1200 + noise * rng.normal(size=1200)))
    counts = np.zeros((12, 12))
    np.add.at(counts, (original // 100, released // 100), 1)
    return (counts / 1200).tolist()


def densities() -> dict[str, charts.Chart]:
    """Return rank densities of all kinds."""
    panels = [("FICA", density(0.0)), ("FEDTAX", density(0.05)), ("INTVAL", density(0.3)), ("POTHVAL", density(30.0))]
    return {
        "usual": charts.rank_density("density-usual", title="Where the ranks went", panels=panels),
        "external": charts.rank_density(
            "density-external", title="Without small counts", panels=panels, floor=10 / 1200
        ),
        "many": charts.rank_density(
            "density-many", title="Many", panels=[(f"A{place}", panels[place % 4][1]) for place in range(15)]
        ),
        "none": charts.rank_density("density-none", title="Unlinked", panels=[("AGE", None)]),
        "odd": charts.rank_density(
            "density-odd", title="Odd", panels=[("AGE", [[math.nan, 0.5], [0.5]]), ("SEX", [[1.0]])]
        ),
    }


PROTECTION = Axis(name="CM2", better="higher", good="safer", limits=(RULE,))
UTILITY = Axis(
    name="UM", better="higher", good="more useful", limits=(Limit(value=0.6, side="min", label="audit file"),)
)


def _points(count: int) -> tuple[MapPoint, ...]:
    """Return a sweep that gets safer and less useful."""
    found = []
    for place in range(count):
        share = place / max(1, count - 1)
        safe = share**1.7
        useful = 1 - 0.8 * share**2 - 0.05 * (place % 3)
        verdict = "block" if safe < 0.05 or useful < 0.4 else "review" if useful < 0.6 else "release"
        found.append(
            MapPoint(
                label=f"k={2 + 3 * place}", protection=safe, utility=useful, verdict=verdict, pareto=place % 3 == 0
            )
        )
    return tuple(found)


def maps() -> dict[str, charts.Chart]:
    """Return maps of all kinds."""
    few = (
        MapPoint(label="vendor file", protection=0.0342, utility=0.98, verdict="block", pareto=True),
        MapPoint(
            label="k10",
            protection=0.41,
            utility=0.9,
            verdict="release",
            pareto=True,
            protection_spread=0.03,
            utility_spread=0.05,
        ),
        MapPoint(label="k25", protection=0.44, utility=0.89, verdict="release", pareto=True),
        MapPoint(label="synthetic", protection=0.97, utility=0.55, verdict="review", pareto=True),
        MapPoint(label="noise", protection=0.4, utility=0.5, verdict=None),
        MapPoint(label="failed", protection=None, utility=0.4, verdict="block"),
    )
    backwards = Axis(name="copies", better="lower", good="safer", limits=(Limit(value=0.2, side="max"),))
    one = (MapPoint(label="only", protection=0.5, utility=0.5, verdict="review", pareto=True),)

    def drawn(name: str, points, protection=PROTECTION, utility=UTILITY, **more) -> charts.Chart:
        return charts.risk_utility_map(
            f"map-{name}", title="Protection and utility", points=points, protection=protection, utility=utility, **more
        )

    return {
        "usual": drawn("usual", few),
        "sweep": drawn("sweep", _points(24)),
        "wide": drawn("wide", _points(10), width=600),
        "thousand": drawn("thousand", _points(1000)),
        "one": drawn(
            "one", one, Axis(name="a", better="higher", good="safer"), Axis(name="b", better="higher", good="good")
        ),
        "equal": drawn("equal", [one[0]] * 5),
        "backwards": drawn("backwards", few, protection=backwards),
        "empty": drawn("empty", []),
        "none": drawn("none", [MapPoint(label="x", protection=math.nan, utility=None, verdict="block")]),
    }


def _series(name: str, values, rise: float, limits=()) -> Series:
    """Return a curve that rises or falls over the values."""
    points = []
    for place, value in enumerate(values):
        share = place / max(1, len(values) - 1)
        y = share**0.6 * 0.9 if rise > 0 else 1 - 0.8 * share**1.4
        verdict = "release" if 0.3 < share < 0.8 else "review" if share >= 0.8 else "block"
        points.append(CurvePoint(x=value, y=y * abs(rise), spread=0.05, verdict=verdict, key=f"{name}-{place}"))
    return Series(name=name, points=tuple(points), limits=tuple(limits))


def curves() -> dict[str, charts.Chart]:
    """Return curves of all kinds."""
    steps = (2, 5, 10, 25, 50, 100, 250, 500)
    pair = lambda scale: (_series("CM2", steps, scale, [RULE]), _series("UM", steps, -scale))  # noqa: E731
    gap = Series(
        name="CM3",
        points=(
            CurvePoint(x=1.0, y=0.1),
            CurvePoint(x=2.0, y=None),
            CurvePoint(x=3.0, y=0.3),
            CurvePoint(x=4.0, y=math.nan),
            CurvePoint(x=5.0, y=0.2),
            CurvePoint(x=6.0, y=0.25),
        ),
    )

    def drawn(name: str, *panels: Panel, parameter="k") -> charts.Chart:
        return charts.sweep_curves(
            f"curves-{name}", title="Along the sweep", parameter=parameter, value_name="value", panels=panels
        )

    four = tuple(
        _series(name, (0.1, 0.2, 0.3, 0.4, 0.5), rise)
        for name, rise in (("UM", -1), ("CM1", 1), ("CM2", 0.8), ("CM3", 0.6), ("X", 0.3))
    )
    return {
        "usual": drawn(
            "usual", *(Panel(title=f"{count} attributes", series=pair(1 - 0.1 * count)) for count in (2, 3, 4))
        ),
        "one": drawn("one", Panel(title="", series=pair(1.0))),
        "four": drawn("four", Panel(title="all metrics", series=four), parameter="alpha"),
        "words": drawn(
            "words", Panel(title="", series=(_series("UM", ("range", "domain", 3), -1),)), parameter="scale"
        ),
        "gaps": drawn("gaps", Panel(title="gaps", series=(gap,))),
        "single": drawn("single", Panel(title="", series=(_series("UM", (7,), 1),))),
        "thousand": drawn("thousand", Panel(title="", series=(_series("UM", tuple(range(1, 1001)), -1),))),
        "empty": drawn("empty"),
        "none": drawn("none", Panel(title="x", series=(Series(name="UM", points=(CurvePoint(x=1, y=None),)),))),
    }


def others() -> dict[str, charts.Chart]:
    """Return the picture of the model and the badges."""
    badges = {
        verdict: charts.verdict_badge(f"badge-{verdict}", verdict=verdict) for verdict in ("release", "review", "block")
    }
    return {"picture": charts.worked_picture("picture"), **badges}


def hostile(name: str, prefix: str) -> dict[str, charts.Chart]:
    """Return every chart with one name in every place where a name can be."""
    note = MetricNote(
        title=name, measures=name, direction="higher is safer", low=name, high=name, blind_spots="", reference=""
    )
    result = MetricResult(status="ok", value=0.5, baseline=Baseline(value=0.4, what=name), reason=name)
    limit = Limit(value=0.3, side="min", label=name)
    axis = Axis(name=name, better="higher", good=name, limits=(limit,))
    point = MapPoint(label=name, protection=0.5, utility=0.5, verdict="review", pareto=True, key=name)
    series = Series(
        name=name,
        points=(CurvePoint(x=name, y=0.5, verdict="block", key=name), CurvePoint(x="b", y=0.6)),
        limits=(limit,),
    )
    return {
        "scale": charts.metric_scale(f"{prefix}-a", name=name, result=result, note=note, limits=[limit]),
        "bars": charts.key_bars(
            f"{prefix}-b",
            title=name,
            items=[(name, 0.4), (name + "2", 0.5)],
            value_name=name,
            item_name=name,
            better="higher",
            good=name,
            parts=(name, name),
            limits=[limit],
        ),
        "spectra": charts.spectra(f"{prefix}-c", title=name, original=[0.5, 0.5], release=[0.5, 0.5]),
        "density": charts.rank_density(f"{prefix}-d", title=name, panels=[(name, density(0.3))]),
        "map": charts.risk_utility_map(
            f"{prefix}-e",
            title=name,
            points=[point, MapPoint(label=name, protection=0.1, utility=0.2, verdict=None)],
            protection=axis,
            utility=axis,
        ),
        "curves": charts.sweep_curves(
            f"{prefix}-f", title=name, parameter=name, value_name=name, panels=[Panel(title=name, series=(series,))]
        ),
        "badge": charts.verdict_badge(f"{prefix}-g", verdict="block", word=name),
    }


@cache
def everything() -> dict[str, charts.Chart]:
    """Return all of them, by name."""
    rooms = {
        "scale": metric_scales(),
        "bars": bars(),
        "spectra": two_spectra(),
        "density": densities(),
        "map": maps(),
        "curves": curves(),
        "other": others(),
    }
    found = {f"{room}-{name}": chart for room, drawn in rooms.items() for name, chart in drawn.items()}
    for place, name in enumerate(HOSTILE):
        found |= {f"hostile-{place}-{kind}": chart for kind, chart in hostile(name, f"hostile-{place}").items()}
    return found


@pytest.fixture(scope="session")
def every_chart() -> dict[str, charts.Chart]:
    """Return every chart of the gallery, by name."""
    return everything()


@pytest.fixture(params=["scale", "bars", "spectra", "density", "map", "curves", "other", "hostile"])
def some_charts(request) -> list[charts.Chart]:
    """Return the charts of one kind after the other."""
    return [chart for name, chart in everything().items() if name.startswith(f"{request.param}-")]
