"""Does an engine keep the contract? All that speaks against it, at once.

What metrics say may not depend on the engine: everything is held against the engine in memory, up to rounding.
"""

from __future__ import annotations

import pickle
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import pyarrow as pa

from permaudit.cards import EngineCard, EngineCost
from permaudit.census_like import census_like
from permaudit.columns import Shelf, StoredColumns
from permaudit.compare import Comparer, What
from permaudit.data import read_audit
from permaudit.data.stored import read_audit_stored
from permaudit.model import Moments
from permaudit.permutation import rank_columns
from permaudit.sourced import Piece, Sourced
from permaudit.streams import Streams
from permaudit.testing.cards import check_card
from permaudit.testing.failures import Inspection
from permaudit.testing.material import audit_of, built_ins
from permaudit.testing.material import engine as memory_engine
from permaudit.testing.randomness import untouched_randomness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Columns, Engine, SpreadingEngine
    from permaudit.plan import Audit

_CLOSE: Final = 1e-9
_RECORDS: Final = 90
_PIECE: Final = 40
_MEMORY: Final = 1 << 28
_MATRICES: Final = ("original", "release", "cross", "cross_by_key", "mirror_by_key")
_FACTS: Final = (
    "attributes",
    "records",
    "unchanged",
    "trivial_permutation",
    "mirrored_permutation",
    "by_key_error",
)
_KEY: Final = "ID"


def check_engine(engine: Engine) -> None:
    """Raise `ConformanceError` with all that is wrong with an engine.

    Its moments are held against those of the engine in memory: on copies, shuffled and mirrored ones, strangers, ties,
    constants, single attributes and numbers that no float holds. So are the metrics of whole files: linked by row and by key,
    of unequal sizes, and with missing values.
    """
    found = Inspection(f"engine {getattr(getattr(engine, 'card', None), 'id', type(engine).__name__)!r}")
    if check_card(found, engine, EngineCard, ("prepare", "moments")):
        _check_cost(found, engine.card.cost)
        with ExitStack() as stack:
            shelf = stack.enter_context(Shelf(_MEMORY)) if engine.card.stored else None
            bench = _Bench(found, engine, shelf)
            bench.check_moments()
            bench.check_ranks()
            if engine.card.spreads:
                bench.check_spread()
            if found.is_clean:
                bench.check_repetition()
                bench.check_files()
    found.conclude()


def _check_cost(found: Inspection, cost: object) -> None:
    """Look at what it says that it costs."""
    if cost is not None and found.expect(isinstance(cost, EngineCost), "card", "cost is no EngineCost"):
        parts = [getattr(cost, name) for name in ("sorting", "pairing", "cell", "record", "scratch")]
        sound = all(isinstance(part, int | float) and 0 <= part < float("inf") for part in parts)
        found.expect(sound, "card", "cost has a part that is no number, or below 0")


