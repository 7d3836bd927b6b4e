"""Time and memory of COPIES, from columns to all its looks, as the number of records grows.

    python benchmarks/copies.py                 all sizes, and write results/copies.md
    python benchmarks/copies.py 1e4x10          these sizes, and print only

Each size is measured in a process of its own. The release is a fresh sample of the same population, for which every search goes
farthest: strangers have no near neighbour at which it could stop.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from permaudit.model import Comparison, Rows
from permaudit_plugins.metrics.copies import Copies

SIZES = ["1e3x4", "1e3x8", "1e4x10", "1e5x10", "1e6x10"]
RESULTS = Path(__file__).parent / "results" / "copies.md"
SEED = 20261118
CORRELATION = 0.3


def people(records: int, attributes: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    common = rng.standard_normal((records, 1))
    scores = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * rng.standard_normal((records, attributes))
    return {f"V{place}": np.exp(scores[:, place]) for place in range(attributes)}


def measure(size: str) -> dict[str, float]:
    records, attributes = (int(float(part)) for part in size.split("x"))
    rng = np.random.default_rng(SEED)
    rows = Rows(people(records, attributes, rng), people(records, attributes, rng))
    pair = Comparison("synthetic", linked=False, moments=None, rows=rows)  # type: ignore[arg-type]  # not looked at
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    Copies().compute(pair, rng)
    seconds = time.process_time() - started
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    columns = 2 * records * attributes * 8
    return {"seconds": seconds, "memory": (after - before) * 1024, "columns": columns}


def main() -> None:
    given = sys.argv[1:]
    if given[:1] == ["--one"]:
        print(json.dumps(measure(given[1])))
        return
    lines = [
        "| records x attributes | processor time, s | times that of the row above | peak memory beyond the columns, MB | times the columns |",
        "|---|---|---|---|---|",
    ]
    last = None
    for size in given or SIZES:
        command = [sys.executable, __file__, "--one", size]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ratio = f"{found['seconds'] / last:.1f}" if last else ""
        last = found["seconds"]
        lines.append(
            f"| {size} | {found['seconds']:.2f} | {ratio} | {found['memory'] / 1e6:.0f} | {found['memory'] / found['columns']:.1f} |"
        )
        print(lines[-1], flush=True)
    if not given:
        RESULTS.write_text("# COPIES\n\nMade by `python benchmarks/copies.py`.\n\n" + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
