"""The bytes of an audit file -> plain values with their lines and columns.

The tree is built from the parser's events, one after the other: nothing is constructed, nothing is recursive, and every
limit is held while the file is being read. What is wrong but leaves the rest of the file readable (a duplicate key, a
tag, an unclear word) is kept with the tree as a doubt, so that it is reported together with all other mistakes.
"""

from __future__ import annotations

import hashlib
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import yaml

from permaudit.config.scalars import Unclear, resolve
from permaudit.config.words import place_name
from permaudit.errors import AuditFileError, Mistake, shown
from permaudit.plan import FileSource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from permaudit.config.words import Problem, Steps

MAX_BYTES = 500_000
MAX_DEPTH = 20
MAX_NODES = 20_000
MAX_SCALAR = 10_000

Position: TypeAlias = tuple[int, int]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LINE_END = re.compile(r"\r\n|\r|\n")
# Everything that is not a line feed, a carriage return or printable, and what only some readers take for a line end.
_FORBIDDEN = re.compile("[^\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Sort:
    """What a file is: messages say what was expected."""

    noun: str
    least: str
    """What is the least that must stand in it."""


AUDIT = Sort("an audit file", "permaudit, title, original, attributes and candidates")
POLICY = Sort("a policy", "permaudit-policy, title and rules")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that must be mended, although the rest of the file can be read."""

    steps: Steps
    mistake: Mistake
    hides: bool
    """Is the value at these steps not to be judged any further?"""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The values of an audit file or a policy, where each of them stands, and what was unclear while reading."""

    where: str
    """What messages call the file."""
    file: FileSource
    text: str
    value: Any
    values: Mapping[Steps, Position]
    """Where each value starts."""
    keys: Mapping[Steps, Position]
    """Where the key of each value in a mapping starts."""
    doubts: tuple[Doubt, ...]

    def position(self, problem: Problem) -> Position:
        """Return where a problem is: at its key or its value, or at the nearest place around it that exists."""
        for end in range(len(problem.steps), -1, -1):
            steps = problem.steps[:end]
            if steps in self.keys and (problem.at == "key" or end < len(problem.steps)):
                return self.keys[steps]
            if steps in self.values:
                return self.values[steps]
        return (1, 1)

    def mistake(self, problem: Problem) -> Mistake:
        """Give a problem its line and column."""
        if not self.values:  # a Python call has no lines
            return Mistake(self.where, None, None, problem.message)
        return Mistake(self.where, *self.position(problem), problem.message)


_MICRODATA = (
    ".csv",
    ".tsv",
    ".gz",
    ".parquet",
    ".feather",
    ".arrow",
    ".xlsx",
    ".sav",
    ".dta",
    ".sas7bdat",
    ".db",
    ".sqlite",
)


def read_tree(path: Path, shown: str | None = None, sort: Sort = AUDIT) -> Tree:
    """Read an audit file or a policy; raise `AuditFileError` where it cannot be read as a tree at all."""
    return parse_tree(_content(path, shown or _name(path), sort), path, shown or _name(path), sort)


def parse_tree(data: bytes, path: Path, where: str, sort: Sort = AUDIT) -> Tree:
    """Build the tree of a file's content."""
    text = _text(data, where, sort)
    builder = _Builder(where, sort)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        at = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _fatal(where, at, f"is not valid YAML: {shown(str(problem), 120)}") from None
    except (ValueError, OverflowError):  # numbers in directives and escapes, which the parser does not guard
        raise _fatal(where, (1, 1), "is not valid YAML") from None
    if builder.is_empty:
        raise _fatal(where, (1, 1), f"is empty; write at least {sort.least}")
    file = FileSource(path=path, shown=where, sha256=hashlib.sha256(data).hexdigest())
    return Tree(where, file, text, builder.root, builder.values, builder.keys, tuple(builder.doubts))


# --------------------------------------------------------------------------- bytes and characters


def _name(path: Path) -> str:
    return shown(str(path), 1000)


def _content(path: Path, where: str, sort: Sort) -> bytes:
    """Return the bytes of a regular file, refusing what is too large before reading it."""
    if path.name.lower().endswith(_MICRODATA):
        hint = f"; `permaudit init {where}` writes a first one" if sort is AUDIT else ""
        raise AuditFileError.one(where, f"looks like microdata by its name; {sort.noun} was expected{hint}")
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
            raise AuditFileError.one(where, f"is {what}; {sort.noun} was expected")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise AuditFileError.one(where, "does not exist") from None
    except OSError as error:
        raise AuditFileError.one(where, f"cannot be read: {(error.strerror or 'unknown reason').lower()}") from None
    except ValueError:
        raise AuditFileError.one(where, "cannot be read: a file name cannot hold a NUL character") from None
    if len(data) > MAX_BYTES:
        raise AuditFileError.one(where, f"is too large; {sort.noun} has at most {MAX_BYTES:,} bytes")
    return data


def _text(data: bytes, where: str, sort: Sort) -> str:
    """Decode, and refuse the characters that YAML readers do not agree on."""
    if len(data) > MAX_BYTES:
        raise AuditFileError.one(where, f"is too large; {sort.noun} has at most {MAX_BYTES:,} bytes")
    if data.startswith(_WIDE_MARKS):
        raise _fatal(where, (1, 1), "is UTF-16 or UTF-32; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        message = f"is not UTF-8 (byte 0x{data[error.start]:02x}); save it as UTF-8"
        raise _fatal(where, _end_of(before), message) from None
    if bad := _FORBIDDEN.search(text):
        match bad[0]:
            case "\t":
                message = "holds a tab; use spaces (inside double quotes, \\t)"
            case "\0":
                message = "holds a NUL character; save it as plain UTF-8 text"
            case other:
                message = f"holds the character {shown(other)}, which cannot be seen; remove it or write its code in double quotes"
        raise _fatal(where, _end_of(text[: bad.start()]), message)
    return text


def _end_of(text: str) -> Position:
    """Return the line and column of what would follow the text."""
    lines = _LINE_END.split(text)
    return len(lines), len(lines[-1]) + 1


def _fatal(where: str, at: Position, message: str) -> AuditFileError:
    return AuditFileError([Mistake(where, *at, message)])


# --------------------------------------------------------------------------- events


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet; without steps, its content is thrown away."""

    value: dict[str, Any] | list[Any]
    steps: Steps | None
    key: str | None = None
    dropped: bool = False
    lines: dict[str, int] = field(default_factory=dict)


class _Builder:
    """Takes the parser's events and puts the values together."""

    def __init__(self, where: str, sort: Sort) -> None:
        self.where = where
        self.sort = sort
        self.root: Any = None
        self.values: dict[Steps, Position] = {}
        self.keys: dict[Steps, Position] = {}
        self.doubts: list[Doubt] = []
        self._open: list[_Open] = []
        self._documents = 0
        self._nodes = 0

    @property
    def is_empty(self) -> bool:
        return self.root is None

    def take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._count(event)
                self._scalar(event)
            case yaml.AliasEvent():
                self._count(event)
                self._alias(event)
            case yaml.MappingStartEvent():
                self._count(event)
                self._start(event, {})
            case yaml.SequenceStartEvent():
                self._count(event)
                self._start(event, [])
            case yaml.CollectionEndEvent():
                self._open.pop()
            case yaml.DocumentStartEvent():
                self._document(event)

    def _fail(self, event: Any, message: str) -> NoReturn:
        raise _fatal(self.where, _at(event), message)

    def _doubt(self, event: Any, steps: Steps | None, message: str, *, hides: bool = True) -> None:
        mistake = Mistake(self.where, *_at(event), message)
        self.doubts.append(Doubt(steps or (), mistake, hides and steps is not None))

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fail(event, f"a second document starts here; {self.sort.noun} holds one")
        if event.version or event.tags:
            self._fail(event, "starts with a % directive, which is not allowed")

    def _count(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._fail(event, f"has too many values; {self.sort.noun} holds at most {MAX_NODES:,}")
        if len(self._open) >= MAX_DEPTH:
            self._fail(event, f"is nested too deeply; at most {MAX_DEPTH} levels are allowed")

    def _scalar(self, event: Any) -> None:
        if len(event.value) > MAX_SCALAR:
            self._fail(event, f"is too long; a value has at most {MAX_SCALAR:,} characters")
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(event, top)
            return
        steps = self._next_steps()
        self._marked(event, steps)
        value: Any = event.value
        if event.implicit[0]:
            try:
                value = resolve(event.value)
            except Unclear as unclear:
                self._doubt(event, steps, f"{place_name(steps)}: {unclear}" if steps else str(unclear))
        self._put(event, steps, self._clean(event, steps, value))

    def _key(self, event: Any, top: _Open) -> None:
        key = self._clean(event, None, event.value)
        self._marked(event, None)
        steps = None if top.steps is None else (*top.steps, key)
        top.key = key
        top.dropped = True
        if event.implicit[0] and key == "<<":
            self._doubt(event, None, "merge keys (<<) are not allowed; write the keys out")
        elif key in top.lines:
            message = f"the key '{shown(key)}' is there twice, first in line {top.lines[key]}"
            self._doubt(event, steps, message, hides=False)
        else:
            top.lines[key] = event.start_mark.line + 1
            top.dropped = False
            if steps is not None:
                self.keys[steps] = _at(event)

    def _alias(self, event: Any) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._fail(event, "a key must be text, not an alias")
        steps = self._next_steps()
        self._doubt(event, steps, f"aliases (*{shown(event.anchor)}) are not allowed; write the value out")
        self._put(event, steps, f"*{event.anchor}")

    def _start(self, event: Any, value: dict[str, Any] | list[Any]) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._fail(event, "a key must be text, not a list or a mapping")
        steps = self._next_steps()
        self._marked(event, steps)
        self._put(event, steps, value)
        self._open.append(_Open(value, steps))

    def _marked(self, event: Any, steps: Steps | None) -> None:
        """Note anchors and tags; the value itself is read as if they were not there."""
        if event.anchor is not None:
            self._doubt(
                event, steps, f"anchors (&{shown(event.anchor)}) are not allowed; write the value out where it is used"
            )
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!", 1)
            self._doubt(
                event, steps, f"tags ({shown(tag)}) are not allowed; write plain text, numbers, lists and mappings"
            )

    def _clean(self, event: Any, steps: Steps | None, value: Any) -> Any:
        """Replace what no output could be written with."""
        if isinstance(value, str) and _SURROGATE.search(value):
            self._doubt(event, steps, "holds half of a surrogate pair, which is not a character")
            return _SURROGATE.sub("\ufffd", value)
        return value

    def _next_steps(self) -> Steps | None:
        if not self._open:
            return ()
        top = self._open[-1]
        if top.steps is None or top.dropped:
            return None
        return (*top.steps, len(top.value) if isinstance(top.value, list) else str(top.key))

    def _put(self, event: Any, steps: Steps | None, value: Any) -> None:
        if steps is not None:
            self.values[steps] = _at(event)
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        else:
            if not top.dropped and top.key is not None:
                top.value[top.key] = value
            top.key = None
            top.dropped = False


def _at(event: Any) -> Position:
    return event.start_mark.line + 1, event.start_mark.column + 1
