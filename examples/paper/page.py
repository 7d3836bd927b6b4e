# ruff: noqa: INP001 - an example beside its script, not a package
"""The page: our numbers beside the published ones, what agrees, and what does not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from results import (
    FIGURES,
    LAST_DECIMAL,
    LIMIT,
    METRICS,
    PUBLISHED,
    SIZES,
    across,
    along,
    distance,
    monotonicity,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from results import Figure, Point, Tally

DRAWN = ("UM", "CM1", "CM2")
SHOWN_K = (*range(2, 11), *range(20, 101, 10))
"""Of the values of k up to 100, those in the table; curves.csv has them all."""
DENSE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that the page is about."""

    is_census: bool
    quick: bool
    seed: int
    records: int
    census: Point
    simulated: Sequence[Point]
    """One for each simulated data set."""
    curves: Mapping[int, Mapping[int, Sequence[Point]]]
    """By figure and by number of attributes."""
    scales: Mapping[str, Mapping[int, Sequence[Point]]]
    """Figure 2 by what makes the attributes comparable."""


def page(found: Findings) -> str:
    """Write the whole page."""
    sections = [
        *_introduction(found),
        *_table1(found),
        "## Figures 2 to 5",
        FIGURES_TEXT,
        *(text for figure in FIGURES for text in _figure(figure, found)),
        "## Does more protection mean less UM and more CM1, CM2?",
        *_along(found),
        "## Do more attributes mean less UM and more CM?",
        *_across(found),
    ]
    return "\n\n".join(sections) + "\n"


# --------------------------------------------------------------------------- the beginning

FIGURES_TEXT = """The lines are our runs. No published number of these figures is at hand, only what they are said to show, which is
checked [below](#does-more-protection-mean-less-um-and-more-cm1-cm2). With two attributes the audit is about FICA and
FEDTAX, with three INTVAL comes in, with four POTHVAL: this order is our choice. So is what the material at hand leaves
open: the step of k above 100; the seven values of epsilon, .01, .1, 1, 10, 25, 50 and 100, of which only the ends and five
data sets for each are known to be the paper's; and five data sets for each alpha and beta. [curves.csv](curves.csv) has
every point, also CM3 and the standard errors."""
REMARKS_ELSEWHERE = "Remarks are left out: they are about the numbers of a whole run on the Census data set."


def _introduction(found: Findings) -> list[str]:
    data = (
        "**Data: the Census data set** (1,080 records; FICA, FEDTAX, INTVAL, POTHVAL). It is not part of this project; "
        "this page holds metric values only."
        if found.is_census
        else "**Data: made-up records in the likeness of the Census data set** (`permaudit.census_like`), because the data "
        "set itself was not given. Numbers and published numbers are about different people and need not agree."
    )
    reduced = ["**A reduced run** (`--quick`): every tenth point and five replications, to see that it works."]
    return [
        "# The paper's Table 1 and Figures 2 to 5, run again",
        (
            "J. Domingo-Ferrer, K. Muralidhar and M. Bras-Amorós, *General Confidentiality and Utility Metrics for "
            "Privacy-Preserving Data Publishing Based on the Permutation Model*. This page is written by "
            "[reproduce.py](reproduce.py) from the audit files in [audits](audits)."
        ),
        data,
        *(reduced if found.quick else []),
        f"""```console
python examples/paper/reproduce.py                                             # all of this page
permaudit run examples/paper/audits/table1-census.yaml --study-seed {found.seed}   # one audit, the same numbers
```""",
        (
            "A study seed makes the runs repeatable, so nothing made here may be released. For the same reason the Laplace noise is "
            "numpy's: outside a study permaudit takes it from OpenDP, which is safe in floating point and has no seed. The seed was "
            "not chosen for its results."
        ),
    ]


# --------------------------------------------------------------------------- Table 1


