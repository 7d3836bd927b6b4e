"""What a case is: a function that writes an audit, and what must become of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .desk import Desk

    Make = Callable[[Desk], None]

RELEASE, BLOCK, WRONG, REVIEW = 0, 1, 2, 3
"""The exit codes of the contract."""
NEVER_RELEASE = frozenset({BLOCK, WRONG, REVIEW})
"""What may become of a bad release where nothing more is demanded."""


@dataclass(frozen=True)
class Case:
    """One kind of release, declared as masked or as synthetic."""

    name: str
    declared: str
    codes: frozenset[int]
    """The exit codes that are right."""
    make: Make
    child: bool
    """Does it need a process of its own?"""
    beyond: bool = False
    """Is it bad in a way that cannot be told from a good release, as far as we know?"""

    @property
    def bad(self) -> bool:
        """Tell whether it must never be released."""
        return RELEASE not in self.codes and not self.beyond

    @property
    def good(self) -> bool:
        """Tell whether it should be released."""
        return RELEASE in self.codes

    @property
    def id(self) -> str:
        """Name the case."""
        return f"{self.name} ({self.declared})"


CASES: list[Case] = []
"""Every case, in the order in which the modules are imported."""


def bad(
    name: str, *declared: str, codes: frozenset[int] | set[int] = NEVER_RELEASE, child: bool = False
) -> Callable[[Make], Make]:
    """Add a kind of release that must not pass, for each way in which it can be declared."""
    assert RELEASE not in codes
    return _added(name, declared, frozenset(codes), child=child)


def beyond(name: str, *declared: str) -> Callable[[Make], Make]:
    """Add a kind of bad release that may pass, since nothing here tells it from a good one: docs/corpus.md says why."""
    return _added(name, declared, NEVER_RELEASE, child=False, beyond=True)


def good(name: str, *declared: str) -> Callable[[Make], Make]:
    """Add a kind of release that should pass."""
    return _added(name, declared, frozenset({RELEASE}), child=False)


def _added(
    name: str, declared: tuple[str, ...], codes: frozenset[int], *, child: bool, beyond: bool = False
) -> Callable[[Make], Make]:
    def add(make: Make) -> Make:
        assert make.__doc__, f"{name}: say why it is bad or good"
        CASES.extend(Case(name, one, codes, make, child, beyond) for one in declared or ("masked", "synthetic"))
        return make

    return add
