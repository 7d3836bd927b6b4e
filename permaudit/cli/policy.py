"""`permaudit policy`: example policies to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from permaudit.policies import NAMES


@click.command(short_help="Print an example policy, or write it to a file.")
@click.argument("name", type=click.Choice(NAMES), required=False)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file to write; it must not exist.")
def command(name: str | None, output: Path | None) -> None:
    """Print the example policy NAME, or list the examples.

    An example is a beginning: copy it, let the review board decide on every line, and name it in audit files under
    policy. `permaudit check` finds mistakes in a policy and prints its sha256.
    """
    from permaudit.cli.printing import printing
    from permaudit.errors import OutputError
    from permaudit.policies import policy_text

    if name is None:
        with printing():
            for one in NAMES:
                click.echo(f"{one:<18}{_title(policy_text(one))}")
        return
    if output is None:
        with printing():
            click.echo(policy_text(name), nl=False)
        return
    try:
        with output.open("x", encoding="utf-8") as stream:
            stream.write(policy_text(name))
    except FileExistsError:
        raise OutputError(f"{output} exists already; a policy is never overwritten") from None
    except OSError as error:
        raise OutputError(f"{output}: cannot be written: {error.strerror or 'unknown error'}") from error
    click.echo(f"{output}: written; let the review board decide on every line")


def _title(text: str) -> str:
    """Return the title of a policy."""
    return next(line.removeprefix("title: ") for line in text.splitlines() if line.startswith("title: "))
