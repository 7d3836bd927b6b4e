"""Time and memory of the four metrics, from columns to UM, CM1, CM2 and CM3, beside the sorting of the columns.

    python benchmarks/four_metrics.py            all sizes, and write results/four_metrics.md
    python benchmarks/four_metrics.py 1e5x10     these sizes, and print only

The yardstick are the 2m calls of numpy.argsort that any rank metric needs, in one thread, measured in the same process
and in turns with the metrics; the best of several rounds counts. They are measured once more in a process in
which numpy may not use AVX-512, because that is faster on some processors.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # the only place that says what numpy dispatches to

from permaudit.permutation import canonical_correlations, cm1, cm2, cm3, pair_moments, rank_columns, utility

SIZES = ["1e3x4", "1e4x10", "1e5x10", "1e5x30", "1e6x4", "1e6x10", "1e6x30"]
RESULTS = Path(__file__).parent / "results" / "four_metrics.md"
STATUS = Path("/proc/self/status")
AUTOREGRESSION = 0.5
NOISE = 0.5
SEED = 20261118


def columns(n: int, m: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """An original with lognormal margins and an AR(1) copula, and a release with added noise."""
    rng = np.random.default_rng(SEED)
    original, release, column = [], [], np.zeros(n)
    for index in range(m):
        fresh = rng.standard_normal(n)
        column = AUTOREGRESSION * column + np.sqrt(1 - AUTOREGRESSION**2) * fresh if index else fresh
        original.append(np.exp(column))
        release.append(np.exp(column + NOISE * rng.standard_normal(n)))
    return original, release


def four_metrics(original: list[np.ndarray], release: list[np.ndarray]) -> tuple[float, ...]:
    x, y = rank_columns(original), rank_columns(release)
    moments = pair_moments([str(index) for index in range(len(original))], x, y)
    canonical = canonical_correlations(moments.original, moments.release, moments.cross)
    um = utility(moments.original, moments.release, moments.records)
    return um.value, cm1(canonical), cm2(canonical), float(cm3(moments).min())


def argsorts(original: list[np.ndarray], release: list[np.ndarray]) -> None:
    for column in original + release:
        np.argsort(column)


def wide_features() -> list[str]:
    """The features that must be off for numpy to sort with AVX2."""
    on = _multiarray_umath.__cpu_features__
    return [name for name in _multiarray_umath.__cpu_dispatch__ if on[name] and ("AVX512" in name or name == "X86_V4")]


def status(field: str) -> int:
    """A memory figure of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


# ------------------------------------------------------------------ what runs in a process of its own


def child(task: str, n: int, m: int) -> dict[str, Any]:
    original, release = columns(n, m)
    if task == "memory":
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before = status("VmRSS")
        four_metrics(original, release)
        return {"peak": status("VmHWM") - before}
    rounds = int(np.clip(2e7 / (n * m), 3, 300))
    best: dict[str, float] = {}

    def clock(name: str, work: Any) -> None:
        start, cpu = time.perf_counter(), time.process_time()
        work(original, release)
        for key, value in ((name, time.perf_counter() - start), (f"{name} cpu", time.process_time() - cpu)):
            best[key] = min(best.get(key, np.inf), value)

    for _ in range(rounds):
        clock("argsorts", argsorts)
        if task == "time":
            clock("metrics", four_metrics)
    return best


def run_child(task: str, size: str, **environment: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", task, size]
    done = subprocess.run(command, env=os.environ | environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


# ------------------------------------------------------------------ what is said about it


def measure(size: str, wide: list[str]) -> list[str]:
    n, m = parse(size)
    timed = run_child("time", size)
    narrow = run_child("argsorts", size, NPY_DISABLE_CPU_FEATURES=" ".join(wide))["argsorts"] if wide else None
    metrics, sorts = timed["metrics"], timed["argsorts"]
    row = [
        size,
        f"{1e3 * sorts:.1f}",
        f"{1e3 * narrow:.1f}" if narrow else "-",
        f"{1e3 * metrics:.1f}",
        f"{1e3 * timed['metrics cpu']:.1f}",
        f"{metrics / sorts:.2f}",
        f"{metrics / narrow:.2f}" if narrow else "-",
    ]
    if not STATUS.exists():
        return [*row, "-", "-"]
    peak = run_child("memory", size)["peak"]
    return [*row, f"{peak / 2**20:.0f}", f"{peak / (2 * n * m * 4):.1f}"]


def parse(size: str) -> tuple[int, int]:
    n, m = size.split("x")
    return int(float(n)), int(m)


HEADER = [
    "n x m",
    "2m argsorts",
    "2m argsorts, no AVX-512",
    "four metrics",
    "their processor time",
    "ratio",
    "ratio, no AVX-512",
    "peak MiB",
    "peak / int32 ranks",
]


def table(rows: list[list[str]]) -> str:
    lines = [HEADER, ["---", *["---:"] * (len(HEADER) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2], *parse(sys.argv[3]))))
        return
    wide = wide_features()
    dispatched = [name for name in _multiarray_umath.__cpu_dispatch__ if _multiarray_umath.__cpu_features__[name]]
    setting = (
        f"numpy {np.__version__} dispatching to {', '.join(dispatched)}; Python {platform.python_version()}; "
        f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} processors; "
        f"load before the run {os.getloadavg()[0]:.1f}"
    )
    print(setting)
    rows = []
    for size in sys.argv[1:] or SIZES:
        rows.append(measure(size, wide))
        print(dict(zip(HEADER, rows[-1], strict=True)), flush=True)
    print(table(rows))
    if not sys.argv[1:]:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(
            "# The four metrics beside the sorting of the columns\n\n"
            f"Written by `benchmarks/four_metrics.py`. {setting}.\n\n"
            "Times in milliseconds, the best of several rounds; only ratios within one row mean anything on a shared "
            "machine. The metrics use as many threads as there are processors, the argsorts one; where other work keeps "
            "the processors busy, the metrics take up to their processor time.\n\n"
            f"{table(rows)}\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
