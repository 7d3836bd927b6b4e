"""Does a template set keep the contract? All that speaks against it, at once."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from permaudit.cards import TemplateCard
from permaudit.census_like import census_like
from permaudit.plugins import load_plugins
from permaudit.report.html import to_html
from permaudit.report.look import BASE, TemplateFolders
from permaudit.report.result import to_json
from permaudit.report.texts import FALLBACK, read_texts
from permaudit.runner import run_audit
from permaudit.testing.cards import check_card
from permaudit.testing.failures import Inspection
from permaudit.testing.material import audit_of, built_ins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.model import TemplateSet
    from permaudit.outcome import Outcome

_TEMPLATE: Final = ".j2"
_LOGOS: Final = ("logo.svg", "logo.png")
_SUMMARY: Final = "summary.md.j2"
"""No set can change the summary."""
_TEXTS: Final = "texts"
_NAME: Final = "<i>release</i> & 'more'"
"""A candidate whose name is no markup, though it looks like it."""
_FETCHED: Final = re.compile(
    r"""(?:\bsrc\s*=|<link\b[^>]*\bhref\s*=|\burl\(|@import)\s*["']?\s*(?:[a-z]+:)?//""", re.IGNORECASE
)


def check_templates(templates: TemplateSet) -> None:
    """Raise `ConformanceError` with all that is wrong with a template set.

    A report of a release that is blocked is rendered in every language of the set, for the screen and for paper. Whatever the
    set changes, the page must show the verdict, the title and each candidate, and must need nothing from elsewhere.
    """
    found = Inspection(f"template set {getattr(getattr(templates, 'card', None), 'id', type(templates).__name__)!r}")
    if check_card(found, templates, TemplateCard, ("directory",)):
        directory = templates.directory
        is_folder = isinstance(directory, Path) and directory.is_dir()
        if found.expect(is_folder, "files", "directory is no pathlib.Path of a directory that is there"):
            folders = tuple(dict.fromkeys((directory, built_ins().templates[BASE].directory)))
            _check_files(found, directory, folders[-1])
            _check_texts(found, directory, folders[-1])
            _check_templates(found, directory, folders)
            if found.is_clean:
                _check_pages(found, folders, _languages(directory))
    found.conclude()


def _check_files(found: Inspection, directory: Path, base: Path) -> None:
    """See that every file is one that is looked for: a misspelt one changes nothing, and nobody says so."""
    known = {path.relative_to(base).as_posix() for path in _files(base)} | {*_LOGOS}
    for path in _files(directory):
        name = path.relative_to(directory).as_posix()
        is_part = path.suffix == _TEMPLATE and name != _SUMMARY
        is_read = name in known or is_part or _is_language(path.relative_to(directory))
        found.expect(is_read, "files", f"{name} is read by nobody; the files of the set '{BASE}' can be replaced")


def _files(directory: Path) -> Iterator[Path]:
    """Go through the files of a set, but for what Python leaves there."""
    return (
        path
        for path in sorted(directory.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py"
    )


def _is_language(path: Path) -> bool:
    """Tell whether this is a file of texts."""
    return path.parent.as_posix() == _TEXTS and path.suffix == ".yaml"


def _languages(directory: Path) -> list[str]:
    """Return the languages to look at: those that the set knows, and the one that there always is."""
    return sorted({FALLBACK, *(path.stem for path in (directory / _TEXTS).glob("*.yaml"))})


def _check_texts(found: Inspection, directory: Path, base: Path) -> None:
    """See that every text is one that a page asks for."""
    known = {name for language in _languages(base) for name in read_texts([base], language).entries}
    for language in _languages(directory):
        if (directory / _TEXTS / f"{language}.yaml").is_file():
            with found.during("texts", f"reading the texts in '{language}'"):
                own = read_texts([directory], language).entries
                for name in sorted(own.keys() - known):
                    found.fail("texts", f"no page asks for the text {name}, in '{language}'")


def _check_templates(found: Inspection, directory: Path, folders: Sequence[Path]) -> None:
    """Compile every template, also those that a small report does not need."""
    environment = TemplateFolders(tuple(folders)).environment()
    for path in _files(directory):
        if path.suffix == _TEMPLATE:
            name = path.relative_to(directory).as_posix()
            with found.during("templates", f"compiling {name}"):
                environment.get_template(name)


def _check_pages(found: Inspection, folders: tuple[Path, ...], languages: Sequence[str]) -> None:
    """Render a report, and look for what must be on it."""
    dressed = TemplateFolders(folders)
    for language in languages:
        outcome = _blocked()
        outcome = replace(outcome, presentation=replace(outcome.presentation, language=language))
        for paged in (False, True):
            where = f"the page in '{language}' for {'paper' if paged else 'the screen'}"
            with found.during("pages", f"rendering {where}"):
                page = to_html(outcome, to_json(outcome), dressed, paged=paged).decode()
                again = to_html(outcome, to_json(outcome), dressed, paged=paged).decode()
                found.expect(page == again, "pages", f"{where} is another one each time")
                verdict = escape(dressed.texts(language).known("verdict", outcome.verdict))
                for what, text in (("verdict", verdict), ("title", escape(outcome.title))):
                    found.expect(text in page, "pages", f"{where} does not show the {what}")
                shown = any(name in page for name in (escape(_NAME), escape(_NAME).replace("&#x27;", "&#39;")))
                found.expect(shown, "pages", f"{where} does not show the name of a candidate")
                found.expect(_NAME not in page, "pages", f"{where} shows a name of the data as markup; escape it")
                found.expect(not _FETCHED.search(page), "pages", f"{where} asks for something from the network")


@cache
def _blocked() -> Outcome:
    """Return the outcome of a release that must not go out."""
    people = census_like(60)
    return run_audit(audit_of(people, people, kind="masked", name=_NAME, title="A small audit"), load_plugins())
