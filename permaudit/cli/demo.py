"""`permaudit demo`: a whole audit on data made by code."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Show all of it on data made by code.")
@click.argument("directory", type=click.Path(path_type=Path), default="permaudit-demo")
@click.pass_context
def command(context: click.Context, directory: Path) -> int:
    """Write demonstration data and an audit file to DIRECTORY (default permaudit-demo), and audit them.

    Two of the five candidates are bad on purpose. Exits with 0 when the demonstration worked, whatever its verdict.
    """
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.cli.printing import printing
    from permaudit.cli.run import command as run
    from permaudit.demo import write_demo

    audit_file = write_demo(directory)
    out = directory / "permaudit-out"
    code = context.invoke(run, audit_file=audit_file, out=out)
    with printing():
        click.echo(
            f"\nTry it yourself: permaudit run {audit_file} --out {out}  (exit code {code}: see permaudit --help)"
        )
    return 0 if code in OF_VERDICT.values() else int(code)
