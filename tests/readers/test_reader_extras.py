"""Readers whose library is not installed."""

from __future__ import annotations

import sys
import zipfile

import pytest

from permaudit import DataError
from permaudit.data.load import load
from permaudit.plan import QuerySource
from permaudit_plugins.readers.sql import SqlOptions


@pytest.mark.parametrize(
    ("suffix", "needs"),
    [
        (".sav", "pyreadstat: pip install 'permaudit[stat]'"),
        (".por", "pyreadstat: pip install 'permaudit[stat]'"),
        (".dta", "pyreadstat: pip install 'permaudit[stat]'"),
        (".sas7bdat", "pyreadstat: pip install 'permaudit[stat]'"),
        (".duckdb", "duckdb: pip install 'permaudit[duckdb]'"),
        (".xlsx", "openpyxl: pip install 'permaudit[excel]'"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(put, refused, monkeypatch, suffix, needs):
    library = needs.partition(":")[0]
    for module in [library, *(name for name in sys.modules if name.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "permaudit_plugins.readers._sheet", raising=False)
    options = {"table": "t"} if suffix == ".duckdb" else {}
    path = put(f"a{suffix}", "x")
    if suffix == ".xlsx":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("x", "x")
    assert refused(path, **options) == f"reading {suffix} files needs {needs}"


def test_a_missing_sqlalchemy_is_named_with_its_extra(readers, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    options = SqlOptions.model_validate({"url-env": "X", "table": "t"})
    with pytest.raises(DataError, match=r"needs sqlalchemy: pip install 'permaudit\[sql\]'"):
        load(QuerySource(format="sql", options=options, shown="people"), ["a"], readers)
