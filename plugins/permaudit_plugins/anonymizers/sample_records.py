"""Sampling: some records, drawn at random, are released as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from permaudit import AnonymizerCard, Made, Parameters, hookimpl
from permaudit_plugins.anonymizers._listed import refused

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Original

permaudit_api = 1


class SampleRecordsParameters(Parameters, defer_build=True):
    """Parameters of sampling: exactly one of `fraction` and `records`."""

    fraction: float | None = Field(default=None, gt=0, lt=1, description="the share of the records that is released")
    records: int | None = Field(default=None, ge=1, description="the number of records that are released")

    @model_validator(mode="after")
    def _is_one_size(self) -> Self:
        if (self.fraction is None) == (self.records is None):
            raise ValueError("say either fraction or records: how many are released")
        return self


class SampleRecords:
    """Draw a simple random sample without replacement."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="sample-records",
        title="Sampling",
        kind="masked",
        linked=True,
        reference="Hundepool et al. (2012), Statistical Disclosure Control, section on non-perturbative masking",
        summary="Releases some records, drawn at random, in random order and exactly as they are. An intruder does not know "
        "whether a person is in the sample, but whoever is in it is not protected at all.",
    )
    parameters: ClassVar[type[SampleRecordsParameters]] = SampleRecordsParameters

    def anonymize(self, original: Original, params: SampleRecordsParameters, rng: Generator) -> Made:
        """Return the sample, and from which records it comes."""
        # The order is random, too: that of the file may tell who is who.
        rows = rng.choice(original.table.num_rows, _size(params, original.table.num_rows), replace=False)
        return Made(original.table.take(rows), rows)


def _size(params: SampleRecordsParameters, records: int) -> int:
    """Return how many records are drawn; a fraction is rounded to whole records, and one at least stays out."""
    if params.records is not None:
        if params.records >= records:
            what = f"records is {params.records}, and the original has {records}"
            raise refused(f"{what}; a sample must leave some out")
        return params.records
    assert params.fraction is not None  # noqa: S101 - one of both is there
    size = min(round(params.fraction * records), records - 1)
    if size < 1:
        raise refused(f"fraction is {params.fraction:g}, and of {records} records that is less than one")
    return size


@hookimpl
def permaudit_anonymizers() -> list[SampleRecords]:
    """Provide sampling."""
    return [SampleRecords()]
