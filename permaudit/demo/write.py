"""Write the demonstration's files."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv

from permaudit.census_like import census_like
from permaudit.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_NOISE = 0.8
"""Standard deviation of the demonstration's noise, as a share of each column's own."""


def write_demo(directory: Path) -> Path:
    """Write the original, three releases and the audit file; return the path of the audit file.

    Files of an earlier demonstration are replaced by the same ones; a directory with anything else in it is refused.
    """
    original = census_like()
    files = {
        "income.csv": _csv({"PERSON": np.arange(1, len(original["FICA"]) + 1)} | original),
        "noisy.csv": _csv(_noisy(original, seed=1)),
        "one-column-bare.csv": _csv(_noisy(original, seed=2) | {"FEDTAX": original["FEDTAX"]}),
        "synthetic.csv": _csv(census_like(seed=2024)),
        "audit.yaml": resources.files(__package__).joinpath("audit.yaml").read_bytes(),
    }
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = sorted({entry.name for entry in directory.iterdir()} - set(files) - {"permaudit-out"})
        if foreign:
            raise OutputError(f"{directory} holds other files, such as '{foreign[0]}'; choose a new directory")
        for name, content in files.items():
            (directory / name).write_bytes(content)
    except OSError as error:
        raise OutputError(f"{directory}: cannot be written: {error.strerror or 'unknown error'}") from error
    return directory / "audit.yaml"


def _noisy(columns: dict[str, NDArray[np.int64]], seed: int) -> dict[str, NDArray[np.int64]]:
    """Add rounded normal noise to every column; the seed is known, so this is a toy and no release."""
    rng = np.random.default_rng(seed)
    return {
        name: np.rint(values + rng.normal(0, _NOISE * values.std(), values.size)).astype(np.int64)
        for name, values in columns.items()
    }


def _csv(columns: dict[str, NDArray[np.int64]]) -> bytes:
    """Write columns as comma-separated text."""
    sink = pa.BufferOutputStream()
    csv.write_csv(pa.table(columns), sink, csv.WriteOptions(quoting_style="none"))
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]
