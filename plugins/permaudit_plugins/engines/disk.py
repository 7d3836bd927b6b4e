"""The engine for files that do not fit into memory together: columns on the disk, and some of them at a time in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from permaudit import EngineCard, EngineCost, StoredColumns, hookimpl
from permaudit_plugins.engines._external_moments import own_moments, pair_moments
from permaudit_plugins.engines._external_ranks import rank_file
from permaudit_plugins.engines.memory import MemoryEngine

if TYPE_CHECKING:
    from permaudit.model import Columns, Floats, Moments
    from permaudit_plugins.engines._external_ranks import RankedFile
    from permaudit_plugins.engines.memory import Prepared

permaudit_api = 1

_IN_MEMORY = MemoryEngine()


@dataclass(frozen=True, eq=False)
class PreparedFile:
    """A file whose columns are ranked, on the disk."""

    file: RankedFile

    @cached_property
    def own(self) -> Floats:
        """Return the covariances of the file's own ranks, computed once."""
        return own_moments(self.file)


class DiskEngine:
    """Rank and compare on the disk what lies there; samples that are in memory are compared in memory."""

    card: ClassVar[EngineCard] = EngineCard(
        id="disk",
        title="On disk",
        summary="Keeps all columns in files and holds a few of them at a time: each is sorted in memory where it fits, else by "
        "DuckDB, and blocks of ranks are summed in exact integers. Gives what the engine in memory gives.",
        stored=True,
        cost=EngineCost(sorting=2.3, pairing=0.1, cell=4, record=32, scratch=20),
    )

    def prepare(self, columns: Columns) -> PreparedFile | Prepared:
        """Rank each column once."""
        if isinstance(columns, StoredColumns):
            return PreparedFile(rank_file(columns))
        return _IN_MEMORY.prepare(columns)

    def moments(
        self, original: PreparedFile | Prepared, release: PreparedFile | Prepared, *, mirrored: bool = False
    ) -> Moments:
        """Compare two ranked files, paired by position."""
        if isinstance(original, PreparedFile) and isinstance(release, PreparedFile):
            return pair_moments(original.file, release.file, original.own, mirrored=mirrored)
        if isinstance(original, PreparedFile) or isinstance(release, PreparedFile):
            raise TypeError("one of the files is in memory and the other is not")
        return _IN_MEMORY.moments(original, release, mirrored=mirrored)


@hookimpl
def permaudit_engines() -> list[DiskEngine]:
    """Provide the engine on disk."""
    return [DiskEngine()]