def _table1(found: Findings) -> list[str]:
    first, sets = found.simulated[0], found.simulated
    means = {name: fmean(one.value(name) for one in sets) for name in METRICS}
    spread = {name: stdev(one.value(name) for one in sets) for name in METRICS}
    names = {"census": "Census" if found.is_census else "Census look-alike", "simulated": "simulated"}
    rows = []
    for key, ours in (("census", found.census), ("simulated", first)):
        published = PUBLISHED[key]
        rows += [
            (f"**{names[key]}**, published", *(f"{published[name]:.4f}" for name in METRICS)),
            (f"ours, {ours.many} replications", *(f"{ours.value(name):.4f}" for name in METRICS)),
            ("standard error of our mean", *(_small(ours.error(name)) for name in METRICS)),
            ("apart, in standard errors", *(f"{_apart(ours, key, name):.1f}" for name in METRICS)),
        ]
    rows += [
        (f"mean of {len(sets)} simulated data sets", *(f"{means[name]:.4f}" for name in METRICS)),
        ("standard deviation between data sets", *(_small(spread[name]) for name in METRICS)),
        (
            "published, in these deviations from that mean",
            *(f"{distance(means[name], PUBLISHED['simulated'][name], spread[name]):.1f}" for name in METRICS),
        ),
    ]
    return [
        "## Table 1: IPSO",
        (
            f"Means over IPSO replications, n = {found.records:,}, m = 4. The simulated data are Gaussian with all correlations "
            f".99. What the rounding to four decimals explains ({LAST_DECIMAL / 2:g}) is not counted as apart. IPSO is synthetic, so "
            "CM1 and CM2 are advisory and only CM3 could decide."
        ),
        _table(("", *METRICS), rows),
        *_agreement(found),
        *_simulated(found, means, spread),
    ]


def _apart(ours: Point, key: str, name: str) -> float:
    """Return how many standard errors of our mean lie between it and the published one."""
    return distance(ours.value(name), PUBLISHED[key][name], ours.error(name))


def _agreement(found: Findings) -> list[str]:
    """Say whether the Census row agrees."""
    if not found.is_census:
        return ["The published Census row is no yardstick for the look-alike."]
    apart = {name: _apart(found.census, "census", name) for name in METRICS}
    off = [f"{name} ({value:.1f})" for name, value in apart.items() if value > LIMIT]
    if off:
        return [f"**Census: not all agree** within two standard errors of the mean: {', '.join(off)} do not."]
    return [
        (
            "**Census: all four agree** with the published row within two standard errors of the mean "
            f"(the farthest is {max(apart, key=apart.__getitem__)}, {max(apart.values()):.1f})."
        )
    ]


def _simulated(found: Findings, means: Mapping[str, float], spread: Mapping[str, float]) -> list[str]:
    """Say what of the simulated row agrees, metric by metric."""
    first, published = found.simulated[0], PUBLISHED["simulated"]
    apart = {name: _apart(first, "simulated", name) for name in METRICS}
    null = 1 - len(METRICS) ** 2 / (found.records - 1)
    cm1 = (
        f"CM1 agrees ({apart['CM1']:.1f} standard errors)."
        if apart["CM1"] <= LIMIT
        else f"**CM1 does not agree within two standard errors of our mean**: {first.value('CM1'):.4f} is {apart['CM1']:.1f} of "
        f"them below the published {published['CM1']:.4f}. "
    )
    if apart["CM1"] > LIMIT:
        both = apart["CM1"] / sqrt(2)
        cm1 += (
            f"The published number is a mean of 100 replications too; if its error is as large as ours, the difference is "
            f"{both:.1f} standard errors of a difference, which is {'within' if both <= LIMIT else 'beyond'} the limit of two. "
            f"But our {len(found.simulated)} data sets together give {means['CM1']:.4f}, so that the published value is on the high "
            "side of what 100 replications give."
        )
    far = distance(means["CM3"], published["CM3"], spread["CM3"])
    cm3 = (
        f"CM3 depends on the simulated data set, and the paper's is another one than ours. Within one data set its standard error is "
        f"only {_small(first.error('CM3'))}, and by that measure the two are {apart['CM3']:.1f} apart; from data set to data set it "
        f"varies by {_small(spread['CM3'])}. The published value is {far:.1f} such deviations from the mean of our data sets: "
        f"**{'it agrees' if far <= LIMIT else 'it does not agree'}**, as far as one draw of the data can."
    )
    cm2 = (
        f"**CM2 does not agree, and cannot.** The paper prints {published['CM2']:.4f}; we get {first.value('CM2'):.4f}, and "
        f"{means['CM2']:.4f} over {len(found.simulated)} data sets. The records of IPSO are unrelated to the original's, so CM2 is at its "
        f"null, whose mean is about 1 - m²/(n - 1) = {null:.4f} for every original; the published Census row, "
        f"{PUBLISHED['census']['CM2']:.4f}, is there too. Beside the published CM1 the printed value would need the three other "
        "canonical correlations to be almost zero in all replications. It is recorded as a deviation and nothing was tuned "
        "to it."
    )
    um = "UM agrees." if apart["UM"] <= LIMIT else f"**UM does not agree** ({apart['UM']:.1f} standard errors)."
    return [f"**Simulated data:** {um} {cm1}", cm3, cm2]


