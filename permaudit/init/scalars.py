"""Text -> YAML scalars that every reader takes for the same text, whatever a stranger wrote into a header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLAIN = re.compile(r"(\.\./)*[^\W\d_]([\w./-]| (?=[\w./-]))*\Z")
"""A letter first, then letters, digits and what means nothing in YAML; blanks one by one, and not at the end."""
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"})
"""Words that some readers take for something else than text."""
_LONGEST_KEY = 900
"""YAML wants the colon of a plain key within 1,024 characters."""
_LONGEST = 10_000
_LAST_BYTE, _LAST_OF_PLANE = 0xFF, 0xFFFF


def can_be_named(name: str) -> bool:
    """Tell whether an audit file can name such a column: not blank, not endless, all of it characters."""
    is_text = not any("\ud800" <= character <= "\udfff" for character in name)
    return bool(name.strip()) and len(name) <= _LONGEST and is_text


def scalar(text: str) -> str:
    """Write a text, in one line: plain where nobody can mistake it, else in double quotes."""
    if _PLAIN.match(text) and text.lower() not in _WORDS and _is_visible(text):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def value(thing: Any) -> str:
    """Write a value in one line: text, number, list or mapping."""
    match thing:
        case str():
            return scalar(thing)
        case list() | tuple():
            return f"[{', '.join(map(value, thing))}]"
        case dict():
            return "{" + ", ".join(f"{scalar(key)}: {value(part)}" for key, part in thing.items()) + "}"
        case bool() | None:
            return "null" if thing is None else str(thing).lower()
        case _:
            return repr(thing)


def entry(key: str, thing: Any) -> list[str]:
    """Write one entry of a mapping: in one line, or in two where the key is too long for that."""
    written = scalar(key)
    return [f"{written}: {value(thing)}"] if len(written) < _LONGEST_KEY else [f"? {written}", f": {value(thing)}"]


def block(entries: Mapping[str, Any], indent: str) -> Iterable[str]:
    """Write a mapping, one line for each entry."""
    return (indent + line for key, thing in entries.items() for line in entry(key, thing))


def _is_visible(text: str) -> bool:
    """Tell whether the text looks like what it is."""
    return shown(text, len(text)) == text


def _escaped(character: str) -> str:
    """Return what stands for a character between double quotes."""
    if character in '"\\':
        return "\\" + character
    if character == " " or _is_visible(character):
        return character
    code = ord(character)
    if code <= _LAST_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _LAST_OF_PLANE else f"\\U{code:08x}"
