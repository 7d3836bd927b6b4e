"""What permaudit and its own plugins say in results, sentence by sentence: known by its words, whatever is filled in.

The sentences stand in `sentences.yaml`. A text that consists of them can be said in another language, or with coarse numbers;
any other text, such as a stranger's, is not recognized and stands as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from permaudit.report.texts import flat, from_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Kind: TypeAlias = Literal[
        "text", "names", "id", "said", "list", "count", "things", "value", "share", "limit", "given", "notes"
    ]
    Tell: TypeAlias = Callable[["Sentence", Mapping[str, str]], str]
    """Say a sentence anew, given what is to be filled in."""
    Fill: TypeAlias = Callable[[Kind, str], str]
    """Say what is filled in anew, given of what kind it is."""

BETWEEN = "; "
_ANY = ".+?"
_WITHIN = "(?:(?!; ).)+?"
_KINDS = {
    "text": _WITHIN,
    "names": _WITHIN,
    "id": r"[^\s:;,]+",
    "count": r"\d[\d,]*|fewer than \d+",
    "things": r"\d+",
    "value": r"[<>]?-?\d+(?:\.\d+)?(?:e[+-]?\d+)?",
    "share": r"\d+(?:\.\d+)?\s?%",
    "limit": r"\S+",
    "given": _WITHIN,
}
"""What each kind looks like; others can look like anything."""
_NOTHING: Mapping[str, str] = defaultdict(str)
_DEEPEST = 8
"""Sentences in sentences in sentences."""
_MOST_PIECES = 5
"""So many of the pieces between two `; ` may be one sentence."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and of what kind everything is that is filled in."""

    name: str
    text: str
    """With names in braces where something is filled in."""
    holes: Mapping[str, Kind]
    words: str
    """The longest part that never changes."""
    pattern: re.Pattern[str]


def retold(text: str, tell: Tell, fill: Fill) -> str | None:
    """Say a text anew that consists of known sentences with `; ` between them; None where any part of it is not known."""
    return _whole(text, tell, fill, 0) or _parts(text, tell, fill, 0)


def plain(sentence: Sentence, values: Mapping[str, str]) -> str:
    """Say a sentence in its own words."""
    return sentence.text.format(**values)


def _parts(text: str, tell: Tell, fill: Fill, depth: int) -> str | None:
    """Say anew what is several sentences; some hold the sign that stands between them, so the most pieces that are one count."""
    pieces = text.split(BETWEEN)
    rest: list[str | None] = [""] * (len(pieces) + 1)
    for start in reversed(range(len(pieces))):
        last = min(start + _MOST_PIECES, len(pieces))
        ends = [end for end in range(last, start, -1) if rest[end] is not None]
        found = ((_whole(BETWEEN.join(pieces[start:end]), tell, fill, depth), rest[end]) for end in ends)
        rest[start] = next((BETWEEN.join(filter(None, pair)) for pair in found if pair[0] is not None), None)
    return rest[0]


def _whole(text: str, tell: Tell, fill: Fill, depth: int) -> str | None:
    """Say anew what is one sentence."""
    fixed, others = sentences()
    if text in fixed:
        return tell(fixed[text], {})
    if depth == _DEEPEST:
        return None
    for sentence in others:
        found = sentence.pattern.fullmatch(text) if sentence.words in text else None
        if found is None:
            continue
        values = {name: _filled(kind, found[name], tell, fill, depth) for name, kind in sentence.holes.items()}
        if None not in values.values():
            return tell(sentence, cast("dict[str, str]", values))
    return None


def _filled(kind: Kind, given: str, tell: Tell, fill: Fill, depth: int) -> str | None:
    match kind:
        case "said":
            return _whole(given, tell, fill, depth + 1)
        case "list":
            return _whole(given, tell, fill, depth + 1) or _parts(given, tell, fill, depth + 1)
        case _:
            return fill(kind, given)


@cache
def sentences() -> tuple[dict[str, Sentence], tuple[Sentence, ...]]:
    """Return the sentences that never change by their text, and the others, those first that say most themselves.

    "mask A, or list it" is a sentence of its own, and not "mask B" with an odd name for B.
    """
    read = list(_read())
    others = sorted((one for one in read if one.holes), key=lambda one: -len(one.text.format_map(_NOTHING)))
    return {one.text: one for one in read if not one.holes}, tuple(others)


def _read() -> Iterator[Sentence]:
    text = files("permaudit.report").joinpath("sentences.yaml").read_text(encoding="utf-8")
    for name, written in flat(from_yaml(text)):
        pieces = list(Formatter().parse(written))
        holes = {hole: cast("Kind", kind or "text") for _, hole, kind, _ in pieces if hole}
        pattern = "".join(
            re.escape(words) + (f"(?P<{hole}>{_KINDS.get(kind or 'text', _ANY)})" if hole else "")
            for words, hole, kind, _ in pieces
        )
        yield Sentence(
            name=name,
            text="".join(words + (f"{{{hole}}}" if hole else "") for words, hole, _, _ in pieces),
            holes=holes,
            words=max((words for words, *_ in pieces), key=len),
            pattern=re.compile(pattern, re.DOTALL),
        )
