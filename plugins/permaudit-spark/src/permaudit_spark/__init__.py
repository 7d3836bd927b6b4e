"""An engine on Apache Spark, for files that outgrow a machine.

Data flow: `ranks` sends every column through a sort in ranges and puts the ranks together again in blocks of records; `pairs`
sums products of these blocks; `bykey` sends the records of both files to the places where a key puts them. What goes over the
network are arrays, a few for each task, and what comes back to the driver are sums.
"""

from __future__ import annotations

import os

from permaudit import PermauditError, hookimpl
from permaudit_spark.engine import SparkEngine
from permaudit_spark.layout import CELLS

permaudit_api = 1

_CELLS = "PERMAUDIT_SPARK_CELLS"
"""The environment variable that says how many numbers a task holds of a file at a time."""


@hookimpl
def permaudit_engines() -> list[SparkEngine]:
    """Provide the engine."""
    wanted = os.environ.get(_CELLS, str(CELLS))
    if not (wanted.isascii() and wanted.isdecimal() and int(wanted)):
        raise PermauditError(f"{_CELLS} is not a number of cells")
    return [SparkEngine(int(wanted))]
