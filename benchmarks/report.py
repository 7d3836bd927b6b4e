"""How long the report takes, how large it is, and how much memory it needs: python benchmarks/report.py."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml
from pypdf import PdfReader

from permaudit.census_like import census_like

BASE = {
    "permaudit": 1,
    "title": "How long the report takes",
    "original": "original.csv",
    "attributes": dict.fromkeys(("FICA", "FEDTAX", "INTVAL", "POTHVAL"), "numeric"),
    "rules": [
        {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "masked"}},
        {"rule": "threshold", "metric": "CM3", "min": 0.2, "when": {"kind": "synthetic"}},
    ],
}
AUDITS: dict[str, dict[str, Any]] = {
    "3 candidates": {
        "candidates": {
            "swapped": {"anonymizer": "rank-swap", "params": {"p": 50}},
            "grouped": {"anonymizer": "mdav", "params": {"k": 10}},
            "drawn": {"anonymizer": "ipso"},
        }
    },
    "sweep of 60 points": {
        "sweeps": {
            "swapping": {"anonymizer": "rank-swap", "params": {"p": {"from": 1, "to": 60, "step": 1}}, "replicates": 2}
        }
    },
}


def main() -> None:
    """Audit once, then render from the result alone, in a process for each format."""
    print("| audit | format | seconds | seconds of a processor | bytes | pages | peak memory, MB |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name, part in AUDITS.items():
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), BASE | part)
            _run("run", "audit.yaml", "--format", "json", "--quiet", cwd=folder)
            for form in ("html", "pdf"):
                print(f"| {name} | {form} | {_measured(Path(folder), form)} |", flush=True)


def _write(folder: Path, audit: dict[str, Any]) -> None:
    columns = census_like()
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    (folder / "original.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "audit.yaml").write_text(yaml.safe_dump(audit, sort_keys=False), encoding="utf-8")


def _run(*arguments: str, cwd: str) -> None:
    subprocess.run([sys.executable, "-m", "permaudit", *arguments], cwd=cwd, check=False, capture_output=True)


def _measured(folder: Path, form: str) -> str:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    source = (
        "import resource, sys; from permaudit.cli import main\n"
        "try: main()\n"
        "finally: print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))"
    )
    command = [sys.executable, "-c", source, "report", "permaudit-out", "--format", form, "--quiet"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    path = folder / "permaudit-out" / f"report.{form}"
    pages = len(PdfReader(path).pages) if form == "pdf" else ""
    return f"{took:.1f} | {busy:.1f} | {path.stat().st_size} | {pages} | {int(done.stdout) / 1024:.0f}"


if __name__ == "__main__":
    main()
