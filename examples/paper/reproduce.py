# ruff: noqa: INP001 - a script, not a package
"""Run Table 1 and Figures 2 to 5 of the paper again and write the page about it.

    python examples/paper/reproduce.py            everything: README.md, curves.csv and the charts
    python examples/paper/reproduce.py --quick    every tenth point and five replications, to see that it works

The Census data set is taken from the file that CENSUS_CSV names, else from ../shared/data/census.csv beside the checkout;
where there is none, made-up records in its likeness take its place, and the page says so.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chart import chart
from data import RECORDS, STUDY_SEED, prepare, simulate, write
from page import Findings, alternative, page
from results import FIGURES, METRICS, SIZES, point

from permaudit.cli.loading import load_audit
from permaudit.runner import run_audit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from results import Point

    from permaudit import Outcome

HERE = Path(__file__).resolve().parent
DATA_SETS = 20
OTHER_SCALES = ("domain", "std", "rank")
TICKS = {2: (2, 5, 10, 20, 50, 100, 200, 500), 3: (0.01, 0.1, 1, 10, 100), 4: (0, 0.25, 0.5, 0.75, 1)}
EVERY, FEW_REPLICATES, FEW_DATA_SETS = 10, 5, 2


def main(arguments: Sequence[str]) -> None:
    """Prepare the data, run the audits, write the page."""
    parser = argparse.ArgumentParser(description="Run Table 1 and Figures 2 to 5 of the paper again.")
    parser.add_argument("--quick", action="store_true", help="every tenth point and five replications only")
    quick = parser.parse_args(arguments).quick
    is_census = prepare()
    simulated = []
    for number in range(FEW_DATA_SETS if quick else DATA_SETS):
        simulate(number)
        simulated.append(point(run("table1-simulated", number, quick=quick).candidates[0]))
    simulate(0)
    census = point(run("table1-census", quick=quick).candidates[0])
    curves = {figure.number: {size: curve(figure.number, size, quick=quick) for size in SIZES} for figure in FIGURES}
    scales = {scale: {size: curve(2, size, quick=quick, scale=scale) for size in SIZES} for scale in OTHER_SCALES}
    found = Findings(
        is_census=is_census,
        quick=quick,
        seed=STUDY_SEED,
        records=RECORDS,
        census=census,
        simulated=simulated,
        curves=curves,
        scales={"range": curves[2], **scales},
    )
    (HERE / "charts").mkdir(exist_ok=True)
    for figure in FIGURES:
        drawn = chart(figure, curves[figure.number], TICKS.get(figure.number, TICKS[4]), alternative(figure, found))
        (HERE / "charts" / f"figure{figure.number}.svg").write_text(drawn, encoding="utf-8")
    write_curves(curves)
    (HERE / "README.md").write_text(page(found), encoding="utf-8")


def run(name: str, number: int = 0, *, quick: bool, **params: str) -> Outcome:
    """Run an audit file as `permaudit run --study-seed` would, or a part of it, or with other parameters."""
    audit, host = load_audit(HERE / "audits" / f"{name}.yaml")
    changed = [replace(one, params=one.params.model_copy(update=params)) for one in audit.candidates]
    audit = replace(audit, candidates=tuple(changed))
    if quick:
        sweeps = tuple(replace(sweep, candidates=sweep.candidates[::EVERY]) for sweep in audit.sweeps)
        kept = {candidate for sweep in sweeps for candidate in sweep.candidates}
        candidates = [one for one in audit.candidates if not sweeps or one.name in kept]
        few = tuple(replace(one, replicates=min(one.replicates, FEW_REPLICATES)) for one in candidates)
        audit = replace(audit, sweeps=sweeps, candidates=few)
    return run_audit(audit, host, study_seed=STUDY_SEED + number)


def curve(number: int, size: int, *, quick: bool, **params: str) -> list[Point]:
    """Run the sweeps of one panel of a figure; return their points from the smallest parameter to the largest."""
    outcome = run(f"figure{number}-{size}-attributes", quick=quick, **params)
    by_name = {result.name: result for result in outcome.candidates}
    points = [
        point(by_name[spot.candidate], float(next(iter(by_name[spot.candidate].params.values()))))
        for sweep in outcome.sweeps
        for spot in sweep.points
    ]
    return sorted(points, key=lambda one: one.parameter)


def write_curves(curves: Mapping[int, Mapping[int, Sequence[Point]]]) -> None:
    """Write every point of every figure."""
    header = (
        "figure",
        "attributes",
        "parameter",
        "replicates",
        *METRICS,
        *(f"{name} standard error" for name in METRICS),
    )
    rows = [
        (
            figure,
            size,
            f"{one.parameter:g}",
            one.many,
            *tuple(f"{one.value(name):.4f}" for name in METRICS),
            *tuple(f"{one.error(name):.5f}" if one.many > 1 else "" for name in METRICS),
        )
        for figure, sizes in curves.items()
        for size, points in sizes.items()
        for one in points
    ]
    write(HERE / "curves.csv", dict(zip(header, zip(*rows, strict=True), strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
