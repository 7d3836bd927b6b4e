"""The populations that originals are drawn from: other people of the same population come with another draw."""

from __future__ import annotations

import numpy as np
import pandas as pd

from permaudit.census_like import census_like

POPULATIONS = ("incomes", "normal", "skewed")
"""Tied and skewed amounts; continuous values with moderate correlations; heavy tails with weak correlations."""


def people(population: str, records: int, seed: int) -> pd.DataFrame:
    """Draw people with four numeric attributes."""
    rng = np.random.default_rng([seed, POPULATIONS.index(population)])
    if population == "incomes":
        return pd.DataFrame(census_like(records, int(rng.integers(2**31))))
    if population == "normal":
        return pd.DataFrame(correlated(records, 4, 0.5, rng).round(4), columns=list("ABCD"))
    scores = correlated(records, 4, 0.2, rng)
    return pd.DataFrame(np.exp(scores * [0.5, 1.0, 1.5, 2.0]).round(6), columns=["SALES", "STAFF", "ASSETS", "DEBT"])


def correlated(records: int, attributes: int, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Draw normal scores that all have the same correlation with each other."""
    common = rng.normal(size=(records, 1))
    own = rng.normal(size=(records, attributes))
    return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own


EDUCATION = ["none", "primary", "secondary", "bachelor", "master"]
JOBS = {
    "health": ["nurse", "surgeon", "dentist"],
    "craft": ["mason", "baker", "carpenter"],
    "office": ["clerk", "lawyer", "manager"],
}


def households(records: int, seed: int) -> pd.DataFrame:
    """Draw people with attributes of every type: what goes with what is as in life, roughly."""
    rng = np.random.default_rng([seed, 99])
    scores = correlated(records, 4, 0.4, rng)
    jobs = [job for branch in JOBS.values() for job in branch]
    places = np.clip(((scores[:, 2] + 2.5) / 5 * len(jobs)).astype(int), 0, len(jobs) - 1)
    born = np.datetime64("1975-06-15") + (scores[:, 0] * 5000).astype("timedelta64[D]")
    return pd.DataFrame(
        {
            "BORN": born.astype(str),
            "EDUCATION": np.array(EDUCATION)[np.clip((scores[:, 1] * 1.2 + 2.5).astype(int), 0, 4)],
            "JOB": np.array(jobs)[places],
            "INCOME": np.exp(scores[:, 3] * 0.7 + 10).round().astype(int),
            "MARRIED": np.where(rng.random(records) < 0.5 + 0.1 * scores[:, 0], "true", "false"),
        }
    )


HOUSEHOLD_TYPES = {
    "BORN": "date",
    "EDUCATION": {"type": "ordinal", "order": EDUCATION},
    "JOB": {"type": "nominal", "taxonomy": "jobs.yaml"},
    "INCOME": "numeric",
    "MARRIED": "boolean",
}
