"""What `init` writes runs as it is: check passes, and run gives a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

VERDICTS = {0: "release", 1: "block", 3: "review"}


@pytest.fixture
def whole_way(permaudit, put, tmp_path, monkeypatch):
    """Return a function that goes from data to a verdict by three commands, and returns the result and the audit file."""
    monkeypatch.chdir(tmp_path)

    def go(original, release=None, **how):
        files = [put("original.csv", original, **how)]
        if release is not None:
            files.append(put("release.csv", release, **how))
        begun = permaudit("init", *files)
        assert (begun.code, begun.err, begun.log) == (0, "", "")
        checked = permaudit("check", "audit.yaml")
        assert (checked.code, checked.err) == (0, "")
        ran = permaudit("run", "audit.yaml", "--quiet")
        assert ran.code in VERDICTS, ran.err
        result = json.loads(Path("permaudit-out/audit.json").read_bytes())
        assert result["verdict"] == VERDICTS[ran.code]
        return result["candidates"][0], yaml.safe_load(Path("audit.yaml").read_bytes())

    return go


def outcomes(candidate):
    return {finding["rule"]: finding["outcome"] for finding in candidate["rules"]}


def objections(candidate):
    return {rule: outcome for rule, outcome in outcomes(candidate).items() if outcome not in {"pass", "not-applicable"}}


def test_a_masked_release_is_taken_for_linked_by_row(whole_way, census, noisy):
    candidate, audit = whole_way(census, noisy)
    assert (candidate["kind"], candidate["linkage"]) == ("masked", "row")
    assert audit["attributes"] == dict.fromkeys(census, "numeric")
    assert objections(candidate) == {"everything-confirmed": "review"}


def test_a_shuffled_release_is_taken_for_masked_without_linkage_and_blocked(whole_way, census):
    candidate, _ = whole_way(census, census.sample(frac=1, random_state=1))
    assert (candidate["kind"], candidate["linkage"]) == ("masked", "none")
    found = outcomes(candidate)
    assert found["no-trivial-permutation"] == found["no-copied-records"] == "fail"
    assert found["cm3-for-synthetic"] == "pass"  # the limit on CM3 holds for its kind, too


def test_other_people_are_taken_for_synthetic(whole_way, census):
    from permaudit.census_like import census_like  # noqa: PLC0415

    candidate, _ = whole_way(census, pd.DataFrame(census_like(records=350, seed=9)))
    assert (candidate["kind"], candidate["linkage"]) == ("synthetic", "none")
    assert objections(candidate) == {"everything-confirmed": "review"}


def test_a_release_with_a_key_is_matched_by_it_and_blocked_as_long_as_the_key_is_in_it(whole_way, census, noisy):
    keyed = [frame.assign(PERSON=[f"P{place * 37 % 1000:04d}" for place in range(400)]) for frame in (census, noisy)]
    candidate, audit = whole_way(keyed[0], keyed[1].sample(n=300, random_state=2))
    assert audit["candidates"]["release"]["linkage"] == {"key": "PERSON"}
    assert candidate["records"]["compared"] == 300
    found = outcomes(candidate)
    assert {rule for rule, outcome in found.items() if outcome == "fail"} == {"no-identifiers"}


def test_without_a_release_a_candidate_is_made(whole_way, census):
    candidate, audit = whole_way(census)
    assert audit["candidates"] == {"swapped": {"anonymizer": "rank-swap", "params": {"p": 10}}}
    assert candidate["attributes"] == list(census)


def test_of_many_records_the_candidate_is_made_quickly(whole_way, census, monkeypatch):
    monkeypatch.setattr("permaudit.init.made._MANY_RECORDS", 300)
    _, audit = whole_way(census)
    assert audit["candidates"] == {"noisy": {"anonymizer": "additive-noise", "params": {"alpha": 0.5}}}


def test_without_a_release_columns_that_cannot_be_swapped_wait_for_one(whole_way, mixed):
    candidate, audit = whole_way(mixed)
    assert candidate["attributes"] == ["FICA", "FEDTAX", "INTVAL", "SEX"]
    assert "RENT" not in audit["attributes"]  # it has missing values


def test_without_a_release_and_without_numbers_the_records_are_shuffled_and_blocked(whole_way, mixed):
    candidate, _ = whole_way(mixed[["BORN", "SEEN", "OWNER"]])
    assert candidate["anonymizer"] == "shuffle-records"
    assert candidate["verdict"] == "block"


def test_columns_of_all_types_and_an_undeclared_one_block_only_for_the_latter(whole_way, mixed):
    rng = np.random.default_rng(3)
    release = mixed[["FICA", "BORN", "OWNER", "EDUCATION", "RENT"]].copy()
    for name in release:
        release[name] = rng.permutation(release[name])
    candidate, audit = whole_way(mixed, release)
    assert audit["attributes"] == {"FICA": "numeric", "BORN": "date", "OWNER": "boolean", "RENT": "numeric"}
    assert [finding["evidence"] for finding in candidate["rules"] if finding["rule"] == "no-unaudited-columns"] == [
        {"columns": ["EDUCATION"]}
    ]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_files_look_like_the_audit_runs(whole_way, seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 120))
    frame = pd.DataFrame({f"column {place}": made(rng, size) for place in range(int(rng.integers(1, 9)))})
    frame["AMOUNT"] = rng.normal(size=size)
    release = None
    if seed % 3:
        rows = rng.permutation(size)[: int(rng.integers(4, size + 1))] if seed % 2 else np.arange(size)
        release = frame.iloc[rows].copy()
        release["AMOUNT"] += rng.normal(0, 0.3, len(release))
        for name in list(release.columns)[:-1]:
            if rng.random() < 0.3:
                release = release.drop(columns=name)
            elif rng.random() < 0.3:
                release[name] = rng.choice(["*", "1-5", "text", ""], len(release))
    whole_way(frame, release, sep=rng.choice([",", ";", "\t"]))


def made(rng, size):
    """Make a column of some sort."""
    sorts = [
        lambda: rng.integers(0, 5, size),
        lambda: rng.permutation(size) + 1,
        lambda: rng.normal(size=size).round(3),
        lambda: np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size)),
        lambda: rng.choice(["a", "b", "c"], size),
        lambda: rng.choice(["true", "false", ""], size),
        lambda: [f"2001-01-{day:02d}" for day in rng.integers(1, 29, size)],
        lambda: [f"{number:04d}" for number in rng.integers(0, 9999, size)],
        lambda: np.full(size, np.nan),
        lambda: np.full(size, "the same"),
        lambda: rng.choice([1, "x", "2.5"], size),
        lambda: rng.integers(-(2**62), 2**62, size),
        lambda: rng.choice(["NA", "1", "2", "3"], size),
    ]
    return sorts[int(rng.integers(len(sorts)))]()


def test_more_attributes_than_the_records_can_bear_are_left_out(whole_way, permaudit):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(9, 6)), columns=list("ABCDEF"))
    candidate, audit = whole_way(frame, frame + rng.normal(size=(9, 6)))
    assert list(audit["attributes"]) == ["A", "B", "C"]
    assert outcomes(candidate)["no-unaudited-columns"] == "fail"


def test_too_few_records_for_anything_are_an_error(permaudit, put, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = permaudit("init", put("few.csv", {"A": [1.5, 2.5, 3.5]}))
    assert ran.code == 2
    assert "few.csv: only 3 can be compared of its records, too few for any audit" in ran.err
    assert not Path("audit.yaml").exists()


def test_the_screen_counts_what_is_to_be_confirmed_and_names_the_next_command(permaudit, put, census, tmp_path):
    target = tmp_path / "the audit.yaml"
    ran = permaudit("init", put("original.csv", census), "-o", target)
    count = target.read_text(encoding="utf-8").count("# CONFIRM: ")
    assert count == 3
    assert ran.out.splitlines()[1:] == [
        "3 things to confirm, marked CONFIRM",
        f"Next: confirm what is marked CONFIRM, then permaudit run '{target}'",
    ]


def test_a_file_with_nothing_to_audit_is_written_and_said_not_to_run_yet(permaudit, put, tmp_path):
    frame = {"TOWN": ["Ghent", "Liege"] * 30, "KIND": ["a", "b", "c"] * 20}
    target = tmp_path / "audit.yaml"
    ran = permaudit("init", put("original.csv", frame), "-o", target)
    assert ran.code == 0
    assert "It does not run yet" in ran.out
    assert f"then permaudit check {target}" in ran.out
    assert permaudit("check", target).code == 2


def test_declaring_what_was_proposed_is_all_that_it_takes(permaudit, put, tmp_path, mixed):
    target = tmp_path / "audit.yaml"
    rng = np.random.default_rng(3)
    release = mixed[["FICA", "EDUCATION"]].assign(FICA=rng.permutation(mixed["FICA"]))
    release["EDUCATION"] = rng.permutation(release["EDUCATION"])
    release["WEIGHT"] = rng.integers(1, 5, len(release))
    permaudit("init", put("original.csv", mixed), put("release.csv", release), "-o", target)
    text = target.read_text(encoding="utf-8")
    for line in ("  # EDUCATION: {type: ordinal", "# not-audited:", "#   WEIGHT: the reason"):
        assert text.count(line) == 1
        text = text.replace(line, line.replace("# ", "", 1))
    target.write_text(text, encoding="utf-8")
    ran = permaudit("run", target, "--out", tmp_path / "unconfirmed", "--quiet")
    assert (ran.err, ran.code) == ("", 3)
    target.write_text(text[: text.index("unconfirmed:")], encoding="utf-8")
    ran = permaudit("run", target, "--out", tmp_path / "out", "--quiet")
    assert (ran.err, ran.code) == ("", 0)


def test_each_mark_is_a_line_that_a_person_takes_away(permaudit, put, census, noisy, tmp_path):
    target = tmp_path / "audit.yaml"
    permaudit("init", put("original.csv", census), put("release.csv", noisy), "-o", target)
    text = target.read_text(encoding="utf-8")
    marks = yaml.safe_load(text)["unconfirmed"]
    assert len(marks) == text.count("# CONFIRM: ") == 3
    for left in (3, 2, 1, 0):
        ran = permaudit("run", target, "--out", tmp_path / f"out{left}")
        assert ran.code == (3 if left else 0)
        assert ("confirmed by nobody" in " ".join(ran.out.split())) == bool(left)
        target.write_text("\n".join(target.read_text(encoding="utf-8").splitlines()[:-1]) + "\n", encoding="utf-8")
        if left == 1:
            target.write_text(text[: text.index("unconfirmed:")], encoding="utf-8")
