"""Pairs of files of which everybody knows what a metric must say: copies, strangers, and what lies between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from permaudit.census_like import census_like
from permaudit.columns import length
from permaudit.compare import Comparer, What
from permaudit.data import Paired
from permaudit.outcome import Records
from permaudit.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from permaudit.cards import Needs
    from permaudit.compare import Compared
    from permaudit.model import Columns, Engine

COPY: Final = "verbatim copy"
SHUFFLED: Final = "shuffled copy"
JITTERED: Final = "jittered copy"
MIRRORED: Final = "mirrored copy"
TIED: Final = "copy, all tied"
STRANGERS: Final = "strangers"
CONSTANT: Final = "constant"

_RECORDS = 240
_FEWEST_FOR_EACH = 20
"""So many records for each attribute, where a metric needs many attributes."""
_JITTER = 0.01
"""In standard deviations."""
_SEED = 2010


@dataclass(frozen=True, slots=True)
class _Release:
    """How a release is made from the original."""

    what: str
    make: Callable[[Columns, Generator], Columns]


def _shuffled(columns: Columns, rng: Generator) -> Columns:
    order = rng.permutation(len(next(iter(columns.values()))))
    return {name: values[order] for name, values in columns.items()}


def _jittered(columns: Columns, rng: Generator) -> Columns:
    return {name: values + rng.normal(0, _JITTER * values.std(), values.size) for name, values in columns.items()}


_RELEASES: Final = {
    COPY: _Release("the original itself", lambda columns, _: columns),
    SHUFFLED: _Release("the original's records in another order", _shuffled),
    JITTERED: _Release("the original with each value moved by a hundredth of a standard deviation", _jittered),
    MIRRORED: _Release(
        "the original with the sign of each value changed",
        lambda columns, _: {name: -values for name, values in columns.items()},
    ),
    TIED: _Release("the original itself, where each attribute has two values only", lambda columns, _: columns),
    STRANGERS: _Release(
        "records of other people of the same population",
        lambda columns, _: _people(len(columns), len(next(iter(columns.values()))), draw=1),
    ),
    CONSTANT: _Release(
        "one value for everybody in each attribute",
        lambda columns, _: {name: np.zeros_like(values) for name, values in columns.items()},
    ),
}

CASES: Final = tuple(_RELEASES)
"""The names of the known cases."""


def what_is(name: str) -> str:
    """Say what is released in a known case."""
    return _RELEASES[name].what


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """The files of a known case."""

    original: Columns
    release: Columns
    holdout: Columns | None = None


def known_case(name: str, engine: Engine, needs: Needs, *, linked: bool) -> Compared:
    """Compare a made-up original with a release that is good or bad beyond doubt, as the metric needs it."""
    return compared_files(known_files(name, needs), engine, needs, linked=linked)


def known_files(name: str, needs: Needs) -> Files:
    """Make up an original and a release that is good or bad beyond doubt."""
    attributes = max(4, needs.attributes)
    records = max(_RECORDS, _FEWEST_FOR_EACH * attributes)
    original = _people(attributes, records, draw=0)
    if name == TIED:
        original = {column: values > np.median(values) for column, values in original.items()}
        original = {column: values.astype(np.int64) for column, values in original.items()}
    release = _RELEASES[name].make(original, np.random.default_rng(_SEED))
    return Files(original, release, _people(attributes, records, draw=2) if needs.holdout or needs.rows else None)


def compared_files(files: Files, engine: Engine, needs: Needs, *, linked: bool) -> Compared:
    """Compare two files, as the metric needs it."""
    before, after = length(files.original), length(files.release)
    what = What(
        kind="masked" if linked else "synthetic", linked=linked, references=needs.references, mirrored=needs.mirror
    )
    comparer = Comparer(engine, files.original, files.holdout, Streams(_SEED))
    records = Records(original=before, released=after, compared=min(before, after))
    paired = Paired(files.original, files.release, records)
    return comparer.compare([paired], what, np.random.default_rng(_SEED))


def _people(attributes: int, records: int, *, draw: int) -> Columns:
    """Draw so many attributes: four at a time are correlated, as in one population."""
    columns = {}
    for block in range(-(-attributes // 4)):
        for name, values in census_like(records, seed=_SEED + 100 * block + draw).items():
            columns[f"{name}{block or ''}"] = values
    return dict(list(columns.items())[:attributes])
