"""The files and audits that permaudit's own engines are tested with, from the checkout that this folder is part of."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cluster import cluster

from permaudit import Shelf
from permaudit_spark.session import MASTER, PATIENCE, running
from permaudit_spark.watch import executors

CHECKOUT = Path(__file__).resolve().parents[3]


def _as_package(name, folder):
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


# Under a name of its own: the checkout on sys.path would hide the installed permaudit.
_as_package("engine_files", CHECKOUT / "tests" / "engines")


def pytest_collection_modifyitems(items):
    """Without Java there is no Spark to test."""
    if shutil.which("java") is None:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="no Java on the PATH"))


@dataclass(frozen=True)
class Spark:
    """A Spark that is running, for all tests: starting one takes longer than most of them."""

    shelf: Shelf
    """It begins and ends with it."""
    context: Any
    workers: list
    """The processes of the cluster's workers."""

    def wait_for(self, many):
        """Wait until there are so many executors."""
        for _ in range(1200):
            if executors(self.context) == many:
                return
            time.sleep(0.1)
        raise TimeoutError(f"there are {executors(self.context)} executors, not {many}")


@pytest.fixture(scope="session")
def spark(request, tmp_path_factory):
    """Start Spark once in this process, and once on a cluster of one master and two workers."""
    folder = tmp_path_factory.mktemp("scratch")
    if request.param == "local":
        with Shelf(1 << 30, folder) as shelf:
            yield Spark(shelf, _started(shelf, {MASTER: "local[2]"}), [])
        return
    # Whoever waits for the worker that has the data waits for three seconds.
    settings = "--conf spark.executor.memory=512m --conf spark.locality.wait=0s pyspark-shell"
    with cluster(folder) as (master, workers), Shelf(1 << 30, folder) as shelf:
        environment = {MASTER: master, PATIENCE: "10", "PYSPARK_SUBMIT_ARGS": settings}
        found = Spark(shelf, _started(shelf, environment), workers)
        found.wait_for(2)
        yield found


def _started(shelf, environment):
    """Start Spark; nobody else sees these settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        return running(shelf)


@pytest.fixture
def shelf(spark):
    """Give the shelf that Spark works for."""
    return spark.shelf


def pytest_generate_tests(metafunc):
    """Run on the local Spark whatever does not name where it wants to run."""
    named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "spark" in metafunc.fixturenames and "spark" not in named:
        metafunc.parametrize("spark", ["local"], indirect=True)
