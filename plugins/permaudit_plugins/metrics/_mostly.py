"""Released records that have most values of one original person, nearly, whatever became of the others.

The greatest difference over all attributes says nothing of a copy in which a third of the values was drawn anew or flipped.
Here every attribute that agrees counts by how rarely it does, and what is looked at is the lead: by how much more a record
agrees with one original record than with the next. Records of strangers tell how much that is by chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._keys import row_keys
from permaudit_plugins.metrics._sighting import Chance, Sighting, most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.model import Floats
    from permaudit_plugins.metrics._near import Looked

FEWEST_ATTRIBUTES = 5
"""Among fewer attributes, most of them are all but one, and other looks leave each one out."""
MOST_LOOKED = 1_000
"""So many released records are looked at, and as many strangers."""
_MOST_CELLS = 250_000
"""They are looked up among so many original cells."""
_STEPS = 16
"""Values agree in part if they are less than a step apart, and in full if they are equal."""
_BLOCK = 250
_RARE = 0.02
"""This share of strangers leads as much, and no more."""
_SURE = 1e-6
"""What nobody has is taken to be so rare."""
_DIGITS = 3
"""The sums of products depend on the processor in their last digits."""


def most_among(attributes: int) -> int:
    """Return among how many original records others are looked up."""
    return _MOST_CELLS // attributes


class Agreement:
    """The original's records, beside which others are put."""

    def __init__(self, places: Floats) -> None:
        """Take their places on the scale of ranks."""
        steps = _on_steps(places)
        self._share = steps.mean(axis=0)
        self._steps = steps.reshape(len(places), -1).T

    def lead(self, looked: Looked) -> Floats:
        """Return by how much more each record agrees with one original record than with the next."""
        leads = []
        for start in range(0, len(looked.places), _BLOCK):
            steps = _on_steps(looked.places[start : start + _BLOCK])
            rarity = -np.log(np.clip((steps * self._share).sum(axis=2), _SURE, 1))
            agreement = (steps * rarity[:, :, None]).reshape(len(steps), -1) @ self._steps
            if looked.rows is not None:
                agreement[np.arange(len(steps)), looked.rows[start : start + _BLOCK]] = 0
            line, place = np.arange(len(steps)), agreement.argmax(axis=1)
            best = agreement[line, place]
            agreement[line, place] = 0
            leads.append(best - agreement.max(axis=1))
        return np.asarray(np.concatenate(leads).round(_DIGITS), np.float64)


def mostly_sighting(agreement: Agreement, release: Looked, strangers: Sequence[Looked]) -> Sighting:
    """Count the released records that lead as far as strangers hardly ever do."""
    chances = [(agreement.lead(one), one.what) for one in strangers]
    limit = max(float(np.quantile(leads, 1 - _RARE)) for leads, _ in chances)
    places = release.places
    repeats = len(places) / np.unique(row_keys(places)).size
    found = int((agreement.lead(release) > limit).sum())
    chance = most(*(Chance(int((leads > limit).sum()), leads.size, what) for leads, what in chances))
    return Sighting(found, len(places), chance, repeats)


def _on_steps(places: Floats) -> Floats:
    """Share each place among the two steps beside it, so that the product of two places tells how near they are."""
    above = np.clip(places, 0, 1) * (_STEPS - 1)
    lower = np.minimum(above.astype(np.intp), _STEPS - 2)
    part = above - lower
    size = np.hypot(part, 1 - part)
    steps = np.zeros((*places.shape, _STEPS), np.float32)
    for step, share in ((lower, 1 - part), (lower + 1, part)):
        np.put_along_axis(steps, step[:, :, None], (share / size)[:, :, None], axis=2)
    return steps
