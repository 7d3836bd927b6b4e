"""`permaudit init`: look at data and write a first audit file."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Write a first audit file that runs as it is.")
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("release", type=click.Path(path_type=Path), required=False)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default="audit.yaml",
    show_default=True,
    help="The audit file to write.",
)
@click.option("--force", is_flag=True, help="Replace the audit file if it is there already.")
def command(original: Path, release: Path | None, output: Path, *, force: bool) -> None:
    """Look at ORIGINAL and, if there is one, at its RELEASE, and write an audit file for them.

    The file runs as it is. Types, identifiers and linkage are guessed from the data; what a person must decide is marked
    with CONFIRM. No value of the data is written down, but for categories that many records share.
    """
    from permaudit.init import propose, refuse_existing, render, write_text
    from permaudit.plugins import load_plugins

    inputs = [original] if release is None else [original, release]
    refuse_existing(output, inputs, force=force)
    proposal = propose(original, release, load_plugins().catalogue)
    rendered = render(proposal, output)
    refuse_existing(output, inputs, force=force)
    write_text(output, rendered.text, force=force)
    for line in _summary(output, len(proposal.columns.attributes), len(proposal.columns.identifiers)):
        click.echo(line)
    count = rendered.confirms
    click.echo(f"{count} thing{'s' * (count != 1)} to confirm, marked CONFIRM")
    if not rendered.ready:
        click.echo("It does not run yet: no column can be audited before you declare one under attributes")
    click.echo(
        f"Next: confirm what is marked CONFIRM, then permaudit {'run' if rendered.ready else 'check'} {_argument(output)}"
    )


def _summary(output: Path, attributes: int, identifiers: int) -> list[str]:
    """Say what was written."""
    from permaudit.errors import shown

    found = f"{attributes} attribute{'s' * (attributes != 1)}, {identifiers} identifier{'s' * (identifiers != 1)}"
    return [f"{shown(str(output), 200)}: written; {found}"]


def _argument(path: Path) -> str:
    """Write a path as an argument of a command."""
    from shlex import quote

    from permaudit.errors import shown

    return quote(shown(str(path), 1000))
