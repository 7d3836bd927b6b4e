"""Yes or no: false is 0 and true is 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.data.scales.base import Distinct, category_texts
from permaudit.data.scales.ordinal import CodedTexts

if TYPE_CHECKING:
    import pyarrow as pa

    from permaudit.data.scales.base import EncodedColumn
    from permaudit.plan import Attribute

BOOLEANS = {"false": 0, "0": 0, "true": 1, "1": 1}


class BooleanScale:
    """False before true."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the original."""
        what = "neither true nor false (nor 1 nor 0)"
        self._coded = CodedTexts(BOOLEANS, attribute.star, ("value that is", "values that are"), what)
        self.original = self._coded.original(_lowered(original))

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        return self._coded.encode(_lowered(column), released=released)


def _lowered(column: pa.ChunkedArray) -> Distinct:
    """Return the texts of a column in lower case."""
    texts = category_texts(column)
    return Distinct([text.lower() for text in texts.texts], texts.index)
