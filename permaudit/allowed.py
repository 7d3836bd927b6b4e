"""Which foreign distributions may be imported: by name, by version, and by content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion


@dataclass(frozen=True, slots=True)
class Allowed:
    """One distribution that may be imported."""

    requirement: Requirement
    sha256: tuple[str, ...] = ()
    """What its installed files must hash to; more than one only where two files do not agree, and then nothing fits."""

    @classmethod
    def reading(cls, text: str) -> Self:
        """Read a name with versions, such as acme>=2; raise `InvalidRequirement` where it is none."""
        return cls(Requirement(text))

    @property
    def name(self) -> str:
        """Return the name as it is compared."""
        return canonicalize_name(self.requirement.name)

    def fits(self, version: str) -> bool:
        """Tell whether an installed version is one that was asked for."""
        try:
            return self.requirement.specifier.contains(version, prereleases=True)
        except InvalidVersion:
            return False

    def __str__(self) -> str:
        """Write it as in an audit file."""
        return f"{self.requirement}"
