"""What the corpus found: a row for each case, and the totals with their intervals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text
from scipy.stats import beta

from .case import BLOCK, RELEASE, REVIEW, WRONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .case import Case
    from .run import Ended

_CODES = {RELEASE: "release", REVIEW: "review", BLOCK: "block", WRONG: "error"}


def clopper_pearson(found: int, of: int) -> tuple[float, float]:
    """Return the exact 95 % confidence interval of a share (Clopper and Pearson 1934)."""
    low = beta.ppf(0.025, found, of - found + 1) if found else 0.0
    high = beta.ppf(0.975, found + 1, of - found) if found < of else 1.0
    return float(low), float(high)


@dataclass(frozen=True)
class Total:
    """How often something happened, and of how many runs."""

    what: str
    found: int
    of: int

    def __str__(self) -> str:
        """Write the count with its share and interval."""
        if not self.of:
            return f"{self.what}: no runs"
        low, high = clopper_pearson(self.found, self.of)
        return f"{self.what}: {self.found} of {self.of} ({self.found / self.of:.1%}; 95 % interval {low:.1%} to {high:.1%})"


def totals(ended: Sequence[Ended]) -> list[Total]:
    """Count what went wrong, among the bad and among the good."""
    bad = [one for one in ended if one.case.bad]
    good = [one for one in ended if one.case.good]
    beyond = [one for one in ended if one.case.beyond]
    return [
        Total("false releases", sum(one.code == RELEASE for one in bad), len(bad)),
        Total("bad releases that ended otherwise than demanded", sum(not one.right for one in bad), len(bad)),
        Total("releases beyond reach that passed", sum(one.code == RELEASE for one in beyond), len(beyond)),
        Total("false blocks", sum(one.code == BLOCK for one in good), len(good)),
        Total("false reviews", sum(one.code == REVIEW for one in good), len(good)),
        Total("good releases that could not be audited", sum(one.code not in {0, 1, 3} for one in good), len(good)),
    ]


def table(title: str, ended: Sequence[Ended]) -> Table:
    """Draw a row for each case: how often it ended in what, whether that is right, and how long it took."""
    drawn = Table(title=title, box=None, title_justify="left", title_style="bold", pad_edge=False)
    drawn.add_column("kind", overflow="fold")
    drawn.add_column("declared as", no_wrap=True)
    for name in (*_CODES.values(), "other"):
        drawn.add_column(name, justify="right", no_wrap=True)
    drawn.add_column("wrong", justify="right", no_wrap=True)
    drawn.add_column("95 %", justify="right", no_wrap=True)
    drawn.add_column("s", justify="right", no_wrap=True)
    for case, runs in _by_case(ended):
        codes = Counter(one.code for one in runs)
        wrong = sum(not one.right for one in runs)
        low, high = clopper_pearson(wrong, len(runs))
        style = "bold red" if wrong and case.bad else "yellow" if wrong else ""
        cells = [str(codes[code] or "") for code in _CODES]
        cells += [str(sum(count for code, count in codes.items() if code not in _CODES) or "")]
        cells += [str(wrong), f"{low:.0%}-{high:.0%}", f"{sum(one.seconds for one in runs) / len(runs):.1f}"]
        drawn.add_row(case.name, case.declared, *(Text(cell, style=style) for cell in cells))
    return drawn


def _by_case(ended: Sequence[Ended]) -> list[tuple[Case, list[Ended]]]:
    """Put the runs of each case together."""
    runs: dict[str, list[Ended]] = {}
    for one in ended:
        runs.setdefault(one.case.id, []).append(one)
    return [(found[0].case, found) for found in runs.values()]
