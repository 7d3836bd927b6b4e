"""Rows 44 to 56: files of the wrong size or shape."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from pyarrow import DictionaryArray, parquet, table

import permaudit as pa
from permaudit.data import memory
from permaudit.plugins import load_plugins
from permaudit.report import to_json

from .conftest import SYNTHETIC


def independent(records: int, attributes: int, seed: int = 0) -> pd.DataFrame:
    """Return numbers that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(records, attributes)), columns=[f"A{number}" for number in range(attributes)])


# --------------------------------------------------------------------------- records


def test_row_44_a_linked_release_of_another_size_is_refused(audit_of, run, people, masked):
    ran = run(audit_of(people, masked.iloc[:-1]))
    ran.refused("masked.csv: has 199 records and original.csv has 200: linkage by row needs as many", "linkage: {key:")


def test_row_44_with_a_key_the_suppressed_records_are_accounted_for(audit_of, run, people, masked):
    original, release = (frame.assign(ID=range(len(frame))) for frame in (people, masked))
    audit = audit_of(
        original,
        release.drop(index=range(5)).sample(frac=1, random_state=1),
        attributes=dict.fromkeys(people.columns, "numeric"),
        candidates={"noisy": {"path": "masked.csv", "kind": "masked", "linkage": {"key": "ID"}}},
        not_audited={"ID": "a number without meaning"},
    )
    ran = run(audit)
    assert ran.code == 3  # the key is still in the release
    records = ran.candidate["records"]
    assert (records["compared"], records["suppressed"], records["added"]) == (195, 5, 0)
    whole = run(audit_of(people.iloc[5:], masked.iloc[5:]))
    assert ran.numbers == whole.numbers


KEPT = np.random.default_rng(4).permutation(200)[:120]
"""Which records of 200 are released, in this order."""
IDS = np.array([f"p{number}" for number in range(1000, 1200)])
MAPS = {
    "by key": ({"key": "ID"}, {"ID": IDS[KEPT]}, ""),
    "by two columns": ({"key": ["ID", "WAVE"]}, {"ID": IDS[KEPT], "WAVE": "1"}, ""),
    "by the number of the record": ({}, {"record": KEPT + 1}, ""),
    "with a record too few": ({"key": "ID"}, {"ID": IDS[KEPT[1:]]}, "map.csv: has 119 records and masked.csv has 120"),
    "with a missing key": ({"key": "ID"}, {"ID": ["", *IDS[KEPT[1:]]]}, "map.csv: key column 'ID' has 1 missing value"),
    "with a key twice": (
        {"key": "ID"},
        {"ID": [IDS[KEPT[1]], *IDS[KEPT[1:]]]},
        "map.csv: 1 record repeats the key ID of an earlier one (first in record 2)",
    ),
    "with other keys": ({"key": "ID"}, {"ID": KEPT}, "map.csv: no record has a key ID of original.csv"),
    "without the column": ({"key": "ID"}, {"record": KEPT + 1}, "map.csv: has no column 'ID'"),
    "changed": ({"map": {"path": "map.csv", "sha256": "0" * 64}}, {"record": KEPT + 1}, "map.csv: has sha256 "),
}


@pytest.mark.parametrize(("linkage", "held", "message"), MAPS.values(), ids=MAPS)
def test_row_44_with_a_map_a_sample_can_be_released(write_audit, run, people, noisy, linkage, held, message):  # noqa: PLR0913, PLR0917 - what is varied
    original = people.assign(ID=IDS, WAVE=1)
    files = {"original.csv": original, "masked.csv": noisy(people, factor=1).iloc[KEPT], "map.csv": pd.DataFrame(held)}
    candidate = {"path": "masked.csv", "kind": "masked", "linkage": {"map": "map.csv", **linkage}}
    ran = run(write_audit(files=files, candidates={"noisy": candidate}, identifiers=["ID"]))
    if message:
        ran.refused(message)
        return
    assert ran.code == 0, ran.out
    records = ran.candidate["records"]
    assert (records["released"], records["compared"], records["suppressed"], records["added"]) == (120, 120, 80, 0)
    assert "80 original records were suppressed" in ran.rule("records-accounted")["message"]
    assert "map.csv" in [file["path"] for file in ran.result["provenance"]["inputs"]]


def test_row_44_a_record_that_the_map_gives_to_nobody_blocks(write_audit, run, people, noisy):
    held = pd.DataFrame({"record": [*(KEPT[1:] + 1), 201]})
    files = {"original.csv": people, "masked.csv": noisy(people).iloc[[*KEPT[1:], 0]], "map.csv": held}
    candidate = {"path": "masked.csv", "kind": "masked", "linkage": {"map": "map.csv"}}
    finding = run(write_audit(files=files, candidates={"noisy": candidate})).blocked("records-accounted")
    assert finding["message"] == "1 released records have no original one"