# --------------------------------------------------------------------------- the figures


def alternative(figure: Figure, found: Findings) -> str:
    """Say in words what a chart shows."""
    parts = []
    for size, curve in found.curves[figure.number].items():
        first, last = curve[0], curve[-1]
        moves = ", ".join(f"{name} from {first.value(name):.2f} to {last.value(name):.2f}" for name in DRAWN)
        parts.append(f"with {size} attributes {moves}")
    ends = found.curves[figure.number][SIZES[0]]
    return (
        f"Three line charts of UM, CM1 and CM2. From {figure.parameter} = {ends[0].parameter:g} to "
        f"{ends[-1].parameter:g}: {'; '.join(parts)}."
    )


def _figure(figure: Figure, found: Findings) -> list[str]:
    curves = found.curves[figure.number]
    shown = [
        place
        for place, one in enumerate(curves[SIZES[0]])
        if figure.parameter != "k" or found.quick or one.parameter > DENSE or one.parameter in SHOWN_K
    ]
    head = (figure.parameter, *(f"{name}, {size}" for name in DRAWN for size in SIZES))
    rows = [
        (
            f"{curves[SIZES[0]][place].parameter:g}",
            *(f"{curves[size][place].value(name):.3f}" for name in DRAWN for size in SIZES),
        )
        for place in shown
    ]
    many = curves[SIZES[0]][0].many
    made = f"means of {many} data sets" if many > 1 else "one data set, because nothing is random"
    return [
        f"### Figure {figure.number}: {figure.method}",
        f"![{alternative(figure, found)}](charts/figure{figure.number}.svg)",
        f"{len(curves[SIZES[0]])} values of {figure.parameter}, {made}. Columns: metric, number of attributes.",
        _table(head, rows),
    ]


# --------------------------------------------------------------------------- the statements


def _along(found: Findings) -> list[str]:
    rows = []
    for figure in FIGURES:
        for size, curve in found.curves[figure.number].items():
            cells = [
                f"{_tally(along(curve, name, figure.safer))}, {monotonicity(curve, name, figure.safer):+.3f}"
                for name in DRAWN
            ]
            rows.append((f"{figure.number}: {figure.method}", str(size), *cells))
    scales = [
        (scale, *(f"{monotonicity(curves[size], 'UM', 1):+.3f}" for size in SIZES))
        for scale, curves in found.scales.items()
    ]
    return [
        (
            "Each cell: steps to the next safer parameter at which the metric moves as stated, of all steps; in brackets those at which "
            "it moves the other way by more than two standard errors of the difference (for MDAV, which is not random, all that go the "
            "other way); then Spearman's correlation of protection and metric, which should be -1 for UM and +1 for CM1 and CM2."
        ),
        _table(("figure", "attributes", *DRAWN), rows),
        *(_remarks_along(found) if found.is_census and not found.quick else [REMARKS_ELSEWHERE]),
        "Spearman's correlation of k and UM under MDAV, by what makes the attributes comparable (`scale`):",
        _table(("scale", *(f"{size} attributes" for size in SIZES)), scales),
        "The audit files use the default, `range`; after its result was seen, the three other scales of `mdav` were run too.",
    ]


