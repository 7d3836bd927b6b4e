"""Many pairs of files at once give what each gives alone."""

import numpy as np
import pytest

from permaudit import atonce
from permaudit.permutation import (
    canonical_correlations,
    cm1,
    cm1_values,
    cm2,
    cm2_values,
    cm3,
    cm3_values,
    mirror,
    mirror_values,
    pair_moments,
    rank_columns,
    um_values,
    utility,
)
from permaudit.permutation import many as many_module
from permaudit.permutation.many import moments_of_files, rank_files
from tests.permutation.files import CASES, case

NAMES = ("a", "b", "c", "d")
MATRICES = ("original", "release", "cross", "cross_by_key", "mirror_by_key")


def files_of(name):
    pairs = [case("continuous" if name in {"copies", "turned"} else name, seed) for seed in range(5)]
    if name == "copies":
        pairs = [(x, x[::-1]) for x, _ in pairs]
    if name == "turned":
        pairs = [(x, x[::-1] * [1, -1, 1, -1]) for x, _ in pairs]
    return pairs


@pytest.mark.parametrize("name", [*CASES, "copies", "turned"])
def test_many_pairs_at_once_give_what_each_gives_alone(name, monkeypatch):
    monkeypatch.setattr(many_module, "_AT_ONCE", 1000)  # two files at a time
    pairs = files_of(name)
    alone = [pair_moments(NAMES, *(rank_columns(list(side.T)) for side in pair), mirrored=True) for pair in pairs]
    one, other = (
        rank_files([np.array(columns) for columns in zip(*(side.T for side in sides), strict=True)])
        for sides in zip(*pairs, strict=True)
    )
    together = moments_of_files(NAMES, one, other, mirrored=True)
    for single, found in zip(alone, together, strict=True):
        for matrix in MATRICES:
            expected = getattr(single, matrix)
            assert getattr(found, matrix) == pytest.approx(expected, rel=0, abs=1e-12 * np.abs(expected).max())
        for field in (
            "attributes",
            "records",
            "unchanged",
            "trivial_permutation",
            "mirrored_permutation",
            "by_key_error",
        ):
            assert getattr(found, field) == getattr(single, field)
    assert all(found.trivial_permutation for found in together) == (name == "copies")
    assert all(found.mirrored_permutation for found in together) == (name == "turned")
    canonical = [canonical_correlations(single.original, single.release, single.cross) for single in alone]
    values = {
        cm1_values: [cm1(found) for found in canonical],
        cm2_values: [cm2(found) for found in canonical],
        cm3_values: [cm3(single).min() for single in alone],
        mirror_values: [mirror(single).min() for single in alone],
        um_values: [utility(single.original, single.release, single.records).value for single in alone],
    }
    for function, expected in values.items():
        assert function(alone) == pytest.approx(expected, rel=0, abs=1e-12)


def test_samples_are_compared_alike_one_by_one_and_at_once(monkeypatch):
    one, other = ({name: side[:, place] for place, name in enumerate(NAMES)} for side in case("tied key", 1))
    rng = np.random.default_rng(2)
    whole = np.arange(100)
    rows = [(whole, rng.integers(120, size=100)) for _ in range(3)] + [tuple(rng.integers(120, size=(2, 100)))]
    together = atonce.compared_at_once(one, other, rows, mirrored=True)
    monkeypatch.setattr(atonce, "_SHORT", 0)
    for found, expected in zip(together, atonce.compared_at_once(one, other, rows, mirrored=True), strict=True):
        for matrix in MATRICES:
            assert getattr(found, matrix) == pytest.approx(getattr(expected, matrix), rel=0, abs=1e-9)
