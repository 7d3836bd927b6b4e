"""What every command that has an outcome does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from permaudit.model import Catalogue
    from permaudit.outcome import Outcome


def rendered(outcome: Outcome, formats: Sequence[str], catalogue: Catalogue) -> dict[str, bytes]:
    """Render an outcome in every format that was asked for; JSON is always there."""
    from permaudit.report import to_json

    files = {"audit.json": to_json(outcome)}
    if "md" in formats:
        from permaudit.report.markdown import to_markdown

        files["summary.md"] = to_markdown(outcome, catalogue.templates["board"])
    return files


def show_outcome(outcome: Outcome, out: Path, files: Sequence[str]) -> None:
    """Show the verdict screen."""
    from permaudit.cli.screen import show

    show(outcome, out, files)
