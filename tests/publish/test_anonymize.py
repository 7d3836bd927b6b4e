"""`permaudit anonymize`: a release is written after the audit of exactly what was written, or not at all."""

from __future__ import annotations

import hashlib
import json
import resource

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

NOISE = {"anonymizer": "additive-noise", "params": {"alpha": 1}}
WEAK = {"anonymizer": "additive-noise", "params": {"alpha": 0.01}}
SYNTHETIC = [{"rule": "threshold", "metric": "CM3", "min": 0.05, "when": {"kind": "synthetic"}}]


@pytest.fixture
def wide(people):
    """Return people with a name, a public weight and a remark."""
    return people.assign(
        NAME=[f"person {number}" for number in range(len(people))],
        WEIGHT=[f"{number}.50" for number in range(100, 100 + len(people))],
        REMARK=[f'a "{number}", b' if number % 3 else "" for number in range(len(people))],
    )


@pytest.fixture
def release(write_audit, permaudit, tmp_path, wide):
    """Return a function that makes and writes a candidate."""

    def make(candidate, *options, target="release.csv", files=None, **content):
        files = {"original.csv": wide} | (files or {})
        own = {"candidates": {"c": candidate}, "identifiers": ["NAME"]} | content
        make.audit = write_audit(files=files, **own)
        make.target = tmp_path / target
        ran = permaudit("anonymize", make.audit, "c", "-o", make.target, "--out", tmp_path / "out", *options)
        path = tmp_path / "out" / "audit.json"
        make.result = json.loads(path.read_bytes()) if path.exists() else None
        return ran

    return make


