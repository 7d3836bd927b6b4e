"""What comes with permaudit keeps the contract that everybody else must keep."""

from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pyreadstat
import pytest

import permaudit
from permaudit.plan import Attribute
from permaudit.plugins import load_plugins
from permaudit.testing import (
    check_anonymizer,
    check_engine,
    check_metric,
    check_reader,
    check_rule,
    check_templates,
    original_of,
)

CATALOGUE = load_plugins().catalogue
PARAMS = {
    "additive-noise": {"alpha": 0.3},
    "laplace": {"epsilon": 1.0},
    "mdav": {"k": 3},
    "mondrian": {"k": 3},
    "multiplicative-noise": {"beta": 0.3},
    "pram": {"p": 0.3},
    "rank-swap": {"p": 20},
    "sample-records": {"records": 50},
    "top-bottom-coding": {"top": 0.1},
}
RULES = {
    "at-least-one-of": {"of": [{"metric": "CM1", "min": 0.05}, {"metric": "CM2", "min": 0.05}]},
    "attributes-in-scope": {"attributes": ["FICA"]},
    "distance-to-null": {"metric": "CM2", "min": 0.5},
    "not-below": {"baseline": "earlier/audit.json"},
    "threshold": {"metric": "CM2", "min": 0.05},
}
CELLS = {"CODE": ["007", "0815", "4711"], "AGE": [31, 64, 27], "SHARE": [0.25, 0.5, 1.5]}
AS_TEXT = {name: list(map(str, values)) for name, values in CELLS.items()}


@pytest.fixture(scope="module")
def earlier():
    """The result of an audit that `not-below` compares with."""
    people = pd.DataFrame(original_of().table.to_pydict())
    noisy = people + np.random.default_rng(1).normal(0, 2 * people.std().to_numpy(), people.shape)
    return permaudit.audit(people, noisy, kind="masked", rules=[{"rule": "threshold", "metric": "CM2", "min": 0.05}])


def categories():
    """Categories for what works on nothing else."""
    column = {"JOB": ["smith", "baker", "clerk", "clerk"] * 30}
    return original_of(column, attributes={"JOB": Attribute(name="JOB", type="nominal")})


@pytest.mark.parametrize("name", CATALOGUE.metrics)
def test_every_metric_keeps_the_contract(name):
    check_metric(CATALOGUE.metrics[name])


@pytest.mark.parametrize("name", CATALOGUE.anonymizers)
def test_every_anonymizer_keeps_the_contract(name):
    check_anonymizer(CATALOGUE.anonymizers[name], PARAMS.get(name), original=categories() if name == "pram" else None)


@pytest.mark.parametrize("name", CATALOGUE.rules)
def test_every_rule_keeps_the_contract(name, earlier):
    check_rule(CATALOGUE.rules[name], RULES.get(name), earlier={"earlier/audit.json": earlier})


@pytest.mark.parametrize("name", CATALOGUE.engines)
def test_every_engine_keeps_the_contract(name):
    check_engine(CATALOGUE.engines[name])


@pytest.mark.parametrize("name", CATALOGUE.templates)
def test_every_template_set_keeps_the_contract(name):
    check_templates(CATALOGUE.templates[name])


# --------------------------------------------------------------------------- readers


def sqlite_file(path):
    with sqlite3.connect(path) as database:
        pd.DataFrame(CELLS).to_sql("people", database, index=False)
    database.close()


def duckdb_file(path):
    with duckdb.connect(str(path)) as database:
        frame = pd.DataFrame(CELLS)
        database.register("frame", frame)
        database.execute("create table people as select * from frame")


def fixed_width_file(path):
    lines = ["".join(f"{cell:>6}" for cell in record) for record in zip(*AS_TEXT.values(), strict=True)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


LAYOUT = {"layout": {name: [1 + 6 * place, 6] for place, name in enumerate(CELLS)}}
FILES = {
    "csv": (".csv", lambda path: pd.DataFrame(CELLS).to_csv(path, index=False), None, AS_TEXT),
    "parquet": (".parquet", lambda path: pd.DataFrame(CELLS).to_parquet(path), None, CELLS),
    "feather": (".feather", lambda path: pd.DataFrame(CELLS).to_feather(path), None, CELLS),
    "excel": (".xlsx", lambda path: pd.DataFrame(CELLS).to_excel(path, index=False), None, None),
    "spss": (".sav", lambda path: pyreadstat.write_sav(pd.DataFrame(CELLS), str(path)), None, CELLS),
    "stata": (".dta", lambda path: pyreadstat.write_dta(pd.DataFrame(CELLS), str(path)), None, CELLS),
    "sas": (".xpt", lambda path: pyreadstat.write_xport(pd.DataFrame(CELLS), str(path)), None, CELLS),
    "fixed-width": (".fwf", fixed_width_file, LAYOUT, AS_TEXT),
    "sqlite": (".sqlite", sqlite_file, {"table": "people"}, None),
    "duckdb": (".duckdb", duckdb_file, {"table": "people"}, None),
}


@pytest.mark.parametrize("name", FILES)
def test_every_reader_of_files_keeps_the_contract(name, tmp_path):
    suffix, write, options, expected = FILES[name]
    path = tmp_path / f"people{suffix}"
    write(path)
    check_reader(CATALOGUE.readers[name], path, options, expected=expected)


def test_the_reader_of_databases_keeps_the_contract(tmp_path, monkeypatch):
    sqlite_file(tmp_path / "people.sqlite")
    monkeypatch.setenv("PEOPLE_DB", f"sqlite:///{tmp_path / 'people.sqlite'}")
    check_reader(CATALOGUE.readers["sql"], None, {"url-env": "PEOPLE_DB", "table": "people"})


def test_no_reader_is_left_out():
    assert {*FILES, "sql"} == set(CATALOGUE.readers)
