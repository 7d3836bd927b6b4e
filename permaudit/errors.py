"""Every error that permaudit raises on purpose.

PermauditError              shown without a traceback, exit code 2
├── AuditFileError          the audit file is wrong: carries every mistake found
├── DataError               a data file or a data frame is wrong: carries every mistake found
├── PluginError             a plugin cannot be loaded or breaks its contract
├── PluginFailedError       a plugin gave no answer, and nothing can be audited without one: exit code 1, as `block`
├── OutputError             the output directory cannot be used
├── ScratchError            what does not fit into memory cannot be laid down on the disk either
└── NotApplicable           a metric has no meaning for this comparison (never leaves the host)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Python calls these printable, yet nobody sees them: joiners, fillers, blanks and variation selectors.
_INVISIBLE = frozenset(
    map(
        chr,
        (
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)

_COMMANDS = ("::", "##[", "##vso[")
_LONGEST_PLACE = 300


def shown(text: str, limit: int = 60) -> str:
    """Write a name from a file so that it can be printed: nothing invisible, nothing that moves the cursor, not too long.

    Control characters, bidi overrides, zero-width characters, odd spaces and lone surrogates appear as their codes, and so
    does the first character of what CI systems take for a command in a log (`::error::`, `##[error]`); what is over
    `limit` characters then ends in `...`, and no code is cut in two.
    """
    is_plain = text.isprintable() and _INVISIBLE.isdisjoint(text) and not any(command in text for command in _COMMANDS)
    if is_plain and len(text) <= limit:
        return text
    pieces = [
        f"\\x{ord(character):x}" if text.startswith(_COMMANDS, place) else _visible(character)
        for place, character in enumerate(text[: limit + 1])
    ]
    if sum(map(len, pieces)) <= limit:
        return "".join(pieces)
    room = limit - 3
    kept = []
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + "..."


def _visible(character: str) -> str:
    """Return the character, or its code where it cannot be seen."""
    if character.isprintable() and character not in _INVISIBLE:
        return character
    return character.encode("unicode_escape").decode("ascii")


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing that is wrong, where it is, and what to do about it."""

    where: str
    line: int | None
    column: int | None
    message: str

    def __str__(self) -> str:
        """Write `where:line:column: message`, as compilers do."""
        place = shown(self.where, _LONGEST_PLACE)
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return f"{place}: {self.message}" if place else self.message


class PermauditError(Exception):
    """An error that the user can mend; its text never holds a cell of the data."""


class _Mistakes(PermauditError):  # noqa: N818 - never raised itself
    """An error that carries all the mistakes found, not only the first one."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Mistake, ...]]]:
        """Come out of another process as it went in."""
        return type(self), (self.mistakes,)

    @classmethod
    def one(cls, where: str, message: str) -> _Mistakes:
        """Make the error of a single mistake without a line."""
        return cls([Mistake(where, None, None, message)])


class AuditFileError(_Mistakes):
    """The audit file is wrong."""


class DataError(_Mistakes):
    """A data file or a data frame is wrong."""


class PluginError(PermauditError):
    """A plugin cannot be loaded, or does not keep its contract."""


class PluginFailedError(PermauditError):
    """A plugin without whose answer nothing can be audited gave none; the text says what it did."""


class ScratchError(PermauditError):
    """What does not fit into memory cannot be laid down on the disk either."""

    @classmethod
    def full(cls, folder: Path) -> Self:
        """Say that there is no room left."""
        where = shown(str(folder), 200)
        return cls(f"no room is left in the scratch directory '{where}': make some, or name another one with --scratch")


class OutputError(PermauditError):
    """The output directory cannot be used."""


class NotApplicable(PermauditError):  # noqa: N818 - it is an answer, not a failure
    """A metric has no meaning for this comparison; the text is the reason."""
