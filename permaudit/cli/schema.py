"""`permaudit schema`: the JSON Schemas of what goes in and what comes out."""

from __future__ import annotations

import click


@click.command(short_help="Print the JSON Schema of what goes in or comes out.")
@click.argument("which", type=click.Choice(["audit", "policy", "result"]), default="audit")
def command(which: str) -> None:
    """Print the JSON Schema of the audit file (default), of a policy, or of the result, audit.json.

    The schemas of what goes in know the built-in metrics, anonymizers and rules. An editor that is given one marks the
    same mistakes as `permaudit check`.
    """
    import json

    from permaudit.cli.printing import printing

    if which in {"audit", "policy"}:
        from permaudit.config import audit_schema, policy_schema
        from permaudit.plugins import load_plugins

        schema = (audit_schema if which == "audit" else policy_schema)(load_plugins().catalogue)
    else:
        from permaudit.report import result_schema

        schema = result_schema()
    with printing():
        click.echo(json.dumps(schema, indent=2))
