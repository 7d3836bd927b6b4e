"""Bad releases that hold no whole record: tuples, extremes, recoded attributes, and the original's order with gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import bad, beyond

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .desk import Desk


def _coarse(frame: pd.DataFrame, classes: int = 30) -> pd.DataFrame:
    """Give each value one of so many labels, which stand for its order."""
    return (frame.rank(pct=True) * classes).astype(int)


def _recoded(desk: Desk, frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Give each value of some columns another one of the same column, by a fixed table."""
    release = frame.copy()
    for name in columns:
        values = np.unique(frame[name])
        release[name] = pd.Series(desk.rng.permutation(values), index=values)[frame[name]].to_numpy()
    return release


@bad("two attributes of real people, the others fresh", "synthetic")
def real_pairs(desk: Desk) -> None:
    """Whoever knows one of two values of somebody reads the other."""
    original, release = desk.people(), desk.people(draw=1)
    pair = list(original.columns[[0, 2]])
    release[pair] = desk.shuffled(original)[pair]
    desk.audit(original, release)


@bad("two tied attributes of real people for a third", "synthetic")
def real_tied_pairs(desk: Desk) -> None:
    """A third of the records have two values of one person, in attributes with a hundred values each, and two fresh ones."""
    original, release = (_coarse(desk.people(draw=draw), 100) for draw in (0, 1))
    pair = list(original.columns[[1, 3]])
    chosen = desk.rng.random(len(release)) < 1 / 3
    release.loc[chosen, pair] = desk.shuffled(original).loc[chosen, pair]
    desk.audit(original, release)


@bad("three attributes of real people among seven", "synthetic")
def real_triples(desk: Desk) -> None:
    """Half of the records have three values of one person; the other four, and those of all others, are fresh."""
    original, release = (
        pd.concat([desk.people(draw=draw), desk.people(draw=draw + 5).iloc[:, :3].add_suffix("2")], axis=1)
        for draw in (0, 1)
    )
    some = list(original.columns[[0, 3, 5]])
    chosen = desk.rng.random(len(release)) < 0.5
    release.loc[chosen, some] = desk.shuffled(original).loc[chosen, some]
    desk.audit(original, release)


@bad("the five highest values kept")
def highest_kept(desk: Desk) -> None:
    """In two attributes the five highest values, by which everybody knows whose they are, are exact; no record is whole."""
    original = desk.people()
    release = desk.protected(original).set_axis(original.index).astype(float)
    for name in original.columns[[1, 3]]:
        highest = original[name].nlargest(5)
        where = release[name].nlargest(5).index if desk.synthetic else highest.index
        release.loc[where, name] = highest.to_numpy()
    desk.audit(original, desk.ordered(release))


@bad("labels of one attribute permuted", "masked")
def labels_permuted(desk: Desk) -> None:
    """One attribute has another label for each of thirty, the others are under heavy noise."""
    original = _coarse(desk.people())
    first = original.columns[0]
    release = desk.noisy(original, 2).round()
    release[first] = _recoded(desk, original, [first])[first]
    desk.audit(original, release)


@bad("remainders of one attribute", "masked")
def remainders(desk: Desk) -> None:
    """One attribute is what is left after division: whoever knows somebody's value roughly reads it exactly."""
    original = desk.people()
    first = original.columns[0]
    width = (original[first].quantile(0.75) - original[first].quantile(0.25)) / 2
    desk.audit(original, desk.noisy(original, 2).assign(**{first: original[first] % width}))


@bad("one attribute folded", "masked")
def folded(desk: Desk) -> None:
    """One attribute is its distance from the median."""
    original = desk.people()
    second = original.columns[1]
    desk.audit(
        original, desk.noisy(original, 2).assign(**{second: (original[second] - original[second].median()).abs()})
    )


@bad("every label permuted and shuffled", "synthetic")
def all_labels_permuted(desk: Desk) -> None:
    """The original in another order, with another label for each value of each attribute."""
    original = _coarse(desk.people())
    desk.audit(original, desk.shuffled(_recoded(desk, original, list(original.columns))))


@beyond("labels permuted where no two people share one", "masked")
def own_labels_permuted(desk: Desk) -> None:
    """Where all values differ, a fixed table is a random order of them, as honest swapping over the whole file gives."""
    original = desk.people().rank(method="first")
    first = original.columns[0]
    desk.audit(original, desk.noisy(original, 2).assign(**{first: _recoded(desk, original, [first])[first]}))


def _with_gaps(desk: Desk, original: pd.DataFrame) -> pd.DataFrame:
    """Add noise, and take out one record in twenty."""
    noisy = desk.noisy(original, 1)
    return noisy[desk.rng.random(len(noisy)) > 1 / 20]


@bad("one in twenty deleted, in the original's order", "synthetic")
def order_with_gaps(desk: Desk) -> None:
    """Who counts along finds everybody, whatever the noise."""
    original = desk.people()
    desk.audit(original, _with_gaps(desk, original))


@bad("one in twenty deleted, from the end", "synthetic")
def reversed_with_gaps(desk: Desk) -> None:
    """The same, with the last record first."""
    original = desk.people()
    desk.audit(original, _with_gaps(desk, original)[::-1])
