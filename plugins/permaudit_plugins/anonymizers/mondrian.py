"""Mondrian: records are put into groups of at least k, and quasi-identifiers are generalized to the range of the group."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Parameters, hookimpl, shown
from permaudit_plugins.anonymizers._dimensions import dimension_of
from permaudit_plugins.anonymizers._listed import refused
from permaudit_plugins.anonymizers._read_numbers import mean_of, read_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Attribute, Mistake, Original
    from permaudit_plugins.anonymizers._dimensions import Dimension

    Rows = NDArray[np.intp]

permaudit_api = 1

_BEFORE_ALL = 2.0
"""Wider than any range: where values are missing in a group, it is cut there first."""


class MondrianParameters(Parameters, defer_build=True):
    """Parameters of Mondrian."""

    k: int = Field(ge=2, description="the least number of records that share their quasi-identifiers")
    partitioning: Literal["strict", "relaxed"] = Field(
        default="strict",
        description="strict: equal values stay together, so that the ranges of groups do not overlap; relaxed: groups are "
        "cut into halves, and rare categories are put together, so that there are more groups",
    )
    output: Literal["intervals", "means"] = Field(
        default="intervals", description="what numeric quasi-identifiers become: the range of the group, or its mean"
    )


class Mondrian:
    """Cut the records in two along the widest attribute, as long as k are left on each side.

    Where both missing and other values of an attribute are in a group and cannot be cut apart, the whole group releases the
    attribute as missing.
    """

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="mondrian",
        title="Mondrian k-anonymity",
        kind="masked",
        linked=True,
        reference="LeFevre, DeWitt and Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE 2006",
        summary="Puts the records into groups of at least k that are alike in their quasi-identifiers, and releases for these "
        "the range of the group: intervals of numbers and dates, ranges of ordered categories, and the category of the "
        "taxonomy that covers all others. Other attributes stay as they are.",
    )
    parameters: ClassVar[type[MondrianParameters]] = MondrianParameters

    def anonymize(self, original: Original, params: MondrianParameters, rng: Generator) -> Made:
        """Return the generalized table."""
        table = original.table
        if params.k > table.num_rows:
            raise refused(f"k is {params.k}, and the original has only {table.num_rows} records")
        chosen = _quasi_identifiers(original.attributes)
        dimensions = _dimensions(original, chosen)
        groups = _partition(list(dimensions.values()), table.num_rows, params, rng)
        group_of = np.empty(table.num_rows, np.intp)
        for number, rows in enumerate(groups):
            group_of[rows] = number
        columns = {}
        for name in table.column_names:
            if name not in dimensions:
                columns[name] = table[name]
            elif params.output == "means" and original.attributes[name].type == "numeric":
                columns[name] = _means(name, table[name], groups).take(pa.array(group_of))
            else:
                columns[name] = _ranges(dimensions[name], groups).take(pa.array(group_of))
        return Made(pa.table(columns), notes=tuple(_notes(dimensions, groups, table.column_names)))


def _quasi_identifiers(attributes: Mapping[str, Attribute]) -> list[str]:
    """Return the attributes with that role; where none has it, all that are not confidential."""
    chosen = [name for name, attribute in attributes.items() if attribute.role == "quasi-identifier"]
    chosen = chosen or [name for name, attribute in attributes.items() if attribute.role != "confidential"]
    if not chosen:
        raise refused("every attribute is confidential: declare those that an intruder may know as quasi-identifier")
    return chosen


def _dimensions(original: Original, chosen: Sequence[str]) -> dict[str, Dimension]:
    """Read the quasi-identifiers; raise with every one that cannot be generalized."""
    dimensions: dict[str, Dimension] = {}
    mistakes: list[Mistake] = []
    for name in chosen:
        try:
            dimensions[name] = dimension_of(original.attributes[name], original.table[name])
        except DataError as error:
            mistakes += error.mistakes
    if mistakes:
        raise DataError(mistakes)
    return dimensions


def _partition(dimensions: Sequence[Dimension], records: int, params: MondrianParameters, rng: Generator) -> list[Rows]:
    """Cut the records into groups that cannot be cut any more."""
    waiting, groups = [np.arange(records)], []
    while waiting:
        rows = waiting.pop()
        parts = _cut(dimensions, rows, params, rng) if rows.size >= 2 * params.k else []
        waiting += parts
        if not parts:
            groups.append(rows)
    return groups


def _cut(dimensions: Sequence[Dimension], rows: Rows, params: MondrianParameters, rng: Generator) -> list[Rows]:
    """Cut a group along the widest dimension that allows it; return its parts, or none."""
    places = [dimension.places[rows] for dimension in dimensions]
    missing = [group < 0 for group in places]
    widths = [
        dimension.width(group) if not gone.any() else _BEFORE_ALL * (not gone.all())
        for dimension, group, gone in zip(dimensions, places, missing, strict=True)
    ]
    for number in sorted(range(len(dimensions)), key=lambda number: -widths[number]):
        if widths[number] == 0:
            break
        gone = missing[number]
        if gone.any():
            fits = params.k <= np.count_nonzero(gone) <= rows.size - params.k
            parts = [gone, ~gone] if fits else []
        else:
            strict = params.partitioning == "strict"
            parts = dimensions[number].cut(places[number], params.k, rng, strict=strict)
        if parts:
            return [rows[part] for part in parts]
    return []


def _ranges(dimension: Dimension, groups: Sequence[Rows]) -> pa.Array:
    """Write the range of every group."""
    places = [dimension.places[rows] for rows in groups]
    return pa.array([None if (group < 0).any() else dimension.text(group) for group in places], pa.string())


def _means(name: str, column: pa.ChunkedArray, groups: Sequence[Rows]) -> pa.Array:
    """Return the mean of every group."""
    numbers = read_numbers(name, column)
    means = [None if numbers.missing[rows].any() else mean_of(numbers.values[rows]) for rows in groups]
    return pa.array(means, pa.float64())


def _notes(dimensions: Mapping[str, Dimension], groups: Sequence[Rows], columns: Sequence[str]) -> list[str]:
    """Say what was generalized, and what was not."""
    notes = [f"generalized in {len(groups)} groups: {', '.join(map(shown, dimensions))}"]
    kept = [shown(name) for name in columns if name not in dimensions]
    if kept:
        notes.append(f"no quasi-identifiers, and released as they are: {', '.join(kept)}")
    mixed = [shown(name) for name, dimension in dimensions.items() if _is_mixed(dimension, groups)]
    if mixed:
        notes.append(f"groups with missing values among others release all as missing: {', '.join(mixed)}")
    return notes


def _is_mixed(dimension: Dimension, groups: Sequence[Rows]) -> bool:
    """Tell whether missing and other values are together in some group."""
    gone = dimension.places < 0
    return bool(gone.any()) and any(gone[rows].any() and not gone[rows].all() for rows in groups)


@hookimpl
def permaudit_anonymizers() -> list[Mondrian]:
    """Provide Mondrian."""
    return [Mondrian()]
