"""The files and audits that permaudit's own engines are tested with, from the checkout that this folder is part of."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from permaudit import Shelf

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


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Open one shelf for all tests of a module: Spark begins and ends with it."""
    with Shelf(1 << 30, tmp_path_factory.mktemp("scratch")) as opened:
        yield opened
