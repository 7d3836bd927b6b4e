"""Which attribute is responsible for what, held against brute force."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import permaudit as pa
from permaudit.permutation import links_without_each, movements, protection_by_key
from permaudit.permutation.movement import CLASSES

from . import textbook
from .files import file_pairs, four, gaussian, moments


def frame(data):
    return pd.DataFrame(data, columns=[f"A{number}" for number in range(data.shape[1])])


def attributed(x, y, kind="masked", **options):
    return pa.audit(frame(x), frame(y), kind=kind, **options).candidates[0].attribution


@pytest.fixture(scope="module")
def pair():
    """Four attributes under noise of different strength, the third one hardly hidden."""
    rng = np.random.default_rng(1)
    x = gaussian(rng, 250, 4, 0.4)
    return x, x + rng.standard_normal(x.shape) * [2.0, 1.0, 0.1, 0.5]


@pytest.fixture(scope="module")
def found(pair):
    return attributed(*pair)


# --------------------------------------------------------------------------- leave one out


def without(data, place):
    return np.delete(data, place, axis=1)


def test_cm2_without_each_attribute_is_what_an_audit_without_it_would_read(pair, found):
    for place, share in enumerate(found.attributes):
        alone = pa.audit(frame(without(pair[0], place)), frame(without(pair[1], place)), kind="masked")
        assert share.links_without == pytest.approx(alone.candidates[0].metrics["CM2"].value, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(file_pairs(least=2))
def test_leaving_out_from_the_moments_agrees_with_leaving_out_from_the_files(files):
    """Also with ties, constant and repeated columns."""
    x, y = files
    told = links_without_each(moments(x, y))
    for place, value in enumerate(told):
        rest = four(without(x, place), without(y, place)) if x.shape[1] > 1 else None
        assert rest is not None
        assert value == pytest.approx(rest.cm2, abs=1e-6)


def test_without_the_only_attribute_nothing_is_left():
    x = np.random.default_rng(2).standard_normal((50, 1))
    (share,) = attributed(x, x + 1.0).attributes
    assert share.links_without is None
    assert share.as_key is None


def test_leaving_out_the_one_bare_attribute_shows_how_well_the_others_are_protected(pair):
    x, y = pair
    bare = y.copy()
    bare[:, 1] = np.exp(x[:, 1])
    found = attributed(x, bare)
    assert found.least_protected == "A1"
    assert [share.links_without > 0 for share in found.attributes] == [False, True, False, False]


# --------------------------------------------------------------------------- least protected, and the key of CM3


def test_the_least_protected_attribute_is_the_one_that_a_regression_explains_best(pair, found):
    rank_x, rank_y = (textbook.ranks(file) for file in pair)
    design = np.column_stack([np.ones(len(rank_y)), rank_y])
    residuals = rank_x - design @ np.linalg.lstsq(design, rank_x)[0]
    explained = 1 - residuals.var(axis=0) / rank_x.var(axis=0)
    np.testing.assert_allclose([share.explained for share in found.attributes], explained, atol=1e-9)
    assert found.least_protected == f"A{explained.argmax()}" == "A2"


def test_the_key_that_attains_cm3_is_the_one_that_sorting_by_hand_finds(pair, found):
    x, y = pair
    by_hand = []
    for key in range(4):
        one, other = (without(file[np.argsort(file[:, key])], key) for file in (x, y))
        by_hand.append(four(one, other).cm2)
    np.testing.assert_allclose([share.as_key for share in found.attributes], by_hand, rtol=1e-9)
    assert found.worst_key == f"A{int(np.argmin(by_hand))}"
    metrics = pa.audit(frame(x), frame(y), kind="masked").candidates[0].metrics
    assert metrics["CM3"].value == pytest.approx(min(by_hand))
    assert metrics["CM3"].details["worst_key"] == found.worst_key


def test_an_unlinked_release_has_keys_and_nothing_that_needs_links(pair):
    rng = np.random.default_rng(3)
    found = attributed(pair[0], rng.permutation(pair[1]), kind="synthetic")
    assert found.least_protected is None
    assert found.worst_key is not None
    for share in found.attributes:
        assert share.as_key is not None
        open_ones = (
            share.explained,
            share.links_without,
            share.moved,
            share.distance,
            share.permutation,
            share.density,
        )
        assert open_ones == (None,) * 6
    assert protection_by_key(moments(*pair)) != [None] * 4


# --------------------------------------------------------------------------- the permutation and the rest


def test_swapping_values_is_all_permutation():
    rng = np.random.default_rng(4)
    x = rng.standard_normal((100, 2))
    shares = attributed(x, np.column_stack([rng.permutation(column) for column in x.T])).attributes
    assert [share.permutation for share in shares] == [1.0, 1.0]
    # The mean distance between two random places of the unit interval is a third.
    assert [share.distance for share in shares] == pytest.approx([1 / 3, 1 / 3], abs=0.08)


def test_a_change_of_units_is_all_noise_and_moves_nobody():
    rng = np.random.default_rng(5)
    x = np.column_stack([rng.lognormal(size=100), rng.standard_normal(100)])
    first, _ = attributed(x, np.column_stack([1.1 * x[:, 0], rng.permutation(x[:, 1])])).attributes
    assert (first.moved, first.distance, first.permutation) == (0.0, 0.0, 0.0)


def test_values_that_are_only_tied_have_not_moved():
    """Microaggregation in the order of one attribute changes values and no order: no permutation is claimed."""
    x = np.sort(np.random.default_rng(6).standard_normal(90))
    groups = np.repeat(x.reshape(30, 3).mean(axis=1), 3)
    (found,) = movements([x], [groups])
    assert (found.moved, found.distance, found.permutation) == (0, 0, 0)


def test_an_unchanged_attribute_has_no_change_to_divide():
    x = np.random.default_rng(7).standard_normal((60, 2))
    first, _ = attributed(x, np.column_stack([x[:, 0], x[::-1, 1]])).attributes
    assert (first.moved, first.permutation) == (0.0, None)


def test_the_picture_of_the_permutation_counts_every_record_once():
    rng = np.random.default_rng(8)
    x = rng.standard_normal((240, 2))
    y = np.column_stack([x[:, 0] * 3, -x[:, 1]])
    straight, reversed_ = (np.array(share.density) for share in attributed(x, y).attributes)
    for picture in (straight, reversed_):
        assert picture.shape == (CLASSES, CLASSES)
        assert picture.sum() == pytest.approx(1)
    np.testing.assert_allclose(straight, np.eye(CLASSES) / CLASSES)
    np.testing.assert_allclose(reversed_, np.eye(CLASSES)[::-1] / CLASSES)


# --------------------------------------------------------------------------- where it is shown


def test_the_result_and_the_report_name_the_responsible_attribute(permaudit, write_audit, tmp_path, people, masked):
    audit = write_audit(files={"masked.csv": masked.assign(FEDTAX=people["FEDTAX"] * 2)})
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--format", "html")
    assert ran.code == 1
    assert "FEDTAX keeps its rank order" in " ".join(ran.out.split())
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    assert candidate["attribution"]["least_protected"] == "FEDTAX"
    assert "FEDTAX" in (tmp_path / "out" / "report.html").read_text("utf-8")
