"""Good releases whose records are linked to the original's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import good

if TYPE_CHECKING:
    from .desk import Desk


def _made(desk: Desk, anonymizer: str, **params: object) -> None:
    """Let permaudit make the release."""
    original = desk.people()
    bounds = {
        name: {"type": "numeric", "bounds": [float(values.min()), float(values.max())]}
        for name, values in original.items()
    }
    made = {"release": {"anonymizer": anonymizer, "params": params}}
    desk.audit(original, original, candidates=made, attributes=bounds)


@good("strong noise", "masked")
def strong_noise(desk: Desk) -> None:
    """Noise of two standard deviations: four fifths of the variance of a released value are noise."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 2))


@good("additive noise, alpha 1", "masked")
def full_noise(desk: Desk) -> None:
    """The strongest noise of the paper, as permaudit makes it."""
    _made(desk, "additive-noise", alpha=1.0)


@good("groups of 20 % by rank", "masked")
def large_groups(desk: Desk) -> None:
    """Means of a fifth of the records: five different ones are left."""
    _made(desk, "mdav", k=desk.records // 5, scale="rank")


@good("groups of 25 %", "masked")
def larger_groups(desk: Desk) -> None:
    """Means of a quarter of the records: four different ones are left."""
    _made(desk, "mdav", k=desk.records // 4)


@good("swapped within 75 %", "masked")
def swapped_far(desk: Desk) -> None:
    """Values exchanged with one up to 75 % of the ranks away."""
    _made(desk, "rank-swap", p=75)


@good("Laplace noise with a small budget", "masked")
def small_budget(desk: Desk) -> None:
    """An epsilon of 1 for all four attributes together."""
    _made(desk, "laplace", epsilon=1.0)


@good("categories drawn anew", "masked")
def pram_often(desk: Desk) -> None:
    """Categories are drawn anew with probability 0.8 by their shares."""
    original = desk.households()[["EDUCATION", "JOB", "MARRIED"]]
    made = {"release": {"anonymizer": "pram", "params": {"p": 0.8, "invariant": True}}}
    desk.audit_households(original, original, candidates=made)


@good("ranges of 20 %", "masked")
def mondrian_large(desk: Desk) -> None:
    """At least a fifth of the records share their ranges in every attribute."""
    original = desk.households()[["BORN", "EDUCATION", "INCOME"]]
    made = {"release": {"anonymizer": "mondrian", "params": {"k": desk.records // 5}}}
    desk.audit_households(original, original, candidates=made)


@good("sample under noise", "masked")
def sample_under_noise(desk: Desk) -> None:
    """Half of the records, in another order and under noise of two standard deviations; a map tells whose they are."""
    original = desk.people()
    chosen = original.sample(frac=0.5, random_state=desk.seed)
    desk.write("map.csv", pd.DataFrame({"record": chosen.index + 1}))
    desk.audit(original, desk.noisy(chosen, 2), candidate={"linkage": {"map": "map.csv"}})


@good("strong noise, every type", "masked")
def households_protected(desk: Desk) -> None:
    """Dates and incomes under heavy noise, categories drawn anew for nine in ten."""
    original = desk.households()
    release = original.copy()
    for name in ("EDUCATION", "JOB", "MARRIED"):
        anew = desk.rng.random(len(original)) < 0.9
        release[name] = np.where(anew, desk.rng.permutation(original[name].to_numpy()), original[name])
    days = pd.to_datetime(original["BORN"]) + pd.to_timedelta(desk.rng.normal(0, 10_000, len(original)).round(), "D")
    release["BORN"] = days.dt.strftime("%Y-%m-%d")
    release["INCOME"] = desk.noisy(original[["INCOME"]], 2)["INCOME"].round()
    desk.audit_households(original, release)


@good("wide, heavy noise", "masked")
def wide(desk: Desk) -> None:
    """Fifty attributes under so much noise that original and release are nearly unrelated."""
    original = desk.wide()
    desk.audit(original, desk.noisy(original, 20))


@good("strong noise and missing values", "masked")
def missing_values_protected(desk: Desk) -> None:
    """Some values of well protected records are missing, and count as the lowest."""
    original = desk.people()
    release = desk.noisy(original, 2)
    desk.audit(original, release.mask(desk.rng.random(release.shape) < 0.02), missing="lowest")


@good("every value a mean", "masked")
def destroyed(desk: Desk) -> None:
    """Every value is the mean of its column: of no use, but it tells nothing of anybody."""
    original = desk.people()
    # The last zero: whose value was below zero, the sign of another zero would tell.
    desk.audit(original, original * 0 + original.mean().round() + 0.0)


@good("labels drawn anew", "masked")
def labels_drawn_anew(desk: Desk) -> None:
    """Thirty labels for each attribute, each drawn anew with probability 0.95 from those of all people."""
    original = (desk.people().rank(pct=True) * 30).astype(int)
    kept = desk.rng.random(original.shape) < 0.05
    desk.audit(original, original.where(kept, desk.independent(original)))


@good("strong noise, ends cut off", "masked")
def ends_cut_off(desk: Desk) -> None:
    """Noise of two standard deviations, cut off at the original's least and greatest value."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 2).clip(original.min(), original.max(), axis=1))
