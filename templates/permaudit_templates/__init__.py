"""The template set that comes with permaudit."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from permaudit import TemplateCard, hookimpl

permaudit_api = 1


class BoardTemplates:
    """Templates for a review board."""

    card: ClassVar[TemplateCard] = TemplateCard(
        id="board",
        title="Review board",
        summary="A summary of the verdict, the metrics and the findings for the people who decide.",
    )
    directory: ClassVar[Path] = Path(__file__).parent / "board"


@hookimpl
def permaudit_templates() -> list[BoardTemplates]:
    """Provide the review board's templates."""
    return [BoardTemplates()]
