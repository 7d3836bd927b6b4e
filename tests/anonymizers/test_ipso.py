"""IPSO keeps what it promises, refuses what it cannot keep, and gives the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from permaudit.permutation import canonical_correlations, cm1, cm2, cm3, pair_moments, rank_columns, utility
from permaudit_plugins.anonymizers.ipso import Ipso, IpsoParameters

from .originals import complaint, numbers, original, refusal, skewed

CENSUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "census.csv"
REPLICATIONS = 100


def made(given, rng=None, **params):
    return Ipso().anonymize(given, IpsoParameters(**params), rng or np.random.default_rng(1))


def coefficients(x, y):
    """Regression coefficients of y on x, with intercept."""
    return np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[0]


# --------------------------------------------------------------------------- what is kept


@pytest.mark.parametrize("records", [6, 50, 2000])
def test_means_and_covariances_are_those_of_the_original(records):
    x = skewed(1, records, 4) * [1.0, 1e6, 1e-6, 30.0]
    y = numbers(made(original(x)).table)
    assert y.mean(axis=0) == pytest.approx(x.mean(axis=0), rel=1e-9)
    np.testing.assert_allclose(np.cov(y.T), np.cov(x.T), rtol=1e-9)
    assert np.abs(np.corrcoef(x[:, 0], y[:, 0])[0, 1]) < 1


def test_nothing_else_is_kept_of_the_values():
    x = skewed(1, 500, 3)
    y = numbers(made(original(x)).table)
    assert not np.isin(y, x).any()


def test_the_coefficients_of_regressions_on_kept_covariates_are_those_of_the_original():
    x = skewed(2, 300, 5)
    release = made(original(x), keep=["a3", "a1"])
    y = numbers(release.table)
    kept, drawn = [1, 3], [0, 2, 4]
    np.testing.assert_array_equal(y[:, kept], x[:, kept])
    assert not np.isin(y[:, drawn], x[:, drawn]).any()
    np.testing.assert_allclose(coefficients(y[:, kept], y[:, drawn]), coefficients(x[:, kept], x[:, drawn]), rtol=1e-9)
    np.testing.assert_allclose(y.mean(axis=0), x.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(np.cov(y.T), np.cov(x.T), rtol=1e-9)
    assert release.notes == ("released unchanged: a1, a3; who knows these values of a record finds it again",)


def test_the_audit_sees_that_kept_covariates_link_the_records(write_audit, permaudit, tmp_path, people):
    """Row i is made from record i: that must block, and no order of the rows may hide it."""
    candidates = {"kept": {"anonymizer": "ipso", "params": {"keep": [people.columns[0]]}}}
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.0}]
    ran = permaudit(
        "run", write_audit(candidates=candidates, rules=rules), "--out", tmp_path / "out", "--format", "json"
    )
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))["candidates"]
    outcomes = {finding["rule"]: finding["outcome"] for finding in candidate["rules"]}
    assert (ran.code, candidate["verdict"], outcomes["declared-linkage"]) == (1, "block", "fail")


def test_the_first_record_is_drawn_like_any_other():
    """A factorization whose signs follow the first record would always put it on the same side of the mean."""
    rng = np.random.default_rng(3)
    given = original(skewed(3, 30, 2))
    sides = [numbers(made(given, rng).table)[0] > numbers(given.table).mean(axis=0) for _ in range(400)]
    assert np.mean(sides, axis=0) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(400))


def test_a_study_can_be_repeated_and_two_replicates_differ():
    given = original(skewed(4, 50, 3))
    assert made(given, np.random.default_rng(1)).table == made(given, np.random.default_rng(1)).table
    rng = np.random.default_rng(1)
    assert made(given, rng).table != made(given, rng).table


# --------------------------------------------------------------------------- what is refused


def test_a_constant_attribute_is_refused_by_name():
    x = skewed(5, 40, 3)
    x[:, 1] = 0.1
    assert refusal(Ipso(), {}, original(x)) == (
        "attribute 'a1' is constant; ipso needs a covariance matrix that is not singular"
    )


@pytest.mark.parametrize("keep", [[], ["a0"]])
def test_a_collinear_attribute_is_refused_by_name(keep):
    x = skewed(6, 40, 3)
    x[:, 2] = 3 * x[:, 0] - x[:, 1] / 7 + 5
    assert refusal(Ipso(), {"keep": keep}, original(x)) == (
        "attribute 'a2' is a linear combination of others; ipso needs them independent"
    )


def test_nearly_collinear_attributes_are_no_reason_to_refuse():
    x = skewed(7, 200, 3)
    x[:, 2] = x[:, 0] + 1e-6 * x[:, 2]
    np.testing.assert_allclose(np.cov(numbers(made(original(x)).table).T), np.cov(x.T), rtol=1e-9)


def test_too_few_records_are_refused():
    assert "at least 5 records for 3 attributes, not 4" in refusal(Ipso(), {}, original(skewed(8, 4, 3)))


def test_covariates_that_cannot_be_kept_are_refused_by_the_name_of_the_parameter():
    given = original(skewed(9, 40, 2))
    assert refusal(Ipso(), {"keep": ["b"]}, given) == "keep names 'b', which is no attribute of this audit"
    assert refusal(Ipso(), {"keep": ["a0", "a1"]}, given).startswith("keep names every attribute")
    assert set(complaint(Ipso(), {"keep": 3})) == {"keep"}


def test_text_is_refused_by_name():
    given = original({"a": ["x", "y"] * 9, "b": np.arange(18.0)}, types={"a": "nominal"})
    assert refusal(Ipso(), {}, given) == "attribute 'a' is nominal; this anonymizer works on numeric attributes only"


# --------------------------------------------------------------------------- the paper's figures


def four(x, y):
    """UM, CM1, CM2 and CM3, records paired by position."""
    pair = pair_moments([str(j) for j in range(x.shape[1])], rank_columns(list(x.T)), rank_columns(list(y.T)))
    canonical = canonical_correlations(pair.original, pair.release, pair.cross)
    return utility(pair.original, pair.release, pair.records).value, cm1(canonical), cm2(canonical), cm3(pair).min()


def replicated(x, rng, replications=REPLICATIONS):
    given = original(x)
    return np.array([four(x, numbers(made(given, rng).table)) for _ in range(replications)])


@pytest.mark.skipif(not CENSUS.exists(), reason="the Census file is no part of the project and is not beside it")
def test_the_census_file_gives_the_published_means():
    """Ours and the published figures are means of 100 replications each: two standard errors of their difference."""
    table = pa.csv.read_csv(CENSUS).select(["FICA", "FEDTAX", "INTVAL", "POTHVAL"])
    runs = replicated(numbers(table).astype(float), np.random.default_rng(20261118))
    error = runs.std(axis=0, ddof=1) * np.sqrt(2 / REPLICATIONS)
    assert (np.abs(runs.mean(axis=0) - [0.9638, 0.9904, 0.9849, 0.6673]) <= 2 * error).all()


def test_normal_data_with_correlations_of_99_percent_give_the_published_figures_but_one():
    """The paper prints CM2 = .9913; the exact null mean 1 - m^2 / (n - 1) is .9852, and so is every run of ours.

    CM3 depends on the data drawn: two standard deviations between data sets.
    """
    rng = np.random.default_rng(20261118)
    factor = np.linalg.cholesky(np.full((4, 4), 0.99) + 0.01 * np.eye(4))
    files = np.array([replicated(rng.standard_normal((1080, 4)) @ factor.T, rng, 10).mean(axis=0) for _ in range(20)])
    um, one, two, three = files.mean(axis=0)
    error = files.std(axis=0, ddof=1)
    assert um == pytest.approx(1.0, abs=5e-5)
    assert one == pytest.approx(0.9914, abs=2 * error[1])
    assert two == pytest.approx(1 - 16 / 1079, abs=2 * error[2] / np.sqrt(20))
    assert two < 0.9913 - 5 * error[2] / np.sqrt(20)
    assert three == pytest.approx(0.0277, abs=2 * error[3])
