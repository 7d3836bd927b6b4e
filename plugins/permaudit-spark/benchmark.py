"""Compare a pair of files on Spark, in local mode, and say what each stage takes: tasks, time, bytes sent around, memory.

    python benchmark.py [--sizes 1e5,1e6] [--attributes 10] [--cores 2] [--approx]

Run it with a Python that has permaudit-spark. What comes out are the figures of docs/scale.md. Times are those of a machine that
does other things too: compare them within one run only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from permaudit import Shelf
from permaudit_spark import permaudit_engines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1e5,1e6")
    parser.add_argument("--attributes", type=int, default=10)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--approx", action="store_true")
    options = parser.parse_args()
    os.environ["PERMAUDIT_SPARK_MASTER"] = f"local[{options.cores}]"
    (engine,) = permaudit_engines()
    if options.approx:
        engine = engine.approximate(seed=1)
    for size in map(int, map(float, options.sizes.split(","))):
        with tempfile.TemporaryDirectory() as folder:
            measured(engine, size, options.attributes, Path(folder))


def measured(engine, records: int, attributes: int, folder: Path) -> None:
    log = folder / "log"
    log.mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
    }
    os.environ["PYSPARK_SUBMIT_ARGS"] = (
        " ".join(f"--conf {name}={value}" for name, value in settings.items()) + " pyspark-shell"
    )
    watch = Watch()
    with watch, Shelf(4 << 30, folder) as shelf:
        original, release = (shelf.keep(columns(records, attributes, noise)) for noise in (False, True))
        started = time.monotonic()
        warm = engine.prepare(shelf.keep(columns(1000, attributes, noise=False)))
        begun = time.monotonic()
        x, y = engine.prepare(original), engine.prepare(release)
        ranked = time.monotonic()
        engine.moments(x, y, mirrored=True)
        ended = time.monotonic()
        scratch = sum(path.stat().st_size for path in shelf.directory.rglob("*") if path.is_file())
        del warm
    print(
        f"\n{records} x {attributes}: start {begun - started:.0f} s, ranks {ranked - begun:.1f} s, moments {ended - ranked:.1f} s"
    )
    print(
        f"most memory: Java {watch.most['java'] >> 20} MB, a Python worker {watch.most['worker'] >> 20} MB; on disk at the end {scratch >> 20} MB; "
        f"{sum(watch.used.values()):.0f} processor seconds in all"
    )
    print("| stage | tasks | task seconds | longest task | MB sent |\n|---|---|---|---|---|")
    for name, (tasks, seconds, longest, sent) in stages(next(log.iterdir())).items():
        print(f"| {name} | {tasks} | {seconds:.1f} | {longest:.1f} | {sent / 1e6:.1f} |")


def columns(records: int, attributes: int, noise: bool):
    """Draw lognormal columns whose neighbours are correlated; with noise, those of a release."""
    rng, moved = np.random.default_rng(1), np.random.default_rng(2)
    last = rng.normal(size=records)
    for place in range(attributes):
        last = 0.6 * last + 0.8 * rng.normal(size=records)
        yield f"a{place}", np.exp(last + moved.normal(size=records) if noise else last)


def stages(path: Path) -> dict[str, list[float]]:
    """Add up what the tasks of each stage took."""
    names, found = {}, defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    for line in (line for file in files if file.name.startswith("events_") for line in file.open(encoding="utf-8")):
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageSubmitted":
            info = event["Stage Info"]
            names[info["Stage ID"]] = re.sub(r"^(\w+) at .*/(\w+\.py):(\d+)$", r"\2:\3 \1", info["Stage Name"])
        elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            metrics, entry = event["Task Metrics"], found[names[event["Stage ID"]]]
            seconds = metrics["Executor Run Time"] / 1000
            entry[0] += 1
            entry[1] += seconds
            entry[2] = max(entry[2], seconds)
            entry[3] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return found


class Watch:
    """Look after the memory of what this process starts."""

    def __init__(self) -> None:
        self.most = {"java": 0, "worker": 0}
        self.used = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.3):
            for path in Path("/proc").glob("[0-9]*"):
                try:
                    command = (path / "cmdline").read_bytes().split(b"\0")
                    if not self._is_ours(path):
                        continue
                    times = (path / "stat").read_text().rpartition(")")[2].split()[11:13]
                    self.used[path.name] = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
                    size = int((path / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                except (OSError, IndexError):
                    continue
                kind = "java" if command[0].endswith(b"java") else "worker" if b"pyspark.daemon" in command else None
                if kind:
                    self.most[kind] = max(self.most[kind], size)

    @staticmethod
    def _is_ours(path: Path) -> bool:
        """Go up to the parents."""
        number = path.name
        while number not in {"0", "1"}:
            if int(number) == os.getpid():
                return True
            number = Path("/proc", number, "stat").read_text().rpartition(")")[2].split()[1]
        return False


if __name__ == "__main__":
    main()
