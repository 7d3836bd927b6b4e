"""What every command that has an outcome does with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from permaudit.bundle import Bundle
    from permaudit.model import Catalogue
    from permaudit.outcome import Outcome


def write_outcome(bundle: Bundle, outcome: Outcome, formats: Sequence[str], catalogue: Catalogue) -> dict[str, bytes]:
    """Write an outcome in every format that was asked for, JSON always, and return the files.

    A PDF that cannot be made here costs the PDF only; that is said, and it is not among the files.
    """
    from permaudit.report.about import about

    files = rendered(outcome, formats, catalogue)
    bundle.write(files, about(outcome))
    return files


def rendered(outcome: Outcome, formats: Sequence[str], catalogue: Catalogue) -> dict[str, bytes]:
    """Render an outcome in every format that was asked for; JSON is always there."""
    import click

    from permaudit.report.formats import VIEWS, NoPdfError

    files = {}
    for name in dict.fromkeys(["json", *formats]):
        view = VIEWS[name]
        try:
            files[view.file] = view.render(outcome, catalogue.templates)
        except NoPdfError as error:
            click.echo(error, err=True)
    return files


def show_outcome(outcome: Outcome, out: Path, files: Mapping[str, bytes]) -> None:
    """Show the verdict screen, and the annotations where they were asked for: GitHub reads them from the log only."""
    from permaudit.cli.screen import show
    from permaudit.report.distinct import with_distinct_columns
    from permaudit.report.formats import VIEWS

    show(with_distinct_columns(outcome), out, list(files))
    annotations = files.get(VIEWS["github"].file)
    if annotations:
        import click

        click.echo(annotations.decode(), nl=False)
