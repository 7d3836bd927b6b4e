import numpy as np
import pyarrow as pa
import pytest

from permaudit.data.linkage import match_by_key
from permaudit.errors import DataError


def match(original, release, key=("ID",)):
    return match_by_key(pa.table(original), pa.table(release), key, "original.csv", "release.csv")


def test_records_are_matched_by_key_in_the_order_of_the_original():
    found = match({"ID": ["c", "a", "b"]}, {"ID": ["b", "c", "a"]})
    assert found.original.tolist() == [0, 1, 2]
    assert found.release.tolist() == [1, 2, 0]


def test_suppressed_and_added_records_are_counted():
    found = match({"ID": [1, 2, 3, 4]}, {"ID": [9, 3, 1]})
    assert (found.suppressed, found.added) == (2, 1)
    assert found.original.tolist() == [0, 2]
    assert found.release.tolist() == [2, 1]


def test_a_number_in_one_file_matches_the_same_text_in_the_other():
    found = match({"ID": ["7", "12"]}, {"ID": [12, 7]})
    assert found.release.tolist() == [1, 0]


def test_codes_with_leading_zeros_are_not_the_number():
    found = match({"ID": ["007", "7"]}, {"ID": ["7"]})
    assert found.original.tolist() == [1]


def test_several_columns_make_one_key_and_their_seams_do_not_blur():
    original = {"A": ["1", "11", "1"], "B": ["11", "1", "1"]}
    found = match(original, {"A": ["11", "1"], "B": ["1", "11"]}, ("A", "B"))
    assert found.original.tolist() == [0, 1]
    assert found.release.tolist() == [1, 0]


def test_a_repeated_key_is_refused_on_either_side_with_its_record_and_without_its_value():
    with pytest.raises(DataError) as caught:
        match({"ID": ["x", "canary-7", "canary-7"]}, {"ID": ["y", "x", "y", "y"]})
    text = str(caught.value)
    assert "original.csv: 1 record repeats" in text
    assert "first in record 3" in text
    assert "release.csv: 2 records repeat" in text
    assert "canary" not in text


@pytest.mark.parametrize("empty", [None, ""])
def test_a_missing_key_is_refused(empty):
    with pytest.raises(DataError, match=r"key column 'ID' has 1 missing value \(first in record 2\)"):
        match({"ID": ["a", "b"]}, {"ID": ["a", empty]})


def test_many_key_columns_do_not_overflow():
    rng = np.random.default_rng(1)
    rows = 4000
    columns = {f"K{number}": rng.integers(0, 10**6, rows).astype(str) for number in range(8)}
    order = rng.permutation(rows)
    found = match(columns, {name: values[order] for name, values in columns.items()}, tuple(columns))
    assert found.original.tolist() == list(range(rows))
    assert (order[found.release] == np.arange(rows)).all()
