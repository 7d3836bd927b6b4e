"""Plain YAML words -> values, as YAML 1.2 reads them; what other readers take for something else is refused."""

from __future__ import annotations

import math
import re
from typing import TypeAlias

from permaudit.errors import shown

Scalar: TypeAlias = str | int | float | bool | None

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")

_BOOLEANS = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON", "y", "Y"), "true"),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF", "n", "N"), "false"),
}
_NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+\Z")
_BASED = re.compile(r"[-+]?0(?:(?P<o>o)|(?P<x>x)|(?P<b>b))(?P<digits>[0-9a-fA-F_]+)\Z")
_UNDERSCORED = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?\Z")
_SIXTIES = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?\Z")
_LONGEST_INTEGER = 20
_INTEGER_END = 2**63


class Unclear(ValueError):  # noqa: N818 - it is an answer about a word, not a failure
    """A plain word that must not stand as it is; the text says why and what to write instead."""


def resolve(word: str) -> Scalar:
    """Return the value of a plain scalar; raise `Unclear` where readers of YAML do not agree or the value is unusable."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if word in _BOOLEANS:
        raise Unclear(f"{word} is {_BOOLEANS[word]} to some readers of YAML and text to others; {_quote(word)}")
    first = word[0]
    if first not in "+-.0123456789":
        return word
    if _NOT_FINITE.match(word):
        raise Unclear(f"{word} is not a number that can be used here; write a finite number")
    _refuse_other_notations(word)
    if _INTEGER.match(word):
        return _integer(word)
    if _FLOAT.match(word):
        number = float(word)
        if math.isinf(number):
            raise Unclear(f"{shown(word)} is too large for a number")
        return number
    return word


def _integer(word: str) -> int:
    if len(word) <= _LONGEST_INTEGER:
        number = int(word)
        if -_INTEGER_END <= number < _INTEGER_END:
            return number
    raise Unclear(f"{shown(word, 24)} is too large for an integer; it must be below 2^63 (if text is meant, quote it)")


def _refuse_other_notations(word: str) -> None:
    if _LEADING_ZERO.match(word):
        plain = word.replace("_", "")
        reading = _number_text(plain, 8)
        decimal = _number_text(plain, 10)
        raise Unclear(f"{shown(word)} is {reading} to some readers of YAML and {decimal} to others; {_quote(word)}")
    if based := _BASED.match(word):
        base = 8 if based["o"] else 16 if based["x"] else 2
        reading = _number_text(based["digits"].replace("_", ""), base)
        raise Unclear(f"{shown(word)} is {reading} to some readers of YAML and text to others; {_quote(word)}")
    if "_" in word and _UNDERSCORED.match(word):
        reading = shown(word.replace("_", ""))
        raise Unclear(f"{shown(word)} is {reading} to some readers of YAML and text to others; {_quote(word)}")
    if ":" in word and _SIXTIES.match(word):
        reading = _base_sixty(word)
        raise Unclear(f"{shown(word)} is {reading} to some readers of YAML and text to others; {_quote(word)}")


def _number_text(digits: str, base: int) -> str:
    if len(digits) > _LONGEST_INTEGER:
        return "a very large number"
    try:
        return f"the number {int(digits, base)}"
    except ValueError:
        return "text"


def _base_sixty(word: str) -> str:
    if len(word) > _LONGEST_INTEGER:
        return "a very large number"
    value = 0.0
    for part in word.lstrip("+-").replace("_", "").split(":"):
        value = value * 60 + float(part)
    sign = "-" if word.startswith("-") else ""
    return f"the number {sign}{value:.15g}"


def _quote(word: str) -> str:
    if word in _BOOLEANS:
        return f"write {_BOOLEANS[word]}, or quote it if text is meant: '{word}'"
    return f"write a plain decimal number, or quote it if text is meant: '{shown(word)}'"
