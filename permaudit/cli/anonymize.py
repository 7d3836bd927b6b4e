"""`permaudit anonymize`: make a release and write it, if its audit lets it through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.outcome import Outcome


@click.command()
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.argument("candidate")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The release: .csv or .parquet.")
@click.option(
    "--out", type=click.Path(path_type=Path), default="permaudit-out", show_default=True, help="Output directory."
)
@click.option("--despite-block", is_flag=True, help="Write the release even if it is blocked, and say so everywhere.")
@click.option("--study-seed", type=int, help="Refused: whoever knows the seed can subtract the noise.")
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only; the exit code tells the verdict.")
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    audit_file: Path,
    candidate: str,
    output: Path,
    out: Path,
    study_seed: int | None,
    root: Path | None,
    *,
    despite_block: bool,
    quiet: bool,
) -> int:
    """Make the CANDIDATE of AUDIT_FILE with fresh randomness, write it, and audit exactly what was written.

    A release that is blocked is not left behind, unless --despite-block. Exits as `permaudit run` does.
    """
    from permaudit.bundle import open_bundle
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.cli.loading import load_audit
    from permaudit.cli.output import rendered, show_outcome
    from permaudit.cli.printing import printing
    from permaudit.cli.unheard import unheard
    from permaudit.errors import PermauditError
    from permaudit.publish import published

    if study_seed is not None:
        raise PermauditError("a release is never made with a known seed: whoever knows it can subtract the noise")
    audit, host = load_audit(audit_file, root)
    with open_bundle(out) as bundle, unheard(errors=True), published(audit, host, candidate, output) as release:
        outcome = release.outcome
        kept = outcome.verdict != "block" or despite_block
        if outcome.verdict == "block" and despite_block:
            outcome = _marked(outcome)
        if kept:
            release.keep()
        files = rendered(outcome, ("json", "md"), host.catalogue)
        bundle.write(files)
    with printing():
        if quiet:
            return OF_VERDICT[outcome.verdict]
        show_outcome(outcome, out, list(files))
        digest = outcome.candidates[0].sha256
        click.echo(f"{output}: {f'written, sha256 {digest}' if kept else 'not written, since it is blocked'}")
    return OF_VERDICT[outcome.verdict]


def _marked(outcome: Outcome) -> Outcome:
    """Say in the result that somebody wanted the release despite its verdict."""
    from dataclasses import replace

    note = "written although it is blocked, because --despite-block was given"
    return replace(outcome, candidates=[replace(one, warnings=[note, *one.warnings]) for one in outcome.candidates])
