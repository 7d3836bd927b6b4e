"""MDAV microaggregation: groups of at least k similar records, each value replaced by the mean of its group."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Parameters, hookimpl
from permaudit.permutation import rank_columns
from permaudit_plugins.anonymizers._mdav_plain import plain_groups
from permaudit_plugins.anonymizers._numeric import complete_numbers, domains, made_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original

permaudit_api = 1

WORK = 2e8
"""From so many distances on, n^2 / k, the tree pays even if it must be compiled first (extra `fast`)."""


class MdavParameters(Parameters, defer_build=True):
    """Parameters of MDAV."""

    k: int = Field(ge=2, description="the least number of records in a group")
    scale: Literal["range", "domain", "std", "rank"] = Field(
        default="range",
        description="what makes attributes comparable: their range, their domain (bounds, else 0 to 1.5 times the maximum), "
        "their standard deviation, or their ranks in place of their values",
    )


class Mdav:
    """Form groups from the extremes inwards: around the record farthest from the centroid, and around its opposite."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="mdav",
        title="MDAV microaggregation",
        kind="masked",
        linked=True,
        reference="Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through "
        "microaggregation, Data Mining and Knowledge Discovery 11, 195-212",
        summary="Puts similar records into groups of k to 2k - 1 and releases the mean of the group in place of each value: "
        "every released record occurs at least k times, so it points to no one in particular.",
    )
    parameters: ClassVar[type[MdavParameters]] = MdavParameters

    def anonymize(self, original: Original, params: MdavParameters, rng: Generator) -> Made:  # noqa: ARG002
        """Return the table of group means."""
        columns = complete_numbers(original)
        records = original.table.num_rows
        if params.k > records:
            raise DataError.one("", f"k is {params.k}, but there are only {records} records to put into one group")
        groups = groups_of(_scaled(original, columns, params.scale), params.k)
        made = made_of({name: group_means(values, groups) for name, values in columns.items()})
        if records < 2 * params.k:
            alone = (
                f"fewer than 2k = {2 * params.k} records make one group: every record is released as the mean of all"
            )
            return Made(made.table, notes=(alone,))
        return made


def _scaled(original: Original, columns: dict[str, NDArray[np.float64]], scale: str) -> NDArray[np.float64]:
    """Return the records as points whose coordinates can be compared; a constant attribute parts nobody."""
    if scale == "rank":
        return np.asarray(rank_columns(list(columns.values())).doubled / (2.0 * original.table.num_rows), np.float64)
    values = np.column_stack(list(columns.values()))
    match scale:
        case "domain":
            low, high = np.array(list(domains(original, columns).values())).T
            width = high - low
        case "std":
            low, width = values.mean(axis=0), values.std(axis=0, ddof=1)
        case _:
            low, width = values.min(axis=0), np.ptp(values, axis=0)
    return np.asarray((values - low) / np.where(width > 0, width, 1.0), np.float64)


def groups_of(points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the group of each record: the same whether it is computed on the tree or plainly."""
    if points.shape[0] ** 2 < WORK * k:
        return plain_groups(points, k)
    try:
        tree = import_module("permaudit_plugins.anonymizers._mdav_tree")
    except ImportError:
        return plain_groups(points, k)
    return np.asarray(tree.tree_groups(points, k), np.int64)


def group_means(values: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each record the mean of its group.

    It depends on the values of the group alone, not on their order in the file: equal groups get equal means, and a group of
    equal values keeps its value, to the last bit. Else rounding would part what is tied, and the ranks would show it.
    """
    order = np.lexsort((values, groups))
    inside = values[order]
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    lowest = inside[starts]
    means = lowest + np.add.reduceat(inside - np.repeat(lowest, sizes), starts) / sizes
    return np.asarray(means[groups], np.float64)


@hookimpl
def permaudit_anonymizers() -> list[Mdav]:
    """Provide MDAV."""
    return [Mdav()]
