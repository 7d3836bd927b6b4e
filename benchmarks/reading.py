"""Time and memory from a file on the disk to encoded columns, beside what pandas takes to read the same file.

    python benchmarks/reading.py            all files, and write results/reading.md
    python benchmarks/reading.py 1e5x10     this size, and print only

permaudit's reader checks and reads the file, and every column is encoded; pandas reads it with the same types declared.
The loader does more than that: it hashes the file before and after, and unpacks gzip data once to see how much they are.
All three run in the same process, in turns, and the best of several rounds counts. Memory is measured in processes of
their own, through the loader.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from permaudit.data.encode import scales_of
from permaudit.data.files import reader_for
from permaudit.data.load import load
from permaudit.data.pieces import read_pieces
from permaudit.data.scales import scale_of
from permaudit.model import PiecewiseReader
from permaudit.plan import Attribute, FileSource
from permaudit.plugins import load_plugins

RESULTS = Path(__file__).parent / "results" / "reading.md"
STATUS = Path("/proc/self/status")
CASES = {
    "cents.csv": "CSV, amounts with two decimals and whole numbers",
    "digits.csv": "CSV, floats with all their digits",
    "quoted.csv": "CSV, the same amounts, every cell in quotes",
    "cents.csv.gz": "the first file, gzip",
    "cents.parquet": "Parquet, the same amounts",
    "digits.parquet": "Parquet, floats with all their digits",
}
TARGETS = {".csv": 1.5, ".gz": None, ".parquet": 2.0}
MEMORY_TARGET = 3.0
NOTE = """The loader hashes the file before and after, and unpacks gzip data once more, which the middle columns leave out.
Text files are read in pieces: a column of numbers is held as numbers, and only the last pieces as text. On a busy machine the
columns in seconds say little; the ratio of processor time says what is done, and the others what is done at once."""
ROUNDS = 9
SEED = 20261118


# ------------------------------------------------------------------ the files


def write_files(folder: Path, n: int, m: int) -> None:
    rng = np.random.default_rng(SEED)
    raw = [rng.lognormal(9, 1, n) for _ in range(m)]
    cents = pa.table({f"v{i}": np.round(x, 2) if i % 2 else x.astype(np.int64) for i, x in enumerate(raw)})
    digits = pa.table({f"v{i}": x for i, x in enumerate(raw)})
    plain = pyarrow.csv.WriteOptions(quoting_style="none")
    pyarrow.csv.write_csv(cents, folder / "cents.csv", plain)
    pyarrow.csv.write_csv(digits, folder / "digits.csv", plain)
    quoted = pyarrow.csv.WriteOptions(quoting_style="all_valid")
    pyarrow.csv.write_csv(
        cents.cast(pa.schema([(x, pa.string()) for x in cents.column_names])), folder / "quoted.csv", quoted
    )
    with pa.CompressedOutputStream(str(folder / "cents.csv.gz"), "gzip") as stream:
        stream.write((folder / "cents.csv").read_bytes())
    pyarrow.parquet.write_table(cents, folder / "cents.parquet")
    pyarrow.parquet.write_table(digits, folder / "digits.parquet")


def types(path: Path, m: int) -> dict[str, str]:
    floats = "digits" in path.name
    return {f"v{i}": "float64" if floats or i % 2 else "int64" for i in range(m)}


# ------------------------------------------------------------------ the ways to read


def with_reader(path: Path, m: int, readers: Any) -> list[np.ndarray]:
    reader = reader_for(FileSource(path=path, shown=path.name), readers)
    names = tuple(f"v{i}" for i in range(m))
    if isinstance(reader, PiecewiseReader):
        table = read_pieces(reader, path, names, reader.parameters(), names)
    else:
        table = reader.read(path, names, reader.parameters())
    return [scale_of(Attribute(name=name), table[name]).original.codes for name in names]


def with_loader(path: Path, m: int, readers: Any) -> list[np.ndarray]:
    names = [f"v{i}" for i in range(m)]
    original = load(FileSource(path=path, shown=path.name), names, readers, numbers=names)
    scales = scales_of([Attribute(name=name) for name in names], original)
    return [column.codes for column in scales.original.values()]


def with_pandas(path: Path, m: int) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype=types(path, m))


# ------------------------------------------------------------------ what runs in a process of its own


def status(field: str) -> int:
    """A memory figure of this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def child(task: str, path: Path, m: int) -> dict[str, Any]:
    readers = load_plugins([]).catalogue.readers
    ways = {
        "reader": lambda file: with_reader(file, m, readers),
        "loader": lambda file: with_loader(file, m, readers),
        "pandas": lambda file: with_pandas(file, m),
    }
    for way in ways.values():  # imports, and whatever else happens only once
        way(path.with_name(f"small-{path.name}"))
    if task != "time":
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
        before = status("VmRSS")
        kept = ways[task](path)
        return {"peak": status("VmHWM") - before, "kept": len(kept)}
    best = dict.fromkeys(ways, float("inf"))
    busy = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start, start_busy = time.perf_counter(), time.process_time()
            read = way(path)
            best[name] = min(best[name], time.perf_counter() - start)
            busy[name] = min(busy[name], time.process_time() - start_busy)
            del read
    codes, frame = with_reader(path, m, readers), with_pandas(path, m)
    same = all(np.array_equal(code, frame[f"v{i}"].to_numpy()) for i, code in enumerate(codes))
    return {**best, "busy": busy, "encoded": sum(code.nbytes for code in codes), "same": same}


