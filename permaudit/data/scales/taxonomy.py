"""Trees of categories, from nested YAML or from a CSV file with the columns parent and child.

Every word of the file is text as it stands: `no` is Norway and `011` is a code. A tree has one root; who wants to join
several trees writes the category above them, because it changes the distances between categories.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from permaudit.data.files import content_hash
from permaudit.errors import DataError, Mistake, shown
from permaudit.plan import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from permaudit.plan import FileSource

MOST_BYTES = 10_000_000
MOST_CATEGORIES = 100_000
MOST_LEVELS = 50
_LONGEST_NAME = 1_000
_MOST_MISTAKES = 20
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A category, and the one above it."""

    parent: str | None
    child: str
    line: int | None


class _Unreadable(Exception):  # noqa: N818 - it carries a mistake to the one who names the file
    """A file cannot be read as a tree."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_taxonomy(source: FileSource) -> Taxonomy:
    """Read a taxonomy; raise `DataError` with every mistake found in it, each with its line."""
    data = _content(source)
    form = source.format or source.path.suffix.lower().lstrip(".")
    try:
        edges = list(_limited(_edges(form, _text(data))))
    except _Unreadable as error:
        raise DataError([Mistake(source.shown, error.line, None, str(error))]) from None
    return _tree(edges, source.shown)


def nested_taxonomy(nested: Mapping[str, Any], where: str = "taxonomy") -> Taxonomy:
    """Make a taxonomy of nested mappings and lists, as a YAML file would hold them."""
    try:
        return _tree(list(_limited(_nested_edges(nested))), where)
    except _Unreadable as error:
        raise DataError.one(where, str(error)) from None


def _nested_edges(nested: Mapping[str, Any]) -> Iterator[_Edge]:
    """Walk through nested mappings and lists."""
    waiting: list[tuple[str | None, Any]] = [(None, dict(nested))]
    while waiting:
        parent, value = waiting.pop()
        match value:
            case dict():
                for child, below in value.items():
                    yield _Edge(parent, str(child), None)
                    waiting.append((str(child), below))
            case list() | tuple():
                waiting += [(parent, item) for item in reversed(value)]
            case None:
                pass
            case _:
                yield _Edge(parent, str(value), None)


# --------------------------------------------------------------------------- files


def _content(source: FileSource) -> bytes:
    """Return the bytes of a regular file that is not too large and that is the declared one."""
    found = content_hash(source)
    if source.sha256 is not None and source.sha256.lower() != found:
        raise DataError.one(source.shown, f"has sha256 {found}, not the one that the audit file declares")
    with source.path.open("rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise DataError.one(source.shown, f"is too large; a taxonomy has at most {MOST_BYTES:,} bytes")
    return data


def _text(data: bytes) -> str:
    """Decode the file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Unreadable(data[: error.start].count(b"\n") + 1, "is not UTF-8; save it as UTF-8") from None
    if "\0" in text:
        raise _Unreadable(text[: text.index("\0")].count("\n") + 1, "holds a NUL character")
    return text


def _edges(form: str, text: str) -> Iterator[_Edge]:
    """Read the categories of a file."""
    match form:
        case "yaml" | "yml":
            return _yaml_edges(text)
        case "csv":
            return _csv_edges(text)
        case _:
            raise _Unreadable(None, f"is no taxonomy: '{shown(form)}' files are not known, but yaml and csv are")


def _limited(edges: Iterator[_Edge]) -> Iterator[_Edge]:
    """Stop reading where there are too many."""
    for number, edge in enumerate(edges):
        if number == MOST_CATEGORIES:
            raise _Unreadable(edge.line, f"has too many categories; a taxonomy has at most {MOST_CATEGORIES:,}")
        yield edge


def _csv_edges(text: str) -> Iterator[_Edge]:
    """Read a table with the columns parent and child; the root may stand as a child without a parent."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(rows, [])
        if sorted(header) != ["child", "parent"]:
            raise _Unreadable(1, "must have the columns parent and child, and no others")
        place = header.index("parent")
        for row in rows:
            if len(row) != len(header):
                if row:
                    raise _Unreadable(rows.line_num, f"has {len(row)} fields where the header has {len(header)}")
                continue
            yield _Edge(row[place] or None, row[1 - place], rows.line_num)
    except csv.Error:
        raise _Unreadable(rows.line_num or 1, "cannot be read as comma-separated text") from None


def _yaml_edges(text: str) -> Iterator[_Edge]:
    """Read nested mappings and lists: a key is a category, and what stands below it are its parts.

    The parser's events are taken one by one: nothing is built, and nothing is recursive.
    """
    try:
        yield from _event_edges(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        raise _Unreadable(mark.line + 1 if mark else 1, "is not valid YAML") from None
    except (ValueError, OverflowError):  # numbers in directives and escapes, which the parser does not guard
        raise _Unreadable(1, "is not valid YAML") from None


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet."""

    parent: str | None
    is_list: bool
    key: str | None = None


