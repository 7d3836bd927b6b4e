# ruff: noqa: INP001 - an example beside its script, not a package
"""The data that the audit files name, written to the folder work."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from permaudit.census_like import census_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
WORK = HERE / "work"
NAMES = ("FICA", "FEDTAX", "INTVAL", "POTHVAL")
STUDY_SEED = 20261118
RECORDS, CORRELATION = 1080, 0.99


def prepare() -> bool:
    """Write the data that the audit files name; return whether they are the Census data set."""
    given = os.environ.get("CENSUS_CSV")
    path = Path(given) if given else HERE.parents[1].parent / "shared" / "data" / "census.csv"
    WORK.mkdir(exist_ok=True)
    simulate(0)
    if given == "" or not (given or path.is_file()):
        write(WORK / "income.csv", census_like(RECORDS))
        return False
    if not path.is_file():
        sys.exit("CENSUS_CSV names a file that is not there")
    with path.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    write(WORK / "income.csv", {name: [person[name] for person in people] for name in NAMES})
    return True


def simulate(number: int) -> None:
    """Write Gaussian data in which every two attributes are correlated alike; another number draws other data."""
    rng = np.random.default_rng([STUDY_SEED, number])
    common, own = rng.standard_normal((RECORDS, 1)), rng.standard_normal((RECORDS, len(NAMES)))
    values = np.sqrt(CORRELATION) * common + np.sqrt(1 - CORRELATION) * own
    write(WORK / "simulated.csv", {f"X{place + 1}": column.tolist() for place, column in enumerate(values.T)})


def write(path: Path, columns: Mapping[str, Sequence[object] | np.ndarray]) -> None:
    """Write columns as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
