from __future__ import annotations

import numpy as np
from hypothesis import given

import permaudit.permutation.identity
from permaudit.permutation import pair_moments, rank_columns, trivial_permutation, unchanged

from . import textbook
from .files import file_pairs


def ranked(data):
    return rank_columns(list(np.asarray(data).T))


@given(file_pairs(least=1))
def test_equal_multisets_are_recognized_and_others_refuted(pair):
    x, y = pair
    shuffled = np.random.default_rng(0).permutation(x)
    assert trivial_permutation(ranked(x), ranked(shuffled))
    assert trivial_permutation(ranked(x), ranked(y)) == textbook.same_records(textbook.ranks(x), textbook.ranks(y))


def test_values_may_change_as_long_as_ranks_do_not():
    x = np.random.default_rng(1).integers(0, 4, (50, 3))
    assert trivial_permutation(ranked(x), ranked(np.exp(x[::-1])))


def test_equal_columns_in_other_combinations_are_no_trivial_permutation():
    x = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    y = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
    assert not trivial_permutation(ranked(x), ranked(y))
    assert not trivial_permutation(ranked(y), ranked(x))


def test_equal_own_moments_do_not_suffice():
    # the same pairs of columns, hence the same covariances, in other triples
    x = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    y = 1 - x
    assert not trivial_permutation(ranked(x), ranked(y))


def test_the_answer_does_not_rest_on_hashes(monkeypatch):
    monkeypatch.setattr(permaudit.permutation.identity, "_row_hashes", lambda file: np.zeros(file.records, np.uint64))
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, (40, 3))
    assert trivial_permutation(ranked(x), ranked(rng.permutation(x)))
    y = x.copy()
    y[[0, 1], 0] = y[[1, 0], 0]
    assert trivial_permutation(ranked(x), ranked(y)) == textbook.same_records(textbook.ranks(x), textbook.ranks(y))


def test_unchanged_attributes_are_those_that_keep_every_rank():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((200_000, 4))
    y = x.copy()
    y[:, 0] = np.exp(x[:, 0])
    y[:, 1] = rng.permutation(x[:, 1])
    last = np.argsort(x[:, 2])[-2:]
    y[last, 2] = y[last[::-1], 2]
    assert unchanged(ranked(x), ranked(y)).tolist() == [True, False, False, True]


def test_a_new_tie_is_a_change():
    x = np.array([[1.0], [2.0], [3.0]])
    assert not unchanged(ranked(x), ranked([[1.0], [2.0], [2.0]]))[0]


def test_moments_of_another_engine_do_not_hide_a_trivial_permutation():
    x = np.random.default_rng(4).standard_normal((100, 3))
    known = np.cov(textbook.ranks(x), rowvar=False)  # equal up to rounding
    file, shuffled = ranked(x), ranked(x[::-1])
    assert pair_moments("abc", file, shuffled, original_own=known * (1 + 1e-13)).trivial_permutation