@dataclass(frozen=True, slots=True)
class _Bench:
    """An engine beside the one that it must not differ from."""

    found: Inspection
    engine: Engine
    shelf: Shelf | None
    """Where columns are laid down for an engine that wants them in files."""

    def check_moments(self) -> None:
        """Compare pairs of files, each alone."""
        for case, original, release in _pairs():
            self._check_pair(case, original, release)
        if self.shelf is not None:  # samples are in memory as ever
            self._check_pair(f"{case}, in memory", original, release, stored=False)

    def _check_pair(self, case: str, original: Columns, release: Columns, *, stored: bool = True) -> None:
        """Compare one pair, with what must not change meanwhile."""
        before = [_copied(side) for side in (original, release)]
        known = _moments(memory_engine(), original, release, mirrored=True)
        with self.found.during("moments", f"comparing {case}"), untouched_randomness(self.found, 1):
            first, second = (self._laid_down(side) if stored else side for side in (original, release))
            self._hold(_moments(self.engine, first, second, mirrored=True), known, case)
        for side, copy in zip((original, release), before, strict=True):
            same = all(np.array_equal(side[name], copy[name]) for name in copy)
            self.found.expect(same, "input", "changes the columns that it is given")

    def _hold(self, moments: object, known: Moments, case: str) -> None:
        """Hold moments against those that are known."""
        if not self.found.expect(
            isinstance(moments, Moments), "moments", f"moments() returns {type(moments).__name__}, not Moments"
        ):
            return
        for name in _FACTS:
            one, other = getattr(moments, name), getattr(known, name)
            self.found.expect(one == other, "moments", f"{name} is {one!r} for {case}, and must be {other!r}")
        for name in _MATRICES:
            reason = _difference(getattr(moments, name), getattr(known, name))
            self.found.expect(not reason, "moments", f"{name} {reason} for {case}")

    def check_ranks(self) -> None:
        """Hold the ranks that it hands out, if it does, against the values: samples of records are drawn from them."""
        for case, original, _ in _pairs():
            with self.found.during("ranks", f"ranking {case}"):
                told = getattr(self.engine.prepare(self._laid_down(original)), "ranks_by_attribute", None)
                if told is None:
                    return
                one, other = (rank_columns([np.asarray(side[name]) for name in original]) for side in (told, original))
                message = f"ranks_by_attribute is not in the order of the values for {case}"
                self.found.expect(np.array_equal(one.doubled, other.doubled), "ranks", message)

    def check_repetition(self) -> None:
        """Compare again: with a file that was prepared before, and with an engine that was sent elsewhere."""
        original, release, other = (census_like(_RECORDS, seed=seed) for seed in (1, 2, 3))
        known = _moments(memory_engine(), original, release, mirrored=True)
        with self.found.during("repetition", "comparing again"):
            prepared = self.engine.prepare(self._laid_down(original))
            for side in (other, release):
                again = self.engine.moments(prepared, self.engine.prepare(self._laid_down(side)), mirrored=True)
            same = all(not _difference(getattr(again, name), getattr(known, name)) for name in _MATRICES)
            message = "gives other moments for a file that it prepared once and compared before"
            self.found.expect(same, "repetition", message)
        try:
            sent = pickle.loads(pickle.dumps(self.engine))  # noqa: S301 - made in the line itself
        except Exception:  # the host keeps such an engine in one process
            return
        with self.found.during("worker", "comparing after it was sent to another process"):
            there = _moments(sent, self._laid_down(original), self._laid_down(release), mirrored=True)
            same = all(not _difference(getattr(there, name), getattr(known, name)) for name in _MATRICES)
            self.found.expect(same, "worker", "gives other moments after it was sent to another process")

    def check_spread(self) -> None:
        """Let others do something for the host, and compare columns that stay where they stand."""
        if not self.found.expect(self.shelf is not None, "card", "spreads is for engines whose columns are in files"):
            return
        assert self.shelf is not None  # noqa: S101 - for the type checker
        with self.found.during("each", "working for the host"):
            answers = cast("SpreadingEngine", self.engine).each(_doubled, [3, 1, 2], self.shelf)
            self.found.expect(answers == [6, 2, 4], "each", "each() does not return a result for each task, in order")
        case, original, release = next(_pairs())
        known = _moments(memory_engine(), original, release, mirrored=True)
        with self.found.during("moments", f"comparing {case} where they stand"):
            sides = [StoredColumns(_standing(side), self.shelf) for side in (original, release)]
            self._hold(_moments(self.engine, *sides, mirrored=True), known, f"{case} where they stand")

    def check_files(self) -> None:
        """Compare whole files, as an audit does, by every metric that lives on moments."""
        for case, audit, linked in _audits():
            known = dict(_values(memory_engine(), audit, None, linked=linked))
            with self.found.during("metrics", f"comparing {case}"):
                values = dict(_values(self.engine, audit, self.shelf, linked=linked))
                for name, value in known.items():
                    close = abs(values[name] - value) <= _CLOSE
                    message = f"{name} is {values[name]!r} for {case}, and must be {value!r}"
                    self.found.expect(close, "metrics", message)

    def _laid_down(self, columns: Columns) -> Columns:
        """Return columns as the engine wants them."""
        return columns if self.shelf is None else self.shelf.keep(columns.items())


def _moments(engine: Engine, original: Columns, release: Columns, *, mirrored: bool) -> Any:
    """Let an engine compare two files."""
    return engine.moments(engine.prepare(original), engine.prepare(release), mirrored=mirrored)


def _difference(one: object, other: Any) -> str:
    """Say how a matrix differs from what it must be; nothing where it does not, up to rounding."""
    if not isinstance(one, np.ndarray) or one.dtype != np.float64:
        return f"is of type {type(one).__name__}, and no array of float64"
    if one.shape != other.shape:
        return f"has the shape {one.shape}, and must have {other.shape}"
    if not np.isfinite(one).all():
        return "is not finite"
    distance = float(np.abs(one - other).max(initial=0)) / max(1.0, float(np.abs(other).max(initial=0)))
    return "" if distance <= _CLOSE else f"is off by {distance:.1g} of its largest entry"