def run(task: str, path: Path, m: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", task, str(path), str(m)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


# ------------------------------------------------------------------ the table


def measure(folder: Path, name: str, m: int) -> str:
    path = folder / name
    timed = run("time", path, m)
    if not timed["same"]:
        sys.exit(f"{name}: permaudit and pandas read different numbers")
    peaks = {way: run(way, path, m)["peak"] for way in ("loader", "pandas")}
    ratio = timed["reader"] / timed["pandas"]
    target = TARGETS[path.suffix]
    cells = [
        CASES[name],
        f"{path.stat().st_size / 1e6:.0f}",
        f"{timed['pandas']:.2f}",
        f"{timed['reader']:.2f}",
        f"{ratio:.2f}x" + ("" if target is None else f" (target {target}x)"),
        f"{timed['busy']['reader'] / timed['busy']['pandas']:.2f}x",
        f"{timed['loader']:.2f}",
        f"{timed['loader'] / timed['pandas']:.2f}x",
        f"{peaks['loader'] / 1e6:.0f}",
        f"{peaks['loader'] / timed['encoded']:.1f}x (target {MEMORY_TARGET:.0f}x)",
        f"{peaks['pandas'] / timed['encoded']:.1f}x",
    ]
    return "| " + " | ".join(cells) + " |"


def main(sizes: list[str]) -> None:
    size = sizes[0] if sizes else "1e6x10"
    n, m = (int(float(part)) for part in size.split("x"))
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_files(folder, 1000, m)
        for file in list(folder.iterdir()):
            file.rename(folder / f"small-{file.name}")
        write_files(folder, n, m)
        rows = [measure(folder, name, m) for name in CASES]
    versions = ", ".join(f"{module.__name__} {module.__version__}" for module in (pd, pa, np))
    about = (
        f"{n:,} records, {m} columns. Python {platform.python_version()}, {versions}; {os.cpu_count()} processors, with a load "
        f"of {load_before:.1f} before the run. pandas, arrow and the encoding use all processors."
    )
    text = "\n".join(
        [
            "# Reading and encoding files",
            "",
            about,
            f"Best of {ROUNDS} rounds; *of processor time* sums over the threads. *peak* is above what the process took before, also as a multiple of the encoded columns.",
            "",
            "| file | MB | pandas, s | reader + encoding, s | ratio | of processor time | loader + encoding, s | ratio | peak, MB | peak / encoded | pandas' peak / encoded |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            NOTE,
            "",
        ]
    )
    print(text)
    if not sizes:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(sys.argv[1:])
