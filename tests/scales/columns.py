"""Columns as files hold them, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from permaudit.data.scales import ColumnError, scale_of
from permaudit.plan import Attribute

if TYPE_CHECKING:
    from permaudit.data.scales import EncodedColumn

CANARY = "Zx7canary"
"""A cell that no message may quote."""


def column(*values, kind=None):
    return pa.chunked_array([pa.array(list(values), kind)])


def original(*values, type="numeric", kind=None, **declared) -> EncodedColumn:  # noqa: A002
    return scale_of(Attribute(name="A", type=type, **declared), column(*values, kind=kind)).original


def codes(encoded: EncodedColumn) -> list:
    return encoded.codes.tolist()


def missing(encoded: EncodedColumn) -> list[int]:
    """Return the numbers of the records without a value."""
    return [] if encoded.missing is None else (np.flatnonzero(encoded.missing) + 1).tolist()


def mistake(call, *arguments, **named) -> str:
    """Return what a call that must fail says."""
    try:
        call(*arguments, **named)
    except ColumnError as error:
        return str(error)
    raise AssertionError("nothing was refused")
