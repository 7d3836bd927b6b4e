"""What does not keep the contract, all of it at once."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """One part of the contract that is not kept, and what to do about it."""

    check: str
    """The part of the contract: `deterministic`, `direction`, `input`, `worker` and so on."""
    message: str

    def __str__(self) -> str:
        """Write the part of the contract and what is wrong."""
        return f"{self.check}: {self.message}"


class ConformanceError(AssertionError):
    """A plugin's object does not keep the contract."""

    def __init__(self, what: str, failures: Sequence[Failure]) -> None:
        """Say of what, and everything that is wrong with it."""
        self.what = what
        self.failures = tuple(failures)
        lines = [f"{what} does not keep the contract:", *(f"  - {failure}" for failure in self.failures)]
        super().__init__("\n".join(lines))


class Inspection:
    """Look at one object; collect what is wrong, and raise it at the end."""

    def __init__(self, what: str) -> None:
        """Say what is looked at."""
        self.what = what
        self._failures: dict[str, Failure] = {}

    def expect(self, holds: object, check: str, message: str) -> bool:
        """Note a failure unless something holds; the same failure counts once, wherever it shows."""
        if not holds:
            self.fail(check, message)
        return bool(holds)

    def fail(self, check: str, message: str) -> None:
        """Note a failure."""
        self._failures.setdefault(message, Failure(check, message))

    @contextmanager
    def during(self, check: str, doing: str) -> Iterator[None]:
        """Note whatever is raised meanwhile."""
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.fail(check, f"{doing} raised {described(error)}")

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing was found so far."""
        return not self._failures

    def conclude(self) -> None:
        """Raise everything that was found."""
        if self._failures:
            raise ConformanceError(self.what, list(self._failures.values()))


def described(error: BaseException) -> str:
    """Name an exception and its text, on one line and not too long."""
    text = " ".join(str(error).split())
    return type(error).__name__ + (f" ({text[:_LONGEST]})" if text else "")
