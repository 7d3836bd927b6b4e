"""What libraries raise over damaged files: told in our words, because theirs quote cells."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from permaudit import DataError, Mistake
from permaudit_plugins.readers._names import name_mistakes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def damage_is(message: str, *others: type[Exception]) -> Iterator[None]:
    """Raise the message for whatever a library makes of damaged bytes; `others` are errors of its own."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, MemoryError, *others):
        raise DataError.one("", message) from None


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns if they tell the columns apart."""
    found = name_mistakes(names)
    if found:
        raise DataError(Mistake("", None, None, text) for text in found)
    return tuple(names)
