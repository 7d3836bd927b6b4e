"""Whole audits over files that are not plain CSV."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing

import pytest

CANARY = "c4n4ry"


def test_an_audit_reads_german_gzip_and_a_database_and_says_so(write_audit, permaudit, people, masked, tmp_path):
    audit = write_audit(
        original={"path": "original.tsv.gz", "format": "csv", "options": {"decimal": ",", "encoding": "utf-16"}},
        candidates={
            "noisy": {"path": "masked.db", "format": "sqlite", "options": {"table": "masked"}, "kind": "masked"}
        },
    )
    text = people.to_csv(index=False, sep="\t", decimal=",").encode("utf-16")
    (audit.parent / "original.tsv.gz").write_bytes(gzip.compress(text))
    with closing(sqlite3.connect(audit.parent / "masked.db")) as database:
        masked.to_sql("masked", database, index=False)
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    german = json.loads((tmp_path / "out" / "audit.json").read_text())
    plain = permaudit("run", write_audit(tmp_path / "plain"), "--out", tmp_path / "plain-out")
    assert plain.code == 0
    plain = json.loads((tmp_path / "plain-out" / "audit.json").read_text())
    values = [
        {name: metric["value"] for name, metric in result["candidates"][0]["metrics"].items()}
        for result in (german, plain)
    ]
    assert values[0] == values[1]


def test_a_table_behind_a_query_is_audited_and_hashed(write_audit, permaudit, people, monkeypatch, tmp_path):
    pytest.importorskip("sqlalchemy", reason="needs the extra 'sql'")
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        people.to_sql("people", database, index=False)
    monkeypatch.setenv("PEOPLE_URL", f"sqlite:///{tmp_path / 'people.db'}")
    audit = write_audit(original={"format": "sql", "options": {"url-env": "PEOPLE_URL", "table": "people"}})
    assert permaudit("check", audit).code == 0
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    text = (tmp_path / "out" / "audit.json").read_text()
    inputs = json.loads(text)["provenance"]["inputs"]
    assert all(len(entry["sha256"]) == 64 for entry in inputs)
    assert "people.db" not in text
    monkeypatch.delenv("PEOPLE_URL")
    refused = permaudit("run", audit, "--out", tmp_path / "other")
    assert refused.code == 2
    assert "the environment variable PEOPLE_URL is not set" in refused.err


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_file_that_cannot_be_read_ends_in_exit_code_2_without_a_cell(write_audit, permaudit, command):
    audit = write_audit()
    (audit.parent / "original.csv").write_bytes(f"FICA;FEDTAX;INTVAL\n{CANARY};2;3\n".encode())
    ran = permaudit(command, audit)
    assert ran.code == 2
    assert "original.csv:1: the header is one column; to have several, say delimiter: ';'" in ran.err
    assert CANARY not in ran.err + ran.out + ran.log


def test_a_damaged_file_leaves_no_cell_anywhere_not_even_in_the_log(write_audit, permaudit):
    audit = write_audit()
    with (audit.parent / "original.csv").open("a") as stream:
        stream.write(f'{CANARY},1,"2\n')
    ran = permaudit("run", audit)
    assert ran.code == 2
    assert "original.csv:202: a quotation mark is opened here and never closed" in ran.err
    assert CANARY not in ran.err + ran.out + ran.log


@pytest.mark.parametrize("cells", ["1,5", "1,234", "1.234,5"])
def test_a_decimal_comma_that_is_not_declared_is_refused_with_a_hint(write_audit, permaudit, people, cells):
    audit = write_audit()
    people.astype(object).assign(FICA=cells).to_csv(audit.parent / "original.csv", index=False)
    ran = permaudit("run", audit)
    assert ran.code == 2
    assert "column 'FICA' has 200 values that are not numbers (first in record 1); a comma stands in some" in ran.err
    assert cells not in ran.err + ran.out + ran.log
