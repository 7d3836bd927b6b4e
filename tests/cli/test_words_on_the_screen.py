"""What the terminal shows can be told apart, and is not nothing where something is left."""

from __future__ import annotations

import pytest

from permaudit.report.words import number


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0.0000"),
        (3e-6, "<0.0001"),
        (0.00004, "<0.0001"),
        (0.00006, "0.0001"),
        (-2e-7, ">-0.0001"),
        (0.5, "0.5000"),
        (None, "-"),
    ],
)
def test_what_is_tiny_is_not_written_as_nothing(value, written):
    assert number(value) == written


def test_long_names_of_attributes_are_told_apart(write_audit, permaudit, people, masked, tmp_path):
    names = {name: f"household-income-{place}-that-goes-on-and-on-before-taxes" for place, name in enumerate(people)}
    files = {"original.csv": people.rename(columns=names), "masked.csv": masked.rename(columns=names)}
    audit = write_audit(attributes=dict.fromkeys(names.values(), "numeric"), files=files)
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    line = " ".join(ran.out.split()).split(" records, ")[1]
    shown = [word.rstrip(",") for word in line.split()[: len(names)]]
    assert all(word.startswith("househo") for word in shown)
    assert len(set(shown)) == len(names)


@pytest.mark.parametrize("name", ["people.csv", "people.tsv.gz", "people.parquet", "PEOPLE.XLSX"])
@pytest.mark.parametrize("command", ["check", "run"])
def test_microdata_in_the_place_of_an_audit_file_are_named_as_such(permaudit, tmp_path, command, name):
    path = tmp_path / name
    path.write_bytes(b"A,B\n1,2\n")
    ran = permaudit(command, path)
    assert ran.code == 2
    assert "looks like microdata by its name; an audit file was expected; `permaudit init" in ran.err
