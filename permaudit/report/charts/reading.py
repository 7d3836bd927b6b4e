"""Read drawings that others made as XML, without entities, and not too large."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias
from xml.parsers import expat

from permaudit.errors import PluginError
from permaudit.report.charts.allowed import LEAVES, RESOURCES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Event: TypeAlias = tuple[str, str, dict[str, str]]
"""What was met: `start` or `end` with a name and attributes, without their namespaces, or `text` with the text."""

MOST_CHARACTERS = 2_000_000
_MOST_EVENTS = 60_000
_MOST_DRAWN = 100_000_000
_DEEPEST = 60
_WIDEST = 100_000.0


def read_svg(text: str, title: str) -> list[Event]:
    """Read the text as XML, without entities and without anything from outside."""
    if len(text) > MOST_CHARACTERS:
        raise PluginError(f"the figure '{title}' has more than {MOST_CHARACTERS} characters; hand it over as an image")
    events: list[Event] = []
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST or len(events) > _MOST_EVENTS:
            raise PluginError(f"the figure '{title}' has too many elements; hand it over as an image")
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        events.append(("start", name.rpartition(" ")[2], local))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        events.append(("end", name.rpartition(" ")[2], {}))

    def refuse(*_: object) -> None:
        raise PluginError(f"the figure '{title}' declares entities")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda data: events.append(("text", data, {}))
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - expat's own interface
    except expat.ExpatError as error:
        raise PluginError(f"the figure '{title}' is no well-formed XML, line {error.lineno}") from None
    return events


def size_of(root: Mapping[str, str], title: str) -> tuple[float, float, str]:
    """Return width and height, from the view box or from the attributes."""
    numbers = re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox", ""))
    sides = numbers if len(numbers) == 4 else ["0", "0"]  # noqa: PLR2004 - x, y, width and height
    for name in ("width", "height")[: 4 - len(sides)]:
        found = re.match(r"\s*(\d+(?:\.\d+)?)", root.get(name, ""))
        sides.append(found[1] if found else "")
    try:
        x, y, width, height = map(float, sides)
    except ValueError:
        raise PluginError(f"the figure '{title}' has no size: give it a viewBox") from None
    if not (0 < width <= _WIDEST and 0 < height <= _WIDEST):
        raise PluginError(f"the figure '{title}' has no size: give it a viewBox")
    return width, height, f"{x:g} {y:g} {width:g} {height:g}"


def bound(events: Sequence[Event], title: str) -> None:
    """Refuse a drawing in which few characters, pointed to again and again, would become very many."""
    pointers = sum(key == "href" or "url(" in value for _, _, given in events for key, value in given.items())
    within = shared = 0
    for kind, name, given in events:
        if name in RESOURCES and kind != "text":
            within += 1 if kind == "start" else -1
        if within or (name in LEAVES and "id" in given):
            shared += sum(map(len, given.values()))
    if pointers * shared > _MOST_DRAWN:
        raise PluginError(f"the figure '{title}' draws too much; hand it over as an image")
