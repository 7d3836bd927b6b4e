"""One original beside its releases: which attributes and records enter, and the moments of each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.errors import DataError, shown
from permaudit.model import Comparison, Rows
from permaudit.outcome import Excluded, Records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Columns, Engine, Kind

DRAWS = 5
"""How often the larger of two unlinked files of different size is drawn down to the smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """All comparisons of one candidate, and what they leave out."""

    comparisons: tuple[Comparison, ...]
    records: Records
    excluded: tuple[Excluded, ...]
    warnings: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the attributes that entered."""
        return self.comparisons[0].moments.attributes if self.comparisons else ()

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Return the attributes that keep every rank in some comparison."""
        bare = {
            name
            for pair in self.comparisons
            for name, same in zip(pair.moments.attributes, pair.moments.unchanged, strict=True)
            if same
        }
        return tuple(name for name in self.attributes if name in bare)


class Comparer:
    """Compare releases with one original, whose columns are ranked once."""

    def __init__(self, original: Columns, where: str, engine: Engine) -> None:
        """Take the original's columns, the name of its source, and the engine that compares."""
        self._where = where
        self._engine = engine
        self._records = _length(original)
        self._excluded = tuple(
            Excluded(attribute=name, reason="constant in the original: there is no order to protect")
            for name, values in original.items()
            if _is_constant(values)
        )
        constant = {excluded.attribute for excluded in self._excluded}
        self._original = {name: values for name, values in original.items() if name not in constant}
        self._prepared: Any = None

    def refuse_sizes(self, release: Columns, where: str, *, linked: bool) -> None:
        """Raise where the numbers of records rule out a comparison."""
        released, attributes = _length(release), len(self._original)
        if linked and released != self._records:
            raise DataError.one(
                where,
                f"has {released} records and {self._where} has {self._records}: linkage by row needs as many; "
                "say linkage: none if the rows do not correspond",
            )
        compared = min(released, self._records)
        if compared <= 2 * attributes + 1:
            raise DataError.one(
                where,
                f"{compared} records are too few to compare {attributes} attributes; needed are {2 * attributes + 2}",
            )

    def compare(self, releases: Sequence[Columns], kind: Kind, *, linked: bool, rng: Generator) -> Compared:
        """Return the comparisons of a candidate: one for each replicate, or several draws where sizes differ."""
        released = _length(releases[0])
        compared = min(released, self._records)
        records = Records(original=self._records, released=released, compared=compared)
        warnings = [
            f"attribute '{shown(name)}' is constant in the release: it counts as linked to nothing"
            for name in self._original
            if any(_is_constant(release[name]) for release in releases)
        ]
        if not linked and released != self._records:
            larger = "the original" if self._records > released else "the release"
            warnings.append(f"{larger} was drawn down at random to {compared} records, {DRAWS} times; values are means")
        pairs: list[Comparison] = []
        if self._original:
            for release in releases:
                pairs += self._pairs(release, compared, kind, linked=linked, rng=rng)
        return Compared(tuple(pairs), records, self._excluded, tuple(warnings))

    def _pairs(self, release: Columns, compared: int, kind: Kind, *, linked: bool, rng: Generator) -> list[Comparison]:
        """Compare one release, drawing the larger side down where the sizes differ."""
        audited = {name: release[name] for name in self._original}
        released = _length(audited)
        if released == self._records:
            return [self._pair(self._original, self._prepare_original(), audited, kind, linked=linked)]
        drawn = []
        for _ in range(DRAWS):
            if released > compared:
                part = _drawn(audited, compared, rng)
                drawn.append(self._pair(self._original, self._prepare_original(), part, kind, linked=linked))
            else:
                part = _drawn(self._original, compared, rng)
                drawn.append(self._pair(part, self._engine.prepare(part), audited, kind, linked=linked))
        return drawn

    def _pair(self, original: Columns, prepared: Any, release: Columns, kind: Kind, *, linked: bool) -> Comparison:
        """Take the moments of one pair of equally long files."""
        moments = self._engine.moments(prepared, self._engine.prepare(release))
        return Comparison(kind, linked, moments, Rows(original, release))

    def _prepare_original(self) -> Any:
        """Rank the original, once for all candidates."""
        if self._prepared is None:
            self._prepared = self._engine.prepare(self._original)
        return self._prepared


def _length(columns: Columns) -> int:
    """Return the number of records."""
    return len(next(iter(columns.values())))


def _is_constant(values: NDArray[Any]) -> bool:
    """Tell whether all values are equal."""
    return bool((values == values[0]).all())


def _drawn(columns: Columns, size: int, rng: Generator) -> Columns:
    """Draw records without replacement; their order is random, so that no row pairs up by its place in the file."""
    chosen = rng.choice(_length(columns), size, replace=False)
    return {name: np.ascontiguousarray(values[chosen]) for name, values in columns.items()}
