"""Small populations, and the copy detector on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.model import Comparison, Rows
from permaudit_plugins.metrics.copies import Copies

if TYPE_CHECKING:
    from permaudit.model import Measured

Columns = dict[str, np.ndarray]


def people(records: int = 1000, attributes: int = 4, seed: int = 0, correlation: float = 0.5) -> Columns:
    """Draw normal scores that all have the same correlation."""
    rng = np.random.default_rng([seed, records, attributes])
    common = rng.normal(size=(records, 1))
    scores = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(size=(records, attributes))
    return {f"V{place}": scores[:, place] for place in range(attributes)}


def jittered(columns: Columns, by: float, seed: int = 0) -> Columns:
    """Move each value by so many standard deviations."""
    rng = np.random.default_rng([seed, 77])
    return {name: values + rng.normal(0, by * values.std(), values.size) for name, values in columns.items()}


def part(first: Columns, second: Columns, share: float) -> Columns:
    """Take the first records from one file, and the others from another one."""
    size = len(next(iter(first.values())))
    many = int(size * share)
    return {name: np.concatenate([first[name][:many], second[name][many:size]]) for name in first}


def put_among(columns: Columns, bare: Columns, many: int) -> Columns:
    """Put so many records of another file in the place of the first ones."""
    return {name: np.concatenate([bare[name][:many], values[many:]]) for name, values in columns.items()}


def shuffled(columns: Columns, seed: int = 5) -> Columns:
    """Put whole records in another order."""
    size = len(next(iter(columns.values())))
    order = np.random.default_rng(seed).permutation(size)
    return {name: values[order] for name, values in columns.items()}


def measured(original: Columns, release: Columns, *, linked: bool = False, seed: int = 0, **more: Any) -> Measured:
    """Run the copy detector."""
    rows = Rows(original, release, more.pop("holdout", None))
    kind = "masked" if linked else "synthetic"
    pair = Comparison(kind, linked, None, rows, **more)  # type: ignore[arg-type]  # moments are not looked at
    return Copies().compute(pair, np.random.default_rng(seed))


def looks(*given: Any, **more: Any) -> dict[str, Any]:
    """Return what each look found."""
    return dict(measured(*given, **more).details["looks"])


def excess(look: dict[str, Any]) -> float:
    """Return by how many standard deviations more was found than chance gives."""
    found, expected = (look["closeness"], look["bound"]) if "closeness" in look else (look["found"], look["expected"])
    return float((found - expected) / look["spread"]) if look["spread"] else 0.0


def surprises(found: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return how likely chance alone gives what was found, of each look that tells."""
    return {name: look["surprise"] for name, look in found.items() if "surprise" in look}
