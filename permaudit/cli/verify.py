"""`permaudit verify`: whether a bundle is complete and untouched, and whether a file may go out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from permaudit.verify import Check, Verification


def _hash(context: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    """Read an id as people write it down: in groups, in capitals."""
    if value is None:
        return None
    plain = re.sub(r"[\s-]", "", value).lower()
    if not re.fullmatch(r"[0-9a-f]{64}", plain):
        raise click.BadParameter("an id has 64 digits and letters from a to f")
    return plain


@click.command(short_help="Prove that a result is untouched, and a file its release.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--release", type=click.Path(path_type=Path), help="The file that is to go out: is it the audited one?")
@click.option("--id", "expected", callback=_hash, help="The id that the result must have, as it was written down.")
@click.option("--inputs", type=click.Path(path_type=Path), help="Where the audited files are, if not where they were.")
@click.option("--quiet", "-q", is_flag=True, help="Print only what is broken; the exit code tells the rest.")
def command(directory: Path, release: Path | None, expected: str | None, inputs: Path | None, *, quiet: bool) -> int:
    """Prove that the result in DIRECTORY is complete and untouched, and with --release that a file is what was audited.

    Exits with 0 where all is intact and, with --release, that file's verdict is release and no study; with 1 where
    something was changed or the file is blocked or unknown, 3 where a person must decide, 2 where there is no result.
    """
    from permaudit.cli.printing import printing
    from permaudit.plugins import load_plugins
    from permaudit.verify import verify_bundle

    found = verify_bundle(directory, load_plugins(), expected=expected, inputs=inputs, release=release)
    with printing():
        _show(found, directory, release, quiet=quiet)
    return _exit_code(found, release)


def _exit_code(found: Verification, release: Path | None) -> int:
    """Return what a pipeline may do: only 0 lets a release through."""
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.verdict import worst

    if found.outcome is None or not found.intact:
        return OF_VERDICT["block"]
    if release is None:
        return 0
    if found.outcome.provenance.study:
        return OF_VERDICT["block"]
    return OF_VERDICT[worst(candidate.verdict for candidate in found.released)]


_SIGNS = {"intact": ("✔", "green"), "broken": ("✖", "bold red"), "unchecked": ("·", "yellow")}


def _show(found: Verification, directory: Path, release: Path | None, *, quiet: bool) -> None:
    """Print every check, then what follows from them."""
    from rich.padding import Padding
    from rich.text import Text

    from permaudit.cli.screen import Screen
    from permaudit.errors import shown

    console = Screen()
    where = shown(str(directory), 100)
    told = [check for check in found.checks if check.state == "broken" or not quiet]
    if not quiet:
        console.print(Text(where, style="bold"))
    if told:
        console.print(Padding(_table(told), (0, 0, 0, 2)))
    if quiet:
        return
    console.print(Text(f"  id {found.id}"))
    console.print()
    if not found.intact or found.outcome is None:
        console.print(Text("✖ NOT INTACT: not everything is what was written and audited", style="bold red"))
        return
    skipped = sum(check.state == "unchecked" for check in found.checks)
    left = f"; {skipped} not checked, as said above" if skipped else ""
    console.print(Text(f"✔ INTACT{left}", style="bold green"))
    for line in _conclusions(found, release):
        console.print(line)


def _table(checks: list[Check]) -> RenderableType:
    """Draw the checks, one on a line."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(3):
        table.add_column(overflow="fold")
    for check in checks:
        sign, style = _SIGNS[check.state]
        table.add_row(Text(sign, style=style), Text(check.what), Text(check.message, style=style))
    return table


def _conclusions(found: Verification, release: Path | None) -> list[RenderableType]:
    """Say what the audit decided, of the file or as a whole."""
    from rich.text import Text

    from permaudit.cli.signs import signed
    from permaudit.errors import shown
    from permaudit.report.words import STUDY, VERDICT_WORDS

    assert found.outcome is not None  # noqa: S101 - for the type checker
    outcome = found.outcome
    lines: list[RenderableType] = []
    if outcome.provenance.study:
        lines.append(Text(STUDY, style="bold yellow"))
    if release is None:
        words = f", {VERDICT_WORDS[outcome.verdict]}; name a file with --release to know whether it may go out"
        lines.append(Text.assemble("Verdict of the whole audit: ", signed(outcome.verdict), words))
    elif not found.released:
        words = f"✖ {shown(str(release), 100)} is not the release of any candidate (sha256 {found.release_sha256})"
        lines.append(Text(words, style="bold red"))
    for candidate in found.released:
        head = f"{shown(str(release), 100)} is candidate {shown(candidate.name)}: "
        lines.append(Text.assemble(head, signed(candidate.verdict), f", {VERDICT_WORDS[candidate.verdict]}"))
    return lines
