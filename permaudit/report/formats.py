"""The formats in which an outcome can be written: for each the file's name and who renders it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from permaudit.errors import PermauditError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permaudit.model import TemplateSet
    from permaudit.outcome import Outcome


class NoPdfError(PermauditError):
    """The PDF cannot be made here; everything else can."""


class View(NamedTuple):
    """A file that shows an outcome and computes nothing."""

    file: str
    render: Callable[[Outcome, Mapping[str, TemplateSet]], bytes]
    """Given the outcome and all template sets."""
    repeatable: bool = True
    """Does the same outcome give the same bytes, anywhere and at any time? Then they are held against the outcome."""


def _in(name: str) -> Any:
    """Import the module of a view when it is first asked for: most runs need few of them."""
    return import_module(f"permaudit.report.{name}")


_LAST: list[tuple[Outcome, bytes]] = []
"""The outcome that was written last: it takes as long as everything else, and several views of it ask for it."""


def _result(outcome: Outcome) -> bytes:
    """Return the outcome as `audit.json`."""
    if not _LAST or _LAST[0][0] is not outcome:
        _LAST[:] = [(outcome, _in("result").to_json(outcome))]
    return _LAST[0][1]


def _dressed(outcome: Outcome, sets: Mapping[str, TemplateSet]) -> tuple[bytes, Any]:
    """Return the result that a report is about, and the templates that it asks for."""
    return _result(outcome), _in("look").template_folders(sets, outcome.presentation.template)


def _told_apart(outcome: Outcome) -> Outcome:
    """Return the outcome for people's eyes."""
    changed: Outcome = _in("distinct").with_distinct_columns(outcome)
    return changed


VIEWS: dict[str, View] = {
    "json": View("audit.json", lambda outcome, _: _result(outcome)),
    "md": View("summary.md", lambda outcome, _: _in("summary").to_markdown(_told_apart(outcome))),
    "html": View(
        "report.html", lambda outcome, sets: _in("html").to_html(_told_apart(outcome), *_dressed(outcome, sets))
    ),
    "pdf": View(
        "report.pdf",
        lambda outcome, sets: _in("pdf").to_pdf(_told_apart(outcome), *_dressed(outcome, sets)),
        repeatable=False,
    ),
    "junit": View("junit.xml", lambda outcome, _: _in("junit").to_junit(outcome)),
    "sarif": View("audit.sarif", lambda outcome, _: _in("sarif").to_sarif(outcome)),
    "github": View("annotations.txt", lambda outcome, _: _in("github").to_github(outcome)),
}
