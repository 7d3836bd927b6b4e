"""Drawings that others made: only what cannot do harm is taken over, element by element.

What is kept is a list, not what is thrown away: shapes, texts and fills stay; scripts, styles, links, event handlers,
animations, foreign content and everything that points outside the drawing do not. Ids get a prefix, so that two drawings
can stand on one page. Styles become attributes, since a style sheet would hold for the whole page.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from permaudit.errors import PluginError, shown
from permaudit.report.charts.allowed import (
    ATTRIBUTES,
    IMAGES,
    KEPT,
    LEAVES,
    PROPERTIES,
    RESOURCES,
    TEXTS,
    UNWRAPPED,
    VALUE,
)
from permaudit.report.charts.chart import Chart
from permaudit.report.charts.given import table_of, told
from permaudit.report.charts.palette import SHRINK
from permaudit.report.charts.reading import bound, read_svg, size_of
from permaudit.report.charts.sheet import identifier, tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permaudit.report.charts.reading import Event

_LONGEST_TEXT = 300
_LOCAL = re.compile(r"""^\s*(?:url\(\s*['"]?#([^'")\s]+)['"]?\s*\)|#(\S+))\s*$""")
_FONT = re.compile(r"^(?P<kind>[a-z0-9 ]*?)\s*(?P<size>[0-9.]+(?:px|pt))\s+(?P<family>.+)$")
_PICTURE = re.compile(r"^\s*data:image/(png|jpeg);base64,([A-Za-z0-9+/=\s]+)$")


def from_svg(  # noqa: PLR0913
    text: str, *, prefix: str = "figure", title: str, alt: str, header: Sequence[str], rows: Sequence[Sequence[object]]
) -> Chart:
    """Take over a drawing that somebody else made, without anything in it that could do harm.

    Title, text alternative and table are demanded: who does not see the drawing must learn the same. Raises `PluginError`
    where they are missing or the text is no SVG.
    """
    title, alt, table = told(title, "title"), told(alt, "alt"), table_of(header, rows)
    return Chart(svg=_cleaned(text, identifier(prefix), title, alt), title=title, alt=alt, table=table)


def _cleaned(text: str, prefix: str, title: str, alt: str) -> Markup:
    """Write the drawing anew from what is allowed."""
    events = read_svg(text, title)
    kind, name, root = events[0] if events else ("", "", {})
    if (kind, name) != ("start", "svg"):
        raise PluginError(f"the figure '{title}' is no SVG drawing")
    width, height, box = size_of(root, title)
    bound(events, title)
    names = _names(events, prefix)
    body = Markup("").join(_written(events[1:], names, _leaves(events)))
    return tag(
        "svg",
        tag("title", alt) + tag("style", Markup(SHRINK)) + body,  # noqa: S704 - our own rule
        xmlns="http://www.w3.org/2000/svg",
        id=prefix,
        class_="pc",
        role="img",
        width=width,
        height=height,
        viewBox=box,
        style="max-width:100%",
        stroke_linejoin="round",
    )


def _reference(value: str) -> str | None:
    """Return the id that a value points to within the drawing."""
    found = _LOCAL.match(value)
    return (found[1] or found[2]) if found else None


def _names(events: Sequence[Event], prefix: str) -> dict[str, str]:
    """Return new ids for everything that something points to."""
    values = [value for _, _, attributes in events for value in attributes.values()]
    values += [part.partition(":")[2] for value in values if ":" in value for part in value.split(";")]
    wanted = dict.fromkeys(name for name in map(_reference, values) if name)
    return {name: f"{prefix}-i{place}" for place, name in enumerate(wanted, 1)}


def _leaves(events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of plain shapes: only these may be used again, or a few lines could draw a million shapes."""
    return frozenset(
        attributes["id"]
        for kind, name, attributes in events
        if kind == "start" and name in LEAVES and "id" in attributes
    )


def _written(events: Sequence[Event], names: Mapping[str, str], leaves: frozenset[str]) -> Iterator[Markup]:
    """Write the allowed elements, attributes and texts."""
    open_: list[str | None] = []
    skipped = 0
    for kind, name, attributes in events:
        if kind == "start":
            if skipped or name not in KEPT | UNWRAPPED or not _fits(name, attributes, leaves, open_):
                skipped += 1
                continue
            open_.append(None if name in UNWRAPPED else name)
            if name in KEPT:
                inside = any(one in RESOURCES for one in open_)
                yield Markup("<{}{}>").format(Markup(name), _attributes(name, attributes, names, inside=inside))  # noqa: S704
        elif kind == "end" and skipped:
            skipped -= 1
        elif kind == "end" and open_:
            closed = open_.pop()
            if closed:
                yield Markup("</{}>").format(Markup(closed))  # noqa: S704 - from the list of allowed names
        elif kind == "text" and not skipped and any(one in TEXTS for one in open_):
            yield escape(shown(re.sub(r"\s+", " ", name), _LONGEST_TEXT))


def _fits(name: str, attributes: Mapping[str, str], leaves: frozenset[str], open_: Sequence[str | None]) -> bool:
    """Tell whether an element that points somewhere points to something harmless."""
    if name == "use":
        return _reference(attributes.get("href", "")) in leaves and not any(one in RESOURCES for one in open_)
    if name == "image":
        return _picture(attributes.get("href", ""))
    return True


def _picture(address: str) -> bool:
    """Tell whether an address holds an image itself."""
    found = _PICTURE.match(address)
    if not found:
        return False
    try:
        content = b64decode(re.sub(r"\s+", "", found[2]), validate=True)
    except Base64Error:
        return False
    return content.startswith(IMAGES[found[1]])


def _attributes(name: str, given: Mapping[str, str], names: Mapping[str, str], *, inside: bool) -> Markup:
    """Write the allowed attributes, with what the style says; within what others point to, nothing points further."""
    style = (part.partition(":") for part in given.get("style", "").split(";"))
    styled = {key.strip().lower(): value.strip() for key, _, value in style}
    styled = _font(styled.get("font", "")) | styled
    chosen = {key: value for key, value in given.items() if key in ATTRIBUTES | PROPERTIES}
    chosen |= {key: value for key, value in styled.items() if key in PROPERTIES}
    written = []
    for key, value in chosen.items():
        target = _reference(value)
        if target is not None and value.lstrip().startswith("url"):
            if not inside:
                written.append((key, f"url(#{names[target]})"))
        elif VALUE.match(value) and "url" not in value.lower():
            written.append((key, " ".join(value.split())))
    if name == "use":
        written.append(("href", f"#{names[_reference(given['href']) or '']}"))
    if name == "image":
        written.append(("href", re.sub(r"\s+", "", given["href"])))
    if given.get("id") in names:
        written.append(("id", names[given["id"]]))
    return Markup("").join(Markup(' {}="{}"').format(key, value) for key, value in written)


def _font(value: str) -> dict[str, str]:
    """Take apart what a style says of the letters in one go: an attribute cannot say it so."""
    found = _FONT.match(value)
    if not found:
        return {}
    kinds = found["kind"].split()
    weight = next((kind for kind in kinds if kind == "bold" or kind.isdigit()), "normal")
    slant = next((kind for kind in kinds if kind in {"italic", "oblique"}), "normal")
    return {"font-size": found["size"], "font-family": found["family"], "font-weight": weight, "font-style": slant}