@pytest.mark.parametrize(
    ("taken", "larger"), [(slice(150), "the original"), (slice(None), "the release")], ids=["fewer", "more"]
)
def test_row_45_a_synthetic_release_of_another_size_is_drawn_and_says_so(audit_of, run, people, others, taken, larger):  # noqa: PLR0913, PLR0917 - what is varied
    release = others.iloc[taken] if larger == "the original" else pd.concat([others, others + 1])
    audit = audit_of(people, release, **SYNTHETIC)
    first, again = run(audit), run(audit)
    assert first.code == 0
    assert f"{larger} was drawn down at random to {min(len(people), len(release))} records, 5 times" in first.warnings
    metric = first.candidate["metrics"]["CM3"]
    assert len(metric["replicates"]) == 5
    assert metric["std"] > 0
    assert first.numbers == again.numbers
    assert first.numbers != run(audit, "--seed", 2).numbers


def test_row_46_the_order_of_the_columns_does_not_matter(audit_of, run, people, masked):
    plain = run(audit_of(people, masked))
    turned = run(audit_of(people, masked[masked.columns[::-1]]))
    assert plain.code == turned.code == 0
    assert plain.numbers == turned.numbers


def test_row_47_a_released_column_that_nobody_looked_at_blocks(audit_of, run, people, masked):
    audit = audit_of(people, masked.assign(SECRET=people["FICA"]))
    assert run(audit).blocked("no-unaudited-columns")["evidence"] == {"columns": ["SECRET"]}


@pytest.mark.parametrize("records", [0, 1, 2])
def test_row_48_no_one_or_two_records_are_refused(audit_of, run, people, masked, records):
    run(audit_of(people.iloc[:records], masked.iloc[:records])).refused(".csv: ")


@pytest.mark.parametrize("attributes", [1, 3, 10])
def test_row_49_too_few_records_for_so_many_attributes_are_refused(audit_of, run, attributes):
    size = 2 * attributes + 1
    ran = run(audit_of(independent(size, attributes), independent(size, attributes, 1)))
    ran.refused(f"{size} records are too few to compare {attributes} attribute", f"needed are {size + 1}")


@pytest.mark.parametrize(("records", "attributes"), [(8, 3), (60, 6), (100, 10)])
def test_row_50_few_records_are_audited_with_a_warning_and_the_null_level(audit_of, run, records, attributes):
    ran = run(audit_of(independent(records, attributes), independent(records, attributes, 1)))
    expected = np.prod([(records - attributes - i) / (records - i) for i in range(1, attributes + 1)])
    metric = ran.candidate["metrics"]["CM2"]
    assert metric["null"] == pytest.approx(expected)
    assert metric["calibrated"] == pytest.approx(min(1, metric["value"] / expected))
    assert f"{records} records are few for {attributes} attributes" in ran.warnings
    assert f"would leave {expected:.2f} where 1 stands" in ran.warnings


def test_row_50_with_enough_records_there_is_no_warning(audit_of, run, people, masked):
    assert run(audit_of(people, masked)).warnings == ""


# --------------------------------------------------------------------------- attributes


def test_row_51_one_attribute_has_cm1_and_cm2_and_a_person_must_decide_on_the_rest(audit_of, run, people, masked):
    ran = run(audit_of(people[["FICA"]], masked[["FICA"]]))
    assert ran.code == 3
    assert ran.numbers["CM1"] == pytest.approx(ran.numbers["CM2"], abs=1e-12)
    metric = ran.candidate["metrics"]["CM3"]
    assert (metric["status"], metric["value"]) == ("not-applicable", None)
    assert metric["reason"] == "needs at least 2 attributes that vary; there is 1"
    assert ran.numbers["UM"] == 1
    assert ran.details("UM")["informative"] is False


def test_row_52_two_attributes_are_enough_for_everything(audit_of, run, people, masked):
    ran = run(audit_of(people[["FICA", "INTVAL"]], masked[["FICA", "INTVAL"]]))
    assert ran.code == 0
    assert {metric["status"] for metric in ran.candidate["metrics"].values()} == {"ok"}
    assert set(ran.details("CM3")["by_key"]) == {"FICA", "INTVAL"}


