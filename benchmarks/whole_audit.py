"""What a whole audit costs, stage by stage, beside the sorting of the columns.

    python benchmarks/whole_audit.py                      all sizes, and write results/whole_audit.md
    python benchmarks/whole_audit.py 1e5x10 synthetic     this size and kind of release, and print only

Through the Python call `permaudit.audit` on data frames, with everything an audit does by default: ranks, moments, baselines
from strangers, intervals from subsamples, metrics, attribution, rules. The second call of a process is measured, so that
imports and loading compiled code are not in the table; how long the first one took beside it is said. Processor time, summed
over threads, beside elapsed time, because the machine may be busy; the yardstick are the 2m calls of numpy.argsort in one
thread, in the same process, and once more in a process in which numpy may not use AVX-512, which is faster on some processors.
Beside it stands `permaudit run` on the demonstration of 1,080 records, without a PDF, as a multiple of importing pandas and
scipy.linalg.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from four_metrics import argsorts, columns, parse, table, wide_features

import permaudit
import permaudit.candidate
import permaudit.compare
import permaudit.runner
from permaudit.demo import write_demo
from permaudit_plugins.engines.memory import MemoryEngine
from permaudit_plugins.metrics.copies import Copies

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
    "COPIES": (Copies, "compute"),
    "attribution": (permaudit.candidate, "attribution_of"),
    "reading and encoding": (permaudit.runner, "prepare_run"),
}
SINGLE_THREAD_ROUNDS = 2
DEMO_ROUNDS = 5
VERDICTS = (0, 1, 3)
"""The exit codes of a run that came to its end."""


class Clock:
    """Processor time by stage; what one stage calls of another counts for the inner one."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.inner = 0.0

    def watch(self, stage: str, place: Any, name: str) -> None:
        function = getattr(place, name)

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            outer, self.inner, start = self.inner, 0.0, time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.process_time() - start
                self.spent[stage] += spent - self.inner
                self.inner = outer + spent

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
    return result | {"argsorts": sorting(original, release)} | {f"stage {name}": value for name, value in spent.items()}


def sorting(original: list[np.ndarray], release: list[np.ndarray]) -> float:
    """Processor time of the 2m calls of numpy.argsort."""
    rounds = []
    for _ in range(SINGLE_THREAD_ROUNDS):
        cpu = time.process_time()
        argsorts(original, release)
        rounds.append(time.process_time() - cpu)
    return min(rounds)


def spent_by(command: list[str], environment: dict[str, str]) -> float:
    """Processor time of another program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode not in VERDICTS:
        raise RuntimeError(f"exit code {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def demonstration() -> str:
    """`permaudit run` on the demonstration beside the imports, in turns; the best round of each counts.

    Both find their modules compiled, as an installed package is and a checkout may not be: the first round does that.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = f"{folder}/compiled"
        write_demo(Path(folder))
        run = ["-m", "permaudit", "run", f"{folder}/audit.yaml", "--out", f"{folder}/out"]
        asked = {"run": run, "imports": ["-c", "import pandas, scipy.linalg"]}
        rounds = [
            {name: spent_by([sys.executable, *line], environment) for name, line in asked.items()}
            for _ in range(1 + DEMO_ROUNDS)
        ]
    audit, imports = (min(one[name] for one in rounds) for name in asked)
    return (
        f"`permaudit run` on the demonstration, without a PDF: {1e3 * audit:.0f}, which is {audit / imports:.2f} times the "
        f"{1e3 * imports:.0f} of `import pandas, scipy.linalg` in the same Python."
    )


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:4])))
        return
    if sys.argv[1:2] == ["--argsorts"]:
        print(sorting(*columns(*parse(sys.argv[2]))))
        return
    chosen = [(sys.argv[1], sys.argv[2])] if sys.argv[1:] else SIZES
    load = os.getloadavg()[0]
    results = {}
    for size, kind in chosen:
        done = subprocess.run(
            [sys.executable, __file__, "--child", size, kind], check=True, capture_output=True, text=True
        )
        narrow = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(wide_features())}
        sorts = subprocess.run(
            [sys.executable, __file__, "--argsorts", size], check=True, capture_output=True, text=True, env=narrow
        )
        results[f"{size} {kind}"] = json.loads(done.stdout) | {"narrow argsorts": float(sorts.stdout)}
        print(size, kind, results[f"{size} {kind}"], flush=True)
    stages = [*STAGES, "the rest"]
    rows = [
        [
            what,
            *(f"{1e3 * one.get(f'stage {stage}', 0):.0f}" for stage in stages),
            f"{1e3 * one['audit cpu']:.0f}",
            f"{one['audit cpu'] / one['argsorts']:.2f}",
            f"{one['audit cpu'] / one['narrow argsorts']:.2f}",
            f"{1e3 * one['audit']:.0f}",
            f"{1e3 * one['first cpu']:.0f}",
        ]
        for what, one in results.items()
    ]
    header = ["n x m", *stages, "all", "all / 2m argsorts", "all / those without AVX-512", "elapsed", "the first call"]
    text = (
        "# A whole audit, stage by stage\n\n"
        "Written by `benchmarks/whole_audit.py`, explained in `benchmarks/README.md`. "
        f"numpy {np.__version__}; Python {platform.python_version()}; "
        f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} processors; "
        f"load when the run began: {load:.1f}.\n\n"
        f"Milliseconds of processor time, summed over threads, but for *elapsed*.\n\n{table(header, rows)}\n\n"
        f"{demonstration()}\n"
    )
    print(text)
    if not sys.argv[1:]:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
