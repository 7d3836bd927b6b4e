"""Pairs of files in which engines could go wrong: ties, gaps, keys, unequal sizes, copies, constants."""

from __future__ import annotations

import numpy as np


def people(records: int, attributes: int = 4, seed: int = 0) -> dict[str, np.ndarray]:
    """Draw correlated columns: untied, rounded, of few values, and whole numbers, in turn."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=records)
    columns = {}
    for place in range(attributes):
        values = 0.7 * common + rng.normal(size=records)
        kind = place % 4
        if kind == 1:
            values = np.round(values, 1)
        elif kind == 2:
            values = np.floor(values)
        elif kind == 3:
            values = (values * 1e6).astype(np.int64)
        columns[f"a{place}"] = values
    return columns


def noisy(columns: dict[str, np.ndarray], share: float = 0.5, seed: int = 1) -> dict[str, np.ndarray]:
    """Move every value; what was rounded stays rounded."""
    rng = np.random.default_rng(seed)
    moved = {}
    for place, (name, values) in enumerate(columns.items()):
        new = values + rng.normal(0, share * values.std(), values.size)
        decimals = {1: 1, 2: 0, 3: 0}.get(place % 4)
        moved[name] = new if decimals is None else np.round(new, decimals)
    return moved


def shuffled(columns: dict[str, np.ndarray], seed: int = 2) -> dict[str, np.ndarray]:
    """Put whole records in another order."""
    order = np.random.default_rng(seed).permutation(len(next(iter(columns.values()))))
    return {name: values[order] for name, values in columns.items()}


def tied(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Give every attribute a few values only."""
    return {name: np.floor(values / values.std()) for name, values in columns.items()}


def mirrored(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Turn every attribute upside down."""
    return {name: -values for name, values in columns.items()}
