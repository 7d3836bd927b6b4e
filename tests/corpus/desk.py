"""Where a case is written: people, randomness, and an audit file that demands what a board would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml

from .people import HOUSEHOLD_TYPES, JOBS, POPULATIONS, correlated, households, people

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.random import Generator

BOARD = [
    {"rule": "threshold", "metric": "CM1", "on": "calibrated", "min": 0.1, "when": {"kind": "masked"}},
    {"rule": "threshold", "metric": "CM2", "on": "calibrated", "min": 0.05, "when": {"kind": "masked"}},
    {"rule": "threshold", "metric": "CM3", "on": "relative", "min": 0.8, "when": {"kind": "synthetic"}},
]
"""What the board demands of every file, good or bad; docs/corpus.md says why."""


class _WrittenOut(yaml.SafeDumper):
    """YAML without aliases, which audit files may not have."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        """Write everything out."""
        return True


@dataclass(frozen=True)
class Desk:
    """A folder for one case with one seed."""

    folder: Path
    seed: int
    declared: str
    quick: bool = False
    """Is the case only to be seen once, not measured?"""

    @cached_property
    def rng(self) -> Generator:
        """Return the case's own randomness."""
        return np.random.default_rng([self.seed, 7])

    @property
    def synthetic(self) -> bool:
        """Tell whether the release is declared as synthetic."""
        return self.declared == "synthetic"

    @property
    def records(self) -> int:
        """Return how many people an original has, unless the case is about their number."""
        return 500 if self.quick else 1000

    def people(self, records: int | None = None, draw: int = 0) -> pd.DataFrame:
        """Draw people of the seed's population; another draw gives other people of the same one."""
        population = POPULATIONS[self.seed % len(POPULATIONS)]
        return people(population, records or self.records, self.seed * 1000 + draw)

    def households(self, draw: int = 0) -> pd.DataFrame:
        """Draw people with attributes of every type."""
        return households(self.records, self.seed * 1000 + draw)

    def wide(self, correlation: float = 0.3, *, fewest: int = 20) -> pd.DataFrame:
        """Draw people with fifty attributes; quickly, with as few as do."""
        records, attributes = (400, fewest) if self.quick else (1000, 50)
        values = correlated(records, attributes, correlation, self.rng)
        return pd.DataFrame(values.round(4), columns=[f"V{number:02}" for number in range(attributes)])

    def independent(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Permute each column on its own: values are kept, and no record."""
        return frame.apply(lambda column: self.rng.permutation(column.to_numpy()))

    def shuffled(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Put whole records in another order."""
        return frame.iloc[self.rng.permutation(len(frame))].reset_index(drop=True)

    def ordered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Leave a linked release in the original's order; nobody ships an unlinked one in it."""
        return self.shuffled(frame) if self.synthetic else frame

    def noisy(self, frame: pd.DataFrame, alpha: float) -> pd.DataFrame:
        """Add normal noise of so many standard deviations."""
        return frame + self.rng.normal(size=frame.shape) * alpha * frame.std().to_numpy()

    def protected(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Protect well, as declared: other people, or the same ones under heavy noise."""
        return self.people(len(frame), draw=1) if self.synthetic else self.noisy(frame, 2)

    def write(self, name: str, content: pd.DataFrame | str | Mapping[str, Any]) -> Path:
        """Write a table, a text or a mapping."""
        path = self.folder / name
        if isinstance(content, pd.DataFrame):
            content.to_csv(path, index=False)
        else:
            text = (
                content if isinstance(content, str) else yaml.dump(dict(content), Dumper=_WrittenOut, sort_keys=False)
            )
            path.write_text(text, encoding="utf-8")
        return path

    def audit(self, original: pd.DataFrame, release: pd.DataFrame, **changes: Any) -> None:
        """Write an audit of the release; None removes a key, and `candidate` adds to the candidate.

        How the original is read can be said with `original_file`.
        """
        self.write("original.csv", original)
        self.write("release.csv", release)
        source = changes.pop("original_file", "original.csv")
        candidate = {"path": "release.csv", "kind": self.declared} | changes.pop("candidate", {})
        content = {
            "permaudit": 1,
            "title": "A case of the corpus",
            "original": source,
            "attributes": dict.fromkeys(original.columns, "numeric"),
            "candidates": {"release": candidate},
            "rules": BOARD,
            "seed": self.seed,
        }
        content |= {name.replace("_", "-"): value for name, value in changes.items()}
        self.write("audit.yaml", {name: value for name, value in content.items() if value is not None})

    def audit_households(self, original: pd.DataFrame, release: pd.DataFrame, **changes: Any) -> None:
        """Write an audit of attributes of every type."""
        self.write("jobs.yaml", {"job": JOBS})
        changes = {"attributes": {name: HOUSEHOLD_TYPES[name] for name in original.columns}} | changes
        self.audit(original, release, **changes)