@pytest.mark.parametrize("free", [16 << 30, 300 << 30], ids=["a small machine", "a large machine"])
def test_row_53_two_thousand_attributes_are_refused_before_anything_is_read(audit_of, run, monkeypatch, free):
    monkeypatch.setattr(memory, "available_memory", lambda: free)
    wide = independent(3, 2000)
    ran = run(audit_of(wide, wide))
    ran.refused(
        "original.csv: 2,000 audited attributes need at least 357.6 GiB of memory", f"{free >> 30}.0 GiB are free"
    )


def test_row_53_sixty_attributes_are_handled(audit_of, run):
    ran = run(audit_of(independent(400, 60), independent(400, 60, 1)))
    assert ran.code in {0, 1}
    assert len(ran.candidate["attributes"]) == 60


IN_MEMORY = ("--engine", "memory")
"""Left to itself, an audit that does not fit into memory goes to the disk."""


@pytest.fixture
def free(monkeypatch):
    """Return a function that sets how much memory there is."""
    return lambda size: monkeypatch.setattr(memory, "available_memory", lambda: size)


@pytest.fixture
def unread(monkeypatch):
    """Return a function that makes a test fail where a reader reads records."""

    def forbid(reader):
        for way in {"read", "pieces"} & set(dir(reader)):
            monkeypatch.setattr(type(reader), way, lambda *_: pytest.fail("records were read"))

    return forbid


@pytest.fixture(scope="module")
def readers():
    return load_plugins([]).catalogue.readers


def test_row_54_a_file_that_is_far_too_large_is_refused_at_once(write_audit, run, people, free):
    """The file has no blocks on the disk but its first ones: whoever read it whole would take minutes."""
    free(16 << 30)
    audit = write_audit()
    path = audit.parent / "original.csv"
    repeated = pd.concat([people] * 1000).to_csv(index=False).encode()
    with path.open("wb") as stream:
        stream.write(repeated)
        stream.truncate(60 << 30)
    ran = run(audit, *IN_MEMORY)
    ran.refused("original.csv: ", "records of 3 audited attributes are too many", "GiB of memory", "a random sample")


def test_row_54_a_file_over_the_limit_is_refused_before_it_is_hashed(write_audit, run):
    audit = write_audit()
    with (audit.parent / "masked.csv").open("wb") as stream:
        stream.write(b"FICA,FEDTAX,INTVAL\n")
        stream.truncate(1 << 43)
    run(audit, *IN_MEMORY).refused("masked.csv: has 8796093022208 bytes; at most 68719476736 are read")


def test_row_54_fifty_million_records_of_few_bytes_are_refused_by_an_estimate(audit_of, run, free, unread, readers):
    """What is the same all over packs to next to nothing, in honest files too."""
    free(1 << 30)
    unread(readers["parquet"])
    small = independent(200, 1)
    audit = audit_of(small, small, original="original.parquet")
    part = table({"A0": DictionaryArray.from_arrays(np.zeros(10**6, np.int32), [1.5])})
    with parquet.ParquetWriter(audit.parent / "original.parquet", part.schema) as writer:
        for _ in range(50):
            writer.write_table(part)
    assert (audit.parent / "original.parquet").stat().st_size < 10**6
    ran = run(audit, *IN_MEMORY)
    ran.refused(
        "original.parquet: 50,000,000 records of 1 audited attribute are too many", "at least 1.1 GiB", "1.0 GiB"
    )


def test_row_54_a_packed_file_is_refused_while_it_is_counted(audit_of, run, people, free, unread, readers):  # noqa: PLR0913, PLR0917 - what is varied
    free(100 << 20)
    unread(readers["csv"])
    audit = audit_of(people, people, original="original.csv.gz")
    header = ",".join(people.columns).encode() + b"\n"
    packed = gzip.compress(header + b"1,2,3\n" * 10**6, 1)
    (audit.parent / "original.csv.gz").write_bytes(packed + gzip.compress(b"4,5,6\n" * 10**6, 1))
    assert (audit.parent / "original.csv.gz").stat().st_size < 200_000
    run(audit, *IN_MEMORY).refused("original.csv.gz: ", "records of 3 audited attributes are too many")


def write_sqlite(frame, path):
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql("people", database, index=False)


BINARY = {
    "parquet": pd.DataFrame.to_parquet,
    "feather": pd.DataFrame.to_feather,
    "sqlite": write_sqlite,
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "sav": pyreadstat.write_sav,
    "dta": pyreadstat.write_dta,
}


