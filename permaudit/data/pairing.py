"""Two encoded files -> the columns that are compared, record by record or side by side."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.columns import in_memory, length
from permaudit.data.encode import StoredEncoded, kept_apart, with_gaps, with_kinds, with_ranges
from permaudit.data.gaps import COMPLETING, can_be_completed, completed
from permaudit.data.linkage import ALL_ROWS
from permaudit.data.missing import filled, first_missing, gaps_of
from permaudit.data.scales.named import READINGS
from permaudit.errors import DataError, Mistake, shown
from permaudit.outcome import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.columns import Shelf
    from permaudit.data.linkage import Match
    from permaudit.data.scales import EncodedColumn
    from permaudit.data.scales.named import Reading
    from permaudit.model import Columns
    from permaudit.plan import MissingPolicy

    Encoded = Mapping[str, EncodedColumn]
    Mask = NDArray[np.bool_]


_COMPLETED = (
    "copies were looked for with these gaps filled from the original record that fits the rest of the record best"
)
_NOT_COMPLETED = (
    "these records are too many to look for copies among them, and count as copies; with missing: lowest or highest they are "
    "looked at"
)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One file of a pair: its name for messages, its encoded columns, and how many records it has."""

    shown: str
    columns: Encoded
    records: int


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The columns that enter the comparison, and what happened on the way."""

    original: Columns
    release: Columns
    records: Records
    warnings: tuple[str, ...] = ()
    bound: tuple[Columns, Columns] | None = None
    """The pair in which every dropped record is there again and kept its original values."""
    seen: tuple[Columns, Columns] | None = None
    """The same for whoever looks at records: dropped ones with the values that were released, and the original's for the gaps."""
    kept: NDArray[np.intp] | None = None
    """Of linked records of which some were dropped, those that were not."""
    left: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    """For each attribute that is suppressed for some, the pairs in which it is not."""
    left_out: Columns | None = None
    """Of a linked release: the original records that are said to have no released one, where there are such."""
    apart: Paired | None = None
    """The same with categories kept apart that tie, for whoever looks at records; None where there are no categories."""
    read: Mapping[str, Columns] = field(default_factory=dict)
    """The release with the cells of ranges and sets read by their least, greatest and first point; empty without such cells."""


def refuse_missing(side: Side, policies: Mapping[str, MissingPolicy]) -> None:
    """Raise where values are missing that must not be."""
    mistakes = list(_missing(side, policies))
    if mistakes:
        raise DataError(mistakes)


