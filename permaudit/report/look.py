"""A template set: templates, styles, script, logo and texts, on top of the set that comes with permaudit.

A set replaces single files of the base set: a `style/brand.css`, a `logo.svg` or a `texts/en.yaml` alone is a set already.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jinja2
from markupsafe import Markup

from permaudit.deadline import at_most
from permaudit.errors import PermauditError
from permaudit.report.context import Look
from permaudit.report.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from permaudit.model import TemplateSet
    from permaudit.report.context import Report, Said
    from permaudit.report.texts import Texts

BASE = "board"
_LONGEST = 300
"""Seconds after which rendering is given up."""
_STYLES = ("colours", "base", "cover", "sections", "screen", "print")
_PAPER_STYLES = ("colours", "base", "cover", "sections", "paper")
_BRAND = "brand"
"""The last style: what an organisation changes."""
_LONG_WORD = 26
_CODE = re.compile("`([^`]+)`")
_LOGOS = {"logo.svg": "image/svg+xml", "logo.png": "image/png"}
_FONTS = (
    ("Plex", 400, "IBMPlexSans-Regular.woff"),
    ("Plex", 600, "IBMPlexSans-SemiBold.woff"),
    ("Plex Mono", 400, "IBMPlexMono-Regular.woff"),
)
"""Inside the pages that become the PDF, so that every machine sets the same."""


@dataclass(frozen=True, slots=True)
class TemplateFolders:
    """The folders of a template set, the one that counts most first."""

    folders: tuple[Path, ...]

    def texts(self, language: str) -> Texts:
        """Return the report's own words."""
        return read_texts(self.folders, language)

    def render(self, report: Report, texts: Texts) -> str:
        """Place a report on its pages."""
        with at_most(_LONGEST, "rendering the report"):  # templates of others may hold loops
            template = self.environment().get_template("report.html.j2")
            return template.render(report=report, look=self.look(report), t=texts)

    def environment(self) -> jinja2.Environment:
        """Return what the templates are rendered with: everything is escaped, and nothing is left out in silence."""
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.folders),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"cell_class": cell_class, "with_code": with_code}
        return environment

    def look(self, report: Report) -> Look:
        """Dress the report for the screen or for paper."""
        names = (*(_PAPER_STYLES if report.paged else _STYLES), _BRAND)
        styles = [self._fonts()] if report.paged else []
        styles += [self._read(f"style/{name}.css").decode() for name in names]
        script = "" if report.paged else self._read("script/report.js").decode()
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        return Look(
            style=_inside("style", "\n".join(styles)),
            script=_inside("script", script),
            script_hash=f"'sha256-{digest}'" if script else "'none'",
            logo=self._logo(),
        )

    def _fonts(self) -> str:
        """Return the fonts of the base set, inside the page."""
        rules = [
            f'@font-face {{ font-family: "{family}"; font-weight: {weight}; '
            f'src: url({_address("font/woff", self._read(f"fonts/{name}"))}) format("woff") }}'
            for family, weight, name in _FONTS
        ]
        return "\n".join(rules)

    def _logo(self) -> str:
        """Return the organisation's logo, where it has one."""
        for name, kind in _LOGOS.items():
            if any((folder / name).is_file() for folder in self.folders):
                return _address(kind, self._read(name))
        return ""

    def _read(self, name: str) -> bytes:
        """Read a file from the first folder that has it."""
        for folder in self.folders:
            path = folder / name
            if path.is_file():
                return path.read_bytes()
        raise PermauditError(f"the template set has no {name}")


def template_folders(sets: Mapping[str, TemplateSet], name: str) -> TemplateFolders:
    """Return a template set on top of the one that comes with permaudit."""
    if name not in sets:
        raise PermauditError(f"no template set '{name}'; installed are {', '.join(sorted(sets))}")
    return TemplateFolders(tuple(dict.fromkeys((sets[name].directory, sets[BASE].directory))))


def cell_class(text: str | Said, number: bool = False) -> Markup:  # noqa: FBT001, FBT002 - a filter of templates
    """Write the class of a cell: `number`, and `long` where a word is too long for a column and may break anywhere."""
    is_long = max(map(len, str(text).split()), default=0) > _LONG_WORD
    classes = " ".join(name for name, holds in (("number", number), ("long", is_long)) if holds)
    return Markup(' class="{}"').format(classes) if classes else Markup("")


def with_code(text: str | Said) -> Markup:
    """Set what stands between backticks as code, and leave the backticks out; all of it is escaped."""
    pieces = _CODE.split(str(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else piece for place, piece in enumerate(pieces)
    )


def _address(kind: str, content: bytes) -> str:
    """Return content as an address that needs no network."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _inside(element: str, text: str) -> Markup:
    """Put a style or a script inside the page as it is; it comes from the template set, never from data."""
    if f"</{element}" in text.lower():
        raise PermauditError(f"the {element} of the template set ends its element")
    return Markup(text)  # noqa: S704 - the template set's own file
