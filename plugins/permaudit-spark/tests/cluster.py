"""A real cluster on the loopback address: one master and two workers, each a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
HERE = "127.0.0.1"


@contextmanager
def cluster(folder):
    """Start the processes; give the address of the master, and the workers."""
    with socket.socket() as found:
        found.bind((HERE, 0))
        port = found.getsockname()[1]
    environment = dict(os.environ) | {
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": HERE,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
    }
    master = f"spark://{HERE}:{port}"
    processes = [started("master.Master", folder, environment, "--host", HERE, "--port", port, "--webui-port", 0)]
    try:
        answering(port)
        for number in range(2):
            room = ("--cores", 1, "--memory", "512m", "--work-dir", folder / f"work-{number}")
            processes.append(
                started("worker.Worker", folder, environment, "--host", HERE, "--webui-port", 0, *room, master)
            )
        yield master, processes[1:]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def started(what, folder, environment, *arguments):
    command = [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", *arguments]
    with (folder / f"{what}-{time.monotonic_ns()}.log").open("w") as log:
        return subprocess.Popen([*map(str, command)], env=environment, stdout=log, stderr=log)


def answering(port):
    """Wait until somebody answers."""
    for _ in range(600):
        try:
            socket.create_connection((HERE, port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the master does not answer")


def kill(process):
    """End a worker at once; its executor notices and ends itself."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
