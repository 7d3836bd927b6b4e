"""`waivers:` of an audit: whom they name, who approved them, and whether they fit the rest of the audit."""

from __future__ import annotations

import datetime as dt
import unicodedata
from itertools import combinations
from typing import TYPE_CHECKING, Any

from permaudit.config.references import unknown
from permaudit.config.words import Problem, place_name
from permaudit.errors import shown
from permaudit.model import HOST_RULES
from permaudit.plan import Waiver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permaudit.config.references import References
    from permaudit.config.words import Steps
    from permaudit.model import Catalogue
    from permaudit.outcome import Place

LEAST_APPROVERS = 2
_WILD = frozenset("*?")
_UNSEEN = frozenset({"Mn", "Cf"})
"""The categories of accents and of characters that nobody sees."""
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_SAME = ("rule", "candidate", "attribute", "metric")


def waivers_in(value: Any) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield the waivers of a file that may have mistakes: what has the wrong shape is left out."""
    entries = value.get("waivers") if isinstance(value, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield ("waivers", number), entry


def wrong_waivers(value: Any, names: References, catalogue: Catalogue) -> Iterator[Problem]:
    """Yield every waiver that names something unknown, is too broad, has too few approvers, or is there twice."""
    seen: dict[tuple[Any, ...], Steps] = {}
    for steps, entry in waivers_in(value):
        texts = {key: item for key, item in entry.items() if isinstance(item, str)}
        yield from _wrong_names(steps, texts, names, catalogue)
        yield from _too_few(steps, entry.get("approved-by"))
        same = tuple(texts.get(key) for key in _SAME)
        if same in seen:
            yield Problem(steps, f"{place_name(steps)} waives the same as {place_name(seen[same])}; keep one")
        elif "rule" in texts and "candidate" in texts:
            seen[same] = steps


def waiver_of(entry: Mapping[str, Any], place: Place | None) -> Waiver:
    """Return a waiver from an entry that has been checked."""
    digest = entry.get("sha256")
    return Waiver(
        rule=entry["rule"],
        candidate=entry["candidate"],
        attribute=entry.get("attribute"),
        metric=entry.get("metric"),
        reason=entry["reason"],
        approved_by=tuple(entry["approved-by"]),
        expires=dt.date.fromisoformat(entry["expires"]),
        sha256=None if digest is None else digest.lower(),
        place=place,
    )


def last_day(entry: Mapping[str, Any]) -> dt.date | None:
    """Return the day on which a waiver expires, where it is one."""
    try:
        return dt.date.fromisoformat(entry["expires"])
    except (KeyError, TypeError, ValueError):
        return None


def _wrong_names(steps: Steps, texts: Mapping[str, str], names: References, catalogue: Catalogue) -> Iterator[Problem]:
    if texts.get("rule") in HOST_RULES:
        where = (*steps, "rule")
        yield Problem(
            where, f"{place_name(where)}: '{texts['rule']}' cannot be waived; it asks for a person's decision"
        )
    elif "rule" in texts:
        yield from unknown("rule", [((*steps, "rule"), texts["rule"])], catalogue.rules)
    if "candidate" in texts:
        yield from _one_of("candidate", steps, texts["candidate"], names.candidates)
    declared = {name for _, name in (*names.columns, *names.keys)}
    # A release that exists may have further columns: they are looked for when its header is read.
    if "attribute" in texts and (texts.get("candidate") not in names.given or _is_wild(texts["attribute"], declared)):
        yield from _one_of("attribute", steps, texts["attribute"], tuple(declared))
    if "metric" in texts:
        yield from unknown("metric", [((*steps, "metric"), texts["metric"])], catalogue.metrics)


def _one_of(noun: str, steps: Steps, name: str, known: tuple[str, ...]) -> Iterator[Problem]:
    where = (*steps, noun)
    if _is_wild(name, known):
        yield Problem(where, f"{place_name(where)}: a waiver is for one {noun}, by its name; give one for each")
    else:
        yield from unknown(noun, [(where, name)], known)


def _is_wild(name: str, known: tuple[str, ...] | set[str]) -> bool:
    return name not in known and not _WILD.isdisjoint(name)


def _too_few(steps: Steps, names: Any) -> Iterator[Problem]:
    """Count different people: one person under two spellings is one."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return
    where = (*steps, "approved-by")
    people = [words for name in names if (words := _words(name))]
    if any(_mixes_alphabets(name) for name in names):
        yield Problem(where, f"{place_name(where)}: a word is written with letters of several alphabets")
    if not any(_differ(first, second) for first, second in combinations(people, LEAST_APPROVERS)):
        only = f", not only '{shown(names[0])}'" if names else ""
        yield Problem(where, f"{place_name(where)} must name at least two different people{only}")


def _words(name: str) -> list[str]:
    """Return the words of a name without what two spellings may differ in: case, accents, signs, invisible characters."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    seen = (letter for letter in plain if unicodedata.category(letter) not in _UNSEEN)
    return "".join(letter if letter.isalnum() else " " for letter in seen).split()


def _differ(first: list[str], second: list[str]) -> bool:
    """Tell whether two names are of different people: neither is the other with a title, in another order or as one word."""
    return not (set(first) <= set(second) or set(second) <= set(first) or "".join(first) == "".join(second))


def _mixes_alphabets(name: str) -> bool:
    """Tell whether a word has letters of several alphabets in which some look the same."""
    names = ([unicodedata.name(letter, "").split(" ")[0] for letter in word] for word in _words(name))
    return any(len(_ALIKE.intersection(alphabets)) > 1 for alphabets in names)
