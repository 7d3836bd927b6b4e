"""Where results go: one for its readers, and where these are outsiders, the whole one beside it for the controller."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from permaudit.bundle import Bundle
    from permaudit.model import Catalogue
    from permaudit.outcome import Audience, Outcome

_WHOLE = ("json", "md")
"""How the whole result is kept; `permaudit report` makes everything else of it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The directories of a run."""

    audience: Audience
    told: Bundle
    """What the readers get."""
    whole: Bundle
    """What the controller keeps: the same directory, unless the readers are outsiders."""

    def write(self, outcome: Outcome, formats: Sequence[str], catalogue: Catalogue) -> tuple[Outcome, dict[str, bytes]]:
        """Write an outcome for its readers, and return it as they see it with its files; nothing of it is lost."""
        from permaudit.cli.output import write_outcome

        if self.whole is self.told:
            return outcome, write_outcome(self.told, outcome, formats, catalogue)
        from permaudit.report.audience import for_audience

        write_outcome(self.whole, outcome, _WHOLE, catalogue)
        told = for_audience(outcome, self.audience)
        return told, write_outcome(self.told, told, formats, catalogue)


@contextmanager
def open_destination(out: Path, audience: Audience) -> Iterator[Destination]:
    """Hold the output directory, and for outsiders a second one beside it: never inside, since the first will be passed on."""
    from shutil import rmtree

    from permaudit.bundle import CACHE, open_bundle

    with open_bundle(out) as told:
        if audience == "internal":
            yield Destination(audience, told, told)
            return
        with open_bundle(beside(out)) as whole:
            rmtree(told.directory / CACHE, ignore_errors=True)  # of an earlier run for the controller
            yield Destination(audience, told, whole)


def beside(out: Path) -> Path:
    """Return where the whole result is kept when the one in this directory is for outsiders."""
    whole = out.absolute()
    return whole.with_name(f"{whole.name}-internal")
