"""The engine for files that fit into memory: numpy, exact integer moments, one thread per core."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from permaudit import EngineCard, EngineCost, hookimpl
from permaudit.permutation import own_moments, pair_moments, rank_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from permaudit.model import Columns, Floats, Moments
    from permaudit.permutation import Ranked

permaudit_api = 1


@dataclass(frozen=True, eq=False)
class Prepared:
    """A file whose columns are ranked."""

    attributes: tuple[str, ...]
    ranked: Ranked

    @property
    def order_by_attribute(self) -> dict[str, NDArray[np.int32]]:
        """Return for each attribute the row numbers in the order of its values."""
        return dict(zip(self.attributes, self.ranked.order, strict=True))

    @property
    def ranks_by_attribute(self) -> dict[str, NDArray[np.int32]]:
        """Return the ranks of each attribute; those of one record lie beside each other, and are read together."""
        return dict(zip(self.attributes, self.ranked.doubled.T, strict=True))

    @cached_property
    def own(self) -> Floats:
        """Return the covariances of the file's own ranks, computed once."""
        return own_moments(self.ranked)


class MemoryEngine:
    """Rank and compare in memory."""

    card: ClassVar[EngineCard] = EngineCard(
        id="memory",
        title="In memory",
        summary="Ranks every column once, in parallel threads, and sums exact integers: the result depends neither on "
        "the number of threads nor on the order of the records.",
        cost=EngineCost(sorting=2.2, pairing=0.09, cell=24),
    )

    def prepare(self, columns: Columns) -> Prepared:
        """Rank each column once."""
        ranked = rank_columns(list(columns.values()))
        return Prepared(tuple(columns), ranked)

    def moments(self, original: Prepared, release: Prepared, *, mirrored: bool = False) -> Moments:
        """Compare two ranked files, paired by position."""
        names, own = original.attributes, original.own
        return pair_moments(names, original.ranked, release.ranked, original_own=own, mirrored=mirrored)


@hookimpl
def permaudit_engines() -> list[MemoryEngine]:
    """Provide the in-memory engine."""
    return [MemoryEngine()]
