"""A candidate to start with where there is no release yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit.model import Original

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.init.sorting import Audited, SortedOut
    from permaudit.model import Anonymizer

_TRIED = 200
_MANY_RECORDS = 100_000
"""Rank swapping of more takes minutes."""


@dataclass(frozen=True, slots=True)
class Starter:
    """A candidate that an anonymizer makes during the audit."""

    name: str
    anonymizer: str
    params: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


_NO_RELEASE = "there is no release yet"
_CHANGE = (
    "Change the anonymizer or its parameters (`permaudit plugins` lists them), or give the file that somebody made: "
    "{path: release.csv, kind: masked}"
)
SWAPPED = Starter(
    "swapped",
    "rank-swap",
    {"p": 10},
    f"{_NO_RELEASE}: this one is made during the audit, as a starting point. {_CHANGE}",
)
NOISY = Starter(
    "noisy",
    "additive-noise",
    {"alpha": 0.5},
    f"{_NO_RELEASE}: this one is made during the audit, as a starting point that is quick for many records. {_CHANGE}",
)
SHUFFLED = Starter(
    "shuffled",
    "shuffle-records",
    {},
    f"{_NO_RELEASE}, and no column that {SWAPPED.anonymizer} could work on: this one only shuffles the records, and must be "
    f"blocked. {_CHANGE}",
)


def choose(sorted_out: SortedOut, original: pa.Table, anonymizers: Mapping[str, Anonymizer]) -> Starter:
    """Choose an anonymizer, and leave out the attributes that it cannot work on."""
    starter = NOISY if original.num_rows > _MANY_RECORDS else SWAPPED
    unable = [item for item in sorted_out.attributes if not _works(starter, anonymizers, item, original[item.name])]
    if len(unable) == len(sorted_out.attributes):
        return SHUFFLED
    for item in unable:
        what = "columns with missing values" if _has_gaps(item) else f"what is {item.attribute.type}"
        sorted_out.drop(item, f"{starter.anonymizer} does not work on {what}; declare it once there is a release file")
    return starter


def _has_gaps(item: Audited) -> bool:
    """Tell whether a value is missing in the original."""
    return item.scale.original.missing is not None


def _works(starter: Starter, anonymizers: Mapping[str, Anonymizer], item: Audited, cells: pa.ChunkedArray) -> bool:
    """Let the anonymizer try the beginning of a column, as the audit would hand it over."""
    if _has_gaps(item):
        return False
    anonymizer = anonymizers[starter.anonymizer]
    encoded = item.scale.original
    if item.attribute.type == "numeric":
        cells = pa.chunked_array([pa.array(encoded.codes, mask=encoded.missing)])
    table = pa.table({item.name: cells.slice(0, _TRIED)})
    try:
        params = anonymizer.parameters.model_validate(dict(starter.params))
        beginning = Original(table, {item.name: item.attribute}, study=False)
        made = anonymizer.anonymize(beginning, params, np.random.default_rng())
        item.scale.encode(made.table[item.name])
    except Exception:  # whatever a plugin raises: it cannot
        return False
    return True
