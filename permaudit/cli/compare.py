"""`permaudit compare`: what changed between two audits, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.outcome import Outcome


@click.command(short_help="Show what changed between two audits.")
@click.argument("before", metavar="A", type=click.Path(path_type=Path))
@click.argument("after", metavar="B", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only; the exit code tells B's verdict.")
def command(before: Path, after: Path, *, as_json: bool, quiet: bool) -> int:
    """Show what changed from audit A to audit B, metric by metric and rule by rule.

    A and B are output directories, or audit.json files. Exits with the verdict of B: 0 for release, 1 for block, 3 for
    review; 2 where one of them is no result, or not the one that was written.
    """
    from permaudit.changes import changes
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.cli.printing import printing

    outcomes = [_load(path) for path in (before, after)]
    found = changes(*outcomes)
    with printing():
        if as_json:
            import json
            from dataclasses import asdict

            click.echo(json.dumps(asdict(found), indent=2, allow_nan=False))
        elif not quiet:
            from permaudit.cli.changes_screen import show_changes

            show_changes(found, outcomes[1].title, (before, after))
    return OF_VERDICT["block"] if found.study else OF_VERDICT[found.after]


def _load(path: Path) -> Outcome:
    """Read a result; one that contradicts itself, or its manifest, is none."""
    from permaudit.bundle import MANIFEST, manifest_files
    from permaudit.consistency import contradictions
    from permaudit.errors import OutputError, PermauditError, shown
    from permaudit.report import from_json
    from permaudit.verify import RESULT

    file = path / RESULT if path.is_dir() else path
    where = shown(str(file), 200)
    if file.exists() and not file.is_file():
        raise OutputError(f"{where} is not a regular file")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise OutputError(f"{where}: cannot be read: {(error.strerror or 'unknown error').lower()}") from error
    if path.is_dir() and (path / MANIFEST).exists():
        import hashlib

        if manifest_files(path).get(RESULT) != hashlib.sha256(content).hexdigest():
            raise OutputError(f"{where} is not the file that was written; `permaudit verify` says more")
    try:
        outcome = from_json(content)
    except PermauditError as error:
        raise OutputError(f"{where}: {error}") from None
    wrong = contradictions(outcome)
    if wrong:
        raise OutputError(f"{where} contradicts itself: {wrong[0]}")
    return outcome
