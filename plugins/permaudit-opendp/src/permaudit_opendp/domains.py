"""What both mechanisms ask of an original: complete numbers within declared bounds."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import opendp.prelude as dp
import pyarrow as pa

from permaudit import DataError, Mistake, shown, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit import Original

STUDY = "numpy noise: a study, not fit for release"
SOURCE = f"noise from OpenDP {version('opendp')}"

dp.enable_features("contrib")


@dataclass(frozen=True, slots=True)
class Column:
    """The numbers of one attribute, and how far two of them can be apart."""

    values: NDArray[Any]
    low: float
    high: float

    @property
    def is_whole(self) -> bool:
        """Tell whether these are whole numbers."""
        return bool(np.issubdtype(self.values.dtype, np.integer))


def columns_of(original: Original) -> dict[str, Column]:
    """Return the columns; raise with every attribute that is not complete, numeric and within declared bounds."""
    found, mistakes = {}, []
    for name in original.table.column_names:
        try:
            found[name] = _column(original, name)
        except ValueError as error:
            mistakes.append(Mistake("", None, None, f"attribute '{shown(name)}' {error}"))
    if mistakes:
        raise DataError(mistakes)
    return found


def _column(original: Original, name: str) -> Column:
    """Return one column; what speaks against it follows the attribute's name."""
    attribute, column = original.attributes[name], original.table[name]
    if attribute.type != "numeric" or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise ValueError("is not numeric; this anonymizer adds noise to numbers only")
    if attribute.bounds is None:
        raise ValueError("has no bounds; declare the domain that everybody may know, or the guarantee is none")
    if column.null_count:
        raise ValueError(f"has {column.null_count} missing values; this anonymizer cannot work on gaps")
    values, (low, high) = to_numpy(column), attribute.bounds
    outside = np.count_nonzero(~((values >= low) & (values <= high)))  # what is not a number is outside, too
    if outside:
        raise ValueError(f"has {outside} values outside its bounds")
    if not low < high:
        raise ValueError("has bounds that hold a single value")
    return Column(values, low, high)
