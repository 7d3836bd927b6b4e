"""Results of earlier audits: read, and held against their shape."""

from __future__ import annotations

import hashlib
import logging
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from permaudit.errors import DataError, PermauditError, shown
from permaudit.outcome import SCHEMA, InputFile, Outcome
from permaudit.plan import FileSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import TypeAdapter

    from permaudit.errors import Mistake
    from permaudit.model import Rule
    from permaudit.plan import RuleUse

_LOG = logging.getLogger("permaudit")

_MOST_BYTES = 1 << 28
"""No result is longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Earlier:
    """The earlier results that rules compare with."""

    outcomes: Mapping[str, Outcome]
    """By the path as it was written."""
    files: tuple[InputFile, ...]
    """By content."""


def earlier_results(uses: Iterable[RuleUse], rules: Mapping[str, Rule]) -> Earlier:
    """Read every result that a rule asks for; raise `DataError` with all that cannot be read or are none."""
    sources: dict[str, FileSource] = {}
    outcomes: dict[str, Outcome] = {}
    files: list[InputFile] = []
    mistakes: list[Mistake] = []
    for source in _sources(uses, rules):
        if sources.setdefault(source.shown, source) != source:
            message = "stands for two different files, in the audit file and in its policy; write one of them otherwise"
            raise DataError.one(source.shown, message)
    for text, source in sources.items():
        try:
            outcomes[text], sha256 = _read(source)
            files.append(InputFile(path=text, sha256=sha256))
        except DataError as error:
            mistakes += error.mistakes
    if mistakes:
        raise DataError(mistakes)
    return Earlier(outcomes, tuple(files))


def from_json(content: bytes) -> Outcome:
    """Read an outcome back; raise where the content is none."""
    from pydantic import ValidationError  # noqa: PLC0415 - only those who read results pay for it

    try:
        return outcome_adapter().validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        reason = f"not a result of permaudit ({SCHEMA}): {shown(place, 200)}: {first['msg']}"
        raise PermauditError(reason) from None


@cache
def outcome_adapter() -> TypeAdapter[Outcome]:
    """Return pydantic's view of the outcome."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(Outcome)


def _sources(uses: Iterable[RuleUse], rules: Mapping[str, Rule]) -> Iterator[FileSource]:
    """Yield the files that the rules ask for; a rule that cannot say so will be an error when it judges."""
    for use in uses:
        try:
            texts = [str(text) for text in rules[use.rule].earlier(use.params)]
        except KeyboardInterrupt:
            raise
        except BaseException:
            _LOG.exception("rule %s cannot say which earlier results it needs", use.rule)
            continue
        folder = Path(os.path.abspath(use.folder or "."))  # noqa: PTH100 - links stay as they are written
        yield from (FileSource(path=folder / text, shown=text) for text in texts)


def _read(source: FileSource) -> tuple[Outcome, str]:
    """Read one result, and return it with its hash."""
    from permaudit.data.files import content_hash  # noqa: PLC0415 - who only reads a result needs none of what reads data

    sha256 = content_hash(source)
    try:
        with source.path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise DataError.one(source.shown, f"cannot be read: {error.strerror or 'unknown error'}") from error
    if len(content) > _MOST_BYTES:
        raise DataError.one(source.shown, f"is too long for a result: more than {_MOST_BYTES} bytes")
    if hashlib.sha256(content).hexdigest() != sha256:
        raise DataError.one(source.shown, "changed while it was read; try again when nobody writes to it")
    try:
        return from_json(content), sha256
    except PermauditError as error:
        raise DataError.one(source.shown, f"{error}; name the audit.json of an earlier audit") from None
