"""`report:` of an audit file: in which forms the result is wanted, for whom, and in which words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.config.words import Problem, hint, place_name
from permaudit.errors import shown
from permaudit.plan import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permaudit.model import Catalogue

BASE = "board"
"""The template set that comes with permaudit; other sets replace files of it."""


def wrong_report(value: Any, catalogue: Catalogue) -> Iterator[Problem]:
    """Yield a template set that is not installed, and a language that it does not have."""
    entry = value.get("report") if isinstance(value, dict) else None
    if not isinstance(entry, dict):
        return
    template, language = entry.get("template", BASE), entry.get("language", "en")
    known: dict[tuple[str, ...], tuple[Any, list[str]]] = {
        ("report", "template"): (template, sorted(catalogue.templates)),
        ("report", "language"): (language, languages(catalogue, template)),
    }
    for steps, (name, names) in known.items():
        if isinstance(name, str) and names and name not in names:
            message = f"'{shown(name)}' is not a known {steps[-1]}{hint(name, names)}; known are {', '.join(names)}"
            yield Problem(steps, f"{place_name(steps)}: {message}")


def languages(catalogue: Catalogue, template: Any) -> list[str]:
    """Return the languages in which a template set speaks, together with the one that comes with permaudit."""
    sets = [catalogue.templates[name] for name in dict.fromkeys((template, BASE)) if name in catalogue.templates]
    return sorted({path.stem for one in sets for path in (one.directory / "texts").glob("*.yaml")})


def report_of(entry: Mapping[str, Any]) -> Report:
    """Return what an entry that has been checked asks for."""
    return Report(**{**entry, "formats": tuple(dict.fromkeys(entry.get("formats", ())))})
