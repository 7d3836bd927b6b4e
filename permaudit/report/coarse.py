"""Numbers and texts for outsiders: no count below ten, no step finer than ten records, no path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

from permaudit.report.digits import DECIMALS
from permaudit.report.sentences import plain, retold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.report.sentences import Kind, Sentence

WITHHELD = "withheld"
SMALLEST = 10
"""No count below this is told."""
_FEWER = f"fewer than {SMALLEST}"
_ABOUT = "number.about"
_MOST_PARTS = 200

_PATH = re.compile(r"(?<![\w.])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s'\"`,;)]+")
_PERCENT = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?)(\s?%)")
_DECIMAL = re.compile(r"(?<![\w.,<>-])([<>]?-?\d+\.\d+)(?![\w.]|\s?%)")
_WHOLE = re.compile(r"(?<![\w.,:=+-])(?<!= )(\d{1,3}(?:,\d{3})+|\d+)(?!\w|[.,:-]\d|\s?%)")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_OPTION = re.compile(r"[a-z][a-z-]{0,30}")


@dataclass(frozen=True, slots=True)
class Coarse:
    """How exactly numbers about so many records may be told."""

    records: int
    paths: frozenset[str] = frozenset()
    """What must not be in any text, longest first when replaced."""
    hidden: frozenset[str] = frozenset()
    """Words that must not be in any text either, such as names of columns that nobody declared."""
    names: frozenset[str] = frozenset()
    """What stays as it is written, whatever numbers are in it."""

    @property
    def decimals(self) -> int:
        """Return how many decimals a share of records may have: one step is never fewer than ten records."""
        return max(0, min(DECIMALS, floor(log10(self.records / SMALLEST)))) if self.records > SMALLEST else 0

    def share(self, value: float | None) -> float | None:
        """Round a share of records."""
        return None if value is None else round(value, self.decimals)

    def text(self, text: str, decimals: int | None = None) -> str:
        """Rewrite a text: known paths go, counts become coarse, decimals are rounded.

        Of sentences that permaudit knows, only what is filled in changes; of any other text every number could be a count.
        """
        text = self.cleared(text)
        places = self.decimals if decimals is None else decimals
        return retold(text, _told, lambda kind, given: self._filled(kind, given, places)) or self._strange(text, places)

    def _filled(self, kind: Kind, given: str, places: int) -> str:
        """Make coarse what is filled into a known sentence."""
        match kind:
            case "count":
                return given if given.startswith(_FEWER) else _count(given)
            case "value":
                return _rounded(given, places)
            case "share":
                return self._percents(given)
            case "text" if given not in self.names:
                return self._strange(given, places)
            case _:
                return given

    def _strange(self, text: str, places: int) -> str:
        """Make every number of a text coarse that is not a part of a name."""
        # A bare number is no name here: it could be a count.
        names = sorted((name for name in self.names if _HAS_LETTER.search(name)), key=len, reverse=True)
        if not names:
            return self._coarse(text, places)
        named = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)")
        pieces = named.split(text)
        pieces[::2] = [self._coarse(piece, places) for piece in pieces[::2]]
        return "".join(pieces)

    def cleared(self, text: str) -> str:
        """Take paths and hidden words out of a text, and leave its numbers."""
        for path in sorted(self.paths, key=len, reverse=True):
            text = text.replace(path, WITHHELD)
        for word in sorted(self.hidden, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", WITHHELD, text)
        return _PATH.sub(WITHHELD, text)

    def _coarse(self, text: str, places: int) -> str:
        """Make the numbers of a text coarse."""
        text = _DECIMAL.sub(lambda found: _rounded(found[1], places), self._percents(text))
        text = _WHOLE.sub(lambda found: _count(found[1]), text)
        return text.replace(f"about {_FEWER}", _FEWER)

    def _percents(self, text: str) -> str:
        """Round the shares of a text."""
        return _PERCENT.sub(lambda found: f"{_rounded(found[1], self.decimals - 2)}{found[2]}", text)


def parts(given: Mapping[str, Any], names: frozenset[str], keep: frozenset[str], decimals: int) -> dict[str, Any]:
    """Keep of details or evidence what is a share, a yes or no, or a known name; drop everything else."""
    told = {
        name: part if name in keep else _part(part, names, decimals)
        for name, part in given.items()
        if name.isidentifier()
    }
    return {name: part for name, part in told.items() if part is not None}


def _part(given: Any, names: frozenset[str], decimals: int) -> Any:
    """Return a part that may be told; None for one that may not."""
    told: Any = None
    match given:
        case bool():
            told = given
        case int() if given >= SMALLEST:
            told = tens(given)
        case float() if -1 <= given <= 1:
            told = round(given, decimals)
        case str() if given in names:
            told = given
        case dict():
            inner = {name: _part(part, names, decimals) for name, part in given.items() if name in names}
            told = {name: part for name, part in inner.items() if part is not None}
        case list() if len(given) <= _MOST_PARTS:
            told = [part for part in (_part(one, names, decimals) for one in given) if part is not None]
    return told


def tens(count: int) -> int:
    """Round a count to tens."""
    return round(count, -1)


def exactly(value: float | None) -> float | None:
    """Round a number that is no share of records."""
    return None if value is None else round(value, DECIMALS)


def parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of parameters what is a number or an option; lists and mappings may hold values of the data."""
    return {
        name: given
        if given is None
        or given in ([], {})
        or isinstance(given, bool | int | float)
        or (isinstance(given, str) and _OPTION.fullmatch(given))
        else WITHHELD
        for name, given in params.items()
    }


def _told(sentence: Sentence, values: Mapping[str, str]) -> str:
    """Say a known sentence with coarse numbers."""
    if sentence.name == _ABOUT and _FEWER in values.values():
        return _FEWER
    return plain(sentence, values)


def _rounded(number: str, decimals: int) -> str:
    """Round a number as it is written; where it says that it is nearly nothing, so does what is left of it."""
    if number[0] in "<>":
        return f"{number[0]}{'-' if number[1] == '-' else ''}{10.0**-decimals:.{max(0, decimals)}f}"
    return f"{round(float(number), decimals):.{max(0, decimals)}f}"


def _count(number: str) -> str:
    """Write a count coarsely."""
    count = int(number.replace(",", ""))
    return _FEWER if count < SMALLEST else str(tens(count))
