"""A progress bar on standard error, where somebody sits in front of it."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.runner import Watch


@contextmanager
def progress(*, quiet: bool) -> Iterator[Watch | None]:
    """Show how far the run is; nothing when quiet or off a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from permaudit.cli.timeleft import TimeLeft
    from permaudit.errors import shown
    from permaudit.runner import READING

    left = TimeLeft()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, left=left)  # asked anew whenever the bar is drawn

        def watch(done: int, total: int, what: str) -> None:
            if what != READING:
                left.heard(done, total)
            bar.update(task, completed=done, total=total, description=shown(what, 40))

        yield watch
