"""Time and memory of the four metrics, from columns to UM, CM1, CM2 and CM3, beside the sorting of the columns.

    python benchmarks/four_metrics.py            all sizes, and write results/four_metrics.md
    python benchmarks/four_metrics.py 1e5x10     these sizes, and print only

The yardstick are the 2m calls of numpy.argsort that any rank metric needs, in one thread, measured in the same process
and in turns with the metrics; the best of several rounds counts. They are measured once more in processes in
which numpy may not use AVX-512, because that is faster on some processors; these take turns with the others.
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
ABOUT_MEMORY = """*Ranks* are the int32 ranks of both files. *Program files* are pages of the compiler's libraries: mapped from the disk, shared by
all processes, and given back when memory is short."""
AUTOREGRESSION = 0.5
NOISE = 0.5
SEED = 20261118
TURNS = 3


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
        before, program_before = status("VmRSS"), status("RssFile")
        four_metrics(original, release)
        return {"peak": status("VmHWM") - before, "program": status("RssFile") - program_before}
    rounds = int(np.clip(1e7 / (n * m), 2, 300))
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


def measure(size: str, wide: list[str]) -> dict[str, float]:
    """The best of several processes, the two kinds in turns, and the peak of memory."""
    best: dict[str, float] = {}
    for _ in range(TURNS):
        timed = run_child("time", size)
        if wide:
            narrow = run_child("argsorts", size, NPY_DISABLE_CPU_FEATURES=" ".join(wide))
            timed |= {f"narrow {name}": value for name, value in narrow.items()}
        for name, value in timed.items():
            best[name] = min(best.get(name, np.inf), value)
    if STATUS.exists():
        best |= run_child("memory", size)
    return best


def parse(size: str) -> tuple[int, int]:
    n, m = size.split("x")
    return int(float(n)), int(m)


def times(results: dict[str, dict[str, float]], suffix: str) -> str:
    """A table of elapsed times, or with the suffix " cpu" of processor times."""
    rows = []
    for size, best in results.items():
        sorts, narrow, metrics = (best.get(name + suffix) for name in ("argsorts", "narrow argsorts", "metrics"))
        ratios = [f"{metrics / base:.2f}" if base else "-" for base in (sorts, narrow)]
        rows.append([size, *(f"{1e3 * value:.1f}" if value else "-" for value in (sorts, narrow, metrics)), *ratios])
    return table(
        ["n x m", "2m argsorts", "2m argsorts, no AVX-512", "four metrics", "ratio", "ratio, no AVX-512"], rows
    )


def memory(results: dict[str, dict[str, float]]) -> str:
    rows = []
    for size, best in results.items():
        n, m = parse(size)
        if "peak" in best:
            ranks, own = 2 * n * m * 4, best["peak"] - best["program"]
            sizes = (f"{best[name] / 2**20:.0f}" for name in ("peak", "program"))
            rows.append([size, *sizes, f"{best['peak'] / ranks:.1f}", f"{own / ranks:.1f}"])
    return table(
        ["n x m", "peak, MiB", "of it program files, MiB", "peak / ranks", "without program files / ranks"], rows
    )


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
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
        f"load when the run began: {os.getloadavg()[0]:.1f}"
    )
    results = {}
    for size in sys.argv[1:] or SIZES:
        results[size] = measure(size, wide)
        print(size, {name: round(value, 4) for name, value in results[size].items()}, flush=True)
    text = (
        "# The four metrics beside the sorting of the columns\n\n"
        f"Written by `benchmarks/four_metrics.py`, explained in `benchmarks/README.md`. {setting}.\n\n"
        f"## Elapsed time, milliseconds\n\n{times(results, '')}\n\n"
        f"## Processor time, milliseconds, summed over threads\n\n{times(results, ' cpu')}\n\n"
        f"## Memory above the input\n\n{memory(results)}\n\n{ABOUT_MEMORY}\n"
    )
    print(text)
    if not sys.argv[1:]:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
