"""Parameters that name attributes: whether they are there, and of a type that the method can change."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from permaudit import DataError, Mistake, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from permaudit import Attribute
    from permaudit.plan import AttributeType


def refused(*messages: str) -> DataError:
    """Make the error for a condition on the data; the host says which candidate it is about."""
    return DataError(Mistake("", None, None, message) for message in messages)


def refused_column(name: str, message: str) -> DataError:
    """Make the error for one column."""
    return refused(f"column '{shown(name)}' {message}")


def check_listed(
    listed: Mapping[str, Iterable[str]], attributes: Mapping[str, Attribute], types: tuple[AttributeType, ...]
) -> None:
    """Refuse every name that is no attribute, or one of another type; `listed` has the names by parameter."""
    mistakes = []
    for parameter, names in listed.items():
        for name in names:
            if name not in attributes:
                close = get_close_matches(name, attributes, n=1)
                hint = f"; did you mean '{shown(close[0])}'?" if close else ""
                mistakes.append(f"{parameter}: '{shown(name)}' is not an audited attribute{hint}")
            elif attributes[name].type not in types:
                what = f"is {attributes[name].type}, and only {_alternatives(types)} attributes can be changed here"
                mistakes.append(f"{parameter}: '{shown(name)}' {what}")
    if mistakes:
        raise refused(*mistakes)


def _alternatives(words: tuple[str, ...]) -> str:
    """Write words with commas and an `or`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
