"""Bad releases in which a part of the records is bare, among others that are well protected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .bad_whole import one_cell
from .case import BLOCK, bad

if TYPE_CHECKING:
    from .desk import Desk


def partly_bare(desk: Desk, share: float, bare: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    """Put bare records in the place of a share of well protected ones."""
    chosen = desk.rng.random(len(original)) < share
    protected = desk.protected(original)
    values = np.where(chosen[:, None], bare.to_numpy(), protected.to_numpy())
    return desk.ordered(pd.DataFrame(values, columns=original.columns))


@bad("10 % copied")
def ten_percent(desk: Desk) -> None:
    """One record in ten is verbatim."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.1, original, original))


@bad("50 % copied")
def half(desk: Desk) -> None:
    """One record in two is verbatim."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.5, original, original))


@bad("90 % copied")
def nine_tenths(desk: Desk) -> None:
    """Nine records in ten are verbatim."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.9, original, original))


@bad("30 % copied, every type", "synthetic", codes={BLOCK})
def copied_households(desk: Desk) -> None:
    """Three records in ten are verbatim, with dates and categories."""
    original, others = desk.households(), desk.households(draw=1)
    chosen = desk.rng.random(len(original)) < 0.3
    release = pd.concat([original[chosen], others[~chosen]])
    desk.audit_households(original, desk.shuffled(release))


@bad("the richest copied")
def richest_copied(desk: Desk) -> None:
    """The twenty records with the highest values, whom everybody would recognize, are verbatim."""
    original = desk.people()
    release = desk.protected(original).set_axis(original.index).astype(float)
    top = original.iloc[:, 0].nlargest(20).index
    release.loc[top] = original.loc[top].astype(float)
    desk.audit(original, desk.ordered(release))


@bad("half jittered")
def half_jittered(desk: Desk) -> None:
    """Half of the records are verbatim but for a hundredth of a standard deviation."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.5, desk.noisy(original, 0.01), original))


@bad("10 % jittered")
def tenth_jittered(desk: Desk) -> None:
    """One record in ten is verbatim but for a hundredth of a standard deviation."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.1, desk.noisy(original, 0.01), original))


@bad("half jittered by 5 %")
def half_jittered_more(desk: Desk) -> None:
    """Half of the records are verbatim but for a twentieth of a standard deviation."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.5, desk.noisy(original, 0.05), original))


@bad("half rounded")
def half_rounded(desk: Desk) -> None:
    """Half of the records are verbatim but for rounding to two digits."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.5, original.map(lambda value: float(f"{value:.2g}")), original))


@bad("half copied but for one value")
def half_but_one_value(desk: Desk) -> None:
    """Half of the records have three verbatim values and a fourth of somebody else."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    other = desk.independent(original)
    bare = original.mask(one_cell(where, original), other)
    desk.audit(original, partly_bare(desk, 0.5, bare, original))


@bad("half copied, one column synthetic")
def half_but_one_column(desk: Desk) -> None:
    """Half of the records are verbatim in three attributes; the fourth attribute is drawn anew for all."""
    original = desk.people()
    last = original.columns[-1]
    bare = original.assign(**{last: desk.independent(original)[last]})
    desk.audit(original, partly_bare(desk, 0.5, bare, original))


@bad("half copied, units changed")
def half_in_other_units(desk: Desk) -> None:
    """Half of the records are verbatim, and the whole file is in other units."""
    original = desk.people()
    desk.audit(original, partly_bare(desk, 0.5, original, original) * [0.92, 1.1, 3.28, 0.45])


@bad("half copied, mirrored")
def half_mirrored(desk: Desk) -> None:
    """Half of the records are verbatim, and the whole file is upside down."""
    original = desk.people()
    desk.audit(original, -partly_bare(desk, 0.5, original, original))


@bad("half copied, two attributes swapped")
def half_swapped(desk: Desk) -> None:
    """Half of the records are verbatim, with two columns under each other's name."""
    original = desk.people()
    first, second, *rest = original.columns
    release = partly_bare(desk, 0.5, original, original)[[second, first, *rest]].set_axis(original.columns, axis=1)
    desk.audit(original, release)


