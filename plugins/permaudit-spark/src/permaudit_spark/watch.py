"""Notice that a cluster has lost all its workers: Spark itself would wait for others for ever."""

from __future__ import annotations

import contextlib
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

_STEP = 1.0


def watch(context: SparkContext, patience: float) -> None:
    """Cancel all work whenever there was no executor for so many seconds, until Spark ends."""
    Thread(target=_watch, args=(context, patience), daemon=True).start()


def executors(context: SparkContext) -> int:
    """Count the executors; the driver is listed among them."""
    return len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1  # noqa: SLF001 - no other way to ask


def _watch(context: SparkContext, patience: float) -> None:
    """Look every second."""
    seen = monotonic()
    with contextlib.suppress(Exception):  # Spark has ended
        while context._jsc is not None:  # noqa: SLF001 - None once it has
            if executors(context):
                seen = monotonic()
            elif monotonic() - seen > patience:
                context.cancelAllJobs()
            sleep(_STEP)
