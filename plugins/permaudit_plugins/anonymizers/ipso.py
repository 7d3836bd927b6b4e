"""IPSO: synthetic records with exactly the means, covariances and regressions of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Mistake, Parameters, hookimpl, shown
from permaudit_plugins.anonymizers._numeric import complete_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original

permaudit_api = 1

SINGULAR = 1e-9
"""An attribute is a combination of others if they leave no more than this part of its standard deviation."""


class IpsoParameters(Parameters, defer_build=True):
    """Parameters of IPSO."""

    keep: tuple[str, ...] = Field(
        default=(), description="covariates, released unchanged; the other attributes are regenerated given these"
    )


class Ipso:
    """Regenerate attributes so that the sufficient statistics of the normal linear model stay what they are."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="ipso",
        title="IPSO, information preserving statistical obfuscation",
        kind="synthetic",
        linked=False,
        reference="Burridge (2003), Information preserving statistical obfuscation, Statistics and Computing 13, 321-327",
        summary="Draws new records from a normal model and adjusts them so that means, variances and covariances equal "
        "those of the original exactly. With kept covariates, which are released unchanged, the coefficients of the "
        "regressions on them are the same too. Every shape other than the normal one is lost.",
    )
    parameters: ClassVar[type[IpsoParameters]] = IpsoParameters

    def anonymize(self, original: Original, params: IpsoParameters, rng: Generator) -> Made:
        """Return the synthetic table."""
        columns = complete_numbers(original)
        if mistakes := list(_mistakes(params.keep, columns, original.table.num_rows)):
            raise DataError(Mistake("", None, None, message) for message in mistakes)
        kept = [name for name in columns if name in params.keep]
        drawn = [name for name in columns if name not in params.keep]
        released = _regenerated([columns[name] for name in [*kept, *drawn]], len(kept), [*kept, *drawn], rng)
        table = original.table
        for name, values in zip(drawn, released.T, strict=True):
            table = table.set_column(table.column_names.index(name), name, pa.array(np.ascontiguousarray(values)))
        if not kept:
            return Made(table)
        # In the order of the original: row i is made from record i, and another order would only hide that from the audit.
        known = f"released unchanged: {', '.join(map(shown, kept))}; who knows these values of a record finds it again"
        return Made(table, notes=(known,))


def _mistakes(keep: Sequence[str], columns: dict[str, NDArray[np.float64]], records: int) -> Iterator[str]:
    """Yield what speaks against IPSO before any arithmetic."""
    for name in keep:
        if name not in columns:
            yield f"keep names '{shown(name)}', which is no attribute of this audit"
    if not set(columns) - set(keep):
        yield "keep names every attribute; there is nothing left to regenerate"
    if records <= len(columns) + 1:
        yield f"ipso needs at least {len(columns) + 2} records for {len(columns)} attributes, not {records}"
    for name, values in columns.items():
        if values.size and values.min() == values.max():
            yield f"attribute '{shown(name)}' is constant; ipso needs a covariance matrix that is not singular"


def _regenerated(
    columns: Sequence[NDArray[np.float64]], kept: int, names: Sequence[str], rng: Generator
) -> NDArray[np.float64]:
    """Return new columns for all but the first `kept` ones.

    With Q R the standardized columns, the fit on the kept ones is Q1 R12 and the residuals are Q2 R22. Burridge draws normal
    residuals, takes out their own regression and gives them the cross-products R22' R22: that is, Q2 becomes
    another orthonormal basis, any one with equal probability, orthogonal to Q1 and to a constant.
    """
    matrix = np.column_stack(columns)
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0, ddof=1)
    q, r = np.linalg.qr((matrix - mean) / spread)
    records = matrix.shape[0]
    left = np.abs(np.diagonal(r)) / np.sqrt(records - 1)
    if (left <= SINGULAR).any():
        name = shown(names[int(np.argmax(left <= SINGULAR))])
        raise DataError.one("", f"attribute '{name}' is a linear combination of others; ipso needs them independent")
    size = matrix.shape[1] - kept
    basis, signs = np.linalg.qr(np.column_stack([np.ones(records), q[:, :kept], rng.standard_normal((records, size))]))
    # The signs that the factorization chooses depend on the first record: with positive ones all bases are alike.
    basis = basis[:, kept + 1 :] * np.sign(np.diagonal(signs)[kept + 1 :])
    standardized = q[:, :kept] @ r[:kept, kept:] + basis @ r[kept:, kept:]
    return np.asarray(mean[kept:] + spread[kept:] * standardized, np.float64)


@hookimpl
def permaudit_anonymizers() -> list[Ipso]:
    """Provide IPSO."""
    return [Ipso()]