def _copied(columns: Columns) -> dict[str, Any]:
    """Return copies of columns."""
    return {name: np.array(values) for name, values in columns.items()}


# --------------------------------------------------------------------------- what is compared


def _pairs() -> Iterator[tuple[str, Columns, Columns]]:
    """Yield pairs of files by what is special about them."""
    rng = np.random.default_rng(7)
    people: dict[str, Any] = dict(census_like(_RECORDS, seed=1))
    order = rng.permutation(_RECORDS)
    tied = {name: np.floor(4 * np.argsort(np.argsort(values)) / _RECORDS) for name, values in people.items()}
    first = next(iter(people))
    large = np.int64(1 << 60) + rng.permutation(_RECORDS)
    yield "strangers", people, census_like(_RECORDS, seed=2)
    yield "a copy", people, _copied(people)
    yield "a shuffled copy", people, {name: values[order] for name, values in people.items()}
    yield "a mirrored copy", people, {name: -values[order] for name, values in people.items()}
    yield "many ties", tied, {name: values[order] // 2 for name, values in tied.items()}
    yield "ties in the original only", tied, people
    yield "a constant in the release", people, people | {first: np.zeros(_RECORDS)}
    yield "one attribute", {first: people[first]}, {first: people[first][order]}
    yield "whole numbers that no float holds", people | {first: large}, people | {first: large[order]}


def _audits() -> Iterator[tuple[str, Audit, bool]]:
    """Yield whole files in which something happened to the records."""
    rng = np.random.default_rng(11)
    people = census_like(_RECORDS, seed=1)
    numbered = {_KEY: rng.permutation(_RECORDS), **people}
    noisy = {name: values + rng.normal(0, values.std(), _RECORDS) for name, values in people.items()}
    tied = {name: np.round(values / values.std()) for name, values in noisy.items()}
    kept = rng.permutation(_RECORDS)[: _RECORDS * 3 // 4]
    some = {_KEY: numbered[_KEY][kept]} | {name: values[kept] for name, values in noisy.items()}
    gaps = {name: pa.array(values, mask=rng.integers(20, size=_RECORDS) == 0) for name, values in tied.items()}
    fewer: Mapping[str, Any] = census_like(_RECORDS * 2 // 3, seed=2)
    yield "files linked by row", audit_of(people, noisy, kind="masked"), True
    yield "a release with ties", audit_of(people, tied, kind="masked"), True
    yield "a release linked by key, with fewer records", audit_of(numbered, some, kind="masked", key=(_KEY,)), True
    yield "an unlinked release with fewer records", audit_of(people, fewer, kind="synthetic"), False
    yield "missing values, left out", audit_of(people, gaps, kind="masked", missing="drop-records"), True
    yield "missing values, as the lowest", audit_of(people, gaps, kind="masked", missing="lowest"), True


def _values(engine: Engine, audit: Audit, shelf: Shelf | None, *, linked: bool) -> Iterator[tuple[str, float]]:
    """Yield what the metrics say of a file, by an engine; of several draws the mean."""
    streams = Streams(5)
    data = read_audit(audit, {}, streams) if shelf is None else read_audit_stored(audit, {}, streams, shelf)
    comparer = Comparer(engine, data.pairer.whole, None, streams)
    what = What(kind="masked" if linked else "synthetic", linked=linked, mirrored=True)
    compared = comparer.compare([data.given["release"].paired], what, _fresh())
    for name, metric in built_ins().metrics.items():
        needs = metric.card.needs
        if not needs.rows and (linked or not needs.linkage):
            values = [metric.compute(pair, _fresh()).value for pair in (*compared.comparisons, *compared.bounds)]
            yield name, float(np.mean(values))


def _doubled(number: int) -> int:
    """Do a little work."""
    return 2 * number


def _standing(columns: Columns) -> dict[str, Sourced]:
    """Return columns that stand in pieces somewhere."""
    pieces = tuple(
        Piece(start, min(_PIECE, _RECORDS - start), Path(), "a table", place, (0, 0))
        for place, start in enumerate(range(0, _RECORDS, _PIECE))
    )
    return {
        name: Sourced(pieces, partial(_stretch, values=values), values.dtype, len(values), differs=True)
        for name, values in columns.items()
    }


def _stretch(piece: Piece, values: NDArray[Any]) -> NDArray[Any]:
    """Read a piece."""
    return values[piece.start : piece.start + piece.size]


def _fresh() -> Generator:
    """Return a generator in its first state."""
    return np.random.default_rng(3)
