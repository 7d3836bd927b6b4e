"""CART synthesis, with what the package gets wrong caught before it can be released."""

from __future__ import annotations

import logging
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Mistake, Parameters, shown
from permaudit_synthpop.randomness import lent_randomness

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original

_FEWEST = 2


class CartParameters(Parameters):
    """Parameters of CART synthesis."""

    minibucket: int = Field(
        default=5, ge=1, description="the least number of records in a leaf from which values are drawn"
    )
    smoothing: bool = Field(
        default=False, description="move drawn numbers by a kernel, so that none is an original value"
    )
    proper: bool = Field(default=False, description="grow each tree on a bootstrap sample of the records")


class Cart:
    """Draw each value from the leaf into which the other values of a resampled record fall."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="synthpop-cart",
        title="CART synthesis (python-synthpop)",
        kind="synthetic",
        linked=False,
        reference="Reiter (2005), Using CART to generate partially synthetic public use microdata; Nowok, Raab and Dibben (2016)",
        summary="Grows a tree for each attribute on all others, and draws each value from a leaf of it. Values without smoothing are "
        "values of the original, and leaves of few records can reproduce whole records.",
    )
    parameters: ClassVar[type[CartParameters]] = CartParameters

    def anonymize(self, original: Original, params: CartParameters, rng: Generator) -> Made:
        """Return as many made-up records as there are original ones."""
        _refuse(original, params)
        columns = {name: _coded(original, name) for name in original.table.column_names}
        frame = pd.DataFrame({name: codes for name, (codes, _) in columns.items()})
        kinds = {name: "numerical" if words is None else "categorical" for name, (_, words) in columns.items()}
        with lent_randomness(rng):
            method = _package().CARTMethod(
                kinds, smoothing=params.smoothing, proper=params.proper, minibucket=params.minibucket
            )
            method.fit(frame)
            try:
                made = method.sample(len(frame))
            except ZeroDivisionError:  # its kernel has no width where all numbers are equal
                raise DataError.one(
                    "", "some attribute hardly varies, and then there is nothing to smooth by"
                ) from None
        # The package notes a tree that cannot be grown in a log, and leaves the attribute out.
        lost = [shown(name) for name in columns if name not in made]
        if lost:
            raise DataError.one("", f"python-synthpop has no tree for {', '.join(lost)}")
        table = pa.table({name: _decoded(made[name], original.table[name].type, columns[name][1]) for name in columns})
        return Made(table, notes=(f"made by python-synthpop {version('python-synthpop')}",))


def _refuse(original: Original, params: CartParameters) -> None:
    """Raise with everything that the package cannot work on."""
    mistakes = []
    if original.table.num_columns < _FEWEST:
        mistakes.append("there is one attribute only; a tree needs others to grow on")
    if original.table.num_rows < 2 * params.minibucket:
        mistakes.append(f"fewer records than two leaves of {params.minibucket}; a tree would be no tree")
    for name in original.table.column_names:
        kind = original.attributes[name].type
        if original.table[name].null_count:
            mistakes.append(f"attribute '{shown(name)}' has missing values; python-synthpop would make them up")
        elif kind in {"date", "datetime"}:
            mistakes.append(f"attribute '{shown(name)}' is a {kind}; declare it as a number, or leave it out")
    if mistakes:
        raise DataError(Mistake("", None, None, mistake) for mistake in mistakes)


def _coded(original: Original, name: str) -> tuple[NDArray[Any], list[Any] | None]:
    """Return numbers as they are, and categories as their places in a list, in the declared order where there is one."""
    attribute, column = original.attributes[name], original.table[name].to_pylist()
    if attribute.type == "numeric":
        return np.asarray(column, dtype=float), None
    words = list(attribute.order) or sorted(set(column), key=str)
    places = {str(word): place for place, word in enumerate(words)}
    unknown = sum(str(cell) not in places for cell in column)
    if unknown:
        raise DataError.one("", f"attribute '{shown(name)}' has {unknown} values outside its declared order")
    return np.asarray([places[str(cell)] for cell in column]), words


def _decoded(drawn: pd.Series[Any], kind: pa.DataType, words: list[Any] | None) -> pa.Array:
    """Return what was drawn in the type of the original."""
    if words is not None:
        return pa.array([words[int(place)] for place in drawn], type=kind)
    numbers = np.asarray(drawn, dtype=float)
    return pa.array(np.rint(numbers).astype(np.int64) if pa.types.is_integer(kind) else numbers)


def _package() -> Any:
    """Import python-synthpop without letting it set up everybody's logging."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        return import_module("synthpop")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
