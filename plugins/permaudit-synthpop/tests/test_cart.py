"""CART synthesis: what it keeps, what it must not keep, and what is refused."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from permaudit import Attribute, DataError
from permaudit.testing import check_anonymizer, original_of
from permaudit_synthpop.cart import Cart

JOBS = ["smith", "baker", "clerk", "nurse"]


def people(records=300, *, study=True, **others):
    rng = np.random.default_rng(5)
    place = rng.integers(4, size=records)
    columns = {"AGE": 20 + 10 * place + rng.integers(8, size=records), "JOB": [JOBS[one] for one in place]} | others
    return original_of(columns, study=study)


def made(original, seed=1, **params):
    return Cart().anonymize(original, Cart.parameters(**params), np.random.default_rng(seed))


def test_it_keeps_the_contract_on_numbers():
    check_anonymizer(Cart(), {}, refuses=[original_of({"A": [1.0, None] * 30, "B": [2.0, 3.0] * 30})])


def test_it_keeps_the_contract_on_numbers_and_categories():
    check_anonymizer(Cart(), {"smoothing": True, "proper": True}, original=people())


def test_values_go_together_as_they_did():
    """Ages of one job lie within ten years of each other in the original."""
    table = made(people()).table
    starts = {job: 20 + 10 * place for place, job in enumerate(JOBS)}
    apart = [
        abs(age - starts[job] - 4) for age, job in zip(table["AGE"].to_pylist(), table["JOB"].to_pylist(), strict=True)
    ]
    assert np.mean(np.asarray(apart) <= 10) > 0.9


def test_without_smoothing_every_value_is_an_original_one_and_with_it_hardly_any():
    original = original_of()
    for smoothing in (False, True):
        released = made(original, smoothing=smoothing).table
        shares = [
            np.isin(released[name].cast("float64").to_numpy(), original.table[name].cast("float64").to_numpy()).mean()
            for name in original.table.column_names
        ]
        assert (min(shares) == 1) is not smoothing


def test_types_and_categories_are_those_of_the_original():
    original = people()
    table = made(original).table
    assert table.schema.types == original.table.schema.types
    assert set(table["JOB"].to_pylist()) <= set(JOBS)


def test_the_declared_order_of_categories_is_taken():
    order = {"JOB": Attribute(name="JOB", type="ordinal", order=("clerk", "nurse", "baker", "smith"))}
    original = original_of({"AGE": list(range(40)), "JOB": JOBS * 10}, attributes=order)
    assert set(made(original).table["JOB"].to_pylist()) <= set(JOBS)
    broken = original_of({"AGE": list(range(40)), "JOB": ["smith", "witch"] * 20}, attributes=order)
    with pytest.raises(DataError, match="has 20 values outside its declared order"):
        made(broken)


def test_the_global_random_state_is_lent_and_given_back():
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - that is what is looked at
    assert made(people(), seed=1).table.equals(made(people(), seed=1).table)
    assert not made(people(), seed=1).table.equals(made(people(), seed=2).table)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002 - as above


def test_nobodys_logging_is_set_up():
    before = list(logging.getLogger().handlers)
    made(people())
    assert logging.getLogger().handlers == before


def test_an_attribute_that_the_package_loses_is_an_error(monkeypatch):
    """It writes a tree that cannot be grown into a log and goes on without the attribute."""
    import synthpop.method.cart as package  # noqa: PLC0415 - only here

    def grow(*_args, **_options):
        raise RuntimeError("no tree today")

    monkeypatch.setattr(package, "DecisionTreeClassifier", lambda **_: type("Tree", (), {"fit": grow})())
    with pytest.raises(DataError, match="python-synthpop has no tree for JOB"):
        made(people())


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"AGE": [1.0, None] * 20, "B": [1.0, 2.0] * 20},
            "'AGE' has missing values; python-synthpop would make them up",
        ),
        ({"AGE": list(range(40))}, "a tree needs others to grow on"),
        ({"AGE": [1, 2, 3], "B": [1, 2, 3]}, "fewer records than two leaves of 5"),
    ],
)
def test_what_the_package_cannot_handle_is_refused(columns, words):
    with pytest.raises(DataError, match=words):
        made(original_of(columns))
