"""`permaudit plugins new`: write a first plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.scaffold import Kind


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(["metric", "anonymizer", "rule", "reader"]),
    default="metric",
    show_default=True,
    help="What it provides.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    show_default=True,
    help="The folder in which it gets a folder of its own.",
)
def new(name: str, kind: Kind, into: Path) -> None:
    """Write a complete distribution called NAME: source, tests, packaging, README and a file for CI.

    Its tests pass as it stands. Change what it computes, and run them again.
    """
    from permaudit.errors import shown
    from permaudit.scaffold import Names, write_plugin

    names = Names.of(name, kind)
    folder = into / names.distribution
    for path in write_plugin(names, folder):
        click.echo(shown(str(folder / path), 500))
    click.echo(f'Next: cd {shown(str(folder), 500)}, python -m pip install -e ".[test]", python -m pytest')