@pytest.mark.parametrize("suffix", ["csv", *BINARY])
def test_row_54_no_record_of_a_file_that_does_not_fit_is_read(  # noqa: PLR0913, PLR0917 - what is varied
    audit_of, run, people, masked, free, unread, readers, suffix
):
    """The machine is made so small that two hundred records are to it what fifty million are to a real one."""
    free(20_000)
    source = {"path": f"original.{suffix}"}
    if suffix == "sqlite":
        source |= {"format": "sqlite", "options": {"table": "people"}}
    audit = audit_of(pd.concat([people, people]), masked, original=source)
    if suffix in BINARY:
        BINARY[suffix](pd.concat([people, people], ignore_index=True), audit.parent / f"original.{suffix}")
    unread(next(reader for reader in readers.values() if f".{suffix}" in reader.card.suffixes))
    run(audit, *IN_MEMORY).refused(
        f"original.{suffix}: 40",
        "records of 3 audited attributes are too many: the audit needs at least",
        "KiB of memory, and 19.5 KiB are free",
    )


def test_row_54_what_cannot_be_told_before_is_refused_before_the_next_file_is_read(  # noqa: PLR0913, PLR0917 - what is varied
    audit_of, run, people, masked, free, unread, readers
):
    """A transport file of SAS does not say how many records it has."""
    free(10_000)
    audit = audit_of(
        people, masked, original="original.xpt", candidates={"x": {"path": "masked.parquet", "kind": "masked"}}
    )
    pyreadstat.write_xport(people, audit.parent / "original.xpt")
    masked.iloc[:20].to_parquet(audit.parent / "masked.parquet")
    unread(readers["parquet"])
    run(audit, *IN_MEMORY).refused("original.xpt: 200 records of 3 audited attributes are too many")


def test_row_54_the_same_file_for_two_candidates_is_counted_twice(audit_of, run, people, masked, free):
    audit = audit_of(people, masked, candidates={name: {"path": "masked.csv", "kind": "masked"} for name in "abc"})
    free(35_000)
    run(audit, *IN_MEMORY).refused("records of 3 audited attributes are too many")
    assert run(audit_of(people, masked), *IN_MEMORY).code == 0


def test_row_54_a_holdout_is_counted_too(audit_of, run, people, masked, free):
    audit = audit_of(people, masked, holdout="others.csv")
    pd.concat([people] * 10).to_csv(audit.parent / "others.csv", index=False)
    free(50_000)
    run(audit, *IN_MEMORY).refused("others.csv: 2,", "records of 3 audited attributes are too many")


def test_row_54_a_container_has_no_more_memory_than_its_limit(tmp_path, monkeypatch):
    (tmp_path / "meminfo").write_text("MemTotal:  2000 kB\nMemAvailable:    1000 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_LIMIT", tmp_path / "memory.max")
    assert memory.available_memory() == 1_024_000
    for text, expected in (("max\n", 1_024_000), ("5000\n", 5000)):
        (tmp_path / "memory.max").write_text(text)
        assert memory.available_memory() == expected
    (tmp_path / "meminfo").unlink()
    (tmp_path / "memory.max").unlink()
    assert memory.available_memory() > 1 << 50


# --------------------------------------------------------------------------- rows that do not correspond


def test_row_55_a_linked_release_in_another_order_needs_a_person(audit_of, run, people, noisy):
    release = noisy(people, factor=0.3).sample(frac=1, random_state=4)
    ran = run(audit_of(people, release))
    assert ran.code == 3
    assert ran.numbers["CM3"] < ran.numbers["CM2"]
    finding = ran.rule("declared-linkage")
    assert finding["outcome"] == "review"
    assert "no row goes with its original, while the structure of the data is kept" in finding["message"]


def test_row_55_a_linked_release_that_is_called_unlinked_blocks(audit_of, run, people, noisy):
    ran = run(audit_of(people, noisy(people, factor=0.3), **SYNTHETIC))
    assert "row i of the release goes with row i" in ran.blocked("declared-linkage")["message"]


def test_row_56_the_index_of_a_data_frame_pairs_nothing(people, masked):
    """An index has no place in a file: this row is about the Python call."""
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    turned = masked.set_index(masked.index[::-1])
    by_text = masked.set_index(pd.Index([f"r{number}" for number in range(len(masked))]))
    outcomes = [pa.audit(people, frame, kind="masked", rules=rules) for frame in (masked, turned, by_text)]
    results = [json.loads(to_json(outcome))["candidates"][0]["metrics"] for outcome in outcomes]
    assert results[0] == results[1] == results[2]


def test_row_56_a_written_index_is_a_column_that_nobody_looked_at(audit_of, run, people, masked):
    audit = audit_of(people, masked)
    masked.to_csv(audit.parent / "masked.csv", index=True, index_label="index")
    assert run(audit).blocked("no-unaudited-columns")["evidence"] == {"columns": ["index"]}
    masked.to_csv(audit.parent / "masked.csv", index=True)
    run(audit).refused("masked.csv:1: ")