@bad("half copied, rows with blanks")
def half_with_blanks(desk: Desk) -> None:
    """The verbatim half has one empty cell in each record, and the audit leaves out incomplete records."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    bare = original.astype(float).mask(one_cell(where, original))
    desk.audit(original, partly_bare(desk, 0.5, bare, original), missing="drop-records")


@bad("half copied, blanks are the lowest")
def half_with_low_blanks(desk: Desk) -> None:
    """The verbatim half has one empty cell in each record, and missing values count as the lowest."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    bare = original.astype(float).mask(one_cell(where, original))
    desk.audit(original, partly_bare(desk, 0.5, bare, original), missing="lowest")


@bad("half copied, a star in each copy")
def half_starred(desk: Desk) -> None:
    """The verbatim half has one star in each record."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    bare = original.astype(str).mask(one_cell(where, original), "*")
    types = {name: {"type": "numeric", "star": "any"} for name in original.columns}
    desk.audit(original, partly_bare(desk, 0.5, bare, original), attributes=types)


@bad("interpolated towards a neighbour", "synthetic")
def interpolated(desk: Desk) -> None:
    """Each record is moved by up to a tenth of the way to its nearest neighbour, as by careless oversampling."""
    original = desk.people()
    scaled = ((original - original.mean()) / original.std()).to_numpy()
    distance = ((scaled[:, None] - scaled[None]) ** 2).sum(2)
    np.fill_diagonal(distance, np.inf)
    neighbour = original.to_numpy()[distance.argmin(1)]
    step = desk.rng.uniform(0, 0.1, (len(original), 1))
    release = original + step * (neighbour - original)
    desk.audit(original, desk.shuffled(pd.concat([release.iloc[::2], desk.people(desk.records // 2, draw=1)])))


@bad("a rare group copied", "synthetic")
def rare_group_copied(desk: Desk) -> None:
    """Everybody with a rare combination is verbatim: thirty records."""
    original = desk.people()
    ranks = original.rank(pct=True)
    odd = (ranks.iloc[:, 0] - ranks.iloc[:, 1]).abs().nlargest(30).index
    release = desk.people(draw=1).astype(float)
    release.iloc[:30] = original.loc[odd].to_numpy()
    desk.audit(original, desk.shuffled(release))


def _few(desk: Desk, bare: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    """Put a few bare records in the place of well protected ones, each in its own place."""
    release = desk.protected(original).set_axis(original.index).astype(float)
    release.loc[bare.index] = bare.astype(float)
    return desk.ordered(release)


@bad("seven copied")
def seven_copied(desk: Desk) -> None:
    """Seven people are verbatim, fewer than chance could be told from by counting."""
    original = desk.people()
    desk.audit(original, _few(desk, original.sample(7, random_state=desk.seed), original))


@bad("one copied")
def one_copied(desk: Desk) -> None:
    """A single person whom nobody equals is verbatim."""
    original = desk.people()
    alone = original[~original.duplicated(keep=False)]
    desk.audit(original, _few(desk, alone.sample(1, random_state=desk.seed), original))


@bad("seven copied, with a holdout", "synthetic")
def seven_copied_with_holdout(desk: Desk) -> None:
    """Seven people are verbatim, and a holdout tells that nobody is by chance."""
    original = desk.people()
    desk.write("holdout.csv", desk.people(draw=2))
    release = _few(desk, original.sample(7, random_state=desk.seed), original)
    desk.audit(original, release, holdout="holdout.csv")


@bad("the five richest copied")
def five_richest(desk: Desk) -> None:
    """The five highest values, whom everybody would recognize, with all that belongs to them."""
    original = desk.people()
    desk.audit(original, _few(desk, original.loc[original.iloc[:, 0].nlargest(5).index], original))


@bad("twelve moved by a thousandth")
def twelve_moved(desk: Desk) -> None:
    """Twelve people are verbatim but for a thousandth of a standard deviation."""
    original = desk.people()
    desk.audit(original, _few(desk, desk.noisy(original, 0.001).sample(12, random_state=desk.seed), original))


@bad("halves of two people", "synthetic")
def halves(desk: Desk) -> None:
    """Each record has two values of one person and two of another: whoever knows two values of somebody finds the others."""
    original = desk.people()
    first, second = desk.shuffled(original), desk.shuffled(original)
    desk.audit(original, pd.concat([first.iloc[:, :2], second.iloc[:, 2:]], axis=1))
