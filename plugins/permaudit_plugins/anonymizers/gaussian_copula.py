"""Gaussian copula: records drawn from a model that has the original's margins and rank correlations, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, Made, Parameters, hookimpl
from permaudit_plugins.anonymizers._latent import completed, drawable, normal_correlations, rank_correlations
from permaudit_plugins.anonymizers._listed import refused
from permaudit_plugins.anonymizers._normal import normal_shares

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Original

permaudit_api = 1

_LEAST_RECORDS = 2


class GaussianCopulaParameters(Parameters, defer_build=True):
    """Parameters of the Gaussian copula."""

    records: int | None = Field(
        default=None, ge=1, description="how many records are drawn; by default as many as there are"
    )
    smooth: bool = Field(
        default=True,
        description="draw numbers and dates between those of the original; without it every released value is one of the "
        "original's",
    )


class GaussianCopula:
    """Draw normal scores with the correlations that belong to the rank correlations, and turn them into values.

    A column with missing values has a second score that says whether the value is missing, and that has correlations of
    its own.
    """

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="gaussian-copula",
        title="Gaussian copula",
        kind="synthetic",
        linked=False,
        reference="Cario and Nelson (1997), Modeling and generating random vectors with arbitrary marginal distributions and "
        "correlation matrix; Patki, Wedge and Veeramachaneni (2016), The Synthetic Data Vault, DSAA 2016",
        summary="Draws new records from a model of the original: each column has the same distribution, and each pair of "
        "columns about the same rank correlation. All else that goes together in the original is lost.",
    )
    parameters: ClassVar[type[GaussianCopulaParameters]] = GaussianCopulaParameters

    def anonymize(self, original: Original, params: GaussianCopulaParameters, rng: Generator) -> Made:
        """Return the synthetic table."""
        from permaudit_plugins.anonymizers._margins import margins_of  # noqa: PLC0415 - readings of columns, for this only

        if original.table.num_rows < _LEAST_RECORDS:
            raise refused(f"a model needs at least {_LEAST_RECORDS} records, and there are {original.table.num_rows}")
        margins = margins_of(original, smooth=params.smooth)
        lines = {name: margin.places for name, margin in margins.items()}
        gaps = {name: (places < 0).astype(np.intp) for name, places in lines.items() if (places < 0).any()}
        columns = [*lines.values(), *gaps.values()]
        unseen = [(list(lines).index(name), len(lines) + number) for number, name in enumerate(gaps)]
        correlations = normal_correlations(rank_correlations(columns), columns)
        normal, change = drawable(completed(correlations, unseen, len(lines)))
        records = params.records or original.table.num_rows
        shares = normal_shares(rng.standard_normal((records, len(columns))) @ np.linalg.cholesky(normal).T).T
        missing = dict.fromkeys(lines, np.zeros(records, bool))
        for (name, gap), drawn in zip(gaps.items(), shares[len(lines) :], strict=True):
            missing[name] = drawn >= 1.0 - gap.mean()
        table = {
            name: margin.column(drawn, missing[name])
            for (name, margin), drawn in zip(margins.items(), shares[: len(lines)], strict=True)
        }
        note = (
            "the rank correlations determine each other, or no normal scores have exactly these: correlations of scores "
            f"were changed by at most {change:.1g}"
        )
        return Made(pa.table(table), notes=(note,) if change else ())


@hookimpl
def permaudit_anonymizers() -> list[GaussianCopula]:
    """Provide the Gaussian copula."""
    return [GaussianCopula()]
