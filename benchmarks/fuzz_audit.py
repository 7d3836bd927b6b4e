"""Whole audits on mutated audit files and mutated data: a verdict or a clear error, whatever the bytes.

    python benchmarks/fuzz_audit.py --seconds 300            # random mutation
    python benchmarks/fuzz_audit.py --seconds 300 --guided   # guided by coverage; needs atheris

Counts the inputs and the exit codes. What breaks the contract (another exit code than 0 to 3, a traceback, an entry in the
debug log, a release of the original itself, more than 20 seconds of processor time) is kept in a folder, and the script exits with 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

LONGEST, LONGEST_WAIT = 20, 300
"""Seconds of processor time, and of the clock: on a busy machine little work may take long."""
ALLOWED = {0, 1, 2, 3}
RECORDS = 40

Pick = Callable[[int], int]
"""Gives a number from 0 up to, but not including, the one it is given."""

# --------------------------------------------------------------------------- what is mutated

AUDIT = """\
permaudit: 1
title: A fuzzed audit
original: original.csv
holdout: holdout.csv
attributes:
  INCOME: numeric
  AGE: {type: numeric, bounds: [-1000, 1000], missing: lowest}
  LEVEL: {type: ordinal, order: [low, middle, high], star: any}
  SMOKES: boolean
  BORN: date
  JOB: {type: nominal, taxonomy: jobs.yaml}
identifiers: [NAME]
not-audited: {WEIGHT: public}
missing: drop-records
candidates:
  given: {path: release.csv, kind: masked, linkage: row}
  keyed: {path: release.csv, kind: masked, linkage: {key: ID}}
  loose: {path: release.csv, kind: synthetic}
  copied: {path: original.csv, kind: masked}
metrics: [UM, CM1, CM2, CM3]
rules:
  - {rule: threshold, metric: CM2, min: 0.05, when: {kind: masked}}
  - {rule: threshold, metric: CM3, min: 0.05}
