"""What the limits of the shipped policies are worth: linkage beside CM1 and CM2, harmless and harmful synthetic files.

    python benchmarks/policies.py     print both tables, and write results/policies.md

Masked files: every record of a release is linked to the original record whose ranks are nearest, as an intruder would who
holds the whole original; ties share the hit. Synthetic files: other people from the same population and two synthesizers
beside the original itself, shuffled, mirrored, jittered and partly copied. All data are made by code, with fixed seeds.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import rankdata

import permaudit
from permaudit.census_like import census_like
from permaudit.model import Original
from permaudit.plan import Attribute
from permaudit.plugins import load_plugins

RESULTS = Path(__file__).parent / "results" / "policies.md"
RECORDS = 1080
CATALOGUE = load_plugins().catalogue
MASKED = [
    *(("mdav", "k", value) for value in (3, 10, 25, 50, 100, 200)),
    *(("additive-noise", "alpha", value) for value in (0.1, 0.3, 0.5, 0.75, 1.0)),
    *(("multiplicative-noise", "beta", value) for value in (0.3, 0.5, 0.9)),
    *(("rank-swap", "p", value) for value in (5, 10, 20, 30, 40)),
    *(("laplace", "epsilon", value) for value in (10, 50, 100, 200)),
]
LEVELS = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.2)
SYNTHETIC_SEEDS = 6


def correlated(attributes: int, seed: int, rho: float = 0.2) -> dict[str, np.ndarray]:
    """Draw an AR(1) Gaussian copula, every second margin lognormal."""
    place = np.arange(attributes)
    factor = np.linalg.cholesky(rho ** abs(place[:, None] - place))
    normal = np.random.default_rng(seed).normal(size=(RECORDS, attributes)) @ factor.T
    return {f"A{j}": np.exp(normal[:, j]) if j % 2 else normal[:, j] + 10 for j in range(attributes)}


def floats(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values.astype(float) for name, values in columns.items()}


ORIGINALS = {
    "census-like": floats(census_like(RECORDS)),
    "census-like, other people": floats(census_like(RECORDS, seed=7)),
    "2 attributes": correlated(2, 1),
    "8 attributes": correlated(8, 1),
}


def made(original: dict[str, np.ndarray], name: str, seed: int, **params: float) -> dict[str, np.ndarray]:
    """Let a built-in anonymizer make a release, repeatably."""
    anonymizer = CATALOGUE.anonymizers[name]
    given = Original(pa.table(original), {column: Attribute(name=column) for column in original}, study=True)
    table = anonymizer.anonymize(given, anonymizer.parameters(**params), np.random.default_rng(seed)).table
    return {column: table[column].to_numpy() for column in original}


def linked(original: dict[str, np.ndarray], release: dict[str, np.ndarray]) -> float:
    """Return the share of released records whose nearest original record, by ranks, is their own."""
    known = np.column_stack([rankdata(values) for values in original.values()])
    places = np.arange(1, RECORDS + 1)
    seen = np.column_stack([np.interp(release[name], np.sort(values), places) for name, values in original.items()])
    hits = 0.0
    for row, record in enumerate(seen):
        distance = ((known - record) ** 2).sum(axis=1)
        nearest = distance <= distance.min() + 1e-9
        hits += nearest[row] / nearest.sum()
    return hits / RECORDS


def masked_rows() -> list[tuple[str, str, float, float, float, float]]:
    """Return name, anonymizer, CM1, CM2 (both calibrated), UM and linkage of every masked release."""
    rows = []
    for data, original in ORIGINALS.items():
        for name, parameter, value in MASKED:
            release = made(original, name, 3, **{parameter: value})
            found = permaudit.audit(pd.DataFrame(original), pd.DataFrame(release), kind="masked").candidates[0].metrics
            first, second = found["CM1"].calibrated, found["CM2"].calibrated
            rows.append(
                (data, f"{name} {parameter}={value:g}", first, second, found["UM"].value, linked(original, release))
            )
    return rows


def synthetic_rows() -> list[tuple[str, float, float, float, float, str]]:
    """Return for each kind of file the least and mean CM3 and MIRROR beside strangers, and how many held copies."""
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for seed in range(SYNTHETIC_SEEDS):
        original, holdout, others = (floats(census_like(RECORDS, seed=1000 * part + seed)) for part in (1, 5, 9))
        rng = np.random.default_rng(seed)
        order = rng.permutation(RECORDS)
        shuffled = {name: values[order] for name, values in original.items()}
        files = {
            "other people": others,
            "ipso": made(original, "ipso", seed),
            "gaussian-copula": made(original, "gaussian-copula", seed),
            "the original, shuffled": shuffled,
            "the original, mirrored": {name: -values for name, values in shuffled.items()},
        }
        for share in (0.1, 0.5, 0.9):
            copied = rng.random(RECORDS) < share
            files[f"{share:.0%} copied"] = {name: np.where(copied, shuffled[name], others[name]) for name in original}
        for what, release in files.items():
            result = permaudit.audit(
                *map(pd.DataFrame, (original, release)),
                kind="synthetic",
                holdout=pd.DataFrame(holdout),
                metrics=["CM3", "MIRROR", "COPIES"],
            ).candidates[0]
            copies = next(rule.outcome for rule in result.rules if rule.rule == "no-copied-records")
            numbers = (result.metrics["CM3"].relative, result.metrics["MIRROR"].relative, copies == "fail")
            found.setdefault(what, []).append(numbers)
    return [
        (
            what,
            min(row[0] for row in rows),
            mean(row[0] for row in rows),
            min(row[1] for row in rows),
            mean(row[1] for row in rows),
            f"{sum(row[2] for row in rows)} of {len(rows)}",
        )
        for what, rows in found.items()
    ]


def main() -> None:
    masked = masked_rows()
    lines = [
        "## Masked files",
        "",
        "| data | made by | CM1 calibrated | CM2 calibrated | UM | linked |",
        "|---|---|--:|--:|--:|--:|",
    ]
    lines += [f"| {d} | {n} | {c1:.4f} | {c2:.4f} | {um:.3f} | {hit:.2%} |" for d, n, c1, c2, um, hit in masked]
    lines += [
        "",
        "| CM2 calibrated at least | files | of these, linked at most | bits told, 1/2 log2(1/CM2) |",
        "|--:|--:|--:|--:|",
    ]
    for level in LEVELS:
        hits = [row[5] for row in masked if row[3] >= level]
        lines.append(f"| {level:g} | {len(hits)} | {max(hits):.2%} | {-np.log2(level) / 2:.1f} |")
    lines += ["", "## Synthetic files", ""]
    lines += [
        "| file | CM3 relative, least | mean | MIRROR relative, least | mean | copies found |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [f"| {w} | {a:.3f} | {b:.3f} | {c:.3f} | {d:.3f} | {e} |" for w, a, b, c, d, e in synthetic_rows()]
    text = "\n".join(lines) + "\n"
    RESULTS.write_text(f"# Limits of the shipped policies\n\n{RECORDS} records.\n\n{text}", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
