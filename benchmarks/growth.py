"""How the time of the four metrics grows with the number of records and of attributes: a table and a picture.

    python benchmarks/growth.py               all sizes; writes results/growth.md and results/growth.svg
    python benchmarks/growth.py 1e4x4 ...     these sizes, and print only

Stage by stage, in processor time summed over threads (elapsed time beside it), the best of several rounds in a process of its
own for each size. The exponents are slopes of straight lines through the logarithms, by least squares, from the sizes on where
fixed costs no longer matter.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from four_metrics import columns, parse, table

from permaudit.permutation import canonical_correlations, cm1, cm2, cm3, rank_columns, utility
from permaudit.permutation.bykey import cross_moments_by_key
from permaudit.permutation.fast import compiled_kernels
from permaudit.permutation.moments import cross_moments, own_moments
from permaudit.permutation.pair import pair_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RESULTS = Path(__file__).parent / "results"
BY_RECORDS = {
    m: [f"{n}x{m}" for n in sizes]
    for m, sizes in {4: ["1e3", "1e4", "1e5", "1e6", "1e7"], 10: ["1e3", "1e4", "1e5", "1e6"]}.items()
}
BY_ATTRIBUTES = [f"1e5x{m}" for m in (2, 4, 10, 20, 50)]
STAGES = ["ranks", "moments", "moments by key", "metrics", "all"]
FROM_RECORDS = 1e5
FROM_ATTRIBUTES = 10
WORK = 1e7


def child(size: str) -> dict[str, float]:
    n, m = parse(size)
    original, release = columns(n, m)
    compiled_kernels(sys.maxsize)  # so that loading them is in nobody's time
    best: dict[str, float] = {}

    def clock(stage: str, work: Callable[[], Any]) -> Any:
        start, cpu = time.perf_counter(), time.process_time()
        result = work()
        for name, value in ((stage, time.process_time() - cpu), (f"{stage} elapsed", time.perf_counter() - start)):
            best[name] = min(best.get(name, math.inf), value)
        return result

    for _ in range(int(np.clip(WORK / (n * m), 2, 20))):
        x, y = clock("ranks", lambda: (rank_columns(original), rank_columns(release)))
        clock("moments", lambda x=x, y=y: (own_moments(x), own_moments(y), cross_moments(x, y)))
        clock("moments by key", lambda x=x, y=y: cross_moments_by_key(x, y))
    moments = pair_moments([str(place) for place in range(m)], x, y)

    def metrics() -> tuple[float, ...]:
        canonical = canonical_correlations(moments.original, moments.release, moments.cross)
        um = utility(moments.original, moments.release, moments.records)
        return um.value, cm1(canonical), cm2(canonical), float(cm3(moments).min())

    for _ in range(5):
        clock("metrics", metrics)
    for suffix in ("", " elapsed"):
        best[f"all{suffix}"] = sum(best[f"{stage}{suffix}"] for stage in STAGES[:-1])
    return best


# ------------------------------------------------------------------ exponents


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """The slope of a straight line through the logarithms."""
    x, y = np.log(np.array(list(points))).T
    return float(np.polyfit(x, y, 1)[0])


def curve(results: dict[str, dict[str, float]], sizes: list[str], axis: int, stage: str) -> list[tuple[float, float]]:
    return [(parse(size)[axis], results[size][stage]) for size in sizes if size in results]


def exponents(results: dict[str, dict[str, float]]) -> str:
    rows = []
    for stage in STAGES:
        row = [stage]
        for sizes in BY_RECORDS.values():
            points = [point for point in curve(results, sizes, 0, stage) if point[0] >= FROM_RECORDS]
            row.append(f"{exponent(points):.2f}" if len(points) > 1 else "-")
        points = [point for point in curve(results, BY_ATTRIBUTES, 1, stage) if point[0] >= FROM_ATTRIBUTES]
        row.append(f"{exponent(points):.2f}" if len(points) > 1 else "-")
        rows.append(row)
    heads = [f"in n, m = {m}, from n = {FROM_RECORDS:.0e}" for m in BY_RECORDS]
    return table(["exponent of", *heads, f"in m, n = 1e5, from m = {FROM_ATTRIBUTES}"], rows)


# ------------------------------------------------------------------ the picture

WIDTH, HEIGHT, LEFT, TOP, GAP = 340, 260, 70, 50, 90
COLOURS = ["#0072b2", "#d55e00", "#009e73"]  # Okabe and Ito: told apart by everybody


def panel(place: int, title: str, label: str, curves: dict[str, list[tuple[float, float]]]) -> str:
    """A log-log diagram of some curves."""
    x0, y0 = LEFT + place * (WIDTH + GAP), TOP
    points = [point for some in curves.values() for point in some]
    ends = [(min(values), max(values)) for values in zip(*points, strict=True)]
    (low, high), (least, most) = ((math.log10(a) - 0.05, math.log10(b) + 0.05) for a, b in ends)
    least, most = math.floor(least), math.ceil(most)

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (math.log10(x) - low) / (high - low), (math.log10(y) - least) / (most - least)
        return x0 + WIDTH * across, y0 + HEIGHT * (1 - up)

    parts = [f'<text x="{x0}" y="{y0 - 16}" class="title">{title}</text>']
    for power in range(least, most + 1):
        y = y0 + HEIGHT * (1 - (power - least) / (most - least))
        parts.append(f'<path d="M{x0} {y:.1f}h{WIDTH}" class="grid"/>')
        parts.append(f'<text x="{x0 - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for x in sorted({point[0] for point in points}):
        across = at(x, 10.0**least)[0]
        name = f"{x:.0e}".replace("e+0", "e") if label == "records" else f"{x:g}"
        parts.append(f'<text x="{across:.1f}" y="{y0 + HEIGHT + 18}" text-anchor="middle">{name}</text>')
    parts.append(f'<text x="{x0 + WIDTH / 2}" y="{y0 + HEIGHT + 38}" text-anchor="middle">{label}</text>')
    for number, (name, some) in enumerate(curves.items()):
        colour = COLOURS[number]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in some))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in (at(*point) for point in some):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        parts.append(f'<text x="{x0 + 10}" y="{y0 + 16 + 16 * number}" fill="{colour}">{name}</text>')
    return "\n".join(parts)


def picture(results: dict[str, dict[str, float]]) -> str:
    by_records = {f"m = {m}": curve(results, sizes, 0, "all") for m, sizes in BY_RECORDS.items()}
    stages = {stage: curve(results, BY_ATTRIBUTES, 1, stage) for stage in ("all", "moments by key", "ranks")}
    width, height = LEFT + 2 * WIDTH + GAP + 30, TOP + HEIGHT + 60
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="Processor time of the four metrics by records and by attributes">\n'
        "<style>text{font:12px sans-serif}.title{font-weight:bold}"
        ".grid{stroke:#ddd;fill:none}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n'
        f"{panel(0, 'Four metrics, processor time', 'records', by_records)}\n"
        f"{panel(1, 'By stage, 100,000 records', 'attributes', stages)}\n</svg>\n"
    )


# ------------------------------------------------------------------ all together


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2])))
        return
    every = list(dict.fromkeys(size for sizes in [*BY_RECORDS.values(), BY_ATTRIBUTES] for size in sizes))
    load = os.getloadavg()[0]
    results = {}
    for size in sys.argv[1:] or every:
        done = subprocess.run([sys.executable, __file__, "--child", size], check=True, capture_output=True, text=True)
        results[size] = json.loads(done.stdout)
        print(size, results[size], flush=True)
    rows = [
        [size, *(f"{1e3 * found[stage]:.1f}" for stage in STAGES), f"{1e3 * found['all elapsed']:.1f}"]
        for size, found in results.items()
    ]
    text = (
        "# How the time grows\n\n"
        f"Written by `benchmarks/growth.py`, explained in `benchmarks/README.md`. Load when the run began: {load:.1f}. "
        "![Processor time by records and by attributes](growth.svg)\n\n"
        f"## Milliseconds of processor time\n\n{table(['n x m', *STAGES, 'all, elapsed'], rows)}\n\n"
    )
    if not sys.argv[1:]:
        text += f"## Exponents\n\n{exponents(results)}\n"
        (RESULTS / "growth.md").write_text(text, encoding="utf-8")
        (RESULTS / "growth.svg").write_text(picture(results), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
