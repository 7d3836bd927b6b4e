"""Laplace noise: how much, from where, and when it is refused."""

from __future__ import annotations

import sys
from importlib.metadata import version

import numpy as np
import pytest

from permaudit_plugins.anonymizers.laplace import Laplace, LaplaceParameters

from .originals import complaint, numbers, original, refusal, skewed

BOUNDS = {"a": (0.0, 10.0), "b": (-100.0, 100.0)}


def noise(given, epsilon, seed=1):
    """What was added, and the release."""
    release = Laplace().anonymize(given, LaplaceParameters(epsilon=epsilon), np.random.default_rng(seed))
    return numbers(release.table) - numbers(given.table), release


def two_attributes(records, **settings):
    rng = np.random.default_rng(5)
    return original({"a": rng.uniform(0, 10, records), "b": rng.uniform(-100, 100, records)}, **settings)


# --------------------------------------------------------------------------- how much


@pytest.mark.parametrize(("study", "records"), [(True, 100_000), (False, 4000)])
def test_the_noise_is_laplace_with_the_budget_split_over_the_attributes(study, records):
    """Its mean size is the scale m * width / epsilon; the size itself is exponential: its standard deviation is the same.

    OpenDP cannot be seeded: six standard errors, so that chance does not fail the test.
    """
    added, _ = noise(two_attributes(records, bounds=BOUNDS, study=study), 0.5)
    size, scale = np.abs(added), 2 * np.array([10, 200]) / 0.5
    assert size.mean(axis=0) / scale == pytest.approx(1, abs=6 / np.sqrt(records))
    assert size.std(axis=0) / scale == pytest.approx(1, abs=6 * np.sqrt(2 / records))
    assert added.mean(axis=0) / scale == pytest.approx(0, abs=6 * np.sqrt(2 / records))
    assert np.median(size, axis=0) / scale == pytest.approx(np.log(2), abs=6 / np.sqrt(records))


def test_more_attributes_get_less_budget_each():
    x = np.linspace(0, 1, 50_000)
    bounds = {"a": (0, 1), "b": (0, 1), "c": (0, 1), "d": (0, 1)}
    one, _ = noise(original({"a": x}, bounds=bounds), 1)
    four, _ = noise(original(dict.fromkeys("abcd", x), bounds=bounds), 1)
    assert np.abs(four).mean() / np.abs(one).mean() == pytest.approx(4, rel=0.03)


def test_without_bounds_the_domain_ends_at_one_and_a_half_times_the_maximum_and_the_result_says_so():
    given = original({"a": np.linspace(2, 8, 50_000)})
    added, release = noise(given, 3)
    assert np.abs(added).mean() == pytest.approx(12 / 3, rel=0.03)
    assert release.notes[1].startswith("the domain of a was taken from the data")
    assert len(noise(original({"a": [1.0, 2.0]}, bounds={"a": (0, 5)}), 3)[1].notes) == 1


# --------------------------------------------------------------------------- from where


def test_a_release_has_noise_from_opendp_and_a_study_from_numpy_and_both_say_so():
    assert noise(two_attributes(10, bounds=BOUNDS, study=False), 1)[1].notes == (
        f"noise from OpenDP {version('opendp')}, floating-point safe",
    )
    assert noise(two_attributes(10, bounds=BOUNDS), 1)[1].notes == ("numpy noise: a study, not fit for release",)


def test_a_study_can_be_repeated_and_a_release_never():
    study, release = two_attributes(10, bounds=BOUNDS), two_attributes(10, bounds=BOUNDS, study=False)
    assert noise(study, 1)[1].table == noise(study, 1)[1].table
    assert noise(study, 1)[1].table != noise(study, 1, seed=2)[1].table
    assert noise(release, 1)[1].table != noise(release, 1)[1].table


@pytest.mark.parametrize(("epsilon", "high"), [(1.0, 10.0), (0.7, 0.3), (0.1, 1 / 3), (3.3, 1e6 / 7), (100.0, 1e-3)])
def test_opendp_itself_grants_no_more_than_the_budget(epsilon, high, monkeypatch):
    """What the privacy map of the measurements that were used says, added up over the attributes."""
    import opendp.prelude as dp  # noqa: PLC0415

    used, make = [], dp.m.make_laplace
    monkeypatch.setattr(dp.m, "make_laplace", lambda *args, **more: used.append(make(*args, **more)) or used[-1])
    names = "abc"
    given = original(dict.fromkeys(names, np.array([0.0, high])), bounds=dict.fromkeys(names, (0, high)), study=False)
    noise(given, epsilon)
    assert used[-1].map(high) <= epsilon / 3
    assert used[-1].map(high) == pytest.approx(epsilon / 3, rel=1e-12)


# --------------------------------------------------------------------------- what is refused


def test_without_opendp_a_release_is_refused_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    assert "pip install 'permaudit[dp]'" in refusal(
        Laplace(), {"epsilon": 1}, two_attributes(9, bounds=BOUNDS, study=False)
    )
    assert noise(two_attributes(9, bounds=BOUNDS), 1)[1].table.num_rows == 9


def test_negative_values_without_bounds_are_refused_with_every_attribute():
    given = original({"a": [-1.0, 2.0], "b": [0.0, 0.0], "c": [1.0, 2.0]})
    assert refusal(Laplace(), {"epsilon": 1}, given).splitlines() == [
        "attribute 'a' has negative values and no bounds; declare its bounds, the domain that everybody may know",
        "attribute 'b' is 0 in every record and has no bounds; declare its bounds",
    ]


def test_values_outside_the_bounds_are_refused():
    given = original({"a": [1.0, 2.0, 7.0]}, bounds={"a": (0, 5)})
    assert refusal(Laplace(), {"epsilon": 1}, given) == "attribute 'a' has 1 values outside its bounds"


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "much", None])
def test_a_bad_epsilon_is_refused_by_name(epsilon):
    assert set(complaint(Laplace(), {"epsilon": epsilon})) == {"epsilon"}


def test_an_epsilon_that_makes_infinite_noise_is_refused():
    assert refusal(Laplace(), {"epsilon": 1e-320}, original(skewed(1, 9, 2))).startswith("epsilon is too small")


def test_missing_values_and_text_are_refused_together():
    given = original({"a": [1.0, None, 3.0], "b": ["x", "y", "z"], "c": ["1", "2", "3"]})
    assert refusal(Laplace(), {"epsilon": 1}, given).splitlines() == [
        "attribute 'a' has 1 missing values; this anonymizer cannot work on gaps",
        "attribute 'b' is text; this anonymizer works on numeric attributes only",
        "attribute 'c' is text; this anonymizer works on numeric attributes only",
    ]
