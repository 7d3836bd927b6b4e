"""Each measure of pycanon as a number between 0 and 1 of which less is better.

The classes are the groups of released records that are equal in every quasi-identifier. permaudit's rules limit numbers that say
what is better, so k and l are read as the greatest chance of a right guess: 1/k and 1/l.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pycanon import anonymity

from permaudit import Measured, MetricCard, Needs, NotApplicable, ValidFor

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from permaudit import Comparison

_SOURCE = f"computed by pycanon {version('pycanon')}"
_MOST_WORK = 10_000
"""Classes times values: pycanon needs minutes beyond it."""
_QUASI, _CONFIDENTIAL = "quasi-identifier", "confidential"


@dataclass(frozen=True, slots=True)
class ClassMeasure:
    """One measure of the classes of a release."""

    card: MetricCard
    read: Callable[[pd.DataFrame, list[str], list[str]], tuple[float, dict[str, Any]]]
    """From the release, its quasi-identifiers and its confidential attributes: the value and what it comes from."""
    confidential: bool
    """Does it look at confidential attributes?"""

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return the worst over the confidential attributes; without declared roles, each attribute is one in turn."""
        assert pair.rows is not None  # noqa: S101 - the card asks for them
        release = pd.DataFrame(dict(pair.rows.release))
        if release.isna().to_numpy().any():
            raise ValueError("missing values: pycanon would leave their records out of every class")
        names = list(pair.rows.release)
        quasi = [name for name in names if pair.roles.get(name) == _QUASI]
        secret = [name for name in names if pair.roles.get(name) == _CONFIDENTIAL]
        if bool(quasi) != bool(secret) and self.confidential:
            missing = _CONFIDENTIAL if quasi else _QUASI
            raise NotApplicable(f"no attribute has the role {missing}, and some have the other one")
        if not self.confidential:
            return self._measured(release, quasi or names, [])
        if quasi:
            return self._measured(release, quasi, secret)
        turns = [self._measured(release, [one for one in names if one != name], [name]) for name in names]
        return max(turns, key=lambda one: one.value)

    def _measured(self, release: pd.DataFrame, quasi: list[str], secret: list[str]) -> Measured:
        """Ask pycanon, and say what was asked."""
        value, parts = self.read(release, quasi, secret)
        asked = {"quasi_identifiers": quasi} | ({"confidential": secret} if secret else {})
        return Measured(float(np.clip(value, 0, 1)), details={**parts, **asked, "source": _SOURCE})


def _k(release: pd.DataFrame, quasi: list[str], secret: list[str]) -> tuple[float, dict[str, Any]]:  # noqa: ARG001
    k = int(anonymity.k_anonymity(release, quasi))
    return 1 / k, {"k": k}


def _alpha(release: pd.DataFrame, quasi: list[str], secret: list[str]) -> tuple[float, dict[str, Any]]:
    alpha, k = anonymity.alpha_k_anonymity(release, quasi, secret)
    return float(alpha), {"k": int(k)}


def _l(
    measure: Callable[..., float], release: pd.DataFrame, quasi: list[str], secret: list[str]
) -> tuple[float, dict[str, Any]]:
    l = float(measure(release, quasi, secret))  # noqa: E741 - its name everywhere
    return 1 / l, {"l": l}


def _t(release: pd.DataFrame, quasi: list[str], secret: list[str]) -> tuple[float, dict[str, Any]]:
    # pycanon divides by the number of values less one.
    varying = [name for name in secret if np.ptp(release[name]) > 0]
    work = len(release[quasi].drop_duplicates()) * max((len(set(release[name])) for name in varying), default=0)
    if work > _MOST_WORK:
        raise NotApplicable(
            "too many classes and values for pycanon's t-closeness; generalize the quasi-identifiers first"
        )
    t = float(anonymity.t_closeness(release, quasi, varying)) if varying else 0.0
    return t, {"t": t}


def _card(  # noqa: PLR0913 - what cards say
    name: str, title: str, summary: str, reference: str, *, high: str, attributes: int = 2
) -> MetricCard:
    """Return the card of one measure."""
    return MetricCard(
        id=f"PYCANON-{name}",
        title=title,
        # It looks at the release alone: a copy of the original reads as the original does, so no release may pass by it.
        measures="diagnostic",
        better="lower",
        bounds=(0, 1),
        needs=Needs(rows=True, attributes=attributes),
        reference=reference,
        summary=summary,
        low="classes are large and mixed",
        high=high,
        blind_spots="The original: classes of a verbatim copy are those of the original. What can be inferred across classes.",
        valid_for=ValidFor(
            linked="It looks at the released records alone, so it counts whether they are linked or not.",
            unlinked="It looks at the released records alone; classes of made-up records protect nobody by themselves.",
        ),
    )


MEASURES = (
    ClassMeasure(
        _card(
            "K",
            "Re-identification by class (1/k)",
            "One over the size of the smallest class, which is the k of k-anonymity: the greatest chance to pick the right record.",
            "Samarati (2001), Protecting respondents' identities in microdata release",
            high="some record is alone in its class",
            attributes=1,
        ),
        _k,
        confidential=False,
    ),
    ClassMeasure(
        _card(
            "ALPHA",
            "Most frequent value in a class (alpha)",
            "The greatest share of one confidential value in a class: the alpha of (alpha, k)-anonymity.",
            "Wong, Li, Fu and Wang (2006), (alpha, k)-anonymity",
            high="a class has one confidential value only",
        ),
        _alpha,
        confidential=True,
    ),
    ClassMeasure(
        _card(
            "L",
            "Inference by class (1/l)",
            "One over the smallest number of confidential values in a class, which is the l of l-diversity.",
            "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-diversity",
            high="a class has one confidential value only",
        ),
        partial(_l, anonymity.l_diversity),
        confidential=True,
    ),
    ClassMeasure(
        _card(
            "ENTROPY-L",
            "Inference by class, by entropy (1/l)",
            "One over the l of entropy l-diversity: the least entropy of confidential values in a class, as a number of values.",
            "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), l-diversity, definition 4.1",
            high="a class has one confidential value only",
        ),
        partial(_l, anonymity.entropy_l_diversity),
        confidential=True,
    ),
    ClassMeasure(
        _card(
            "T",
            "Distance of a class from the whole (t)",
            "The greatest distance between the confidential values of a class and those of the whole release: the t of t-closeness.",
            "Li, Li and Venkatasubramanian (2007), t-closeness",
            high="a class differs from the whole as much as it can",
        ),
        _t,
        confidential=True,
    ),
)
