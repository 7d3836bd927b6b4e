"""The Python call: odd data frames give the same numbers or a clear error, and never a cell in it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.report import from_json, to_json

RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
CANARY = 47114711


def audited(original, release, **options):
    outcome = permaudit.audit(original, release, **({"kind": "masked", "rules": RULES} | options))
    assert from_json(to_json(outcome)) == outcome
    return outcome.candidates[0]


def numbers(candidate):
    return {name: metric.value for name, metric in candidate.metrics.items()}


@pytest.fixture(scope="module")
def expected(people, masked):
    return numbers(audited(people, masked))


def refused(original, release, error=permaudit.DataError, **options):
    with pytest.raises(error) as caught:
        audited(original, release, **options)
    assert str(CANARY) not in str(caught.value)
    return str(caught.value)


# --------------------------------------------------------------------------- index and columns

INDEXES = {
    "reversed": lambda count: range(count)[::-1],
    "text": lambda count: [f"r{number}" for number in range(count)],
    "repeated": lambda count: [0] * count,
    "dates": lambda count: pd.date_range("2020-01-01", periods=count)[::-1],
    "two levels": lambda count: pd.MultiIndex.from_product([[1], range(count)]),
    "missing": lambda count: [None] * count,
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_records_are_paired_by_position_whatever_the_index_says(people, masked, expected, index):
    assert numbers(audited(people, masked.set_axis(index(len(masked))))) == expected
    assert numbers(audited(people.set_axis(index(len(people))), masked)) == expected


def test_columns_are_found_by_name_in_any_order(people, masked, expected):
    assert numbers(audited(people, masked[masked.columns[::-1]])) == expected


def test_integer_column_labels_are_names_like_others(people, masked, expected):
    candidate = audited(people.set_axis(range(3), axis=1), masked.set_axis(range(3), axis=1))
    assert candidate.attributes == ["0", "1", "2"]
    assert list(numbers(candidate).values()) == list(expected.values())


def test_integer_column_labels_can_be_asked_for(people, masked):
    original, release = people.set_axis([7, 8, 9], axis=1), masked.set_axis([7, 8, 9], axis=1)
    candidate = audited(original, release, attributes=[7, 8], not_audited={9: "public"})
    assert candidate.attributes == ["7", "8"]
    assert audited(original, release[[7, 8]], identifiers=[9]).attributes == ["7", "8"]


def test_column_labels_of_several_levels_are_names_like_others(people, masked, expected):
    labels = pd.MultiIndex.from_product([["income"], people.columns])
    candidate = audited(people.set_axis(labels, axis=1), masked.set_axis(labels, axis=1))
    assert list(numbers(candidate).values()) == list(expected.values())


@pytest.mark.parametrize("labels", [["a", "a", "b"], [1, "1", "b"]])
def test_a_column_that_stands_twice_is_an_error(people, masked, labels):
    message = refused(people.set_axis(labels, axis=1), masked.set_axis(labels, axis=1))
    assert message == f"original: column '{labels[0]}' stands twice"


def test_a_column_that_is_missing_in_the_release_is_an_error_with_the_nearest_name(people, masked):
    message = refused(people, masked.rename(columns={"FICA": "fica"}))
    assert message == "release: has no column 'FICA'; did you mean 'fica'?"


def renamed(frame, name):
    return frame.set_axis(pd.Index([name, "FEDTAX", "INTVAL"], dtype=object), axis=1)


@pytest.mark.parametrize("name", ["a\x00b", "x" * 100_000, "a\nb", "<script>", "\u202e", " "])
def test_an_odd_name_is_a_name_like_others(people, masked, expected, name):
    candidate = audited(renamed(people, name), renamed(masked, name))
    assert candidate.attributes[0] == name
    assert list(numbers(candidate).values()) == list(expected.values())


def test_a_name_that_is_no_text_is_an_error(people, masked):
    message = refused(renamed(people, "a\ud800b"), renamed(masked, "a\ud800b"))
    assert message == "original: column 'a\\ud800b' has a name that is no Unicode text"


def test_neither_frame_is_changed(people, masked):
    before = people.copy(), masked.copy()
    audited(people, masked)
    pd.testing.assert_frame_equal(people, before[0])
    pd.testing.assert_frame_equal(masked, before[1])


# --------------------------------------------------------------------------- types

SAME = {
    "objects": lambda frame: frame.astype(object),
    "nullable integers": lambda frame: frame.astype("Int64"),
    "nullable floats": lambda frame: frame.astype("Float64"),
    "categories of numbers": lambda frame: frame.astype("category"),
    "categories in another order": lambda frame: frame.apply(
        lambda column: pd.Categorical(column, categories=sorted(set(column))[::-1], ordered=True)
    ),
    "arrow": lambda frame: frame.astype("int64[pyarrow]"),
    "unsigned": lambda frame: frame.astype("uint64"),
    "small integers": lambda frame: frame.astype("int32"),
    "floats": lambda frame: frame.astype("float64"),
    "digits as text": lambda frame: frame.astype(str),
    "every second row": lambda frame: frame.loc[frame.index.repeat(2)].iloc[::2],
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_the_same_numbers_in_another_type_give_the_same_result(people, masked, expected, change):
    assert numbers(audited(change(people), masked)) == expected


def test_single_precision_is_read_as_it_is(people, masked, expected):
    candidate = audited(people, masked.astype("float32"))
    assert numbers(candidate)["CM2"] == pytest.approx(expected["CM2"], abs=1e-3)


def test_booleans_have_an_order(people, masked):
    original, release = people > people.median(), masked > masked.median()
    assert numbers(audited(original, release)) == numbers(audited(original.astype(int), release.astype(int)))
    assert numbers(audited(original.astype("boolean"), release)) == numbers(audited(original, release))


def test_integers_above_two_to_the_53_are_not_rounded():
    rng = np.random.default_rng(5)
    small, other = (
        pd.DataFrame(rng.permuted(np.tile(np.arange(60), (2, 1)), axis=1).T, columns=["a", "b"]) for _ in range(2)
    )
    assert numbers(audited(small + 2**60, other + 2**60)) == numbers(audited(small, other))
    assert numbers(audited(small.astype("uint64") + 2**63, other)) == numbers(audited(small, other))


@pytest.mark.parametrize("values", [[1e300, -1e300, 5e-324, 0.0], [-0.0, 0.0, 0.1 + 0.2, 0.3]])
def test_extreme_numbers_are_only_ranked(people, masked, values):
    column = np.resize(values, len(people))
    assert audited(people.assign(FICA=column), masked).metrics["CM2"].status == "ok"


# --------------------------------------------------------------------------- values that cannot be used


def with_cells(frame, cells, kind=object):
    """Return the frame with other cells from record 42 on, in one column."""
    column = list(frame["FICA"].astype(object))
    column[41 : 41 + len(cells)] = cells
    column[0] = CANARY
    return frame.assign(FICA=pd.Series(column, dtype=kind))


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        (np.nan, "float64"),
        (np.nan, "float32"),
        (np.nan, object),
        (None, object),
        (None, "category"),
        (None, "double[pyarrow]"),
        (pd.NA, "Int64"),
        (pd.NA, object),
        (pd.NaT, object),
    ],
)
@pytest.mark.parametrize("side", ["original", "release"])
def test_a_missing_value_is_an_error_with_its_record(people, masked, side, cell, kind):
    frames = {"original": people, "release": masked}
    frames[side] = with_cells(frames[side].round().astype("int64"), [cell], kind)
    message = refused(**frames)
    assert message.startswith(f"{side}: column 'FICA' has 1 missing value (first in record 42)")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_an_error_with_its_record(people, masked, value):
    message = refused(with_cells(people, [value, value], "float64"), masked)
    assert message.startswith("original: column 'FICA' has 2 infinite values (first in record 42)")


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["secret-47114711"], id="text among numbers"),
        pytest.param(["secret-47114711"] * 10, id="texts among numbers"),
        pytest.param([{"47114711": 1}], id="dictionary"),
        pytest.param([[CANARY]], id="list"),
        pytest.param([complex(CANARY, 1)], id="complex"),
        pytest.param([10**30 + CANARY], id="integer above 64 bits"),
        pytest.param([object()], id="object"),
        pytest.param([b"47114711"], id="bytes"),
        pytest.param([pd.Timestamp("2020-01-01")], id="time among numbers"),
        pytest.param([Decimal("NaN")], id="no decimal"),
    ],
)
def test_cells_of_another_type_are_an_error_without_the_cell(people, masked, cells):
    assert refused(with_cells(people, cells), masked).startswith("original: column 'FICA' ")


@pytest.mark.parametrize(
    "column",
    [
        pytest.param([{"47114711": 1}] * 200, id="dictionaries"),
        pytest.param([[CANARY]] * 200, id="lists"),
        pytest.param(["secret-47114711"] * 200, id="texts"),
        pytest.param([None] * 200, id="nothing"),
        pytest.param([complex(CANARY, 1)] * 200, id="complex numbers"),
        pytest.param(pd.array([pd.Interval(0, CANARY)] * 200), id="intervals"),
        pytest.param(pd.Categorical(["47114711a", "b"] * 100), id="categories of text"),
        pytest.param(pd.timedelta_range("1D", periods=200), id="durations"),
    ],
)
def test_a_whole_column_of_another_type_is_an_error_without_a_cell(people, masked, column):
    assert refused(people.assign(FICA=column), masked).startswith("original: column 'FICA' ")


@pytest.mark.parametrize("text", ["1,234", "12 kg", " 7", "", "NA", "0x1F", "1_000", "١٢"])
def test_text_is_read_strictly_as_numbers(people, masked, text):
    cells = people["FICA"].astype(str).tolist()
    cells[41] = text
    message = refused(people.assign(FICA=cells), masked)
    assert "record 42" in message
    assert not text.strip() or f"'{text}'" not in message


@pytest.mark.parametrize("side", ["original", "release"])
def test_the_mistakes_of_all_columns_are_told_at_once(people, masked, side):
    frames = {"original": people, "release": masked}
    frames[side] = frames[side].assign(FICA=np.inf, FEDTAX=-np.inf)
    assert len(refused(**frames).splitlines()) == 2


def test_frames_without_records_or_columns_are_an_error(people, masked):
    assert "no records" in refused(people[:0], masked)
    refused(people[[]], masked[[]], permaudit.PermauditError)
    refused(people, masked, permaudit.PermauditError, attributes=[])


# --------------------------------------------------------------------------- arguments

WRONG = {
    "kind": {"kind": "maskd"},
    "linkage": {"linkage": "rows"},
    "linkage by nothing": {"linkage": {"kee": "FICA"}},
    "linkage by a column that is not there": {"linkage": {"key": "ID"}},
    "linkage by a map that is no frame": {"linkage": {"map": "map.csv"}},
    "linkage by a map that is too short": {"linkage": {"map": pd.DataFrame({"record": [1, 2]})}},
    "linked synthetic data": {"kind": "synthetic", "linkage": "row"},
    "metric": {"metrics": ["CM9"]},
    "rule": {"rules": [{"rule": "treshold"}]},
    "rule without a name": {"rules": [{"metric": "CM2", "min": 0.1}]},
    "rule that is none": {"rules": ["threshold"]},
    "rules that are none": {"rules": 7},
    "missing": {"missing": "drop"},
    "parameter of a rule": {"rules": [{"rule": "threshold", "metric": "CM2", "mn": 0.1}]},
    "limit without a number": {"rules": [{"rule": "threshold", "metric": "CM2"}]},
    "limit that is none": {"rules": [{"rule": "threshold", "metric": "CM2", "min": float("nan")}]},
    "limit out of bounds": {"rules": [{"rule": "threshold", "metric": "CM2", "min": 1.4}]},
    "metric of a rule": {"rules": [{"rule": "threshold", "metric": "CM9", "min": 0.1}]},
    "kind in a rule": {"rules": [{**RULES[0], "when": {"kind": "maskd"}}]},
    "candidate in a rule": {"rules": [{**RULES[0], "when": {"candidate": "other"}}]},
    "key in a condition": {"rules": [{**RULES[0], "when": {"kid": "masked"}}]},
    "condition that is none": {"rules": [{**RULES[0], "when": "masked"}]},
    "engine": {"engine": "cluster"},
    "attribute": {"attributes": ["FICA", "NOPE"]},
    "attribute twice": {"attributes": ["FICA", "FICA"]},
    "identifier that is audited": {"attributes": ["FICA", "FEDTAX"], "identifiers": ["FICA"]},
    "distribution": {"allow": ["no such thing"]},
    "distribution that is not installed": {"allow": ["acme-metrics"]},
    "seed": {"seed": -1},
    "seed that is no number": {"seed": "1"},
}


@pytest.mark.parametrize("options", WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_an_error_that_says_so(people, masked, options):
    with pytest.raises(permaudit.PermauditError) as caught:
        permaudit.audit(people, masked, **({"kind": "masked", "rules": RULES} | options))
    text = str(caught.value)
    assert text
    assert not text.startswith("(")
    assert "pydantic" not in text


# --------------------------------------------------------------------------- the same as on the command line


@pytest.fixture
def result_of(request, tmp_path):
    run = request.getfixturevalue("permaudit")

    def result(audit):
        run("run", audit, "--out", tmp_path / "out")
        return from_json((tmp_path / "out" / "audit.json").read_bytes())

    return result


def test_the_call_and_the_command_line_give_the_same_numbers(people, masked, others, write_audit, result_of):
    candidates = {
        "masked": {"path": "masked.csv", "kind": "masked"},
        "synthetic": {"path": "others.csv", "kind": "synthetic"},
    }
    result = result_of(write_audit(candidates=candidates, files={"others.csv": others}))
    releases = [(masked, "masked"), (others, "synthetic")]
    for candidate, (release, kind) in zip(result.candidates, releases, strict=True):
        called = permaudit.audit(people, release, kind=kind, rules=RULES, seed=1).candidates[0]
        # What chance gives to COPIES is drawn from the candidate's own stream, and that goes by its name.
        assert called.metrics["COPIES"].value == candidate.metrics["COPIES"].value
        both = (called.metrics, candidate.metrics)
        first, second = ({name: found for name, found in one.items() if name != "COPIES"} for one in both)
        assert first == second
        assert called.rules == [replace(finding, place=None) for finding in candidate.rules]
        assert called.verdict == candidate.verdict


def test_a_frame_of_its_own_can_say_whose_each_record_is(people, masked):
    rows = np.random.default_rng(1).permutation(len(people))[:150]
    held = pd.DataFrame({"record": rows + 1})
    by_map = permaudit.audit(people, masked.iloc[rows], kind="masked", linkage={"map": held}, rules=RULES)
    order = np.sort(rows)
    by_row = permaudit.audit(people.iloc[order], masked.iloc[order], kind="masked", rules=RULES)
    numbers = [
        {name: one.candidates[0].metrics[name].value for name in ("CM1", "CM2", "CM3", "UM")}
        for one in (by_map, by_row)
    ]
    assert numbers[0] == numbers[1]
    assert by_map.candidates[0].records.suppressed == len(people) - 150


def test_the_call_draws_what_its_seed_says(people, others):
    def drawn(seed):
        return audited(people, others[:150], kind="synthetic", seed=seed).metrics["CM3"].replicates

    assert drawn(1) == drawn(1) != drawn(2)


def test_an_outcome_shows_itself_in_a_notebook_with_everything_escaped(people, masked):
    original, release = (frame.rename(columns={"FICA": "<script>alert(1)</script>"}) for frame in (people, masked))
    outcome = permaudit.audit(original, release, kind="masked", title='<img src=x onerror="alert(1)">')
    html = outcome._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert outcome.verdict in html
