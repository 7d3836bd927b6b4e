"""`permaudit doctor`: whether this installation is fit to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permaudit.cli.allowing import distributions_in

if TYPE_CHECKING:
    from permaudit.allowed import Allowed
    from permaudit.doctor import Diagnosis

UNFIT = 1
"""The exit code where a metric may not gate."""


@click.command(short_help="Check the installation, and every metric on known cases.")
@click.option(
    "--allow",
    multiple=True,
    callback=distributions_in,
    metavar="DISTRIBUTION",
    help="Import the plugins of this distribution too, as plugins.allow does; can be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@click.pass_context
def command(context: click.Context, allow: tuple[Allowed, ...], *, as_json: bool) -> int:
    """Check the installation, and put cases with known answers to every metric.

    Exits with 0 where all is well, with 2 where the surroundings are wrong or a plugin cannot be loaded, and with 1 where a
    metric of confidentiality or risk rates a verbatim copy as safe: rules that rely on it block every release.
    """
    from permaudit.cli.supervised import supervised

    if allow and context.obj:
        return supervised(lambda: _examine(allow, as_json=as_json))
    return _examine(allow, as_json=as_json)


def _examine(allow: tuple[Allowed, ...], *, as_json: bool) -> int:
    """Look, show, and return the exit code."""
    from permaudit.cli.exits import WRONG
    from permaudit.cli.printing import printing
    from permaudit.cli.unheard import unheard
    from permaudit.doctor import examine

    with unheard(errors=True):
        diagnosis = examine(allow)
    code = WRONG if diagnosis.is_wrong else UNFIT if diagnosis.unfit else 0
    with printing():
        if as_json:
            import json

            click.echo(json.dumps(_plain(diagnosis, code), indent=2, allow_nan=False))
        else:
            from permaudit.cli.doctor_screen import show

            show(diagnosis)
    return code


def _plain(diagnosis: Diagnosis, code: int) -> dict[str, Any]:
    """Write what was found as plain values."""
    from dataclasses import asdict

    return {
        "schema": "permaudit/doctor/1",
        "exit_code": code,
        "checks": [asdict(check) for check in diagnosis.checks],
        "plugins": [asdict(plugin) for plugin in diagnosis.plugins],
        "not_loaded": [asdict(plugin) for plugin in diagnosis.refused],
        "metrics": [{**asdict(metric), "may_gate": metric.may_gate} for metric in diagnosis.metrics],
    }