def _event_edges(events: Iterable[Any]) -> Iterator[_Edge]:
    """Turn the parser's events into edges."""
    stack: list[_Open] = []
    documents = 0
    for event in events:
        line = event.start_mark.line + 1
        top = stack[-1] if stack else None
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise _Unreadable(line, "a second document starts here; a taxonomy is one")
            case yaml.ScalarEvent():
                _refuse_marks(event, line)
                yield from _scalar_edges(event, top, line)
            case yaml.AliasEvent():
                raise _Unreadable(line, "aliases are not allowed; write the categories out")
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                _refuse_marks(event, line)
                stack.append(_opened(event, top, line))
                if len(stack) > 2 * MOST_LEVELS:  # a list may stand between any two levels
                    raise _Unreadable(line, f"is nested too deeply; a taxonomy has at most {MOST_LEVELS} levels")
            case yaml.CollectionEndEvent():
                stack.pop()


def _refuse_marks(event: Any, line: int) -> None:
    """Refuse what makes a value another one than it looks."""
    if event.anchor is not None or event.tag is not None:
        raise _Unreadable(line, "anchors and tags are not allowed; write the categories out")


def _scalar_edges(event: Any, top: _Open | None, line: int) -> Iterator[_Edge]:
    """Read a word: a key, a part in a list, a single part, or nothing where a key has no value."""
    if top is None:
        raise _Unreadable(line, "must be a mapping, with the root as its only key")
    if top.is_list:
        yield _Edge(top.parent, event.value, line)
    elif top.key is None:
        top.key = event.value
        yield _Edge(top.parent, event.value, line)
    else:
        if event.value or not event.implicit[0]:
            yield _Edge(top.key, event.value, line)
        top.key = None


def _opened(event: Any, top: _Open | None, line: int) -> _Open:
    """Begin a mapping or a list."""
    is_list = isinstance(event, yaml.SequenceStartEvent)
    if top is None:
        if is_list:
            raise _Unreadable(line, "must be a mapping, with the root as its only key")
        return _Open(None, is_list=False)
    if top.is_list:
        if is_list:
            raise _Unreadable(line, "a list stands in a list; give it a category")
        return _Open(top.parent, is_list=False)
    if top.key is None:
        raise _Unreadable(line, "a category must be text, not a list or a mapping")
    parent, top.key = top.key, None
    return _Open(parent, is_list)


# --------------------------------------------------------------------------- the tree


def _tree(edges: list[_Edge], where: str) -> Taxonomy:
    """Put categories into a tree, or raise with everything that is wrong with them."""
    mistakes = [*_name_mistakes(edges, where), *_parent_mistakes(edges, where)]
    if not edges:
        mistakes.append(Mistake(where, None, None, "is empty"))
    if not mistakes:
        names, parents, mistakes = _arranged(edges, where)
    if mistakes:
        more = len(mistakes) - _MOST_MISTAKES
        tail = [Mistake(where, None, None, f"{more} more mistakes were found")] if more > 0 else []
        raise DataError([*mistakes[:_MOST_MISTAKES], *tail])
    return Taxonomy(tuple(names), tuple(parents))


def _name_mistakes(edges: list[_Edge], where: str) -> Iterator[Mistake]:
    """Refuse names that no value of the data could have."""
    for edge in edges:
        for name in (edge.child, edge.parent):
            if name is None:
                continue
            if not name.strip():
                yield Mistake(where, edge.line, None, "a category has no name")
            elif len(name) > _LONGEST_NAME:
                yield Mistake(where, edge.line, None, f"a name is longer than {_LONGEST_NAME} characters")


def _parent_mistakes(edges: list[_Edge], where: str) -> Iterator[Mistake]:
    """Refuse a category that stands twice, under one parent or under two."""
    first: dict[str, _Edge] = {}
    for edge in edges:
        seen = first.setdefault(edge.child, edge)
        if seen is not edge:
            place = "" if seen.line is None else f", first in line {seen.line}"
            what = "stands twice" if seen.parent == edge.parent else "has two parents"
            yield Mistake(where, edge.line, None, f"category '{shown(edge.child)}' {what}{place}")


def _arranged(edges: list[_Edge], where: str) -> tuple[list[str], list[int], list[Mistake]]:
    """Return the categories with each after its parent, and the mistakes in how they hang together."""
    children: dict[str | None, list[_Edge]] = {}
    for edge in edges:
        children.setdefault(edge.parent, []).append(edge)
    known = {edge.child for edge in edges}
    roots = {edge.child: edge.line for edge in children.get(None, ())}
    roots |= {
        edge.parent: edge.line for edge in reversed(edges) if edge.parent is not None and edge.parent not in known
    }
    if len(roots) > 1:
        line = list(roots.values())[1]
        text = f"has {len(roots)} roots; write one category above them, which makes them parts of one tree"
        return [], [], [Mistake(where, line, None, text)]
    names, parents, levels = list(roots), [-1] * len(roots), [1] * len(roots)
    mistakes = []
    for place, name in enumerate(names):  # grows while it is walked through
        below = children.get(name, ())
        if below and levels[place] == MOST_LEVELS:
            text = f"is nested too deeply; a taxonomy has at most {MOST_LEVELS} levels"
            return [], [], [Mistake(where, below[0].line, None, text)]
        names += [edge.child for edge in below]
        parents += [place] * len(below)
        levels += [levels[place] + 1] * len(below)
    reached = set(names)
    for edge in edges:
        if edge.child not in reached:
            text = f"category '{shown(edge.child)}' is above itself: its parents go round in a circle, or hang on one"
            mistakes.append(Mistake(where, edge.line, None, text))
    return names, parents, mistakes
