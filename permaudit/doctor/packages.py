"""Python, the packages that permaudit needs, and those that only some audits need."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from permaudit.doctor.checks import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

_OURSELVES = "permaudit"


def check_packages() -> Iterator[Check]:
    """Hold every version against the floor that permaudit declares."""
    about = metadata.metadata(_OURSELVES)
    yield _python(about["Requires-Python"] or "")
    wanted = [Requirement(text) for text in metadata.requires(_OURSELVES) or ()]
    yield _core([one for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})])
    for extra in about.get_all("Provides-Extra") or ():
        yield _extra(extra, [one for one in wanted if _is_of(one, extra)])


def _python(specifier: str) -> Check:
    """Check the interpreter."""
    version = platform.python_version()
    found = f"{platform.python_implementation()} {version}"
    if SpecifierSet(specifier).contains(version, prereleases=True):
        return Check(name="Python", state="ok", found=found)
    return Check(name="Python", state="wrong", found=found, advice=f"use a Python {specifier}")


def _is_of(requirement: Requirement, extra: str) -> bool:
    """Tell whether a requirement is there for this extra only."""
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


@dataclass(frozen=True, slots=True)
class _Installed:
    """A requirement beside what is installed."""

    requirement: Requirement
    version: str | None

    @property
    def is_met(self) -> bool:
        """Tell whether the installed version is one that was asked for."""
        return self.version is not None and self.requirement.specifier.contains(self.version, prereleases=True)

    def __str__(self) -> str:
        """Name the package and its version."""
        return f"{self.requirement.name} {self.version or 'missing'}"


def _installed(requirement: Requirement) -> _Installed:
    """Look up what is installed."""
    try:
        return _Installed(requirement, metadata.version(requirement.name))
    except metadata.PackageNotFoundError:
        return _Installed(requirement, None)


def _core(wanted: list[Requirement]) -> Check:
    """Check the packages without which nothing runs."""
    found = [_installed(requirement) for requirement in wanted]
    unmet = [one for one in found if not one.is_met]
    if unmet:
        names = ", ".join(str(one) for one in unmet)
        needs = " ".join(f"'{one.requirement.name}{one.requirement.specifier}'" for one in unmet)
        return Check(name="packages", state="wrong", found=names, advice=f"pip install {needs}")
    return Check(name="packages", state="ok", found=", ".join(str(one) for one in found))


def _extra(extra: str, wanted: list[Requirement]) -> Check:
    """Check what only some audits need."""
    found = [_installed(requirement) for requirement in wanted]
    names = ", ".join(str(one) for one in found)
    if all(one.is_met for one in found):
        return Check(name=f"extra {extra}", state="ok", found=names)
    return Check(name=f"extra {extra}", state="note", found=names, advice=f"pip install 'permaudit[{extra}]'")