def _remarks_along(found: Findings) -> list[str]:
    return [
        f"""- **CM1 and CM2 rise** with protection for every method: Spearman's correlation is {_least(found):.2f} or more. Under MDAV the trend is
  plain, but more than a quarter of the steps from k to k + 1 go down: the groups are formed anew for each k.
- **UM falls** with noise of all three kinds. No step the other way exceeds two standard errors; those of Laplace noise
  are at epsilon of 1 and less, where the release is nearly all noise and UM is near 0 anyway.
- **UM under MDAV does not bear the statement out.** From k to k + 1 it moves up about as often as down, and with three
  attributes it is as high at k = 100 as at 8. How close the trend comes to the
  statement depends on the scale, see below: by `std` and by `rank` UM falls for every number of attributes.
- **At the largest k there is little left to rank.** With {found.records:,} records k = 300 makes three groups, and 400 and 500 make
  two. Groups in the same (or the reverse) order by every attribute leave one canonical correlation, so that CM1 = CM2,
  and attributes that are perfectly correlated, for which UM can be cut off at 0. From k = 400 to 500 CM1 and CM2 fall with
  every number of attributes."""
    ]


def _least(found: Findings) -> float:
    """Return the weakest trend of CM1 and CM2."""
    return min(
        monotonicity(curve, name, figure.safer)
        for figure in FIGURES
        for curve in found.curves[figure.number].values()
        for name in ("CM1", "CM2")
    )


def _across(found: Findings) -> list[str]:
    steps = list(pairwise(SIZES))
    rows = [
        (
            f"{figure.number}: {figure.method}",
            f"{fewer} to {more}",
            *(_tally(across(curves[fewer], curves[more], name)) for name in METRICS),
        )
        for figure in FIGURES
        for curves in [found.curves[figure.number]]
        for fewer, more in steps
    ]
    return [
        (
            "Each cell: values of the parameter at which the metric moves as stated when an attribute is added, of all; in brackets those "
            "at which it moves the other way by more than two standard errors (of the paired difference: the attributes that "
            "two audits share get the same random numbers). CM3 is shown because the statement says CM; it may not mean CM3."
        ),
        _table(("figure", "attributes", *METRICS), rows),
        *([REMARKS_ON_ATTRIBUTES] if found.is_census and not found.quick else [REMARKS_ELSEWHERE]),
        CANNOT,
    ]


REMARKS_ON_ATTRIBUTES = """- **MDAV** bears the statement out for UM and CM1 nearly everywhere, for CM2 at four of five k from three to four attributes.
  Groups of records that are alike in more attributes are less alike in each.
- **Laplace noise** bears it out at epsilon of 10 and more: more attributes split the same budget, so that each gets more
  noise. At epsilon of 1 and less it does not. There CM1 and CM2 are near their null, which is *lower* with more attributes
  (for CM2 about 1 - m²/(n - 1)), and UM is near 0.
- **Additive noise** bears it out for UM, and at no alpha for CM1 and CM2.
- **Multiplicative noise** bears it out at no beta. INTVAL and POTHVAL range over more powers of ten than FICA and FEDTAX, so
  that factors between 1 - beta and 1 + beta change their order less: with them UM rises.
- **CM3** falls where attributes are added, but for Laplace noise and a few k."""

CANNOT = """For additive and multiplicative noise the statement *cannot* hold for CM1 and CM2 as they are defined, whatever the data:
the noise of an attribute does not depend on how many others there are, and one more attribute on both sides can only raise
the largest canonical correlation and lower Wilks' lambda. CM1 and CM2 fall or stay. Whether the paper means the statement for
these two methods cannot be told from the material at hand."""


def _tally(tally: Tally) -> str:
    """Write a tally."""
    return f"{tally.stated} of {tally.steps} ({tally.against})"


# --------------------------------------------------------------------------- Markdown


def _small(number: float) -> str:
    """Write a standard error: two digits that count."""
    return f"{number:.1g}" if number < LAST_DECIMAL / 10 else f"{number:.5f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table whose first column is text."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
