"""Which engine fits an audit, and what the run will take: told before it begins."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import FIXED
from permaudit.data import memory
from permaudit.data.load import extent_of
from permaudit.data.memory import Room, TooLargeError, rounded, written_size
from permaudit.errors import PermauditError, ScratchError, shown
from permaudit.plan import GivenCandidate, MadeCandidate
from permaudit.rowsample import most_records

if TYPE_CHECKING:
    from pathlib import Path

    from permaudit.cards import EngineCard, EngineCost
    from permaudit.model import Catalogue, Extent
    from permaudit.plan import Audit, Source

DEFAULT = "memory"
_LONG = 20.0
"""Seconds from which on a run is announced."""
_WORTH_A_LOOK = 2_000_000
"""With fewer cells no run is long, and nothing is estimated."""
_YARDSTICK = 1 << 18
_TRIES = 5
"""A single time is that of a moment: where others want the processor, too, it may be three times the usual one."""
_LOOKING = 3.0
"""What metrics that look at whole records take for each cell, in multiples of sorting one: measured for the search for copies."""
_LOOKED_AT = 200
"""Bytes that they take for each cell of the larger file, measured at 1e6 x 10; it is more than comparing takes."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a run may use."""

    memory: int | None = None
    """Bytes of memory; None for what is free."""
    scratch: Path | None = None
    """Where columns may lie that do not fit into memory; None for the system's temporary files."""

    @property
    def room(self) -> int:
        """Return how many bytes of memory there are for the data."""
        free = memory.available_memory()
        return free if self.memory is None else min(free, self.memory - FIXED)


@dataclass(frozen=True)
class Choice:
    """An engine, and what it will take."""

    engine: str
    memory: int
    """How many bytes it may use."""
    sorting: float = 0.0
    """How long the run is expected to take, in multiples of sorting one cell."""
    needed: int = 0
    """How many bytes it is expected to use."""
    scratch: int = 0
    records: int = 0
    attributes: int = 0

    @cached_property
    def seconds(self) -> float:
        """Measure how long the run is expected to take: on this machine, now, and only if somebody asks."""
        return self.sorting * _sorting_a_cell() if self.sorting else 0.0

    @property
    def is_long(self) -> bool:
        """Tell whether somebody will have to wait."""
        return self.seconds >= _LONG

    def __str__(self) -> str:
        """Say what the run will take."""
        disk = f", and {written_size(self.scratch)} of scratch space" if self.scratch else ""
        return (
            f"engine {self.engine}: auditing {rounded(self.records):,} records of {_attributes(self.attributes)} takes about "
            f"{_duration(self.seconds)} and {written_size(self.needed)} of memory{disk}"
        )


def refuse_unknown(engine: str, catalogue: Catalogue) -> None:
    """Raise where there is no such engine."""
    if engine not in catalogue.engines:
        installed = ", ".join(sorted(catalogue.engines))
        raise PermauditError(f"no engine '{shown(engine)}'; installed are {installed}")


def choose_engine(audit: Audit, catalogue: Catalogue, engine: str | None, means: Means) -> Choice:
    """Return the engine that was asked for, or else the first that the data fit into: in memory, then in files.

    Raise where an engine that keeps columns in files would run out of memory or of disk; what does not fit into memory is
    refused when it is read, with all that is known then.
    """
    if engine is not None:
        refuse_unknown(engine, catalogue)
    work = _Work.of(audit, catalogue)
    if engine is None:
        engine = _fitting(audit, catalogue, work, means)
    card = catalogue.engines[engine].card
    choice = work.cost(card, means.room + FIXED)
    if card.stored and card.cost is not None:
        _refuse_too_large(choice, card, work, means)
    return choice


