"""Every kind of the corpus once; `make corpus` runs all of it, with several seeds."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from .case import RELEASE
from .kinds import CASES
from .report import clopper_pearson
from .run import run_case

KINDS = list(dict.fromkeys(case.name for case in CASES))
ONE_OF_EACH = [
    (found := [case for case in CASES if case.name == name])[place % len(found)] for place, name in enumerate(KINDS)
]
"""Each kind once, where it can be declared in two ways in turn as masked and as synthetic."""


@pytest.mark.parametrize("case", [case for case in ONE_OF_EACH if case.bad], ids=lambda case: case.id)
def test_a_bad_release_never_passes(case):
    ended = run_case(case, seed=1, quick=True)
    assert ended.code != RELEASE, ended.told
    assert ended.code in case.codes, ended.told


@pytest.mark.parametrize("case", [case for case in ONE_OF_EACH if case.good], ids=lambda case: case.id)
def test_a_good_release_passes(case):
    ended = run_case(case, seed=1, quick=True)
    assert ended.code == RELEASE, ended.told


def test_there_are_enough_kinds_and_no_two_of_one_name():
    assert sum(case.bad for case in ONE_OF_EACH) >= 25
    assert sum(case.good for case in ONE_OF_EACH) >= 10
    assert len({case.id for case in CASES}) == len(CASES)


@pytest.mark.parametrize(("found", "of"), [(0, 20), (1, 20), (10, 20), (20, 20), (3, 1000)])
def test_the_intervals_are_those_of_clopper_and_pearson(found, of):
    interval = binomtest(found, of).proportion_ci(0.95, "exact")
    assert clopper_pearson(found, of) == pytest.approx((interval.low, interval.high), abs=1e-12)
