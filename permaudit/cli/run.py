"""`permaudit run`: audit every candidate and write the result."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.cli.loading import AuditFile
    from permaudit.outcome import Audience

_USUAL = ("json", "md")
_LEAST_MEMORY = 512 << 20


def cores() -> int:
    """Return how many processors this process may use: a container may own fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def formats_in(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:  # noqa: ARG001
    """Split a comma-separated list of formats; none where nothing was said."""
    from permaudit.report.formats import VIEWS

    if value is None:
        return ()
    chosen = tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))
    unknown = [part for part in chosen if part not in VIEWS]
    if unknown:
        raise click.BadParameter(f"'{unknown[0]}' is not one of {', '.join(VIEWS)}")
    return chosen


def size_in(context: click.Context, option: click.Parameter, value: str | None) -> int | None:  # noqa: ARG001
    """Read a number of bytes, with or without a unit."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?", value.strip().upper())
    if found is None:
        raise click.BadParameter(f"'{value}' is no size; write 2GB, 512MiB or a number of bytes")
    size = int(float(found[1]) * (1024 if found[3] else 1000) ** " KMGT".index(found[2] or " "))
    if size < _LEAST_MEMORY:
        raise click.BadParameter(f"'{value}' is too little; permaudit alone needs {_LEAST_MEMORY >> 20} MiB")
    return size


@click.command(short_help="Audit all candidates and give a verdict.")
@click.argument("audit_file", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), default="permaudit-out", show_default=True, help="Output directory."
)
@click.option(
    "--format",
    "formats",
    callback=formats_in,
    show_default="those of the audit file, else json,md",
    help="Outputs: json (always there), md, html, pdf, junit, sarif, github.",
)
@click.option(
    "--audience",
    type=click.Choice(["internal", "external"]),
    show_default="that of the audit file, else internal",
    help="For whom; for external readers, the whole result is kept in a directory beside: OUT-internal.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Seed of what the audit draws, instead of the file's.")
@click.option("--engine", show_default="memory if the files fit, else disk", help="Which engine compares the files.")
@click.option(
    "--approx",
    is_flag=True,
    help="Let the engine approximate moments by key, if it can; the result says how far off they may be.",
)
@click.option("--memory", callback=size_in, metavar="SIZE", help="The most memory to use, such as 2GB or 512MiB.")
@click.option(
    "--scratch",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    show_default="the system's temporary files",
    help="Where columns lie for a while that do not fit into memory: as secret as the original.",
)
@click.option(
    "--study-seed",
    type=click.IntRange(0, 2**63 - 1),
    help="Make the anonymizers repeatable, for experiments: such candidates must never be released.",
)
@click.option("--jobs", type=click.IntRange(1), default=cores, show_default="all cores", help="Processes for sweeps.")
@click.option(
    "--no-cache", is_flag=True, help="Make every candidate anew, also those that an earlier run made the same way."
)
@click.option(
    "--policy", type=click.Path(path_type=Path), help="The policy that must be in force, whatever the audit file says."
)
@click.option("--root", type=click.Path(path_type=Path), help="Refuse every path outside this directory.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only; the exit code tells the verdict.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON instead of the verdict screen.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter for each option
    context: click.Context,
    audit_file: Path,
    out: Path,
    formats: tuple[str, ...],
    audience: Audience | None,
    seed: int | None,
    engine: str | None,
    memory: int | None,
    scratch: Path | None,
    study_seed: int | None,
    policy: Path | None,
    root: Path | None,
    jobs: int,
    *,
    approx: bool,
    no_cache: bool,
    quiet: bool,
    as_json: bool,
) -> int:
    """Audit the release candidates of AUDIT_FILE and give a verdict.

    Writes audit.json (and the other formats) to the output directory, shows the verdict, and exits with 0 for release,
    1 for block, 3 for review, 2 where nothing could be audited.
    """
    from permaudit.cli.loading import read_audit_file

    file = read_audit_file(audit_file, root, policy)
    options = Options(
        out,
        formats,
        audience,
        seed,
        engine,
        memory,
        scratch,
        study_seed,
        jobs,
        approx=approx,
        cached=not no_cache,
        quiet=quiet,
        as_json=as_json,
    )
    if file.allow and context.obj:
        from permaudit.cli.supervised import supervised

        return supervised(lambda: audit_and_show(file, options))
    return audit_and_show(file, options)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says of a run."""

    out: Path
    formats: tuple[str, ...]
    """Empty for those that the audit file asks for."""
    audience: Audience | None = None
    """None for the one that the audit file names."""
    seed: int | None = None
    engine: str | None = None
    """None for the one that fits."""
    memory: int | None = None
    scratch: Path | None = None
    study_seed: int | None = None
    jobs: int = 1
    approx: bool = False
    cached: bool = True
    quiet: bool = False
    as_json: bool = False
    forgiving: bool = False
    """Is a PDF that cannot be made here no failure?"""


def audit_and_show(file: AuditFile, options: Options) -> int:
    """Audit, write, show; return the exit code."""
    from functools import partial

    from permaudit.bundle import CACHE
    from permaudit.cache import Cache
    from permaudit.choice import Means
    from permaudit.cli.audiences import open_destination
    from permaudit.cli.exits import OF_VERDICT, WRONG
    from permaudit.cli.output import show_outcome
    from permaudit.cli.printing import printing
    from permaudit.cli.progress import progress
    from permaudit.cli.unheard import unheard
    from permaudit.config import with_seed
    from permaudit.runner import run_audit

    audit, host = file.load()
    if options.seed is not None:
        audit = with_seed(audit, options.seed)
    formats = options.formats or audit.report.formats or _USUAL
    audience = options.audience or audit.report.audience
    # To where standard error leads now: later on, what is said there is taken for a plugin's.
    announce = None if options.quiet else partial(click.echo, file=sys.stderr)
    with open_destination(options.out, audience) as destination:
        with progress(quiet=options.quiet) as watch, unheard(errors=watch is None):
            outcome = run_audit(
                audit,
                host,
                engine=options.engine,
                means=Means(options.memory, options.scratch),
                approx=options.approx,
                announce=announce,
                study_seed=options.study_seed,
                cache=Cache(destination.whole.directory / CACHE) if options.cached else None,
                workers=options.jobs,
                watch=watch,
            )
        outcome, files = destination.write(outcome, formats, host.catalogue)
    with printing():  # whoever stopped reading still gets the verdict's exit code
        if options.as_json:
            click.echo(files["audit.json"].decode(), nl=False)
        elif not options.quiet:
            show_outcome(outcome, options.out, files)
    if "pdf" in formats and "report.pdf" not in files and not options.forgiving:
        return WRONG
    return OF_VERDICT[outcome.verdict]