@dataclass(frozen=True, slots=True)
class _Work:
    """How much there is to do."""

    attributes: int
    largest: int
    """Records of the largest file."""
    largest_file: str
    compared: int
    """Records of both files, over all comparisons."""
    all: int
    """Records of all files."""
    in_memory: int
    """Bytes that the host would hold with everything in memory."""

    @classmethod
    def of(cls, audit: Audit, catalogue: Catalogue) -> _Work:
        """Look at the files, without reading them."""
        names = [attribute.name for attribute in audit.attributes]
        given = [one.source for one in audit.candidates if isinstance(one, GivenCandidate)]
        sources: list[Source] = [audit.original, *given]
        if audit.holdout is not None:
            sources.append(audit.holdout)
        room = Room([source.shown for source in sources], len(names))
        records = []
        for place, source in enumerate(sources):
            extent: Extent | None = extent_of(source, names, catalogue.readers)
            records.append(0 if extent is None else extent.records)
            if extent is not None:
                room.note(place, extent)
        made = sum(one.replicates for one in audit.candidates if isinstance(one, MadeCandidate))
        compared = records[0] * (1 + made) + sum(records[1 : 1 + len(given)])
        largest = max(range(len(records)), key=lambda place: records[place])
        shown_as = sources[largest].shown
        return cls(len(names), records[largest], shown_as, compared, sum(records), room.needed())

    def cost(self, card: EngineCard, memory: int) -> Choice:
        """Estimate what an engine takes."""
        cost, cells = card.cost, self.compared * self.attributes
        if cost is None or cells < _WORTH_A_LOOK:
            return Choice(
                card.id, memory, scratch=self._scratch(card), records=self.largest, attributes=self.attributes
            )
        most = min(1.0, most_records(memory, self.attributes) / self.largest) if card.stored else 1.0
        sorting = cells * (cost.sorting + cost.pairing * self.attributes + _LOOKING * most)
        held = self.held(cost, most)
        needed = FIXED + (min(held, max(0, memory - FIXED)) if card.stored else held)
        return Choice(card.id, memory, sorting, needed, self._scratch(card), self.largest, self.attributes)

    def held(self, cost: EngineCost, looked_at: float = 1.0) -> int:
        """Return how many bytes are held: to compare the files, or else to look at this share of their records."""
        cells = self.largest * self.attributes
        return max(2 * cells * cost.cell + self.largest * cost.record, int(cells * looked_at * _LOOKED_AT))

    def _scratch(self, card: EngineCard) -> int:
        """Return how many bytes are laid down on the disk."""
        return 0 if card.cost is None else card.cost.scratch * self.all * self.attributes


def _fitting(audit: Audit, catalogue: Catalogue, work: _Work, means: Means) -> str:
    """Return the engine in memory, or where the data do not fit the first one that keeps them in files."""
    usual = catalogue.engines[DEFAULT].card.cost
    held = 0 if usual is None else work.held(usual)
    makes = any(isinstance(one, MadeCandidate) for one in audit.candidates)
    if makes or max(held, work.in_memory) <= means.room:
        return DEFAULT
    stored = {name: one.card.cost for name, one in catalogue.engines.items() if one.card.stored and one.card.cost}
    fitting = [name for name, cost in stored.items() if work.largest * cost.record <= means.room]
    return next(iter([*fitting, *stored]), DEFAULT)


def _refuse_too_large(choice: Choice, card: EngineCard, work: _Work, means: Means) -> None:
    """Raise where memory or disk would run out."""
    least = work.largest * (card.cost.record if card.cost else 0)
    if least > means.room:
        many = _attributes(work.attributes, "audited ")
        raise TooLargeError.one(
            work.largest_file,
            f"{rounded(work.largest):,} records of {many} are too many: the engine {card.id} needs at least "
            f"{written_size(least)} of memory, and {written_size(max(0, means.room))} are free; allow more with --memory, or "
            "audit a random sample of the records (of a linked release the same ones)",
        )
    folder = means.scratch or tempfile.gettempdir()
    try:
        free = shutil.disk_usage(folder).free
    except OSError:  # whoever uses it will say so
        return
    if choice.scratch > free:
        raise ScratchError(
            f"the engine {card.id} needs about {written_size(choice.scratch)} in the scratch directory, and "
            f"{written_size(free)} are free there; name another one with --scratch"
        )


def _attributes(many: int, kind: str = "") -> str:
    """Write a number of attributes."""
    return f"{many} {kind}attribute{'s' * (many != 1)}"


def _sorting_a_cell() -> float:
    """Return how many seconds sorting takes for each cell on this machine, now."""
    values = np.random.default_rng(0).random(_YARDSTICK)
    times = [perf_counter()]
    for _ in range(_TRIES):
        np.argsort(values)
        times.append(perf_counter())
    return float(np.median(np.diff(times))) / _YARDSTICK


def _duration(seconds: float) -> str:
    """Write a time roughly."""
    for size, unit in ((3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return f"{round(seconds / size)} {unit}s"
    return f"{max(1, round(seconds / 10)) * 10} seconds"
