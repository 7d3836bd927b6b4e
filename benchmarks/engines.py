"""Audit the same pair of files with each engine: time, processor time, peak memory and scratch space, beside what was announced.

    python benchmarks/engines.py [--sizes 1e5,1e6] [--attributes 10] [--memory 2GB] [--engines memory,disk]

Each audit is a process of its own, `permaudit run`, from Parquet to the verdict. Only ratios within one run count.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

_GROUP = 1 << 20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1e5,1e6")
    parser.add_argument("--attributes", type=int, default=10)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--engines", default="memory,disk")
    parser.add_argument("--kind", default="masked", choices=["masked", "synthetic"])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="engines-"))
    print("| records | engine | seconds | processor s | peak MB | scratch MB | CM3 | announced |")
    print("|---|---|---|---|---|---|---|---|")
    for size in map(int, map(float, options.sizes.split(","))):
        case = folder / f"{size}x{options.attributes}-{options.kind}"
        if not case.exists():
            _write(case, size, options.attributes, options.kind)
        for engine in options.engines.split(","):
            print(_audited(case, engine, options.memory), flush=True)
    if options.folder is None:
        shutil.rmtree(folder)


def _write(case: Path, records: int, attributes: int, kind: str) -> None:
    """Write a pair: lognormal margins with neighbouring attributes correlated; a release under noise, or other people."""
    case.mkdir(parents=True)
    rng = np.random.default_rng(1)
    names = [f"a{place}" for place in range(attributes)]
    schema = pa.schema(dict.fromkeys(names, pa.float64()))
    with (
        pq.ParquetWriter(case / "original.parquet", schema) as first,
        pq.ParquetWriter(case / "release.parquet", schema) as second,
    ):
        for start in range(0, records, _GROUP):
            size = min(_GROUP, records - start)
            people = _people(size, attributes, rng)
            other = people + rng.normal(0, 1, people.shape) if kind == "masked" else _people(size, attributes, rng)
            for writer, values in ((first, people), (second, other)):
                writer.write_table(pa.table(dict(zip(names, np.exp(values).T, strict=True)), schema))
    audit = {
        "permaudit": 1,
        "title": "engines",
        "original": "original.parquet",
        "attributes": dict.fromkeys(names, "numeric"),
        "candidates": {"release": {"path": "release.parquet", "kind": kind}},
        "rules": [{"rule": "threshold", "metric": "CM3" if kind == "synthetic" else "CM2", "min": 0.05}],
    }
    (case / "audit.yaml").write_text(yaml.safe_dump(audit, sort_keys=False), encoding="utf-8")


def _people(size: int, attributes: int, rng: np.random.Generator) -> np.ndarray:
    """Draw correlated normal numbers, one row for each record."""
    values = rng.normal(size=(size, attributes))
    for place in range(1, attributes):
        values[:, place] = 0.5 * values[:, place - 1] + np.sqrt(0.75) * values[:, place]
    return values


def _audited(case: Path, engine: str, memory: str) -> str:
    """Run one audit; return a line of the table."""
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=case))
    out = case / f"out-{engine}"
    command = [sys.executable, "-m", "permaudit", "run", str(case / "audit.yaml"), "--out", str(out)]
    command += ["--engine", engine, "--scratch", str(scratch), "--format", "json", "--json"]
    if engine != "memory":
        command += ["--memory", memory]
    log = case / f"{engine}.err"
    started = time.perf_counter()
    with log.open("w") as errors, open(os.devnull, "w") as nowhere:  # noqa: PTH123 - no path
        pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)],
        )
        seen = [0]
        done = threading.Event()
        thread = threading.Thread(target=_watch, args=(scratch, seen, done))
        thread.start()
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - started
        done.set()
        thread.join()
    shutil.rmtree(scratch, ignore_errors=True)
    said = log.read_text(encoding="utf-8").strip().splitlines()
    code = os.waitstatus_to_exitcode(status)
    if code not in {0, 1, 3}:
        return f"| {case.name} | {engine} | failed with {code}: {' '.join(said[-2:])} | | | | | |"
    metrics = json.loads((out / "audit.json").read_text(encoding="utf-8"))["candidates"][0]["metrics"]
    announced = said[0] if said else ""
    peak, used = usage.ru_maxrss * 1024 / 1e6, usage.ru_utime + usage.ru_stime
    return (
        f"| {case.name} | {engine} | {seconds:.1f} | {used:.1f} | {peak:.0f} | {seen[0] / 1e6:.0f} "
        f"| {metrics['CM3']['value']:.9f} | {announced} |"
    )


def _watch(folder: Path, seen: list[int], done: threading.Event) -> None:
    """Keep the greatest size of what lies in a folder."""
    while not done.wait(0.5):
        size = 0
        for path in folder.rglob("*"):
            try:
                size += path.stat().st_size
            except OSError:
                continue
        seen[0] = max(seen[0], size)


if __name__ == "__main__":
    main()