class Pairer:
    """Pair releases with one original, whose columns are made ready once."""

    def __init__(self, original: Side, policies: Mapping[str, MissingPolicy], shelf: Shelf | None = None) -> None:
        """Take the original and the policy of each attribute; raise where a missing value is an error.

        With a shelf, columns that are made here are laid down there, one at a time.
        """
        self.original = original
        self._policies = policies
        self._shelf = shelf
        refuse_missing(original, policies)
        self.whole = self.filled_in(original.columns)
        self._apart = Pairer(_kept_apart(original), policies, shelf) if with_kinds(original.columns) else None

    def pair(self, release: Side, match: Match = ALL_ROWS, *, linked: bool, rng: Generator) -> Paired:
        """Pair a release; raise where a missing value is an error, or where rows that should correspond do not."""
        twin = deepcopy(rng) if self._apart is not None else rng
        paired = self._pair(release, match, linked=linked, rng=rng)
        if self._apart is None or not with_kinds(release.columns):
            return paired
        apart = self._apart.pair(_kept_apart(release), match, linked=linked, rng=twin)
        return replace(paired, apart=apart)

    def _pair(self, release: Side, match: Match, *, linked: bool, rng: Generator) -> Paired:
        """Pair a release, with the codes of its values."""
        mistakes = list(_missing(release, self._policies))
        if linked and match is ALL_ROWS and release.records != self.original.records:
            text = (
                f"has {release.records} records and {self.original.shown} has {self.original.records}: linkage by row "
                "needs as many; name a key with linkage: {key: COLUMN}, or with linkage: {map: FILE} a file that tells "
                "whose each record is and is never released, or say linkage: none if the rows do not correspond"
            )
            mistakes.append(Mistake(release.shown, None, None, text))
        if mistakes:
            raise DataError(mistakes)
        whole = self.whole  # itself, where it is all of it: what was made ready of it is known by that
        if len(release.columns) < len(whole):
            whole = {name: whole[name] for name in whole if name in release.columns}
        first = whole if match.original is None else self._taken(whole, match.original)
        second = self.filled_in(release.columns)
        second = second if match.release is None else self._taken(second, match.release)
        drop_first = _at(self._dropped(self.original), match.original)
        drop_second = _at(self._dropped(release), match.release)
        if not (drop_first.any() or drop_second.any()):
            records = self._records(release, match, length(second) if linked else None)
            left = self._left(release, match) if linked else {}
            return Paired(
                first,
                second,
                records,
                left=left,
                left_out=self._left_out(whole, match) if linked else None,
                read=self._read(release, match),
            )
        if linked:
            pairs = self._drop_pairs(release, match, (first, second), drop_first | drop_second)
            return replace(pairs, left_out=self._left_out(whole, match))
        return self._drop_apart(release, first, second, (drop_first, drop_second), rng)

    def _left_out(self, whole: Columns, match: Match) -> Columns | None:
        """Return the whole original records without a released one."""
        if match.original is None or not match.suppressed:
            return None
        others = ~self._dropped(self.original)
        others[match.original] = False
        return self._taken(whole, np.flatnonzero(others)) if others.any() else None

    def _left(self, release: Side, match: Match, kept: NDArray[np.intp] | None = None) -> dict[str, NDArray[np.intp]]:
        """Return for each attribute that is suppressed for some which pairs, or pairs kept, have a value of it on both sides."""
        found = {}
        candidates = {*with_gaps(release.columns), *with_ranges(release.columns)}
        for name in [name for name in release.columns if name in candidates]:
            gaps = gaps_of(release.columns[name])
            if gaps is None:
                continue
            lost = _at(gaps, match.release)
            missing = self.original.columns[name].missing
            there = ~(lost if missing is None else lost | _at(missing, match.original))
            there = there if kept is None else there[kept]
            if not there.all():
                found[name] = np.flatnonzero(there)
        return found

    def _read(self, release: Side, match: Match, kept: NDArray[np.intp] | None = None) -> dict[str, Columns]:
        """Read the cells of ranges and sets by their points, of all records or those kept, where a release has such cells."""
        if not with_ranges(release.columns):
            return {}
        rows = np.arange(release.records) if match.release is None else match.release
        rows = rows if kept is None else rows[kept]
        return {
            reading: self._made(
                (name, self._read_as(name, column, reading)[rows]) for name, column in release.columns.items()
            )
            for reading in READINGS
        }

    def _read_as(self, name: str, column: EncodedColumn, reading: Reading) -> NDArray[Any]:
        """Return one column, read by one of its points."""
        if column.named is not None:
            column = replace(column, codes=column.named.read_as(reading, column.codes))
        return filled(column, self._policies[name])

    def alone_apart(self, side: Side) -> Columns | None:
        """Return the same as `alone` with categories kept apart that tie; None where there are none."""
        return None if self._apart is None else self._apart.alone(_kept_apart(side))

    def alone(self, side: Side) -> Columns:
        """Return the columns of a file that is paired with nothing, without the records that the policies leave out."""
        refuse_missing(side, self._policies)
        return self._taken(self.filled_in(side.columns), np.flatnonzero(~self._dropped(side)))

    def _drop_pairs(self, release: Side, match: Match, pair: tuple[Columns, Columns], dropped: Mask) -> Paired:
        """Leave out the pairs with a missing value; the bound has them back, with the original's values."""
        first, second = pair
        kept = np.flatnonzero(~dropped)
        restored = self._made(
            (name, np.where(dropped, _like(first[name], values), values)) for name, values in second.items()
        )
        seen = self._made(
            (name, np.where(self._gaps(release, match, name), _like(first[name], values), values))
            for name, values in second.items()
        )
        count = int(dropped.sum())
        note = (
            f"{count} of {dropped.size} pairs of records with missing values were left out; values are the less "
            "favourable of those without them and those with them released unchanged"
        )
        records = self._records(release, match, kept.size, dropped=count)
        complete = (self._taken(first, kept), self._taken(second, kept))
        return Paired(
            *complete,
            records,
            (note,),
            bound=(first, restored),
            seen=(first, seen),
            kept=kept,
            left=self._left(release, match, kept),
            read=self._read(release, match, kept),
        )

    def _gaps(self, release: Side, match: Match, name: str) -> Mask:
        """Mark the pairs that are left out because an attribute is missing on either side."""
        gaps = np.zeros(1, bool)
        if self._policies[name] == "drop-records":
            for side, rows in ((self.original, match.original), (release, match.release)):
                if name in with_gaps(side.columns):
                    gaps = gaps | _at(np.asarray(side.columns[name].missing), rows)
        return gaps

    def _drop_apart(
        self, release: Side, first: Columns, second: Columns, dropped: tuple[Mask, Mask], rng: Generator
    ) -> Paired:
        """Leave out incomplete records on each side; the bound puts whole original records in their place."""
        kept = [np.flatnonzero(~mask) for mask in dropped]
        gone = int(dropped[1].sum())
        complete, seen = self._taken(first, kept[0]), self._taken(second, kept[1])
        again = rng.choice(kept[0], gone, replace=gone > kept[0].size) if kept[0].size else kept[0]
        restored = self._made(
            (name, np.concatenate([values, _like(first[name][again], values)])) for name, values in seen.items()
        )
        note = (
            f"{int(dropped[0].sum())} original and {gone} released records with missing values were left out; values are "
            "the less favourable of those without them and those with as many original records released unchanged"
        )
        whole = self._completed(release, first, second) if gone else None
        copies = () if not gone else (_NOT_COMPLETED,) if whole is None else (_COMPLETED,)
        records = self._records(release, ALL_ROWS, None, dropped=gone)
        read = self._read(release, ALL_ROWS, kept[1])
        return Paired(complete, seen, records, (note, *copies), bound=(complete, restored), seen=whole, read=read)

    def _completed(self, release: Side, first: Columns, second: Columns) -> tuple[Columns, Columns] | None:
        """Return all records of both files, with the released ones completed from the original; None where these are too many."""
        largest = max(self.original.records, release.records)
        if self._shelf is not None and COMPLETING * largest * len(second) > self._shelf.room:
            return None
        gaps, original_gaps = (
            {
                name: np.zeros(side.records, bool) if missing is None else missing
                for name in second
                if (missing := side.columns[name].missing) is not None or side is release
            }
            for side in (release, self.original)
        )
        if not can_be_completed(gaps, self.original.records):
            return None
        made = completed(in_memory(first), in_memory(second), gaps, original_gaps)
        return first, self._made(made.items())

    def filled_in(self, columns: Encoded) -> Columns:
        """Return the codes, with a stand-in for what is missing."""
        if isinstance(columns, StoredEncoded):
            return columns.filled(self._policies)
        return self._made((name, filled(column, self._policies[name])) for name, column in columns.items())

    def _taken(self, columns: Columns, rows: NDArray[np.intp]) -> Columns:
        """Return some rows of every column."""
        return self._made((name, values[rows]) for name, values in columns.items())

    def _made(self, columns: Iterable[tuple[str, NDArray[Any]]]) -> Columns:
        """Take columns one at a time, into memory or onto the shelf."""
        return dict(columns) if self._shelf is None else self._shelf.keep(columns)

    def _dropped(self, side: Side) -> Mask:
        """Mark the records that the policies leave out."""
        dropped = np.zeros(side.records, bool)
        for name in with_gaps(side.columns):
            if self._policies[name] == "drop-records":
                dropped |= np.asarray(side.columns[name].missing)
        return dropped

    def _records(self, release: Side, match: Match, compared: int | None, dropped: int = 0) -> Records:
        """Count the records; unlinked files are compared at the size of the smaller one."""
        smaller = min(self.original.records, release.records - dropped)
        return Records(
            original=self.original.records,
            released=release.records,
            compared=smaller if compared is None else compared,
            suppressed=match.suppressed,
            added=match.added,
            dropped=dropped,
        )


def _kept_apart(side: Side) -> Side:
    """Return a file with categories by what they are, and none that tie."""
    return replace(side, columns=kept_apart(side.columns))


def _missing(side: Side, policies: Mapping[str, MissingPolicy]) -> Iterator[Mistake]:
    """Say where values are missing that must not be."""
    for name in with_gaps(side.columns):
        if policies[name] == "error":
            count, first = first_missing(side.columns[name])
            yield Mistake(
                side.shown,
                None,
                None,
                f"column '{shown(name)}' has {count} missing value{'s' * (count != 1)} (first in record {first}); "
                "say how to treat them with missing: or remove them",
            )


def _at(mask: Mask, rows: NDArray[np.intp] | None) -> Mask:
    """Return some rows of a mask."""
    return mask if rows is None else mask[rows]


def _like(values: NDArray[Any], model: NDArray[Any]) -> NDArray[Any]:
    """Return values in a type that can stand beside the model's without rounding where that is possible."""
    return values.astype(np.result_type(values, model), copy=False)
