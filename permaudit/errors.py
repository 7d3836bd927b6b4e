"""Every error that permaudit raises on purpose.

    PermauditError              shown without a traceback, exit code 2
    ├── AuditFileError          the audit file is wrong: carries every mistake found
    ├── DataError               a data file or a data frame is wrong: carries every mistake found
    ├── PluginError             a plugin cannot be loaded or breaks its contract
    ├── OutputError             the output directory cannot be used
    └── NotApplicable           a metric has no meaning for this comparison (never leaves the host)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing that is wrong, where it is, and what to do about it."""

    where: str
    line: int | None
    column: int | None
    message: str

    def __str__(self) -> str:
        """Write `where:line:column: message`, as compilers do."""
        place = self.where
        if self.line is not None:
            place += f":{self.line}"
            if self.column is not None:
                place += f":{self.column}"
        return f"{place}: {self.message}" if place else self.message


class PermauditError(Exception):
    """An error that the user can mend; its text never holds a cell of the data."""


class _Mistakes(PermauditError):
    """An error that carries all the mistakes found, not only the first one."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))

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


class OutputError(PermauditError):
    """The output directory cannot be used."""


class NotApplicable(PermauditError):  # noqa: N818 - it is an answer, not a failure
    """A metric has no meaning for this comparison; the text is the reason."""
