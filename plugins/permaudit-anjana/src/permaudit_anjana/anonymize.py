"""k-anonymity by generalization and suppression, with anjana's answer held against what it promises."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Mistake, Parameters, shown, to_numpy
from permaudit_anjana.guest import GuestError, ask
from permaudit_anjana.levels import levels_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Original

_QUASI = "quasi-identifier"


class KAnonymityParameters(Parameters):
    """Parameters of k-anonymity."""

    k: int = Field(ge=2, examples=[5], description="the least number of records that share their quasi-identifiers")
    suppression: float = Field(default=0, ge=0, le=100, description="how many per cent of the records may be left out")


class KAnonymity:
    """Widen the attribute with the most values until every class has k records, as anjana does."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="anjana-k-anonymity",
        title="k-anonymity (anjana)",
        kind="masked",
        linked=True,
        reference="Sáinz-Pardo Díaz and López García (2024), An open source Python library for anonymizing sensitive data",
        summary="Generalizes numeric quasi-identifiers to ever wider intervals at round numbers until each combination is shared by k "
        "records, and may leave out the records that stand in the way. Runs in an environment of its own.",
    )
    parameters: ClassVar[type[KAnonymityParameters]] = KAnonymityParameters

    def anonymize(self, original: Original, params: KAnonymityParameters, rng: Generator) -> Made:  # noqa: ARG002 - nothing is drawn
        """Return the generalized table, and from which record each released one comes."""
        levels = _levels(original)
        try:
            answer = ask({"k": params.k, "suppression": params.suppression, "levels": levels})
        except GuestError as error:
            raise DataError.one("", str(error)) from None
        rows = np.asarray(answer["rows"], dtype=np.intp)
        if not rows.size:
            raise DataError.one("", f"anjana finds no way to classes of {params.k} records; allow more suppression")
        _check(answer["cells"], params.k, rows.size)
        kept = original.table.take(rows)
        table = pa.table({name: answer["cells"].get(name, kept[name]) for name in kept.column_names})
        left = original.table.num_rows - rows.size
        notes = (
            f"generalized by anjana {answer['version']}; classes of {answer['k']} records or more",
            f"{left} records left out",
        )
        return Made(table, rows=rows, notes=notes)


def _levels(original: Original) -> dict[str, list[list[str]]]:
    """Return the levels of each quasi-identifier, of all attributes where none is declared; raise with all that is wrong."""
    declared = [name for name, attribute in original.attributes.items() if attribute.role == _QUASI]
    levels, mistakes = {}, []
    for name in declared or original.table.column_names:
        try:
            levels[name] = levels_of(_numbers(original, name))
        except ValueError as error:
            mistakes.append(Mistake("", None, None, f"attribute '{shown(name)}' {error}"))
    if mistakes:
        raise DataError(mistakes)
    return levels


def _numbers(original: Original, name: str) -> Any:
    """Return complete numbers; what speaks against them follows the attribute's name."""
    column = original.table[name]
    if original.attributes[name].type != "numeric":
        raise ValueError("is not numeric; only numeric quasi-identifiers are generalized here")
    if column.null_count:
        raise ValueError("has missing values, which anjana would leave out of every class")
    values = to_numpy(column).astype(float)
    if not np.isfinite(values).all():
        raise ValueError("has values that are no numbers")
    return values


def _check(cells: dict[str, list[str]], k: int, records: int) -> None:
    """Count the classes again: what another environment says is not believed."""
    if any(len(column) != records for column in cells.values()):
        raise DataError.one("", "anjana returned columns of different length")
    smallest = min(Counter(zip(*cells.values(), strict=True)).values())
    if smallest < k:
        raise DataError.one("", f"anjana returned a class of {smallest} records, fewer than {k}")
