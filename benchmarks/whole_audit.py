"""What a whole audit costs, stage by stage, beside the sorting of the columns.

    python benchmarks/whole_audit.py                      all sizes, and write results/whole_audit.md
    python benchmarks/whole_audit.py 1e5x10 synthetic     this size and kind of release, and print only

Through the Python call `permaudit.audit` on data frames, with everything an audit does by default: ranks, moments, baselines
from strangers, intervals from subsamples, metrics, attribution, rules. The second call of a process is measured, so that
imports and loading compiled code are not in the table; how long the first one took beside it is said. Processor time, summed
over threads, beside elapsed time, because the machine may be busy; the yardstick are the 2m calls of numpy.argsort in one
thread, in the same process.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections import defaultdict
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from four_metrics import argsorts, columns, parse, table

import permaudit
import permaudit.candidate
import permaudit.compare
import permaudit.runner
from permaudit_plugins.engines.memory import MemoryEngine

RESULTS = Path(__file__).parent / "results" / "whole_audit.md"
SIZES = [
    ("1e3x4", "masked"),
    ("1e5x10", "masked"),
    ("1e5x10", "synthetic"),
    ("1e6x10", "masked"),
    ("1e6x10", "synthetic"),
]
STAGES = {
    "ranks": (MemoryEngine, "prepare"),
    "moments": (MemoryEngine, "moments"),
    "baselines": (permaudit.compare, "references_of"),
    "subsamples": (permaudit.compare, "subsamples_of"),
    "metrics": (permaudit.candidate, "measure"),
    "attribution": (permaudit.candidate, "attribution_of"),
    "reading and encoding": (permaudit.runner, "prepare_run"),
}
SINGLE_THREAD_ROUNDS = 2


class Clock:
    """Processor time by stage; what one stage calls of another counts for the outer one."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.inside = False

    def watch(self, stage: str, place: Any, name: str) -> None:
        function = getattr(place, name)

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self.inside:
                return function(*args, **kwargs)
            self.inside, start = True, time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.inside = False
                self.spent[stage] += time.process_time() - start

        setattr(place, name, timed)


def child(size: str, kind: str) -> dict[str, float]:
    n, m = parse(size)
    original, release = columns(n, m)
    frames = [pd.DataFrame({f"a{i}": column for i, column in enumerate(side)}) for side in (original, release)]
    clock = Clock()
    for stage, (place, name) in STAGES.items():
        clock.watch(stage, place, name)
    result: dict[str, float] = {}
    for call in ("first", "audit"):
        clock.spent.clear()
        start, cpu = time.perf_counter(), time.process_time()
        permaudit.audit(*frames, kind=kind)  # type: ignore[arg-type]
        result |= {call: time.perf_counter() - start, f"{call} cpu": time.process_time() - cpu}
    spent = dict(clock.spent)
    spent["the rest"] = result["audit cpu"] - sum(spent.values())
    sorting = []
    for _ in range(SINGLE_THREAD_ROUNDS):
        cpu = time.process_time()
        argsorts(original, release)
        sorting.append(time.process_time() - cpu)
    return result | {"argsorts": min(sorting)} | {f"stage {name}": value for name, value in spent.items()}


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:4])))
        return
    chosen = [(sys.argv[1], sys.argv[2])] if sys.argv[1:] else SIZES
    load = os.getloadavg()[0]
    results = {}
    for size, kind in chosen:
        done = subprocess.run(
            [sys.executable, __file__, "--child", size, kind], check=True, capture_output=True, text=True
        )
        results[f"{size} {kind}"] = json.loads(done.stdout)
        print(size, kind, results[f"{size} {kind}"], flush=True)
    stages = [*STAGES, "the rest"]
    rows = [
        [
            what,
            *(f"{1e3 * one.get(f'stage {stage}', 0):.0f}" for stage in stages),
            f"{1e3 * one['audit cpu']:.0f}",
            f"{one['audit cpu'] / one['argsorts']:.2f}",
            f"{1e3 * one['audit']:.0f}",
            f"{1e3 * one['first cpu']:.0f}",
        ]
        for what, one in results.items()
    ]
    header = ["n x m", *stages, "all", "all / 2m argsorts", "elapsed", "the first call"]
    text = (
        "# A whole audit, stage by stage\n\n"
        "Written by `benchmarks/whole_audit.py`, explained in `benchmarks/README.md`. "
        f"numpy {np.__version__}; Python {platform.python_version()}; "
        f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} processors; "
        f"load when the run began: {load:.1f}.\n\n"
        f"Milliseconds of processor time, summed over threads, but for *elapsed*.\n\n{table(header, rows)}\n"
    )
    print(text)
    if not sys.argv[1:]:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