seed: 1
"""
JOBS = "all:\n  health: [nurse, surgeon]\n  trade: [mason, baker]\n"
AUDIT_WORDS = [
    *(
        "masked",
        "synthetic",
        "row",
        "none",
        "{key: ID}",
        "numeric",
        "boolean",
        "date",
        "datetime",
        "ordinal",
        "nominal",
    ),
    *("error", "drop-records", "lowest", "highest", "any", "missing", "original.csv", "release.csv", "jobs.yaml", "[]"),
    *("{}", "null", "0", "-1", "1e-3", "1e308", "0.5", "true", "CM1", "CM3", "UM", "COPIES", "threshold", "max: 0.5"),
    *("INCOME", "AGE", "LEVEL", "BORN", "JOB", "WEIGHT", "ID", "mdav", "additive-noise", "&a", "*a", "!!int", "<<:"),
    *("  extra: {anonymizer: additive-noise, params: {alpha: 0.5}}", "  extra: {anonymizer: mdav, params: {k: 3}}"),
    *(
        "post: {round: true}",
        "decimals: 2",
        "format: csv",
        "options: {delimiter: ';'}",
        "\n",
        ": ",
        "- ",
        "#",
        "'",
        '"',
    ),
]
CELLS = [
    *(
        "",
        "0",
        "-0.0",
        "1e308",
        "-1e308",
        "5e-324",
        "1e-400",
        "9007199254740993",
        "18446744073709551616",
        "1" * 30,
        "NaN",
    ),
    *(
        "inf",
        "NA",
        "*",
        "20-29",
        "[20, 30)",
        ">=65",
        "{18,19}",
        "{low,high}",
        "true",
        "FALSE",
        "1",
        "high",
        "2020-01-01",
    ),
    *("2020-02-30", "2020", "2020-01", "1990-1999", "2020-01-01T00:00:00Z", "health", "all", "nurse", "nobody", " 7 "),
    *("1,5", "0x1F", '"', '""', '"a\nb"', "\0", "\u202e", "é", "a" * 3000, "=1+1", "1_000", "٣", "1e5", "+3", "--3"),
]
LINE_ENDS = [b"\n", b"\r\n", b"\r", b",\n", b"\n\n", b"\0", b";", b"\t", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80"]


def tables() -> dict[str, bytes]:
    """Return the files of a small audit that runs."""
    rng = random.Random(1)
    header = "ID,INCOME,AGE,LEVEL,SMOKES,BORN,JOB"

    def table() -> bytes:
        lines = [
            f"{number},{rng.gauss(1000, 300):.2f},{rng.randrange(18, 90)},{rng.choice(['low', 'middle', 'high'])},"
            f"{rng.choice(['true', 'false'])},19{rng.randrange(10, 99)}-0{rng.randrange(1, 9)}-1{rng.randrange(9)},"
            f"{rng.choice(['nurse', 'surgeon', 'mason', 'baker'])}"
            for number in range(RECORDS)
        ]
        return ("\n".join([header, *lines]) + "\n").encode()

    return {name: table() for name in ("original.csv", "release.csv", "holdout.csv")}


# --------------------------------------------------------------------------- how it is mutated


def mutated_audit(pick: Pick) -> bytes:
    """Change some lines and words of the audit file."""
    lines = AUDIT.split("\n")
    for _ in range(pick(4)):
        place = pick(len(lines))
        match pick(6):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[pick(len(lines))])
            case 2:
                lines.insert(place, AUDIT_WORDS[pick(len(AUDIT_WORDS))])
            case 3 | 4:
                words = lines[place].split(" ")
                words[pick(len(words))] = AUDIT_WORDS[pick(len(AUDIT_WORDS))]
                lines[place] = " ".join(words)
            case _:
                cut = pick(len(lines[place]) + 1)
                lines[place] = lines[place][:cut] + AUDIT_WORDS[pick(len(AUDIT_WORDS))] + lines[place][cut + pick(4) :]
        lines = lines or [""]
    return with_bytes("\n".join(lines).encode(), pick) if pick(8) == 0 else "\n".join(lines).encode()


def mutated_table(content: bytes, pick: Pick) -> bytes:  # noqa: C901 - one case for each change
    """Change some cells, columns, records and bytes of a table."""
    rows = [line.split(b",") for line in content.rstrip().split(b"\n")]
    for _ in range(1 + pick(3)):
        cell = _cell(rows, pick)
        row = rows[pick(len(rows))]
        column = pick(len(rows[0]))
        match pick(8):
            case 0 | 1 if column < len(row):
                row[column] = cell
            case 2:  # a whole column of one value, or of two
                other = _cell(rows, pick)
                for each in rows[1:]:
                    if column < len(each):
                        each[column] = cell if pick(2) else other
            case 3:  # a column over another one
                source = pick(len(rows[0]))
                for each in rows[1:]:
                    if max(column, source) < len(each):
                        each[column] = each[source]
            case 4:
                del rows[1 + pick(len(rows)) : 1 + pick(len(rows))]
            case 5:
                rows.insert(pick(len(rows)), list(row))
            case 6:
                rows[1:] = rows[:0:-1]
            case _:
                row.append(cell)
    text = b"\n".join(b",".join(row) for row in rows) + b"\n"
    return with_bytes(text, pick) if pick(6) == 0 else text


def _cell(rows: list[list[bytes]], pick: Pick) -> bytes:
    """Return a cell of the table, or an odd one."""
    if pick(2):
        row = rows[pick(len(rows))]
        return row[pick(len(row))]
    return CELLS[pick(len(CELLS))].encode()


def with_bytes(content: bytes, pick: Pick) -> bytes:
    """Change some bytes."""
    changed = bytearray(content)
    for _ in range(1 + pick(4)):
        place = pick(len(changed) + 1)
        new = LINE_ENDS[pick(len(LINE_ENDS))] if pick(2) else bytes([pick(256)])
        changed[place : place + pick(3)] = new
    return bytes(changed)


def mutated(pick: Pick) -> dict[str, bytes]:
    """Return the files of one input."""
    files = {"audit.yaml": mutated_audit(pick) if pick(3) == 0 else AUDIT.encode(), "jobs.yaml": JOBS.encode()}
    for name, content in TABLES.items():
        files[name] = mutated_table(content, pick) if pick(3) == 0 else content
    if pick(10) == 0:
        files["release.csv"] = files["original.csv"]
    return files


TABLES = tables()

# --------------------------------------------------------------------------- one run


class TooLongError(Exception):
    """A run did not end."""


def run(folder: Path, files: dict[str, bytes]) -> tuple[int, str | None]:
    """Audit the files; return the exit code, and what is wrong with the run, if anything."""
    from permaudit.cli import main  # noqa: PLC0415 - after atheris has instrumented it

    for name, content in files.items():
        (folder / name).write_bytes(content)
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    tempfile.tempdir = str(logs)
    sys.argv = [
        "permaudit",
        "run",
        str(folder / "audit.yaml"),
        "--out",
        str(folder / "out"),
        "--no-cache",
        "--jobs",
        "1",
    ]
    out, err = io.StringIO(), io.StringIO()
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT)
    code: object = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(supervise=False)
    except SystemExit as end:
        code = end.code
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return (code if isinstance(code, int) else -1), _wrong(code, out.getvalue() + err.getvalue(), folder)


def _too_long(number: int, frame: object) -> None:  # noqa: ARG001
    raise TooLongError


def _wrong(code: object, told: str, folder: Path) -> str | None:
    """Say what breaks the contract."""
    logs = list((folder / "logs").iterdir())
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in logs]
    for path in logs:
        path.unlink()
    if code not in ALLOWED:
        return f"exit code {code}\n" + "".join(texts)
    if texts:
        return "an entry in the debug log\n" + "".join(texts)
    if "Traceback" in told:
        return "a traceback"
    if code != 2:  # noqa: PLR2004
        result = json.loads((folder / "out" / "audit.json").read_bytes(), parse_constant=_no_number)
        for candidate in result["candidates"]:
            if candidate["verdict"] == "release" and candidate["name"] == "copied":
                return "the original itself was released"
    return None


def _no_number(text: str) -> float:
    raise ValueError(text)


# --------------------------------------------------------------------------- many runs


class Count:
    """What was tried and what was found."""

    def __init__(self, folder: Path, kept: Path, seconds: float) -> None:
        self.folder, self.kept = folder, kept
        self.codes: Counter[int] = Counter()
        self.found: Counter[str] = Counter()
        self.end = time.monotonic() + seconds

    def one(self, pick: Pick) -> None:
        """Try one input."""
        files = mutated(pick)
        code, wrong = run(self.folder, files)
        self.codes[code] += 1
        if wrong is not None:
            kind = next((line for line in reversed(wrong.strip().splitlines()) if line), wrong)
            self.found[kind] += 1
            if self.found[kind] == 1:
                place = self.kept / f"found-{len(self.found)}"
                place.mkdir(parents=True)
                for name, content in files.items():
                    (place / name).write_bytes(content)
                (place / "wrong.txt").write_text(wrong, encoding="utf-8")
        if time.monotonic() > self.end:
            self.finish()

    def finish(self) -> None:
        """Say what was found, and end."""
        codes = ", ".join(f"{code}: {count:,}" for code, count in sorted(self.codes.items()))
        print(f"{self.codes.total():,} inputs; exit codes {codes}")
        for kind, count in self.found.items():
            print(f"found {count} times: {kind}")
        print(f"kept in {self.kept}" if self.found else "nothing found")
        shutil.rmtree(self.folder, ignore_errors=True)
        sys.stdout.flush()
        os._exit(1 if self.found else 0)  # atheris would go on


def main() -> None:
    """Parse the arguments and begin."""
    parser = argparse.ArgumentParser(description="Run audits on mutated inputs.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true", help="guided by coverage, with atheris")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-found"), help="where to keep what breaks the contract")
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    logging.raiseExceptions = True
    count = Count(Path(tempfile.mkdtemp(prefix="fuzz-audit-")), arguments.kept.absolute(), arguments.seconds)
    if not arguments.guided:
        rng = random.Random(arguments.seed)
        while True:
            count.one(rng.randrange)
    import atheris  # noqa: PLC0415

    with atheris.instrument_imports(include=["permaudit", "permaudit_plugins"]):
        import permaudit.cli.main  # noqa: PLC0415
        import permaudit.cli.run  # noqa: PLC0415
        import permaudit.runner  # noqa: F401, PLC0415

    def try_one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        count.one(lambda end: provider.ConsumeIntInRange(0, end - 1))

    atheris.Setup([sys.argv[0], "-max_len=4096", "-len_control=0", "-timeout=60", f"-seed={arguments.seed}"], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
