"""`permaudit anonymize`: make a release and write it, if its audit lets it through."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from permaudit.cli.loading import AuditFile
    from permaudit.outcome import Outcome

_DESPITE = "written although it is blocked, because --despite-block was given"


@click.command(short_help="Make a release and audit exactly what was written.")
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.argument("candidate")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The release: .csv or .parquet.")
@click.option(
    "--out", type=click.Path(path_type=Path), default="permaudit-out", show_default=True, help="Output directory."
)
@click.option(
    "--map",
    "held",
    type=click.Path(path_type=Path),
    help="Also write from which record each released one comes, for audits to come; never release it.",
)
@click.option("--despite-block", is_flag=True, help="Write the release even if it is blocked, and say so everywhere.")
@click.option("--study-seed", type=int, help="Refused: whoever knows the seed can subtract the noise.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="The policy that must be in force, whatever the audit file says."
)
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only; the exit code tells the verdict.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: click.Context,
    audit_file: Path,
    candidate: str,
    output: Path,
    out: Path,
    held: Path | None,
    study_seed: int | None,
    policy: Path | None,
    root: Path | None,
    *,
    despite_block: bool,
    quiet: bool,
) -> int:
    """Make the CANDIDATE of AUDIT_FILE with fresh randomness, write it, and audit exactly what was written.

    A release that is blocked is not left behind, unless --despite-block. Exits as `permaudit run` does.
    """
    from permaudit.cli.loading import read_audit_file
    from permaudit.cli.supervised import supervised
    from permaudit.errors import PermauditError

    if study_seed is not None:
        raise PermauditError("a release is never made with a known seed: whoever knows it can subtract the noise")
    file = read_audit_file(audit_file, root, policy)
    order = _Order(candidate, output, out, held, despite_block=despite_block, quiet=quiet)
    return supervised(lambda: _anonymize(file, order)) if file.allow and context.obj else _anonymize(file, order)


@dataclass(frozen=True, slots=True)
class _Order:
    """What the command line asks for."""

    candidate: str
    output: Path
    out: Path
    held: Path | None
    despite_block: bool
    quiet: bool


def _anonymize(file: AuditFile, order: _Order) -> int:
    """Make, write, audit, show; return the exit code."""
    from permaudit.cli.audiences import open_destination
    from permaudit.cli.exits import OF_VERDICT
    from permaudit.cli.output import show_outcome
    from permaudit.cli.printing import printing
    from permaudit.cli.unheard import unheard
    from permaudit.publish import published

    audit, host = file.load()
    _refuse_another_proof(order.out)
    with (
        open_destination(order.out, audit.report.audience) as destination,
        unheard(errors=True),
        published(audit, host, order.candidate, order.output, order.held) as release,
    ):
        outcome = release.outcome
        is_kept = outcome.verdict != "block" or order.despite_block
        if outcome.verdict == "block" and order.despite_block:
            outcome = _marked(outcome)
        outcome, files = destination.write(outcome, ("json", "md"), host.catalogue)
        if is_kept:
            release.keep(order.held)
    if not order.quiet:
        with printing():
            show_outcome(outcome, order.out, files)
            fate = f"written, sha256 {outcome.candidates[0].sha256}" if is_kept else "not written, since it is blocked"
            click.echo(f"{order.output}: {fate}")
            if order.held is not None and is_kept:
                click.echo(f"{order.held}: written; it tells whose each record is, and is never released")
    return OF_VERDICT[outcome.verdict]


def _refuse_another_proof(directory: Path) -> None:
    """Raise where a directory holds the audit of a release that was written: without it nobody can verify that one."""
    from permaudit.bundle import read_bundle_result
    from permaudit.errors import OutputError, shown

    earlier = read_bundle_result(directory)
    made = [
        one for one in earlier.get("candidates", []) if one.get("anonymizer") and one.get("sha256") and _is_kept(one)
    ]
    if made:
        where, name = shown(str(directory), 200), shown(str(made[0].get("name")))
        raise OutputError(
            f"{where} holds the audit of a release that was written, of candidate '{name}'; its proof is never overwritten: "
            "name another directory with --out"
        )


def _is_kept(candidate: dict[str, Any]) -> bool:
    """Tell whether a release was left behind: one that is blocked only where somebody insisted."""
    return candidate.get("verdict") != "block" or _DESPITE in candidate.get("warnings", [])


def _marked(outcome: Outcome) -> Outcome:
    """Say in the result that somebody wanted the release despite its verdict."""
    from dataclasses import replace

    return replace(outcome, candidates=[replace(one, warnings=[_DESPITE, *one.warnings]) for one in outcome.candidates])
