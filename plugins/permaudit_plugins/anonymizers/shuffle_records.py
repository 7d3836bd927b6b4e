"""Shuffled records: a control case that protects nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import AnonymizerCard, Made, Parameters, hookimpl, to_arrow

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Original

permaudit_api = 1


class ShuffleRecords:
    """Release the original records, whole, in another order."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="shuffle-records",
        title="Shuffled records (a control case: protects nothing)",
        kind="masked",
        linked=True,
        reference="Domingo-Ferrer, Muralidhar and Bras-Amorós, on trivial permutations",
        summary="Puts whole records into another order. CM1 and CM2 take that for protection; CM3 must see that it is none.",
    )
    parameters: ClassVar[type[Parameters]] = Parameters

    def anonymize(self, original: Original, params: Parameters, rng: Generator) -> Made:  # noqa: ARG002
        """Return the records in another order."""
        return Made(original.table.take(to_arrow(rng.permutation(original.table.num_rows))))


@hookimpl
def permaudit_anonymizers() -> list[ShuffleRecords]:
    """Provide the control case."""
    return [ShuffleRecords()]
