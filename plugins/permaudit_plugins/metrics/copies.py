"""COPIES: released records that equal an original one in every audited attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from permaudit import Measured, MetricCard, Needs, hookimpl

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Comparison, Rows

    Codes = NDArray[np.int64]


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
        return _in_place(pair.rows, rng) if pair.linked else _anywhere(pair.rows)


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


def _anywhere(rows: Rows) -> Measured:
    """Count the released records that equal any original one."""
    original, release, holdout = _record_codes(rows)
    distinct, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    copied = np.isin(release, distinct)
    if holdout.size:
        baseline, what = float(np.isin(holdout, distinct).mean()), "the share of the holdout's records that equal one"
    else:
        baseline, what = float((counts[place] > 1).mean()), "the share of original records that equal another one"
    details = {
        "copied_records": int(copied.sum()),
        "copies_of_unique_records": int(np.isin(release, distinct[counts == 1]).sum()),
        "released_records": int(release.size),
        "baseline": baseline,
        "baseline_is": what,
    }
    return Measured(float(copied.mean()), details)


def _record_codes(rows: Rows) -> tuple[Codes, Codes, Codes]:
    """Give every distinct record of all files a number, column by column, by sorting; the holdout may be empty."""
    files = [rows.original, rows.release, rows.holdout or {name: values[:0] for name, values in rows.original.items()}]
    sizes = [len(next(iter(file.values()))) for file in files]
    codes = np.zeros(sum(sizes), np.int64)
    for name in rows.original:
        column = np.unique(np.concatenate([file[name] for file in files]), return_inverse=True)[1]
        # Numbered anew after each column, or the product of many columns would overflow.
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    first, second = sizes[0], sizes[0] + sizes[1]
    return codes[:first], codes[first:second], codes[second:]


@hookimpl
def permaudit_metrics() -> list[Copies]:
    """Provide the copy detector."""
    return [Copies()]
