"""`permaudit plugins`: what is installed, and what each thing is, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permaudit.cli.new_plugin import new

if TYPE_CHECKING:
    from permaudit.plugins import Host, Provided


@click.group(invoke_without_command=True, short_help="List what is installed, or explain one thing.")
@click.pass_context
def command(context: click.Context) -> None:
    """List every plugin: what it provides, its distribution and version, and where it is defined."""
    if context.invoked_subcommand is None:
        from permaudit.cli.printing import printing
        from permaudit.plugins import load_plugins

        host = load_plugins()
        with printing():
            _list(host)


command.add_command(new)


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Explain one metric, anonymizer, rule, reader or engine in plain words."""
    from difflib import get_close_matches

    from permaudit.cli.printing import printing
    from permaudit.errors import PluginError
    from permaudit.plugins import load_plugins

    provided = load_plugins().provided
    found = [thing for thing in provided if thing.id.casefold() == name.casefold()]
    if not found:
        near = get_close_matches(name, [thing.id for thing in provided], n=1, cutoff=0.4)
        raise PluginError(f"nothing is called '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    with printing():
        click.echo("\n\n".join("\n".join(_explained(thing)) for thing in found))


def _list(host: Host) -> None:
    """Print a table of all that is provided, and what was left alone."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from permaudit.cli.screen import Screen

    console = Screen()
    for noun in dict.fromkeys(thing.noun for thing in host.provided):
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=24)
        table.add_column(overflow="fold")
        for thing in host.provided:
            if thing.noun == noun:
                where = Text(f"{thing.plugin.origin}, {thing.plugin.module}", style="dim")
                table.add_row(thing.id, Text.assemble(thing.object.card.title, "\n", where))
        console.print(Text(f"{noun}s", style="bold"))
        console.print(Padding(table, (0, 0, 1, 2)))
    for plugin in host.refused:
        console.print(f"not loaded: {plugin}; list its distribution under plugins.allow in the audit file to use it")


def _explained(thing: Provided) -> list[str]:
    """Write what a card says as sentences."""
    from permaudit.model import AnonymizerCard, MetricCard, ReaderCard, RuleCard

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
        lines += [f"files         {', '.join(card.suffixes)}"]
    else:
        lines += [card.summary]
    return lines


def _needs(card: object) -> str:
    """Write what a metric needs."""
    from permaudit.model import MetricCard

    assert isinstance(card, MetricCard)  # noqa: S101 - for the type checker
    count = card.needs.attributes
    parts = [f"{count} attribute{'s' * (count != 1)} or more"]
    if card.needs.linkage:
        parts.append("linked records (else it is advisory)")
    if card.needs.rows:
        parts.append("the records themselves")
    return ", ".join(parts)


def _parameters(thing: Provided) -> list[str]:
    """Write the parameters, one on a line."""
    fields = thing.object.parameters.model_fields
    return [
        f"{'parameter':<13} {name}: {field.description or 'no description'}{'' if field.is_required() else ' (optional)'}"
        for name, field in fields.items()
    ]
