"""Run the corpus: `python -m tests.corpus`; exits with 1 where a bad release passed or ended otherwise than demanded."""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rich.console import Console

from .kinds import CASES, run_numbered
from .report import table, totals


def main() -> int:
    """Run every case with every seed, and say what became of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description="Audit releases of known quality.")
    parser.add_argument("--seeds", type=int, default=6, help="how many; each population takes its turn (default: 6)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: all cores)")
    parser.add_argument("--why", action="store_true", help="say of each run what spoke against it")
    options = parser.parse_args()
    wanted = [place for place, case in enumerate(CASES) if options.only in case.id]
    seeds = range(options.first, options.first + options.seeds)
    started = time.perf_counter()
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 120)
    # One thread each, or the processes would get in each other's way.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        work = [pool.submit(run_numbered, place, seed) for place in wanted for seed in seeds]
        ended = []
        for number, one in enumerate(work, start=1):
            ended.append(last := one.result())
            if options.why:
                right = "" if last.right else "BEYOND " if last.case.beyond else "WRONG "
                console.print(f"{right}{last.case.id}, seed {last.seed}: exit code {last.code}; {last.told}")
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{number} of {len(work)}")
    for title, some in (
        ("Bad releases: none may pass", [one for one in ended if one.case.bad]),
        ("Bad releases beyond reach: they may pass", [one for one in ended if one.case.beyond]),
        ("Good releases: all should pass", [one for one in ended if one.case.good]),
    ):
        console.print()
        console.print(table(title, some))
    console.print()
    for total in totals(ended):
        console.print(str(total))
    bad, good = (len({one.case.name for one in ended if getattr(one.case, kind)}) for kind in ("bad", "good"))
    seconds = time.perf_counter() - started
    console.print(
        f"{bad} kinds of bad and {good} of good releases, seeds {seeds[0]} to {seeds[-1]}, {len(ended)} audits, "
        f"{seconds:.0f} seconds"
    )
    return int(any(not one.right for one in ended if one.case.bad))


if __name__ == "__main__":
    sys.exit(main())
