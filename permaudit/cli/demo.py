"""`permaudit demo`: a whole audit on data made by code."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Show all of it on data made by code.")
@click.argument("directory", type=click.Path(path_type=Path), default="permaudit-demo")
def command(directory: Path) -> int:
    """Write demonstration data and an audit file to DIRECTORY (default permaudit-demo), and audit them.

    Two of the five candidates are bad on purpose. Exits with 0 when the demonstration worked, whatever its verdict.
    """
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.cli.loading import read_audit_file
    from permaudit.cli.printing import printing
    from permaudit.cli.run import Options, audit_and_show, cores
    from permaudit.demo import write_demo

    audit_file = write_demo(directory)
    out = directory / "permaudit-out"
    options = Options(out, ("json", "md", "html", "pdf"), jobs=cores(), forgiving=True)
    code = audit_and_show(read_audit_file(audit_file), options)
    with printing():
        click.echo(
            f"\nTry it yourself: permaudit run {audit_file} --out {out}  (exit code {code}: see permaudit --help)"
        )
    return 0 if code in OF_VERDICT.values() else int(code)
