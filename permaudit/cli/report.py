"""`permaudit report`: the report again, from the result alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permaudit.cli.allowing import distributions_in
from permaudit.cli.run import formats_in

if TYPE_CHECKING:
    from permaudit.allowed import Allowed
    from permaudit.outcome import Outcome

_USUAL = ("html", "pdf")
_RESULT = "audit.json"
_OWN_TEMPLATES = "permaudit_templates"
"""All that a report needs of permaudit's own plugins: nothing is computed again."""


@click.command(short_help="Make the report of a result again, without the data.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--format", "formats", callback=formats_in, show_default="html,pdf", help="Outputs: html, pdf, md, junit, sarif."
)
@click.option("--audience", type=click.Choice(["internal", "external"]), help="For whom; external needs --out.")
@click.option("--language", help="The language of the report's own words; needs --out.")
@click.option("--template", help="The template set; needs --out.")
@click.option(
    "--allow", multiple=True, callback=distributions_in, help="A distribution with templates, such as acme>=2."
)
@click.option("--out", type=click.Path(path_type=Path), help="Another directory, for a result of its own.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only; the exit code tells the verdict.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: click.Context,
    directory: Path,
    formats: tuple[str, ...],
    audience: str | None,
    language: str | None,
    template: str | None,
    allow: tuple[Allowed, ...],
    out: Path | None,
    *,
    quiet: bool,
) -> int:
    """Make the report of the result in DIRECTORY again, from its audit.json; the data are not needed.

    The report is put beside the result. For other readers, in another language or with other templates it becomes a result
    of its own, in the directory that --out names. Exits as `permaudit run` does.
    """
    from permaudit.cli.supervised import supervised

    changes = {"audience": audience, "language": language, "template": template}
    order = _Order(directory, out, formats, {name: given for name, given in changes.items() if given}, quiet=quiet)
    return supervised(lambda: _report(order, allow)) if allow and context.obj else _report(order, allow)


@dataclass(frozen=True, slots=True)
class _Order:
    """What the command line asks for."""

    directory: Path
    out: Path | None
    formats: tuple[str, ...]
    changes: dict[str, str]
    quiet: bool


def _report(order: _Order, allow: tuple[Allowed, ...]) -> int:
    """Read, render, write; return the exit code."""
    from permaudit.bundle import open_bundle
    from permaudit.cli.exits import OF_VERDICT, WRONG
    from permaudit.cli.output import rendered
    from permaudit.cli.printing import printing
    from permaudit.plugins import load_plugins
    from permaudit.report.about import about

    files = _untouched(order.directory)
    outcome, files = _asked_for(order, files)
    catalogue = load_plugins(allow, own=_OWN_TEMPLATES).catalogue
    formats = order.formats or _USUAL
    with open_bundle(order.out or order.directory) as bundle:
        made = rendered(outcome, formats, catalogue)
        bundle.write(files | made, about(outcome))
    if not order.quiet:
        with printing():
            click.echo(f"{outcome.verdict}; written: {', '.join(sorted(made))}")
    if "pdf" in order.formats and "report.pdf" not in made:
        return WRONG
    return OF_VERDICT[outcome.verdict]


def _untouched(directory: Path) -> dict[str, bytes]:
    """Return the files of a result; refuse one that somebody changed."""
    from hashlib import sha256

    from permaudit.bundle import manifest_files
    from permaudit.errors import OutputError, shown

    listed, where = manifest_files(directory), shown(str(directory), 200)
    if _RESULT not in listed:
        raise OutputError(f"{where} holds no result of permaudit")
    files = {}
    for name, digest in listed.items():
        try:
            content = (directory / name).read_bytes()
        except OSError as error:
            raise OutputError(f"{where}: {shown(name)} cannot be read: {error.strerror or 'unknown error'}") from error
        if sha256(content).hexdigest() != digest:
            raise OutputError(f"{where}: {shown(name)} was changed after the audit; `permaudit verify` tells more")
        files[name] = content
    return files


def _asked_for(order: _Order, files: dict[str, bytes]) -> tuple[Outcome, dict[str, bytes]]:
    """Return the outcome as it is to be shown, and the files that stay."""
    from permaudit.errors import OutputError
    from permaudit.report import from_json, to_json
    from permaudit.report.audience import for_audience

    inside = from_json(files[_RESULT])
    audience = order.changes.get("audience", inside.presentation.audience)
    if audience == "internal" and inside.presentation.audience == "external":
        raise OutputError("this result is for external readers: what was taken out of it cannot be put back")
    look = inside.presentation
    language, template = order.changes.get("language", look.language), order.changes.get("template", look.template)
    wanted = replace(inside, presentation=replace(look, language=language, template=template))
    wanted = for_audience(wanted, "external" if audience == "external" else "internal")
    elsewhere = order.out is not None and order.out.absolute() != order.directory.absolute()
    if elsewhere:
        return wanted, {}
    if wanted.presentation != inside.presentation:
        raise OutputError(
            "another audience, language or template set makes another result: name its directory with --out"
        )
    if to_json(inside) != files[_RESULT]:
        raise OutputError("this result was written by another version of permaudit: name another directory with --out")
    return wanted, files
