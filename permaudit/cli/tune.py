"""`permaudit tune`: the least distorting parameter that passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.tune import Tuned


@click.command(short_help="Find the least distorting parameter that passes.")
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.option("--candidate", required=True, help="The candidate whose parameter is searched.")
@click.option("--parameter", help="The parameter; by default the only one that is a number.")
@click.option("--from", "low", type=float, help="Where to begin; needed unless the anonymizer declares a least value.")
@click.option("--to", "high", type=float, help="Where to end; needed unless the anonymizer declares a greatest value.")
@click.option(
    "--study-seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Seed of the study."
)
@click.option(
    "--policy", type=click.Path(path_type=Path), help="The policy that must be in force, whatever the audit file says."
)
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: click.Context,
    audit_file: Path,
    candidate: str,
    parameter: str | None,
    low: float | None,
    high: float | None,
    study_seed: int,
    policy: Path | None,
    root: Path | None,
) -> int:
    """Find the least distorting parameter of a candidate that passes all rules, by bisection.

    A study with a known seed: nothing is written. Exits with 0 where such a parameter was found, else with 1.
    """
    from permaudit.cli.loading import read_audit_file
    from permaudit.cli.printing import printing
    from permaudit.cli.supervised import supervised
    from permaudit.cli.unheard import unheard
    from permaudit.tune import tune

    file = read_audit_file(audit_file, root, policy)
    begin, end = (int(one) if one is not None and one.is_integer() else one for one in (low, high))

    def search() -> int:
        audit, host = file.load()
        with unheard(errors=False):
            found = tune(
                audit, host, candidate, parameter=parameter, low=begin, high=end, study_seed=study_seed, watch=_said
            )
        with printing():
            _show(found)
        return 1 if found.best is None else 0

    return supervised(search) if file.allow and context.obj else search()


def _show(found: Tuned) -> None:
    """Print what was tried, and the answer."""
    click.echo(f"{found.parameter:>12}  {found.utility_metric:>8}  {found.protection_metric or '-':>8}  verdict")
    for trial in found.trials:
        click.echo(f"{trial.value:>12.12g}  {_number(trial.utility)}  {_number(trial.protection)}  {trial.verdict}")
    if not found.monotone:
        click.echo("the response is not monotone over these values: a better one may lie between them; look at a sweep")
    if found.best is None:
        click.echo("none of these values passes all rules")
    else:
        click.echo(f"least distorting value that passes: {found.parameter} = {found.best.value:.12g}")
        click.echo("a study with a known seed: make the release itself with permaudit anonymize, which audits it anew")


def _said(value: float) -> None:
    """Tell on standard error what is being tried."""
    click.echo(f"trying {value:.12g}", err=True)


def _number(value: float | None) -> str:
    """Write a value of a metric."""
    from permaudit.report.words import number

    return f"{number(value):>8}"
