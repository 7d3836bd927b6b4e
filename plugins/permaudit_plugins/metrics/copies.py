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

_SPLITS = 5
"""How often the original is split into halves to see how often records agree by chance."""


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
        reference="share of released records that equal an original one; baseline: between random halves of the original",
        summary="Counts the released records that equal an original record in every audited attribute, and compares with "
        "how often two records of the original agree by chance.",
        low="no released record equals an original one",
        high="every released record equals an original one",
        blind_spots="Sees exact copies only: a copy in which one value moved a little is not counted. Where records have "
        "few possible values, agreement by chance is common, and only the comparison with the baseline says something.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Return the share of copies, with the share of copies of unique records and the baseline."""
        assert pair.rows is not None  # noqa: S101 - declared in `needs`
        original, release = _record_codes(pair.rows)
        distinct, counts = np.unique(original, return_counts=True)
        copied = np.isin(release, distinct)
        details = {
            "copied_records": int(copied.sum()),
            "copies_of_unique_records": int(np.isin(release, distinct[counts == 1]).sum()),
            "released_records": int(release.size),
            "baseline": _baseline(original, rng),
            "baseline_is": f"twice the share between random halves of the original, mean of {_SPLITS} splits",
        }
        return Measured(float(copied.mean()), details)


def _record_codes(rows: Rows) -> tuple[Codes, Codes]:
    """Give every distinct record of both files a number, column by column, by sorting."""
    size = len(next(iter(rows.original.values())))
    codes = np.zeros(size + len(next(iter(rows.release.values()))), np.int64)
    for name, values in rows.original.items():
        column = np.unique(np.concatenate([values, rows.release[name]]), return_inverse=True)[1]
        # Numbered anew after each column, or the product of many columns would overflow.
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1].astype(np.int64)
    return codes[:size], codes[size:]


def _baseline(original: Codes, rng: Generator) -> float:
    """Estimate how often a new record of the same population would equal one of the original by chance.

    Half the records can be met only about half as often as all of them: hence twice the share between halves, at most 1.
    """
    half = original.size // 2
    shares = []
    for _ in range(_SPLITS):
        mixed = rng.permutation(original)
        shares.append(float(np.isin(mixed[:half], mixed[half:]).mean()) if half else 0.0)
    return min(1.0, 2 * float(np.mean(shares)))


@hookimpl
def permaudit_metrics() -> list[Copies]:
    """Provide the copy detector."""
    return [Copies()]
