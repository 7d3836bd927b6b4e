"""`permaudit tune`: the least distorting parameter that passes."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.option("--candidate", required=True, help="The candidate whose parameter is searched.")
@click.option("--parameter", help="The parameter; by default the only one that is a number.")
@click.option("--from", "low", type=float, help="Where to begin; by default the anonymizer's own limit.")
@click.option("--to", "high", type=float, help="Where to end; by default the anonymizer's own limit.")
@click.option(
    "--study-seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Seed of the study."
)
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    audit_file: Path,
    candidate: str,
    parameter: str | None,
    low: float | None,
    high: float | None,
    study_seed: int,
    root: Path | None,
) -> int:
    """Find the least distorting parameter of a candidate that passes all rules, by bisection.

    A study with a known seed: nothing is written. Exits with 0 where such a parameter was found, else with 1.
    """
    from permaudit.cli.loading import load_audit
    from permaudit.tune import tune

    audit, host = load_audit(audit_file, root)
    whole = [int(end) if end is not None and end.is_integer() else end for end in (low, high)]
    found = tune(
        audit, host, candidate, parameter=parameter, low=whole[0], high=whole[1], study_seed=study_seed, watch=_said
    )
    click.echo(f"{found.parameter:>12}  {found.utility_metric or '-':>8}  {found.protection_metric or '-':>8}  verdict")
    for trial in found.trials:
        click.echo(f"{trial.value:>12.6g}  {_number(trial.utility)}  {_number(trial.protection)}  {trial.verdict}")
    if not found.monotone:
        click.echo("the response is not monotone over these values: a better one may lie between them; look at a sweep")
    if found.best is None:
        click.echo("no value in this range passes all rules")
        return 1
    click.echo(f"least distorting value that passes: {found.parameter} = {found.best.value:g}")
    return 0


def _said(value: float) -> None:
    """Tell on standard error what is being tried."""
    click.echo(f"trying {value:g}", err=True)


def _number(value: float | None) -> str:
    """Write a value of a metric."""
    return f"{'-':>8}" if value is None else f"{value:8.4f}"
