"""What the templates are given is what they use: no field that nobody shows, and nothing besides."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import jinja2
import jinja2.meta
import pytest

from permaudit.outcome import Section
from permaudit.plugins import load_plugins
from permaudit.report import context, to_json
from permaudit.report.build import build_report
from permaudit.report.look import template_folders

from .scenes import scene

DECLARED = {
    (name, field.name)
    for name, item in vars(context).items()
    if is_dataclass(item) and item.__module__ == context.__name__
    for field in fields(item)
}


class Watched:
    """Stands for an object, and writes down what is asked of it."""

    def __init__(self, item: Any, seen: set[tuple[str, str]]) -> None:
        self._item, self._seen = item, seen

    def __getattr__(self, name: str) -> Any:
        self._seen.add((type(self._item).__name__, name))
        return watched(getattr(self._item, name), self._seen)


def watched(item: Any, seen: set[tuple[str, str]]) -> Any:
    if isinstance(item, tuple):
        return tuple(watched(part, seen) for part in item)
    return Watched(item, seen) if is_dataclass(item) else item


def with_sections(outcome):
    """Return the outcome with a section of a metric that has a drawing, and one that has only a table."""
    drawn = Section(
        title="Drawn",
        text="a text",
        figure='<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>',
        alt="a square",
        header=["side"],
        rows=[[9]],
    )
    sections = [drawn, replace(drawn, figure="", alt="")]
    first, *others = outcome.candidates
    names = list(first.metrics)[: len(sections)]
    added = {name: replace(first.metrics[name], section=one) for name, one in zip(names, sections, strict=True)}
    return replace(outcome, candidates=[replace(first, metrics=first.metrics | added), *others])


@pytest.fixture(scope="module")
def seen() -> set[tuple[str, str]]:
    """Return what the templates ask for, over reports that have everything."""
    found: set[tuple[str, str]] = set()
    folders = template_folders(load_plugins().catalogue.templates, "board")
    for name, paged in (("board", False), ("board", True), ("crowd", True), ("german", False)):
        outcome = with_sections(scene(name))
        texts = folders.texts(outcome.presentation.language)
        report = build_report(outcome, to_json(outcome), texts, paged=paged)
        environment = folders.environment()
        given = {"report": watched(report, found), "look": watched(folders.look(report), found), "t": texts}
        environment.get_template("report.html.j2").render(given)
    return found


def test_the_templates_show_every_field_that_is_declared(seen):
    assert DECLARED - seen == set()


def test_the_templates_use_nothing_that_is_not_declared(seen):
    drawings = {("Chart", "svg"), ("Chart", "title")}
    assert seen - DECLARED == drawings


def test_the_templates_know_no_other_names_than_report_look_and_t():
    folders = template_folders(load_plugins().catalogue.templates, "board")
    environment = folders.environment()
    given = {"report", "look", "t"}
    inner = {
        "candidate.html.j2": {"candidate"},
        "metrics.html.j2": {"candidate"},
        "rules.html.j2": {"candidate"},
        "attributes.html.j2": {"candidate"},
        "added.html.j2": {"candidate"},
        "sweep.html.j2": {"sweep"},
    }
    names = environment.list_templates(filter_func=lambda name: name.endswith(".html.j2"))
    assert len(names) > 10
    for name in names:
        source, _, _ = environment.loader.get_source(environment, name)
        free = jinja2.meta.find_undeclared_variables(environment.parse(source))
        assert free <= given | inner.get(name.removeprefix("parts/"), set()), name


def test_a_template_that_asks_for_something_else_is_an_error(tmp_path):
    base = template_folders(load_plugins().catalogue.templates, "board")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "data.html.j2").write_text("{{ report.data.colour }}", encoding="utf-8")
    folders = replace(base, folders=(tmp_path, *base.folders))
    outcome = scene("single")
    texts = folders.texts("en")
    report = build_report(outcome, to_json(outcome), texts, paged=False)
    with pytest.raises(jinja2.UndefinedError, match="colour"):
        folders.render(report, texts)


def test_the_report_is_escaped_and_strict():
    environment = template_folders(load_plugins().catalogue.templates, "board").environment()
    assert environment.autoescape is True
    assert environment.undefined is jinja2.StrictUndefined
