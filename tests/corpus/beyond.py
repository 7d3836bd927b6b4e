"""Mixtures of columns, and bad releases that nothing here can tell from good ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import bad, beyond

if TYPE_CHECKING:
    from .desk import Desk


def _mixed(desk: Desk) -> None:
    """Release sums of each column and half of the next one."""
    original = desk.people()
    mixing = np.eye(4) + 0.5 * np.roll(np.eye(4), 1, axis=1)
    scaled = original / original.std()
    desk.audit(original, desk.ordered(pd.DataFrame(scaled.to_numpy() @ mixing, columns=original.columns)))


@bad("mixtures of columns", "masked")
def mixtures(desk: Desk) -> None:
    """Sums of columns: whoever solves four equations has the original."""
    _mixed(desk)


@beyond("mixtures of columns, declared as synthetic", "synthetic")
def mixtures_unlinked(desk: Desk) -> None:
    """The same in another order: no column is one of the original's, and any covariance can be had by mixing."""
    _mixed(desk)


@beyond("noise of a fifth and shuffled, declared as synthetic", "synthetic")
def shuffled_noise(desk: Desk) -> None:
    """With so much noise for so few records, a neighbour is about as near as one's own record."""
    original = desk.people()
    desk.audit(original, desk.shuffled(desk.noisy(original, 0.2)))


@beyond("identifier in the decimals", "masked")
def identifier_in_decimals(desk: Desk) -> None:
    """Everybody's number stands in the last decimals of a value under heavy noise: no test finds every code."""
    original = desk.people()
    numbers = desk.rng.permutation(900_000)[: len(original)] + 100_000
    first = original.columns[0]
    release = desk.noisy(original, 2)
    release[first] = release[first].round() + numbers / 1e6
    attributes = dict.fromkeys(original.columns, "numeric")
    desk.audit(original.assign(SSN=numbers), release, attributes=attributes, identifiers=["SSN"])
