"""COPIES: released records that equal an original one in every audited attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from permaudit import Measured, MetricCard, Needs, ValidFor, hookimpl

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Comparison, Rows
    from permaudit.model import Columns

    Codes = NDArray[np.int64]

permaudit_api = 1


@dataclass(frozen=True, slots=True)
class Copies:
    """The share of released records that equal an original record, beside what chance alone would give."""

    card: ClassVar[MetricCard] = MetricCard(
        id="COPIES",
        title="Exact copies",
        measures="risk",
        better="lower",
        bounds=(0, 1),
        needs=Needs(rows=True),
        valid_for=ValidFor(
            linked="It counts the released records that equal their own original one.",
            unlinked="It counts the released records that equal any original one, for which no mapping is needed.",
            section="the share of copied records beside that of records which cannot be copies, which the paper does not define",
        ),
        reference="share of released records that equal an original one; baseline: the same for records that cannot be copies",
        summary="Counts the released records that equal an original record in every audited attribute (in a linked release: "
        "their own), and compares with how often records agree by chance.",
        low="no released record equals an original one",
        high="every released record equals an original one",
        blind_spots="Sees exact copies only: a copy in which one value moved a little is not counted. Where records have "
        "few possible values, agreement by chance is common, and only the comparison with the baseline says something.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Return the share of copies, and what chance would give; of a linked release, the copies in place."""
        assert pair.rows is not None  # noqa: S101 - declared in `needs`
        return (_in_place if pair.linked else _anywhere)(pair.rows, rng)


def _in_place(rows: Rows, rng: Generator) -> Measured:
    """Count the released records that equal their own original; chance is what pairing them at random gives."""
    size = len(next(iter(rows.release.values())))
    other = rng.permutation(size)
    copied, by_chance = np.ones(size, bool), np.ones(size, bool)
    for name, values in rows.release.items():
        copied &= rows.original[name] == values
        by_chance &= rows.original[name] == values[other]
    details = {
        "copied_records": int(copied.sum()),
        "released_records": size,
        "baseline": float(by_chance.mean()),
        "baseline_is": "the share of records that agree when the rows are paired at random",
    }
    return Measured(float(copied.mean()), details)


def _anywhere(rows: Rows, rng: Generator) -> Measured:
    """Count the released records that equal any original one.

    Chance is the greater of two shares: of strangers' records that equal one (the holdout's; without it, of original records
    that equal another one), and of records put together at random from the released values, which may all be original ones.
    """
    mixed = {name: rng.permutation(values) for name, values in rows.release.items()}
    original, release, mixture, holdout = _record_codes(rows.original, rows.release, mixed, rows.holdout)
    distinct, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    copied = np.isin(release, distinct)
    shares = {"records put together at random from the released values": float(np.isin(mixture, distinct).mean())}
    if rows.holdout is None:
        shares["original records, beside another one"] = float((counts[place] > 1).mean())
    else:
        shares["the holdout's records"] = float(np.isin(holdout, distinct).mean())
    what = max(shares, key=lambda name: shares[name])
    details = {
        "copied_records": int(copied.sum()),
        "copies_of_unique_records": int(np.isin(release, distinct[counts == 1]).sum()),
        "released_records": int(release.size),
        "baseline": shares[what],
        "baseline_is": f"the share of {what} that equal an original one",
    }
    return Measured(float(copied.mean()), details)


def _record_codes(first: Columns, *others: Columns | None) -> list[Codes]:
    """Give every distinct record of all files a number, column by column, by sorting; a missing file has no records."""
    files = [first, *(other or {name: values[:0] for name, values in first.items()} for other in others)]
    ends = np.cumsum([len(next(iter(file.values()))) for file in files])
    codes = np.zeros(ends[-1], np.int64)
    for name in first:
        column = np.unique(np.concatenate([file[name] for file in files]), return_inverse=True)[1]
        # Numbered anew after each column, or the product of many columns would overflow.
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    return np.split(codes, ends[:-1])


@hookimpl
def permaudit_metrics() -> list[Copies]:
    """Provide the copy detector."""
    return [Copies()]
