"""`permaudit plugins`: what is installed, and what each thing is, in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from permaudit.cli.new_plugin import new
from permaudit.hookspecs import API

if TYPE_CHECKING:
    from permaudit.inventory import Inventory
    from permaudit.plugins import Provided


@click.group(invoke_without_command=True, short_help="List what is installed, or explain one thing.")
@click.option(
    "--audit",
    "audit_file",
    type=click.Path(path_type=Path),
    help="Import what this audit file allows, and show what it uses.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, audit_file: Path | None, form: str) -> int:
    """List every plugin: what it provides, its distribution, version and hash, and why one is refused.

    Exits with 2 where the audit file lists a plugin that cannot be used.
    """
    if context.invoked_subcommand is not None:
        return 0
    from permaudit.cli.exits import WRONG
    from permaudit.cli.printing import printing

    found = _found(audit_file)
    with printing():
        if form == "json":
            _print_json(found)
        else:
            _list(found)
    for problem in found.problems:
        click.echo(problem, err=True)
    return WRONG if found.problems else 0


command.add_command(new)


@command.command("show")
@click.argument("name")
@click.option(
    "--audit",
    "audit_file",
    type=click.Path(path_type=Path),
    help="Import what this audit file allows: without it, only what comes with permaudit is known.",
)
def show(name: str, audit_file: Path | None) -> None:
    """Explain one metric, anonymizer, rule, reader or engine in plain words."""
    from difflib import get_close_matches

    from permaudit.cli.loading import read_audit_file
    from permaudit.cli.printing import printing
    from permaudit.errors import PluginError
    from permaudit.plugins import load_plugins

    host = load_plugins() if audit_file is None else read_audit_file(audit_file).load()[1]
    provided = host.provided
    found = [thing for thing in provided if thing.id.casefold() == name.casefold()]
    if not found:
        near = get_close_matches(name, [thing.id for thing in provided], n=1, cutoff=0.4)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        if audit_file is None and host.refused:
            hint += "; a plugin of others is shown with --audit and the audit file that allows it"
        raise PluginError(f"nothing is called '{name}'{hint}")
    with printing():
        click.echo("\n\n".join("\n".join(_explained(thing)) for thing in found))


def _found(audit_file: Path | None) -> Inventory:
    """Look at all plugins, for an audit file or for none."""
    from permaudit.inventory import inventory, used_by, with_uses

    if audit_file is None:
        return inventory()
    from permaudit.cli.loading import read_audit_file

    file = read_audit_file(audit_file)
    found = inventory(file.allow, file.limits)
    if found.problems:
        return found
    audit, host = file.load()
    return with_uses(found, used_by(audit, host.catalogue))


def _print_json(found: Inventory) -> None:
    """Print everything as JSON."""
    import json
    from dataclasses import asdict

    plain = {"schema": "permaudit/plugins/1", "api": API, **asdict(found)}
    click.echo(json.dumps(plain, indent=2))


def _list(found: Inventory) -> None:
    """Print a table of all that is provided, the foreign distributions with their hashes, and what was left alone."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from permaudit.cli.screen import Screen
    from permaudit.errors import shown

    console = Screen()
    offers = [(entry, offer) for entry in found.entries for offer in entry.provides]
    for kind in dict.fromkeys(offer.kind for _, offer in offers):
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=24)
        table.add_column(overflow="fold")
        for entry, offer in offers:
            if offer.kind == kind:
                used = "" if offer.used is None else "used, " if offer.used else "not used, "
                where = Text(f"{used}{shown(entry.distribution)} {shown(entry.version)}, {entry.module}", style="dim")
                table.add_row(offer.id, Text.assemble(offer.title, "\n", where))
        console.print(Text(f"{kind}s", style="bold"))
        console.print(Padding(table, (0, 0, 1, 2)))
    for entry in found.entries:
        if entry.state == "built-in":
            continue
        state = "not loaded" if entry.state == "refused" else "allowed"
        name = f"plugin '{shown(entry.plugin)}' of {shown(entry.distribution)} {shown(entry.version)}"
        digest = entry.sha256 or "unknown: its files cannot be found"
        console.print(f"{state}: {name}", soft_wrap=True)
        if entry.why:
            console.print(f"  {entry.why}", soft_wrap=True)
        console.print(f"  sha256 {digest}", soft_wrap=True)


def _explained(thing: Provided) -> list[str]:
    """Write what a card says as sentences."""
    from permaudit.cards import AnonymizerCard, MetricCard, ReaderCard, RuleCard

    card = thing.object.card
    lines = [f"{card.id}: {card.title}", f"{thing.noun} of {thing.plugin.origin} ({thing.plugin.module})", ""]
    if isinstance(card, MetricCard):
        low, high = card.bounds
        lines += [
            card.summary,
            "",
            f"measures      {card.measures}; {card.direction}",
            f"{low:<13g} {card.low}",
            f"{high:<13g} {card.high}",
            f"needs         {_needs(card)}",
            f"does not see  {card.blind_spots}",
            f"defined in    {card.reference}",
        ]
    elif isinstance(card, AnonymizerCard):
        linkage = "record i of the release comes from record i" if card.linked else "records are not linked"
        lines += [card.summary, "", f"makes         {card.kind} data; {linkage}", *_parameters(thing)]
        lines += [f"defined in    {card.reference}"]
    elif isinstance(card, RuleCard):
        lines += [card.why, "", f"always on     {'yes' if card.always_on else 'no'}", *_parameters(thing)]
    elif isinstance(card, ReaderCard):
        lines += [f"files         {', '.join(card.suffixes) or 'none'}", *_parameters(thing)]
    else:
        lines += [card.summary]
    return lines


def _needs(card: object) -> str:
    """Write what a metric needs."""
    from permaudit.cards import MetricCard

    assert isinstance(card, MetricCard)  # noqa: S101 - for the type checker
    count = card.needs.attributes
    parts = [f"{count} attribute{'s' * (count != 1)} or more"]
    if card.needs.linkage:
        parts.append("linked records (else it is advisory)")
    if card.needs.rows:
        parts.append("the records themselves")
    if card.needs.holdout:
        parts.append("a holdout")
    return ", ".join(parts)


def _parameters(thing: Provided) -> list[str]:
    """Write the parameters, one on a line."""
    fields = thing.object.parameters.model_fields
    return [
        f"{'parameter':<13} {name}: {field.description or 'no description'}{'' if field.is_required() else ' (optional)'}"
        for name, field in fields.items()
    ]
