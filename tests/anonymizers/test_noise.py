"""Additive and multiplicative noise: as much as was declared, on numbers only; and the randomness of all that draw."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from permaudit.make import make_releases
from permaudit.plan import MadeCandidate
from permaudit_plugins.anonymizers.additive_noise import AdditiveNoise
from permaudit_plugins.anonymizers.ipso import Ipso
from permaudit_plugins.anonymizers.laplace import Laplace
from permaudit_plugins.anonymizers.mdav import Mdav
from permaudit_plugins.anonymizers.multiplicative_noise import MultiplicativeNoise
from permaudit_plugins.anonymizers.rank_swap import RankSwap
from permaudit_plugins.anonymizers.shuffle_records import ShuffleRecords

from .originals import complaint, numbers, original, refusal, skewed

RECORDS = 20_000
NOISE = [(AdditiveNoise(), {"alpha": 0.5}), (MultiplicativeNoise(), {"beta": 0.5}), (RankSwap(), {"p": 5})]
RANDOM = [*NOISE, (ShuffleRecords(), {}), (Ipso(), {}), (Laplace(), {"epsilon": 1})]


def by_name(item):
    return item.card.id if hasattr(item, "card") else ""


def made(anonymizer, given, params):
    release = anonymizer.anonymize(given, anonymizer.parameters(**params), np.random.default_rng(1))
    return numbers(release.table)


# --------------------------------------------------------------------------- how much


@pytest.mark.parametrize("alpha", [0.01, 0.3, 1])
def test_additive_noise_is_normal_with_the_declared_part_of_the_standard_deviation(alpha):
    x = skewed(1, RECORDS, 3) * [1, 1000, 0.001]
    noise = (made(AdditiveNoise(), original(x), {"alpha": alpha}) - x) / (alpha * x.std(axis=0, ddof=1))
    assert noise.mean(axis=0) == pytest.approx(0, abs=4 / np.sqrt(RECORDS))
    assert noise.std(axis=0) == pytest.approx(1, abs=4 / np.sqrt(2 * RECORDS))
    assert (np.abs(noise) < 1.96).mean() == pytest.approx(0.95, abs=0.005)


def test_additive_noise_of_different_attributes_is_independent():
    x = skewed(2, RECORDS, 2)
    noise = made(AdditiveNoise(), original(x), {"alpha": 1}) - x
    assert np.corrcoef(noise.T)[0, 1] == pytest.approx(0, abs=4 / np.sqrt(RECORDS))
    assert np.corrcoef(noise[:, 0], x[:, 0])[0, 1] == pytest.approx(0, abs=4 / np.sqrt(RECORDS))


def test_a_constant_attribute_gets_no_additive_noise():
    x = np.column_stack([skewed(3, 100, 1), np.full(100, 8.0)])
    assert (made(AdditiveNoise(), original(x), {"alpha": 1})[:, 1] == 8).all()


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.99])
def test_multiplicative_noise_is_even_between_one_minus_beta_and_one_plus_beta(beta):
    x = skewed(4, RECORDS, 2)
    factor = made(MultiplicativeNoise(), original(x), {"beta": beta}) / x
    assert factor.min() >= 1 - beta - 1e-12
    assert factor.max() <= 1 + beta + 1e-12
    assert factor.mean() == pytest.approx(1, abs=0.01 * beta)
    assert factor.std() == pytest.approx(beta / np.sqrt(3), rel=0.02)


def test_zeros_and_a_beta_of_zero_change_nothing():
    x = skewed(5, 50, 2)
    x[::3] = 0
    assert (made(MultiplicativeNoise(), original(x), {"beta": 0.9})[::3] == 0).all()
    np.testing.assert_array_equal(made(MultiplicativeNoise(), original(x), {"beta": 0}), x)


# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("anonymizer", "params", "reason"),
    [
        (AdditiveNoise(), {"alpha": 0}, "greater than 0"),
        (AdditiveNoise(), {"alpha": 1.5}, "less than or equal to 1"),
        (AdditiveNoise(), {"alpha": float("nan")}, "finite"),
        (MultiplicativeNoise(), {"beta": -0.1}, "greater than or equal to 0"),
        (MultiplicativeNoise(), {"beta": 1}, "less than 1"),
        (MultiplicativeNoise(), {"beta": "some"}, "valid number"),
        (RankSwap(), {"p": 0}, "greater than 0"),
        (RankSwap(), {"p": 101}, "less than or equal to 100"),
    ],
    ids=lambda item: by_name(item) or str(item),
)
def test_a_bad_parameter_is_refused_with_its_name_and_the_reason(anonymizer, params, reason):
    (found,) = complaint(anonymizer, params).items()
    assert found[0] == next(iter(params))
    assert reason in found[1]


@pytest.mark.parametrize(("anonymizer", "params"), NOISE, ids=by_name)
def test_a_missing_and_an_unknown_parameter_are_refused_by_name(anonymizer, params):
    (name,) = params
    assert set(complaint(anonymizer, {})) == {name}
    assert set(complaint(anonymizer, params | {"strength": 1})) == {"strength"}


@pytest.mark.parametrize(("anonymizer", "params"), NOISE, ids=by_name)
def test_text_categories_and_gaps_are_refused_together_and_by_name(anonymizer, params):
    given = original(
        {"a": ["x", "y", "z"], "b": ["1", "2", "3"], "c": [1, 2, 3], "d": [1.0, None, 3.0], "e": [1.0, 2.0, 3.0]},
        types={"c": "nominal"},
    )
    assert refusal(anonymizer, params, given).splitlines() == [
        "attribute 'a' is text; this anonymizer works on numeric attributes only",
        "attribute 'b' is text; this anonymizer works on numeric attributes only",
        "attribute 'c' is nominal; this anonymizer works on numeric attributes only",
        "attribute 'd' has 1 missing values; this anonymizer cannot work on gaps",
    ]


# --------------------------------------------------------------------------- the page


@pytest.mark.parametrize("anonymizer", [Mdav(), *(anonymizer for anonymizer, _ in RANDOM)], ids=by_name)
def test_the_examples_on_the_page_are_valid(anonymizer):
    page = (Path(__file__).parents[2] / "docs" / "anonymizers.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall("```yaml\n(.*?)```", page, re.DOTALL)]
    examples = [entry for block in blocks for entry in block.values() if entry.get("anonymizer") == anonymizer.card.id]
    assert examples
    for entry in examples:
        anonymizer.parameters.model_validate(entry["params"])


# --------------------------------------------------------------------------- randomness


def releases(anonymizer, params, seed, *, name="candidate", replicates=1):
    candidate = MadeCandidate(
        name=name, anonymizer=anonymizer.card.id, params=anonymizer.parameters(**params), replicates=replicates
    )
    given = original(skewed(6, 60, 3), study=seed is not None)
    return [numbers(release.table).tolist() for release in make_releases(anonymizer, candidate, given, seed)]


@pytest.mark.parametrize(("anonymizer", "params"), RANDOM, ids=by_name)
def test_a_study_seed_repeats_a_release_and_without_one_two_runs_differ(anonymizer, params):
    assert releases(anonymizer, params, 1) == releases(anonymizer, params, 1)
    assert releases(anonymizer, params, 1) != releases(anonymizer, params, 2)
    assert releases(anonymizer, params, 1) != releases(anonymizer, params, 1, name="another")
    assert releases(anonymizer, params, None) != releases(anonymizer, params, None)


@pytest.mark.parametrize(("anonymizer", "params"), RANDOM, ids=by_name)
def test_replicates_differ(anonymizer, params):
    one, two = releases(anonymizer, params, 1, replicates=2)
    assert one != two
