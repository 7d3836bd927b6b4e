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


@dataclass(frozen=True, slots=True)
class Starter:
    """A candidate that an anonymizer makes during the audit."""

    name: str
    anonymizer: str
    params: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


SWAPPED = Starter(
    "swapped",
    "rank-swap",
    {"p": 10},
    "there is no release yet: this one is made during the audit, as a starting point. Change the anonymizer or its "
    "parameters (`permaudit plugins` lists them), or give the file that somebody made: {path: release.csv, kind: masked}",
)
SHUFFLED = Starter(
    "shuffled",
    "shuffle-records",
    {},
    "there is no release yet, and no column that rank swapping could protect: this one only shuffles the records, and must "
    "be blocked. Give the file that somebody made: {path: release.csv, kind: masked}",
)


def choose(sorted_out: SortedOut, original: pa.Table, anonymizers: Mapping[str, Anonymizer]) -> Starter:
    """Choose an anonymizer, and leave out the attributes that it cannot work on."""
    swap = anonymizers[SWAPPED.anonymizer]
    unable = [item for item in sorted_out.attributes if not _works(swap, item, original[item.name])]
    if len(unable) == len(sorted_out.attributes):
        return SHUFFLED
    for item in unable:
        sorted_out.drop(
            item,
            f"{SWAPPED.anonymizer} cannot swap what is {item.attribute.type}; declare it once there is a release file",
        )
    return SWAPPED


def _works(anonymizer: Anonymizer, item: Audited, cells: pa.ChunkedArray) -> bool:
    """Let the anonymizer try the beginning of a column, as the audit would hand it over."""
    encoded = item.scale.original
    if item.attribute.type == "numeric":
        cells = pa.chunked_array([pa.array(encoded.codes, mask=encoded.missing)])
    table = pa.table({item.name: cells.slice(0, _TRIED)})
    try:
        params = anonymizer.parameters.model_validate(dict(SWAPPED.params))
        beginning = Original(table, {item.name: item.attribute}, study=False)
        made = anonymizer.anonymize(beginning, params, np.random.default_rng())
        item.scale.encode(made.table[item.name])
    except Exception:  # whatever a plugin raises: it cannot
        return False
    return True