def text(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def left_over(folder):
    """Return what lies in a folder besides what the fixtures put there."""
    return {path.name for path in folder.iterdir()} - {"audit", "logs", "out", "scratch"}


# --------------------------------------------------------------------------- what is written


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_file_that_was_audited_is_the_one_that_lies_there(release, people, tmp_path, suffix):
    ran = release(NOISE, target=f"release.{suffix}")
    digest = hashlib.sha256(release.target.read_bytes()).hexdigest()
    assert ran.code == 0
    [candidate] = release.result["candidates"]
    assert candidate["sha256"] == digest
    assert {"path": release.target.name, "sha256": digest} in release.result["provenance"]["inputs"]
    assert (candidate["anonymizer"], candidate["params"]) == ("additive-noise", {"alpha": 1.0})
    assert release.result["provenance"]["study"] is False
    assert ran.out.rstrip().endswith(f"release.{suffix}: written, sha256 {digest}")
    frame = pd.read_csv(release.target) if suffix == "csv" else parquet.read_table(release.target).to_pandas()
    assert list(frame.columns) == list(people.columns)
    assert len(frame) == len(people)
    assert not (frame == people).any(axis=None)
    assert release.target.stat().st_mode & 0o777 == 0o600
    assert left_over(tmp_path) == {f"release.{suffix}"}


def without_places(part):
    """Leave out where the rules stand: the audit files differ."""
    return [{**item, "place": None} for item in part] if isinstance(part, list) else part


def test_the_written_file_audited_as_a_file_gives_the_same_numbers(release, permaudit, write_audit, wide, tmp_path):
    for number, (made, kind) in enumerate([(NOISE, "masked"), ({"anonymizer": "ipso"}, "synthetic")]):
        release(made, "-q", target=f"{number}.csv", rules=SYNTHETIC)
        audit = write_audit(
            files={"original.csv": wide},
            identifiers=["NAME"],
            candidates={"c": {"path": str(release.target), "kind": kind}},
            rules=SYNTHETIC,
        )
        permaudit("run", audit, "--out", tmp_path / "again")
        [again] = json.loads((tmp_path / "again" / "audit.json").read_bytes())["candidates"]
        [first] = release.result["candidates"]
        for key in ("metrics", "sha256", "records", "rules", "verdict", "kind", "linkage"):
            assert without_places(again[key]) == without_places(first[key])


def test_columns_that_are_not_audited_pass_through_unchanged_and_identifiers_do_not(release, wide):
    release(NOISE, **{"not-audited": {"WEIGHT": "design weight", "REMARK": "nothing personal"}})
    made = text(release.target)
    assert list(made.columns) == ["FICA", "FEDTAX", "INTVAL", "WEIGHT", "REMARK"]
    assert list(made["WEIGHT"]) == list(wide["WEIGHT"])
    assert list(made["REMARK"]) == list(wide["REMARK"])
    [candidate] = release.result["candidates"]
    assert "released unchanged and not audited: WEIGHT, REMARK" in candidate["warnings"]


def test_new_records_get_no_columns_of_old_ones(release):
    release({"anonymizer": "ipso"}, rules=SYNTHETIC, **{"not-audited": {"WEIGHT": "design weight"}})
    assert list(text(release.target).columns) == ["FICA", "FEDTAX", "INTVAL"]
    [candidate] = release.result["candidates"]
    assert "not released, since the records are new: WEIGHT" in candidate["warnings"]
    assert candidate["linkage"] == "none"


def test_a_sample_takes_the_other_columns_of_its_own_records(release, wide):
    sample = {"anonymizer": "sample-records", "params": {"records": 50}}
    ran = release(sample, "--despite-block", **{"not-audited": {"WEIGHT": "design weight"}})
    assert ran.code == 1
    made = text(release.target)
    assert len(made) == 50
    whole = wide.astype(str).set_index("WEIGHT")
    for _, row in made.iterrows():
        assert list(whole.loc[row["WEIGHT"], ["FICA", "FEDTAX", "INTVAL"]]) == list(row[["FICA", "FEDTAX", "INTVAL"]])
    [candidate] = release.result["candidates"]
    assert candidate["records"] == {
        "original": 200,
        "released": 50,
        "compared": 50,
        "suppressed": 150,
        "added": 0,
        "dropped": 0,
    }
    assert candidate["metrics"]["CM2"]["value"] == pytest.approx(0, abs=1e-9)  # linked by where they came from


def test_the_map_of_a_sample_tells_whose_its_records_are_and_serves_the_next_audit(release, wide, tmp_path, permaudit):
    sample = {"anonymizer": "sample-records", "params": {"records": 60}}
    ran = release(sample, "--despite-block", "--map", tmp_path / "map.csv")
    assert "map.csv: written; it tells whose each record is, and is never released" in ran.out
    assert (tmp_path / "map.csv").stat().st_mode & 0o777 == 0o600
    rows = pd.read_csv(tmp_path / "map.csv")["record"].to_numpy() - 1
    assert text(release.target)["FICA"].tolist() == wide.astype(str)["FICA"].iloc[rows].tolist()
    content = release.audit.read_text().split("candidates:")[0] + (
        f"candidates: {{c: {{path: {release.target}, kind: masked, linkage: {{map: {tmp_path / 'map.csv'}}}}}}}\n"
    )
    (release.audit.parent / "again.yaml").write_text(content)
    permaudit("run", release.audit.parent / "again.yaml", "--out", tmp_path / "again")
    [again] = json.loads((tmp_path / "again" / "audit.json").read_bytes())["candidates"]
    [first] = release.result["candidates"]
    assert again["records"] == first["records"]
    assert again["metrics"]["CM1"]["value"] == pytest.approx(first["metrics"]["CM1"]["value"], abs=1e-9)


@pytest.mark.parametrize(
    ("made", "target", "message"),
    [
        (NOISE, "map.xlsx", "a map is written as .csv or .parquet"),
        (NOISE, "release.csv", "must be another file"),
        ({"anonymizer": "ipso"}, "map.csv", "it has no map"),
    ],
)
def test_a_map_that_cannot_be_is_refused_before_anything_is_made(release, tmp_path, made, target, message):
    ran = release(made, "--map", tmp_path / target, rules=SYNTHETIC)
    assert ran.code == 2
    assert message in ran.err
    assert left_over(tmp_path) == set()


def test_each_release_has_noise_of_its_own_although_the_seed_is_known(release, tmp_path):
    made = []
    for name in ("a.csv", "b.csv"):
        release(NOISE, "--out", tmp_path / name.removesuffix(".csv"), target=name, seed=5)
        made.append(pd.read_csv(release.target))
    assert not (made[0] == made[1]).any(axis=None)


def test_the_proof_of_a_release_is_not_overwritten_by_that_of_another(release, tmp_path):
    assert release(NOISE).code == 0
    proof = (tmp_path / "out" / "audit.json").read_bytes()
    again = release(NOISE, target="other.csv")
    assert again.code == 2
    assert "its proof is never overwritten: name another directory with --out" in again.err
    assert not release.target.exists()
    assert (tmp_path / "out" / "audit.json").read_bytes() == proof


def test_what_was_blocked_and_not_written_leaves_no_proof_to_keep(release):
    assert release({"anonymizer": "additive-noise", "params": {"alpha": 0.001}}).code == 1
    assert release(NOISE).code == 0


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(A1)", "\t=1+1", "+A1", "-cmd"])
def test_no_formula_is_written_into_csv(release, wide, cell):
    files = {"original.csv": wide.assign(REMARK=["plain", cell] * (len(wide) // 2))}
    ran = release(NOISE, files=files, not_audited={"REMARK": "a reason"})
    assert ran.code == 2
    assert f"column 'REMARK' would hold {len(wide) // 2} texts that spreadsheets take for formulas" in ran.err
    assert cell not in ran.err
    assert not release.target.exists()
    assert release(NOISE, target="release.parquet", files=files, not_audited={"REMARK": "a reason"}).code == 0


def test_a_point_of_a_sweep_can_be_released(write_audit, permaudit, tmp_path):
    sweeps = {"s": {"anonymizer": "additive-noise", "params": {"alpha": [0.01, 1]}, "replicates": 3}}
    target = tmp_path / "release.csv"
    ran = permaudit("anonymize", write_audit(sweeps=sweeps), "s alpha=1", "-o", target, "--out", tmp_path / "out")
    assert ran.code == 0
    [candidate] = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    assert len(candidate["metrics"]["CM2"]["replicates"]) == 1  # this very file, and no other
    assert target.exists()


def test_missing_values_stay_missing(release, wide):
    gaps = wide.assign(FICA=wide["FICA"].where(np.arange(len(wide)) % 10 > 0))
    sample = {"anonymizer": "sample-records", "params": {"fraction": 0.9}}
    release(sample, "--despite-block", files={"original.csv": gaps}, missing="lowest")
    made = text(release.target)
    assert 0 < (made["FICA"] == "").sum() <= 20
    [column] = [one for one in release.result["candidates"][0]["columns"] if one["attribute"] == "FICA"]
    assert column["missing_released"] == (made["FICA"] == "").sum()


def test_numbers_that_are_known_by_their_order_only_are_not_released_as_places_in_it(release, wide):
    long = wide.assign(FICA=[f"1234567890123456789{number:06}" for number in range(len(wide))])
    sample = {"anonymizer": "sample-records", "params": {"records": 50}}
    ran = release(sample, "--despite-block", files={"original.csv": long})
    assert ran.code == 2
    assert "column 'FICA' has numbers with more digits than 64 bits hold" in ran.err
    assert not release.target.exists()


@pytest.mark.parametrize("anonymizer", ["additive-noise", "multiplicative-noise", "rank-swap"])
def test_numeric_anonymizers_refuse_missing_values_instead_of_spreading_them(release, wide, anonymizer):
    gaps = wide.assign(FICA=wide["FICA"].where(np.arange(len(wide)) % 10 > 0))
    [name] = {"additive-noise": ["alpha"], "multiplicative-noise": ["beta"], "rank-swap": ["p"]}[anonymizer]
    candidate = {"anonymizer": anonymizer, "params": {name: 0.9}}
    ran = release(candidate, files={"original.csv": gaps}, missing="lowest")
    assert ran.code == 2
    assert ran.err == "candidate c: attribute 'FICA' has 20 missing values; this anonymizer cannot work on gaps\n"
    assert not release.target.exists()


# --------------------------------------------------------------------------- verdicts


def test_a_blocked_release_is_not_left_behind(release, tmp_path):
    ran = release(WEAK)
    assert ran.code == 1
    assert "not written, since it is blocked" in ran.out
    assert release.result["verdict"] == "block"
    assert left_over(tmp_path) == set()


def test_a_blocked_release_that_somebody_wants_is_marked_everywhere(release, tmp_path):
    ran = release(WEAK, "--despite-block")
    note = "written although it is blocked, because --despite-block was given"
    assert ran.code == 1
    assert release.target.exists()
    assert note in " ".join(ran.out.split())
    assert release.result["verdict"] == "block"
    assert release.result["candidates"][0]["warnings"][0] == note
    assert note in (tmp_path / "out" / "summary.md").read_text("utf-8")


def test_despite_block_says_nothing_where_nothing_was_blocked(release):
    ran = release(NOISE, "--despite-block")
    assert ran.code == 0
    assert "--despite-block" not in json.dumps(release.result)


def test_a_release_that_a_person_must_decide_on_is_written_with_exit_code_3(release):
    assert release(NOISE, rules=[]).code == 3
    assert release.target.exists()


# --------------------------------------------------------------------------- refusals


def test_a_release_is_never_made_with_a_known_seed(release, tmp_path):
    ran = release(NOISE, "--study-seed", "1")
    assert ran.code == 2
    assert "never made with a known seed" in ran.err
    assert left_over(tmp_path) == set()


def test_an_existing_file_is_never_overwritten(release, tmp_path):
    (tmp_path / "release.csv").write_text("mine", "utf-8")
    ran = release(NOISE)
    assert (ran.code, release.target.read_text("utf-8")) == (2, "mine")
    assert "exists already; a release is never overwritten" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_link_that_leads_nowhere_is_not_followed(release, tmp_path):
    (tmp_path / "release.csv").symlink_to(tmp_path / "elsewhere.csv")
    assert release(NOISE).code == 2
    assert left_over(tmp_path) == {"release.csv"}


@pytest.mark.parametrize("target", ["release", "release.xlsx", "release.csv.gz"])
def test_an_unknown_suffix_is_refused(release, tmp_path, target):
    ran = release(NOISE, target=target)
    assert ran.code == 2
    assert "a release is written as .csv or .parquet, by its suffix" in ran.err
    assert left_over(tmp_path) == set()


def test_candidates_that_are_unknown_or_files_are_refused(write_audit, permaudit, tmp_path):
    for name, message in [
        ("noisi", "no candidate 'noisi'; there are noisy"),
        ("noisy", "candidate 'noisy' is a file already: there is nothing to make"),
    ]:
        ran = permaudit("anonymize", write_audit(), name, "-o", tmp_path / "x.csv", "--out", tmp_path / "out")
        assert (ran.code, ran.err) == (2, f"{message}\n")
    assert left_over(tmp_path) == set()


@pytest.mark.parametrize("target", ["file/release.csv", "missing/release.csv"])
def test_a_folder_that_cannot_be_is_an_error_that_names_the_target(release, tmp_path, target):
    (tmp_path / "file").touch()
    ran = release(NOISE, target=target)
    assert ran.code == 2
    assert f"{release.target}: cannot be written: " in ran.err
    assert left_over(tmp_path) == {"file"}


BROKEN = """
import pyarrow as pa
from permaudit import AnonymizerCard, Parameters, hookimpl

permaudit_api = 1

class Broken:
    card = AnonymizerCard(id="broken", title="Broken", kind="masked", linked=True, reference="none", summary="none")
    parameters = Parameters

    def anonymize(self, original, params, rng):
        raise ValueError("CANARY-4711")

@hookimpl
def permaudit_anonymizers():
    return [Broken()]
"""


def test_an_anonymizer_that_raises_is_exit_code_2_and_no_release(release, install, tmp_path):
    install("acme", {"broken": BROKEN})
    ran = release({"anonymizer": "broken"}, plugins={"allow": ["acme"]})
    assert ran.code == 2
    assert "candidate c: the anonymizer raised ValueError" in ran.err
    assert "4711" not in ran.out + ran.err
    assert "CANARY-4711" in ran.log
    assert left_over(tmp_path) == set()


# --------------------------------------------------------------------------- full disks


@pytest.mark.parametrize("what", ["the release", "the result"])
def test_a_full_disk_leaves_nothing_half_written(  # noqa: PLR0913, PLR0917 - all of it is looked at
    write_audit, child, keeps_no_bytecode, tmp_path, people, what
):
    limit = 1000 if what == "the release" else 12_000
    audit = write_audit(candidates={"c": NOISE})

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    target = tmp_path / "release.csv"
    ran = child(
        *("anonymize", audit, "c", "-o", target, "--out", tmp_path / "out"), preexec_fn=fill, env=keeps_no_bytecode
    )
    assert ran.returncode == 2
    assert "cannot be written: File too large" in ran.stderr
    assert str(target if what == "the release" else tmp_path / "out") in ran.stderr
    assert "Traceback" not in ran.stderr
    assert left_over(tmp_path) == set()
    assert not (tmp_path / "out").exists()
    assert (audit.parent / "original.csv").stat().st_size > 1000  # the release would be larger still
