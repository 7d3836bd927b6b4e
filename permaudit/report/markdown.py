"""Text in Markdown, in which no value becomes markup."""

from __future__ import annotations

import re
from typing import Any, NewType

from permaudit.errors import shown

Markdown = NewType("Markdown", str)
"""What is written on a page as it stands: only `said` and `row` make it."""

LONGEST = 400
"""So many characters of a value are written."""

_MARKUP = re.compile(
    r"""[\\`*\[\]<|~]             # wherever they stand
      | (?<![A-Za-z0-9])_ | _(?![A-Za-z0-9])   # inside a word it means nothing
      | &(?=[#A-Za-z])            # a named or numbered character
      | \A(?:[>\#]|[-+=](?=[-+=\ ])|\d+(?=[.)]\ ))  # at the beginning: a list, a heading, a quotation
    """,
    re.VERBOSE,
)
_OBEYED = re.compile(r"@|://|\bwww\.|:[\w+-]+:|#\d|\$", re.IGNORECASE)
"""What platforms make links, mentions, pictures or formulas of, and no backslash prevents it; in code it is left alone."""
_NOT_IN_CODE = re.compile(r"[\\`|]")


def said(pattern: str, *values: Any) -> Markdown:
    """Put values into a pattern of our own, each as plain text."""
    return Markdown(pattern.format(*map(escaped, values)))


def row(*cells: Markdown) -> Markdown:
    """Write the row of a table."""
    return Markdown(f"| {' | '.join(cells)} |")


def escaped(value: Any) -> str:
    """Write a value as plain text in Markdown, with as few signs of that as possible."""
    text = shown(str(value), LONGEST)
    if not _OBEYED.search(text):
        return _MARKUP.sub(_with_backslash, text)
    return " ".join(_word(word) for word in text.split(" "))


def _word(word: str) -> str:
    """Write a word as code where a platform would obey it; where it cannot be code, write its signs as their codes."""
    if not _OBEYED.search(word):
        return _MARKUP.sub(_with_backslash, word)
    if not _NOT_IN_CODE.search(word):
        return f"`{word}`"
    spelt = _OBEYED.sub(lambda found: f"\\x{ord(found[0][0]):x}{found[0][1:]}", word)
    return _MARKUP.sub(_with_backslash, spelt)


def _with_backslash(found: re.Match[str]) -> str:
    """Put a backslash before a sign; before a number's full stop it stands behind the digits."""
    sign = found[0]
    return f"{sign}\\" if sign[0].isdigit() else f"\\{sign}"
