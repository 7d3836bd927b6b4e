"""The group of commands and the boundary where every error becomes an exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from permaudit import __version__
from permaudit.cli.debuglog import DebugLog
from permaudit.cli.exits import BUG, INTERRUPTED, OF_VERDICT, WRONG
from permaudit.cli.interruption import end_when_interrupted
from permaudit.cli.printing import prepare_outputs, reader_gone
from permaudit.errors import PermauditError, PluginFailedError

_BETWEEN_COLLECTIONS = 300_000
"""So many objects are made before Python looks for those that only hold each other."""
_COMMANDS = (
    "run",
    "check",
    "init",
    "policy",
    "anonymize",
    "tune",
    "report",
    "verify",
    "compare",
    "demo",
    "doctor",
    "plugins",
    "schema",
)


class _LazyGroup(click.Group):
    """Commands that are imported when they are looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """List the commands in the order in which one meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"permaudit.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="permaudit")
def cli() -> None:
    """Audit anonymized and synthetic microdata before they are released.

    Only exit code 0 lets a release through: 0 release, 1 block, 3 review (a person must decide), 2 something is wrong with
    the command, the audit file or the data, 70 a bug in permaudit, 130 interrupted.
    """


def main(*, supervise: bool = True) -> NoReturn:
    """Run the command line and exit with the contract's code.

    Foreign plugins run in a supervised child process, unless the caller says that this one is nobody's gate.
    """
    end_when_interrupted()
    # What a run allocates are mostly modules and classes, which stay: to look through them again and again, as Python does by
    # default, takes a tenth of a short run.
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)  # what goes with the process need not be looked through once more, either
    prepare_outputs()
    # Pydantic would look through all distributions for plugins of its own, and import them: nobody listed these.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    with DebugLog() as log:
        code = _exit_code(log, supervise=supervise)
    sys.exit(code)


def _exit_code(log: DebugLog, *, supervise: bool) -> int:
    """Run the command; turn whatever it raises into a message and a code."""
    try:
        code = cli.main(prog_name="permaudit", standalone_mode=False, obj=supervise)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        error.show()
        return WRONG
    except PluginFailedError as error:
        click.echo(f"{error}; nothing may be released", err=True)
        return OF_VERDICT["block"]
    except PermauditError as error:
        click.echo(error, err=True)
        return WRONG
    except BaseException as error:
        if isinstance(error, SystemExit) and "_PERMAUDIT_COMPLETE" in os.environ:  # a shell asks for completions
            raise
        return _failed(error, log)
    finally:
        if log.path is not None:
            click.echo(f"debug log for the operator: {log.path}", err=True)


def _failed(error: BaseException, log: DebugLog) -> int:
    """Say what ended the command early; nobody but `main` may end the program, least of all with 0."""
    if isinstance(error, click.Abort):  # click's word for Ctrl-C and for the end of the input
        error = error.__cause__ or error
    if isinstance(error, click.Abort | KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    if isinstance(error, SystemExit) and error.code == 1 and reader_gone():  # click's word for a broken pipe
        click.echo("gave up: nobody reads the output", err=True)
        return WRONG
    log.keep(error)
    if isinstance(error, MemoryError | RecursionError):
        click.echo(f"gave up: {type(error).__name__}", err=True)
        return WRONG
    click.echo(
        f"this is a bug in permaudit ({type(error).__name__}); nothing was released. "
        "The details, which may quote data, are in the debug log named below",
        err=True,
    )
    return BUG
