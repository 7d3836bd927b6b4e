"""Give every row of a small table a column of its own so that the sum of the costs is least.

scipy can do this, but importing its optimizers takes longer than an audit of a small file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from permaudit.model import Floats

_NONE = -1


def assigned(costs: Floats) -> tuple[int, ...]:
    """Return the column of each row, by shortest augmenting paths with prices on rows and columns (Kuhn 1955, Munkres 1957)."""
    size = len(costs)
    row_prices, column_prices = np.zeros(size), np.zeros(size)
    row_of = np.full(size, _NONE)
    for row in range(size):
        shortest, before = np.full(size, np.inf), np.full(size, _NONE)
        settled = np.zeros(size, np.bool_)
        at, column = row, _NONE
        while at != _NONE:
            paths = costs[at] - row_prices[at] - column_prices
            paths += 0.0 if column == _NONE else shortest[column]
            shorter = ~settled & (paths < shortest)
            shortest[shorter], before[shorter] = paths[shorter], column
            column = int(np.where(settled, np.inf, shortest).argmin())
            settled[column] = True
            at = int(row_of[column])
        spare = shortest[column] - shortest
        column_prices[settled] -= spare[settled]
        held = settled & (row_of != _NONE)
        row_prices[row_of[held]] += spare[held]
        row_prices[row] += shortest[column]
        while column != _NONE:
            earlier = int(before[column])
            row_of[column] = row if earlier == _NONE else row_of[earlier]
            column = earlier
    return tuple(np.argsort(row_of).tolist())
