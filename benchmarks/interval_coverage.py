"""How often do the 95 % intervals hold the truth?

For each kind of file many samples of one population are drawn and released; each gets its intervals from the same code as an
audit. The truth is the mean of the metric over other samples of the same size: intervals say how far a number would move for
another sample of as many records. Prints and writes for each metric how often the interval holds it, how often its lower end
is not above it (what `on: lower` relies on), and the width beside the spread of the metric itself.

`python benchmarks/interval_coverage.py [SAMPLES]`; all data are made by code, with fixed seeds.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from permaudit.compare import Comparer, What
from permaudit.data import Paired
from permaudit.measure import measure
from permaudit.outcome import Records
from permaudit.plugins import load_plugins
from permaudit.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    Files = tuple[np.ndarray, np.ndarray]

RESULTS = Path(__file__).parent / "results" / "interval_coverage.md"
CATALOGUE = load_plugins().catalogue
ENGINE = CATALOGUE.engines["memory"]
METRICS = {True: ("CM1", "CM2", "CM3", "UM"), False: ("CM3", "UM")}
SAMPLES = 400
TRUTH = 1000


def normal(rng: Generator, records: int, attributes: int, correlation: float) -> np.ndarray:
    """Draw normal data in which all attributes correlate alike."""
    common = rng.standard_normal((records, 1))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.standard_normal((records, attributes))


def noisy(records: int, attributes: int, noise: float, digits: int | None = None) -> Callable[[Generator], Files]:
    """Return a sampler of originals and releases with added noise; with digits, both are rounded and tie."""

    def draw(rng: Generator) -> Files:
        x = normal(rng, records, attributes, 0.4)
        y = x + noise * rng.standard_normal(x.shape)
        return (x, y) if digits is None else (x.round(digits), y.round(digits))

    return draw


def strangers(
    records: int, attributes: int, correlation: float, digits: int | None = None
) -> Callable[[Generator], Files]:
    """Return a sampler of originals and synthetic files from the same population."""

    def draw(rng: Generator) -> Files:
        files = [normal(rng, records, attributes, correlation) for _ in range(2)]
        x, y = files if digits is None else [one.round(digits) for one in files]
        return x, y

    return draw


@dataclass(frozen=True)
class Design:
    """One kind of file."""

    name: str
    draw: Callable[[Generator], Files]

    @property
    def linked(self) -> bool:
        """Tell whether row i is the same person in both files."""
        return self.name.startswith("linked")


DESIGNS = (
    Design("linked, noise 1, n=100, m=2", noisy(100, 2, 1.0)),
    Design("linked, noise 0.5, n=150, m=3", noisy(150, 3, 0.5)),
    Design("linked, noise 0.5, n=600, m=4", noisy(600, 4, 0.5)),
    Design("linked, noise 0.1, n=600, m=4", noisy(600, 4, 0.1)),
    Design("linked, noise 2, n=600, m=4", noisy(600, 4, 2.0)),
    Design("linked, noise 1, rounded to few values, n=600, m=4", noisy(600, 4, 1.0, digits=0)),
    Design("linked, noise 1, n=400, m=8", noisy(400, 8, 1.0)),
    Design("synthetic, correlation 0.5, n=150, m=3", strangers(150, 3, 0.5)),
    Design("synthetic, correlation 0.5, n=600, m=4", strangers(600, 4, 0.5)),
    Design("synthetic, correlation 0.9, n=600, m=4", strangers(600, 4, 0.9)),
    Design("synthetic, correlation 0.5, rounded to few values, n=600, m=4", strangers(600, 4, 0.5, digits=0)),
)


def measured(design: Design, rng: Generator, *, intervals: bool) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """Draw once, and return each metric with its interval."""
    x, y = ({f"A{number}": column for number, column in enumerate(file.T)} for file in design.draw(rng))
    size = len(x["A0"])
    paired = Paired(x, y, Records(original=size, released=size, compared=size))
    what = What(kind="masked" if design.linked else "synthetic", linked=design.linked, intervals=intervals)
    seed = int(rng.integers(2**32))
    compared = Comparer(ENGINE, x, None, Streams(seed)).compare([paired], what, rng)
    found = {name: measure(CATALOGUE.metrics[name], compared, rng) for name in METRICS[design.linked]}
    return {name: (result.value, result.interval) for name, result in found.items()}


@dataclass(frozen=True)
class Coverage:
    """How the intervals of one metric did."""

    holds: float
    lower_holds: float
    width: float
    """The mean width, in standard deviations of the metric over samples; 3.92 would be exact for a normal one."""


def coverage(design: Design, samples: int, truth: int, seed: int) -> dict[str, Coverage]:
    """Simulate one kind of file."""
    rng = np.random.default_rng(seed)
    bare = [measured(design, rng, intervals=False) for _ in range(truth)]
    drawn = [measured(design, rng, intervals=True) for _ in range(samples)]
    result = {}
    for name in METRICS[design.linked]:
        values = [one[name][0] for one in bare]
        true, spread = fmean(values), stdev(values)
        ends = [one[name][1] for one in drawn]
        result[name] = Coverage(
            fmean(low <= true <= high for low, high in ends),
            fmean(low <= true for low, _ in ends),
            fmean(high - low for low, high in ends) / spread,
        )
    return result


def main() -> None:
    """Simulate all of them, and write a table."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    error = (0.05 * 0.95 / samples) ** 0.5
    lines = [
        "# Coverage of the 95 % intervals",
        "",
        f"{samples} samples for each kind of file, the truth from {TRUTH} others.",
        f"The standard error of a coverage of 95 % is {error:.1%}.",
        "",
        "| files | metric | interval holds the truth | lower end is not above it | width in standard deviations |",
        "|---|---|--:|--:|--:|",
    ]
    for number, design in enumerate(DESIGNS):
        for name, found in coverage(design, samples, TRUTH, number).items():
            row = f"| {design.name} | {name} | {found.holds:.1%} | {found.lower_holds:.1%} | {found.width:.2f} |"
            lines.append(row)
            print(row, flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
