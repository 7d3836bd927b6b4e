"""Begin and end with Spark, and say in plain words what goes wrong with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permaudit import PermauditError, ScratchError, shown
from permaudit_spark.watch import watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext

    from permaudit import Shelf

MASTER = "PERMAUDIT_SPARK_MASTER"
"""The environment variable that names the cluster."""
PATIENCE = "PERMAUDIT_SPARK_PATIENCE"
"""The environment variable that says for how many seconds a cluster may be without any executor."""
_PATIENCE = 120.0
_ANSWER = 10.0
"""Seconds to wait for an answer."""
_LOOPBACK = "127.0.0.1"
_LOGGING = Path(__file__).with_name("log4j2.properties")
_FULL = ("No space left on device", "Disk quota exceeded", "File too large")
_MEANINGS = (
    (
        ("changed while it was read",),
        "a file changed while it was read; try again when nobody writes to it",
    ),
    (
        ("FileNotFoundError", "PermissionError", "a column is shorter"),
        "its workers cannot read the scratch directory or the files; name one that all of them see with --scratch, and let them see the files under the same path",
    ),
    (
        ("ModuleNotFoundError", "PYTHON_VERSION_MISMATCH"),
        "the Python of its workers is not the one of this audit; install the same packages there",
    ),
    (("OutOfMemoryError", "MemoryError"), "it ran out of memory; give its driver and executors more"),
    (
        (
            "ExecutorLostFailure",
            "was cancelled",
            "cancelled as part",
            "Master removed",
            "All masters are unresponsive",
            "SparkContext was shut down",
            "stopped SparkContext",
        ),
        "its workers were lost; nothing was audited, try again when they are back",
    ),
)

_ENDING = 2.0
"""Seconds that Java is given to be gone, where something went wrong."""
_JAVA_ENDED = "its Java ended (memory ran out, or somebody ended it); nothing was audited, try again"


def running(shelf: Shelf) -> SparkContext:
    """Return the Spark that works for a shelf: the one that somebody started already, or one that ends with the shelf."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - takes a second

    active = SparkContext._active_spark_context  # noqa: SLF001 - there is no other way to ask
    if active is not None:
        return active
    _refuse_without_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = os.environ.get(MASTER, "local[*]")
    _refuse_absent(master)
    wanted = SparkConf().setMaster(master).setAppName("permaudit")
    for name, value in _settings(master, shelf).items():
        wanted.set(name, value)
    shelf.at_end(_end)
    with _as_before(), told(shelf):
        context = SparkContext(conf=wanted)
    if not master.startswith("local"):
        watch(context, float(os.environ.get(PATIENCE, _PATIENCE)))
    return context


def _end() -> None:
    """End Spark and its Java, also one that has only begun: whoever writes on would put files back that were removed."""
    from pyspark import SparkContext  # noqa: PLC0415 - takes a second

    gateway = SparkContext._gateway  # noqa: SLF001 - as above
    with contextlib.suppress(Exception):  # Java may be gone already
        if SparkContext._active_spark_context is not None:  # noqa: SLF001
            SparkContext._active_spark_context.stop()  # noqa: SLF001
    if gateway is not None:
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - the next one gets another Java
        gateway.shutdown()
        gateway.proc.kill()
        gateway.proc.communicate()


@contextlib.contextmanager
def told(shelf: Shelf) -> Iterator[None]:
    """Raise what Spark raises as an error that the user can mend; its own texts may quote cells, and stay in the log."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - comes with Spark
    from pyspark.errors import PySparkException  # noqa: PLC0415 - takes a second

    try:
        yield
    except (Py4JError, PySparkException, ConnectionError) as error:
        if _was_interrupted(error):
            raise KeyboardInterrupt from error
        text = str(error)
        if any(word in text for word in _FULL):
            raise ScratchError.full(shelf.directory.parent) from error
        meaning = _JAVA_ENDED if _java_ended() else None
        meaning = meaning or next((said for words, said in _MEANINGS if any(word in text for word in words)), None)
        said = meaning or "the debug log has what it says"
        raise PermauditError(f"Spark could not finish: {said}") from error


def _was_interrupted(error: BaseException) -> bool:
    """Tell whether it came of an interruption, which its connection to Java may turn into an error of its own."""
    before: BaseException | None = error
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__cause__ or before.__context__
    return before is not None


def _java_ended() -> bool:
    """Tell whether the Java that was started here is gone."""
    from pyspark import SparkContext  # noqa: PLC0415 - takes a second

    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 - there is no other way to ask
    if process is None:
        return False
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING)  # its connections close a moment before
        return True
    return False


def _settings(master: str, shelf: Shelf) -> dict[str, str]:
    """Return what must hold: no page for anybody to look at, and nothing beyond this machine unless it is a cluster."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(shelf.directory),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    }
    if master.startswith("local") or f"//{_LOOPBACK}:" in master:
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        settings |= {"spark.driver.host": _LOOPBACK, "spark.driver.bindAddress": _LOOPBACK}
    return settings


def _refuse_without_java() -> None:
    """Raise where there is no Java."""
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java").exists() if home else shutil.which("java") is not None
    if not found:
        where = "JAVA_HOME points to none" if home else "none is on the PATH"
        raise PermauditError(
            f"the engine 'spark' needs Java 17 or newer, and {where}; install it, or take --engine disk"
        )


def _refuse_absent(master: str) -> None:
    """Raise where nobody answers; Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    for host, _, port in (address.rpartition(":") for address in master.removeprefix("spark://").split(",")):
        with contextlib.suppress(OSError, ValueError), socket.create_connection((host, int(port)), _ANSWER):
            return
    raise PermauditError(f"no Spark answers at '{shown(master)}', the address in {MASTER}")


@contextlib.contextmanager
def _as_before() -> Iterator[None]:
    """Let Spark begin without a word, and take back what it does to signals."""
    handler: Any = signal.getsignal(signal.SIGINT)
    errors = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings(action="ignore"):  # it has not met the pandas at hand, which is not used here
            yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        os.close(nowhere)
        with contextlib.suppress(ValueError):  # in another thread than the first nothing was done to it
            signal.signal(signal.SIGINT, handler)
