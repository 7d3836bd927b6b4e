"""Noise from OpenDP: how much of it, where it comes from, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import opendp.prelude as dp
import pytest

from permaudit import Attribute, DataError
from permaudit.testing import check_anonymizer, original_of
from permaudit_opendp.gaussian import Gaussian, epsilon_of
from permaudit_opendp.laplace import DiscreteLaplace

MECHANISMS = [(DiscreteLaplace(), {"epsilon": 4.0}), (Gaussian(), {"rho": 0.5})]
MANY = 20_000


def bounded(columns, bounds, *, study=True):
    attributes = {name: Attribute(name=name, bounds=bounds) for name in columns}
    return original_of(columns, attributes=attributes, study=study)


def noise(mechanism, params, *, study, kind=np.int64, attributes=1):
    """The noise on many equal values, which is then all there is to see."""
    columns = {f"A{place}": np.full(MANY, 50, dtype=kind) for place in range(attributes)}
    chosen = mechanism.parameters.model_validate(params)
    made = mechanism.anonymize(bounded(columns, (0, 100), study=study), chosen, np.random.default_rng(1))
    return made.table["A0"].to_numpy() - 50


@pytest.mark.parametrize(("mechanism", "params"), MECHANISMS)
def test_it_keeps_the_contract(mechanism, params):
    rng = np.random.default_rng(0)
    people = bounded({"AGE": rng.integers(0, 100, 120), "INCOME": rng.integers(0, 100, 120)}, (0, 100))
    outside = bounded({"AGE": np.arange(50)}, (0, 40))
    check_anonymizer(mechanism, params, original=people, refuses=[original_of(), outside])


@pytest.mark.parametrize("study", [True, False])
@pytest.mark.parametrize("attributes", [1, 4])
def test_discrete_laplace_noise_has_the_spread_that_the_budget_buys(study, attributes):
    # A discrete Laplace variable with scale b has variance 2 p / (1 - p)^2 where p = exp(-1 / b).
    drawn = noise(DiscreteLaplace(), {"epsilon": 10.0}, study=study, attributes=attributes)
    p = math.exp(-10.0 / (100 * attributes))
    assert drawn.std() == pytest.approx(math.sqrt(2 * p) / (1 - p), rel=0.05)
    assert abs(drawn.mean()) < 5 * drawn.std() / math.sqrt(MANY)


@pytest.mark.parametrize("study", [True, False])
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_gaussian_noise_has_the_spread_that_the_budget_buys(study, kind):
    # rho = width^2 / (2 scale^2) for one attribute (Bun and Steinke, proposition 1.6).
    drawn = noise(Gaussian(), {"rho": 0.5}, study=study, kind=kind)
    assert drawn.std() == pytest.approx(100.0, rel=0.05)
    assert abs(drawn.mean()) < 5 * drawn.std() / math.sqrt(MANY)


@pytest.mark.parametrize(("mechanism", "params"), MECHANISMS)
def test_whole_numbers_stay_whole(mechanism, params):
    made = mechanism.anonymize(
        bounded({"AGE": np.arange(50)}, (0, 100), study=False),
        mechanism.parameters.model_validate(params),
        np.random.default_rng(1),
    )
    assert made.table["AGE"].type == "int64"


@pytest.mark.parametrize(("mechanism", "params"), MECHANISMS)
def test_a_release_never_follows_the_given_generator(mechanism, params):
    """Whoever could repeat the noise could subtract it."""
    first, second = (noise(mechanism, params, study=False) for _ in range(2))
    assert (first != second).any()


def test_the_budget_that_opendp_grants_is_never_exceeded():
    for epsilon in (0.1, 1.0, math.pi):
        scale = 100 / epsilon
        measurement = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=scale)
        assert measurement.map(100) == pytest.approx(epsilon, rel=1e-12)


def test_the_note_says_what_the_budget_amounts_to():
    # The textbook conversion rho + 2 sqrt(rho ln(1 / delta)) is an upper bound of what OpenDP computes.
    for rho in (0.1, 0.5, 2.0):
        assert rho < epsilon_of(rho, 1e-6) <= rho + 2 * math.sqrt(rho * math.log(1e6))


@pytest.mark.parametrize(("mechanism", "params"), MECHANISMS)
@pytest.mark.parametrize(
    ("columns", "bounds", "words"),
    [
        ({"AGE": np.arange(50)}, None, "has no bounds"),
        ({"AGE": np.arange(50)}, (0, 40), "has 9 values outside its bounds"),
        ({"AGE": [1, None, 3]}, (0, 40), "has 1 missing values"),
        ({"AGE": [1.0, float("nan"), 3.0]}, (0, 40), "has 1 values outside its bounds"),
    ],
)
def test_what_would_void_the_guarantee_is_refused(mechanism, params, columns, bounds, words):
    with pytest.raises(DataError, match=words):
        mechanism.anonymize(
            bounded(columns, bounds), mechanism.parameters.model_validate(params), np.random.default_rng(1)
        )


def test_numbers_with_a_fraction_are_for_the_other_mechanism():
    with pytest.raises(DataError, match="is not whole; this anonymizer keeps whole numbers whole"):
        noise(DiscreteLaplace(), {"epsilon": 1.0}, study=True, kind=np.float64)


def test_a_budget_that_is_hardly_there_is_refused():
    with pytest.raises(DataError, match="epsilon is too small"):
        noise(DiscreteLaplace(), {"epsilon": 1e-18}, study=True)
    with pytest.raises(DataError, match="rho is too small"):
        noise(Gaussian(), {"rho": 1e-30}, study=True)
