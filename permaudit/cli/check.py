"""`permaudit check`: look for mistakes without reading a record."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Find every mistake without reading a record.")
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.option("--quiet", "-q", is_flag=True, help="Print mistakes only.")
def command(audit_file: Path, root: Path | None, *, quiet: bool) -> None:
    """Check AUDIT_FILE, its files and their columns; every mistake is shown at once.

    Reads no record. Exits with 0 where nothing is wrong, else with 2.
    """
    from permaudit.cli.loading import load_audit
    from permaudit.cli.printing import printing
    from permaudit.data import check_columns

    audit, host = load_audit(audit_file, root)
    check_columns(audit, host.catalogue.readers)
    if not quiet:
        candidates, attributes = len(audit.candidates), len(audit.attributes)
        with printing():
            click.echo(
                f"{audit_file}: no mistakes found; {candidates} candidate{'s' * (candidates != 1)}, "
                f"{attributes} attribute{'s' * (attributes != 1)}"
            )
