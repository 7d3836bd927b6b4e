"""Good releases whose records belong to nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import good
from .people import correlated

if TYPE_CHECKING:
    from .desk import Desk


def _made(desk: Desk, anonymizer: str, **params: object) -> None:
    """Let permaudit make the release."""
    original = desk.people()
    desk.audit(original, original, candidates={"release": {"anonymizer": anonymizer, "params": params}})


@good("IPSO", "synthetic")
def ipso(desk: Desk) -> None:
    """Normal records with the means and covariances of the original."""
    _made(desk, "ipso")


@good("Gaussian copula", "synthetic")
def copula(desk: Desk) -> None:
    """Records with the margins and the rank correlations of the original."""
    _made(desk, "gaussian-copula")


@good("Gaussian copula with the original's values", "synthetic")
def copula_of_values(desk: Desk) -> None:
    """Every value is one of the original's, and records are put together anew."""
    _made(desk, "gaussian-copula", smooth=False)


@good("Gaussian copula, every type", "synthetic")
def copula_of_households(desk: Desk) -> None:
    """Dates, categories and incomes drawn from a model."""
    original = desk.households()
    desk.audit_households(original, original, candidates={"release": {"anonymizer": "gaussian-copula"}})


@good("other people", "synthetic")
def other_people(desk: Desk) -> None:
    """A fresh sample of the population: the best synthetic data there can be."""
    desk.audit(desk.people(), desk.people(draw=1))


@good("other people, with a holdout", "synthetic")
def other_people_with_holdout(desk: Desk) -> None:
    """A fresh sample, and a second one as holdout."""
    desk.write("holdout.csv", desk.people(draw=2))
    desk.audit(desk.people(), desk.people(draw=1), holdout="holdout.csv")


@good("other people, fewer", "synthetic")
def fewer_people(desk: Desk) -> None:
    """A fresh sample of a third of the size."""
    desk.audit(desk.people(), desk.people(desk.records // 3, draw=1))


@good("other people, more", "synthetic")
def more_people(desk: Desk) -> None:
    """A fresh sample of three times the size."""
    desk.audit(desk.people(), desk.people(3 * desk.records, draw=1))


@good("other people, every type", "synthetic")
def other_households(desk: Desk) -> None:
    """A fresh sample with dates and categories."""
    desk.audit_households(desk.households(), desk.households(draw=1))


@good("other people, few and coarse categories", "synthetic")
def coarse_people(desk: Desk) -> None:
    """A fresh sample in which most records have a double in the original, as strangers do."""
    original, release = (desk.people(draw=draw).rank(pct=True).mul([2, 2, 1, 3]).round().astype(int) for draw in (0, 1))
    desk.audit(original, release)


@good("columns permuted", "synthetic")
def permuted(desk: Desk) -> None:
    """Every column in an order of its own: nobody's values are together."""
    original = desk.people()
    desk.audit(original, desk.independent(original))


@good("strongly correlated attributes", "synthetic")
def strongly_correlated(desk: Desk) -> None:
    """A fresh sample of a population in which attributes hardly differ: CM3 is low for strangers too."""
    original, release = (
        pd.DataFrame(correlated(desk.records, 4, 0.95, desk.rng).round(4)).add_prefix("V") for _ in range(2)
    )
    desk.audit(original, release)


@good("bootstrap of a model", "synthetic")
def smoothed_bootstrap(desk: Desk) -> None:
    """A smoothed bootstrap whose kernel is one standard deviation wide, rescaled."""
    original = desk.people()
    drawn = original.sample(len(original), replace=True, random_state=desk.seed)
    noisy = desk.noisy(drawn.reset_index(drop=True), 1)
    desk.audit(original, (noisy - noisy.mean()) / np.sqrt(2) + original.mean())


@good("other people, within the original's bounds", "synthetic")
def clipped_people(desk: Desk) -> None:
    """A fresh sample, cut off at the least and the greatest original value, as synthesizers do."""
    original = desk.people()
    desk.audit(original, desk.people(draw=1).clip(original.min(), original.max(), axis=1))


@good("other people, many values each", "synthetic")
def finer_people(desk: Desk) -> None:
    """A fresh sample in which pairs of values are often somebody's by chance: a hundred labels for each attribute."""
    original, release = (desk.people(draw=draw).rank(pct=True).mul(100).astype(int) for draw in (0, 1))
    desk.audit(original, release)
