"""A folder with the files that the audit files of the tests name."""

from __future__ import annotations

import pytest
import yaml

from permaudit.config import tree


@pytest.fixture
def folder(tmp_path):
    """Return a folder with an original and a release."""
    for name in ("income.csv", "release.csv"):
        (tmp_path / name).write_text("FICA,AGE\n1,2\n")
    return tmp_path


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def each_parser(request, monkeypatch):
    """Run the test with the parser in C and with the one in Python."""
    monkeypatch.setattr(tree, "_LOADER", getattr(yaml, request.param))
    return request.param
