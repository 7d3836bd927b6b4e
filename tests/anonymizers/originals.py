"""Originals to anonymize, and the way back to numbers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from permaudit import Attribute, DataError, Original


def original(columns, *, study=True, bounds=None, types=None):
    """What the host hands to an anonymizer: a matrix or a dictionary of columns, with what the audit file says of them."""
    if isinstance(columns, np.ndarray):
        columns = {f"a{i}": column for i, column in enumerate(columns.T)}
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    attributes = {
        name: Attribute(name=name, type=(types or {}).get(name, "numeric"), bounds=(bounds or {}).get(name))
        for name in table.column_names
    }
    return Original(table, attributes, study)


def numbers(table):
    """A table as a matrix."""
    return np.column_stack([table[name].to_numpy() for name in table.column_names])


def skewed(seed, records, attributes):
    """Skewed, correlated, non-negative data."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((records, 1))
    return np.exp(0.7 * common + 0.7 * rng.standard_normal((records, attributes)))


def refusal(anonymizer, params, given):
    """What the anonymizer says when it refuses the data."""
    try:
        anonymizer.anonymize(given, anonymizer.parameters(**params), np.random.default_rng(1))
    except DataError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def complaint(anonymizer, params):
    """What the parameters say when they refuse a value: which parameter, and why."""
    try:
        anonymizer.parameters(**params)
    except ValidationError as error:
        return {".".join(map(str, mistake["loc"])): mistake["msg"] for mistake in error.errors()}
    raise AssertionError("nothing was refused")
