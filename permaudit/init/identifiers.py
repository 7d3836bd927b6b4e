"""Which columns stand for one person or one record: by their names, by their values, by what these look like."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from permaudit.init.columns import LIKE_DATE, SAMPLE, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.init.columns import Column

_CONTENT = {
    "e-mail addresses": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "UUIDs": r"^\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?$",
    "addresses of machines": r"^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$",
    "bank accounts": r"^[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}$",
    "numbers of phones or documents": r"^(\+|00)?\(?\d([ ()./-]{0,2}\d){6,16}$",
}
_MOST = 0.5
_FEW_VALUES, _RECORDS_EACH = 20, 5
_MANY_DIGITS, _TOO_MANY_DIGITS = 6, 11
_BEYOND_CHANCE = 3
"""So many equal pairs should be there by chance; that there is none has a probability below 5 %."""


def why_identifier(column: Column) -> str | None:
    """Say why a column may be an identifier; None where nothing hints at it."""
    return _by_name(column) or _by_content(column) or _by_uniqueness(column)


def sounds_like_identifier(column: Column) -> bool:
    """Tell whether the name alone would make it one."""
    words = _words(column.name)
    return bool(words & _known("person") or words & _known("record"))


def is_running_number(column: Column) -> bool:
    """Tell whether the values only count the records."""
    numbers = column.whole_numbers()
    return numbers is not None and not column.missing and counts(numbers)


def counts(numbers: NDArray[Any]) -> bool:
    """Tell whether each number is the one before plus one."""
    return numbers.size > 1 and bool((np.diff(numbers) == 1).all())


def _by_name(column: Column) -> str | None:
    """Look for a word in the name; an amount, a date or an answer of yes and no may have it, too."""
    if not sounds_like_identifier(column):
        return None
    of_person = column.is_text and bool(_words(column.name) & _known("person"))
    numbers_records = (column.is_text or column.whole_numbers() is not None) and not _has_few_values(column)
    return "its name sounds like an identifier" if of_person or numbers_records else None


def _has_few_values(column: Column) -> bool:
    """Tell whether a few values do for all records."""
    return column.distinct <= _FEW_VALUES and column.distinct * _RECORDS_EACH <= len(column.values)


def _by_content(column: Column) -> str | None:
    if not column.is_text:
        return None
    sample = column.values.slice(0, SAMPLE)
    if share(sample, LIKE_DATE) >= _MOST:
        return None
    found = next((what for what, pattern in _CONTENT.items() if share(sample, pattern) >= _MOST), None)
    return None if found is None else f"its values look like {found}"


def _by_uniqueness(column: Column) -> str | None:
    """Look for values that are all different and cannot well be a measure."""
    if not column.is_unique:
        return None
    if column.is_text:  # what is nearly of a type is rather a measure with a slip of the pen
        return None if column.why_untyped else "it is text, and no value is there twice"
    numbers = column.whole_numbers()
    if numbers is None:
        return None
    if counts(numbers):
        return "it counts the records"
    if _by_chance(numbers):
        return None
    return "it holds whole numbers, and none is there twice"


def _by_chance(numbers: NDArray[Any]) -> bool:
    """Tell whether whole numbers may well be a measure that differs for all records by chance.

    Among n numbers out of a range of R at least n^2 / 2R pairs are equal on average, however they are distributed. Numbers of
    one length with many digits, of very many digits, or in ascending order are rather given than measured.
    """
    low, high = int(numbers.min()), int(numbers.max())
    if numbers.size**2 / (2 * (high - low + 1)) >= _BEYOND_CHANCE:
        return False
    digits = len(str(max(abs(low), abs(high))))
    one_length = low > 0 and len(str(low)) == digits
    ascending = bool((numbers[1:] > numbers[:-1]).all())
    return not (ascending or digits >= _TOO_MANY_DIGITS or (one_length and digits >= _MANY_DIGITS))


@cache
def _known(kind: str) -> frozenset[str]:
    """Return the words for what points to a person, or for what numbers records."""
    text = resources.files(__package__).joinpath("names.yaml").read_text(encoding="utf-8")
    return frozenset(word for words in yaml.safe_load(text)[kind] for word in words)


def _words(name: str) -> set[str]:
    """Part a name into words: at blanks and signs, at digits, and where small letters are followed by a capital."""
    flat = "".join(letter for letter in unicodedata.normalize("NFKD", name[:200]) if not unicodedata.combining(letter))
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+", flat)
    return {part.lower() for part in parts} | {re.sub(r"[\W\d_]+", "", flat).lower()}
