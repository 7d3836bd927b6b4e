"""Cells that the audit file declares missing: counted, and for a person where they could be values."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
import yaml

RECORDS = 200
ATTRIBUTES = {"AGE": "numeric", "BORN": "date", "LEVEL": {"type": "ordinal", "order": ["low", "middle", "high"]}}


@pytest.fixture
def frames():
    rng = np.random.default_rng(7)
    born = (np.datetime64("1950-01-01") + rng.integers(0, 20_000, RECORDS)).astype(str)
    original = pd.DataFrame({"AGE": rng.integers(0, 90, RECORDS), "BORN": born}).astype(str)
    original["LEVEL"] = rng.choice(["low", "middle", "high"], RECORDS)
    return original, original.apply(lambda column: rng.permutation(column.to_numpy()))


@pytest.fixture
def judged(tmp_path, permaudit, frames):
    def judged(tokens, *, both=False, options=(), attributes=ATTRIBUTES, **cells):
        """Run an audit with some cells in the first records of both files, and tokens for the release or for both."""
        files = []
        for name, frame in zip(("original", "release"), frames, strict=True):
            for column, (here, there) in cells.items():
                values = here if name == "original" else there
                frame.loc[: len(values) - 1, column] = values
            frame.to_csv(tmp_path / f"{name}.csv", index=False, sep=";")
            declared = {"missing": list(tokens)} if name == "release" or both else {}
            files.append(
                {"path": f"{name}.csv", "format": "csv", "options": {"delimiter": ";", **dict(options), **declared}}
            )
        audit = {
            "permaudit": 1,
            "title": "Tokens",
            "original": files[0],
            "attributes": attributes,
            "missing": "lowest",
            "candidates": {"release": {**files[1], "kind": "masked"}},
            "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}],
        }
        (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit, sort_keys=False), encoding="utf-8")
        ran = permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out")
        assert ran.code in {0, 1, 3}, ran.err
        (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
        (found,) = [one for one in candidate["rules"] if one["rule"] == "declared-missing"]
        notes = {one["attribute"]: " ".join(one["statements"]) for one in candidate["columns"]}
        return found, notes

    return judged


def test_words_and_codes_outside_all_values_are_gaps_and_are_counted(judged):
    found, notes = judged(["-99", "k. A."], both=True, AGE=(["-99"] * 4, ["-99"] * 3), BORN=(["k. A."], ["k. A."] * 2))
    assert found["outcome"] == "pass"
    assert "1 declared token for missing values blanks 4 cells of the original and 3 of the release" in notes["AGE"]
    assert "blanks 1 cells of the original and 2 of the release" in notes["BORN"]
    assert "declared" not in notes["LEVEL"]


def test_a_word_for_suppressed_cells_may_stand_in_the_release_only(judged):
    found, notes = judged(["supp.", "*"], AGE=([], ["supp.", "*", "*"]))
    assert found["outcome"] == "pass"
    assert "2 declared tokens for missing values blank 0 cells of the original and 3 of the release" in notes["AGE"]


@pytest.mark.parametrize(
    ("tokens", "both", "cells"),
    [
        (["47"], False, {"AGE": ([], ["47"])}),
        (["-99"], False, {"AGE": ([], ["-99"])}),  # declared for the release only: it may be a number there
        (["47"], True, {"AGE": (["47"] * 5, ["47"] * 5)}),
        (["1000"], True, {"AGE": (["1000"], ["1000"])}),  # the greatest value, which one person has
        (["[40, 50]"], False, {"AGE": ([], ["[40, 50]"])}),
        (["{47,3}"], False, {"AGE": ([], ["{47,3}"])}),
        (["47,5"], False, {"AGE": ([], ["47,5"])}),
        (["1961-05-13"], False, {"BORN": ([], ["1961-05-13"])}),
        (["1961-05"], False, {"BORN": ([], ["1961-05"])}),
        (["high"], True, {"LEVEL": ([], ["high"])}),
        ([f"word {number}" for number in range(11)], False, {"AGE": ([], [f"word {number}" for number in range(11)])}),
    ],
)
def test_what_could_be_a_value_needs_a_person(judged, tokens, both, cells):
    found, _ = judged(tokens, both=both, **cells)
    assert found["outcome"] == "review"
    assert found["attributes"] == list(cells)
    assert found["fix"]
    said = found["message"] + found["fix"] + json.dumps(found["evidence"])
    assert not any(token in said for token in tokens if token != "47")  # no token is told, for it may be a cell


def test_a_token_in_the_notation_of_the_file_is_found(judged):
    found, notes = judged(["47,5"], options={"decimal": ","}, AGE=([], ["47,5", "47,5"]))
    assert found["outcome"] == "review"
    assert "blanks 0 cells of the original and 2 of the release" in notes["AGE"]


def test_a_token_that_stands_nowhere_is_no_matter(judged):
    found, notes = judged(["-1"], both=True)
    assert found["outcome"] == "pass"
    assert not any("declared" in note for note in notes.values())


def test_letters_of_stata_that_tell_more_than_that_nothing_is_there_need_a_person(tmp_path, permaudit, frames):
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")
    original, release = (frame[["AGE"]].astype(float).assign(SIZE=range(RECORDS)) for frame in frames)
    release["SIZE"] = np.random.default_rng(1).permutation(RECORDS)
    original.to_csv(tmp_path / "original.csv", index=False)
    audit = {
        "permaudit": 1,
        "title": "Stata",
        "original": "original.csv",
        "attributes": {"AGE": "numeric", "SIZE": "numeric"},
        "missing": "lowest",
        "candidates": {"release": {"path": "release.dta", "kind": "masked"}},
    }
    (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit), encoding="utf-8")
    outcomes, statements = [], ""
    for letters in ("ab", "abcdefghijk"):  # each is the first digit of the age, or the like
        suppressed = release.astype({"AGE": object})
        suppressed.loc[:32, "AGE"] = [letters[place % len(letters)] for place in range(33)]
        pyreadstat.write_dta(suppressed, tmp_path / "release.dta", missing_user_values={"AGE": list(letters)})
        assert permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out").code in {1, 3}
        (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
        outcomes += [one["outcome"] for one in candidate["rules"] if one["rule"] == "declared-missing"]
        statements += " ".join(candidate["columns"][0]["statements"])
    assert outcomes == ["pass", "review"]
    assert (
        "2 declared tokens for missing values blank 0 cells of the original and 33 of the release, 0 + 17, 0 + 16"
        in statements
    )


def test_values_that_a_file_of_spss_itself_declares_missing_need_a_person(tmp_path, permaudit, frames):
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")
    original, release = (frame[["AGE"]].astype(float).assign(SIZE=range(RECORDS)) for frame in frames)
    release.loc[:9, "AGE"] = original.loc[:9, "AGE"]  # verbatim, and out of sight by the file's own word
    release["SIZE"] = np.random.default_rng(1).permutation(RECORDS)
    original.to_csv(tmp_path / "original.csv", index=False)
    audit = {
        "permaudit": 1,
        "title": "SPSS",
        "original": "original.csv",
        "attributes": {"AGE": "numeric", "SIZE": "numeric"},
        "missing": "lowest",
        "candidates": {"release": {"path": "release.sav", "kind": "masked"}},
    }
    (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit), encoding="utf-8")
    outcomes = []
    for ranges in (None, {"AGE": [{"lo": 30, "hi": 60}]}):
        pyreadstat.write_sav(release, tmp_path / "release.sav", missing_ranges=ranges)
        assert permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out").code in {1, 3}
        (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
        outcomes += [one["outcome"] for one in candidate["rules"] if one["rule"] == "declared-missing"]
    assert outcomes == ["pass", "review"]
