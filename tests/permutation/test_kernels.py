from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from unittest import mock

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings

from permaudit.permutation import cross_moments_by_key, fast, rank_columns
from permaudit.permutation.fast import compiled_kernels

from .files import file_pairs, moments
from .test_moments import large

compiled = pytest.importorskip("permaudit.permutation.kernels", reason="needs the extra `fast`")

FLOATS = st.floats(allow_nan=False) | st.integers(-3, 3).map(lambda i: 1.0 + i * 2.0**-52)
ZEROS = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, np.inf, -np.inf])
MOMENTS = ("original", "release", "cross", "cross_by_key")


@contextmanager
def kernels():
    """Use the compiled kernels however small the file is."""
    with mock.patch.object(fast, "_WORTH_LOADING", 0), mock.patch.object(fast, "_WORTH_CALLING", 0):
        assert compiled_kernels(1) is compiled
        yield


@contextmanager
def numpy_only():
    with mock.patch.dict(os.environ, PERMAUDIT_KERNELS="numpy"):
        assert compiled_kernels(10**9) is None
        yield


def assert_same_ranks(columns, threads=None):
    """The kernels and numpy agree on ranks, ties, and even on the order of equal values."""
    with numpy_only():
        expected = rank_columns(columns, threads)
    with kernels():
        found = rank_columns(columns, threads)
    np.testing.assert_array_equal(found.doubled, expected.doubled)
    np.testing.assert_array_equal(found.order, expected.order)
    np.testing.assert_array_equal(found.tied, expected.tied)


# --------------------------------------------------------------------------- ranks


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=FLOATS | ZEROS))
@example(np.array([1e300, 1.0, 1.0 + 2**-52, 1.0, 1.0 - 2**-53]))
@example(np.array([-0.0, 0.0, -0.0]))
def test_compiled_ranks_of_floats_are_those_of_numpy(values):
    assert_same_ranks([values])


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i8", ">f8", "f2", "f4"])
@settings(max_examples=40)
@given(data=st.data())
def test_compiled_ranks_of_every_type_are_those_of_numpy(dtype, data):
    kind = np.dtype(dtype)
    elements = hnp.from_dtype(kind, allow_nan=False) if kind.kind == "f" else hnp.from_dtype(kind)
    assert_same_ranks([data.draw(hnp.arrays(kind, st.integers(1, 40), elements=elements))])


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).standard_normal(70_000),
        np.round(np.random.default_rng(2).lognormal(8, 2, 70_000), 2),
        np.random.default_rng(3).integers(0, 9, 70_000),
        np.random.default_rng(4).integers(-(2**62), 2**62, 70_000) & ~0xFFFFF,
        np.append(1e300, np.random.default_rng(5).uniform(1, 1.001, 70_000)),
        np.append(-1e300, 1 + np.random.default_rng(6).integers(0, 30_000, 70_000) * 2.0**-40),
        np.zeros(70_000),
    ],
    ids=["normal", "cents", "few values", "empty trailing bits", "too alike", "a few alike", "constant"],
)
def test_compiled_ranks_of_larger_columns_are_those_of_numpy(values):
    assert_same_ranks([values, values[::-1], -values], threads=2)


def test_columns_that_may_not_be_written_are_ranked():
    column = np.arange(5.0)[::-1]
    column.flags.writeable = False
    assert_same_ranks([column])


def test_values_that_agree_in_too_many_leading_bits_are_left_to_numpy():
    alike = np.append(1e300, 1 + np.arange(200) * 2.0**-52)
    order, doubled, room = np.empty(201, np.int32), np.empty((201, 1), np.int32), np.empty((2, 201), np.uint64)
    assert compiled.rank_column(alike.view(np.int64), True, order, doubled, 0, room) == compiled.TOO_ALIKE  # noqa: FBT003


@pytest.mark.parametrize(
    ("column", "error"),
    [
        (np.array([1.0, np.nan, 2.0]), "column 0 has missing values"),
        (np.array([1.0, -np.nan, 2.0]), "column 0 has missing values"),
        (np.array(["a", "b", "c"]), "column 0 has dtype"),
        (np.array([1j, 2, 3]), "column 0 has dtype"),
        (np.array([1, 2, 3], "M8[s]"), "column 0 has dtype"),
    ],
)
def test_the_kernels_refuse_what_numpy_refuses(column, error):
    for way in (kernels, numpy_only):
        with way(), pytest.raises((TypeError, ValueError), match=error):
            rank_columns([column])


# --------------------------------------------------------------------------- moments


@settings(max_examples=60)
@given(file_pairs())
def test_compiled_moments_are_those_of_numpy_to_the_last_bit(pair):
    with numpy_only():
        expected = moments(*pair)
    with kernels():
        found = moments(*pair)
    for name in MOMENTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_compiled_moments_of_larger_files_are_those_of_numpy_whatever_the_threads():
    x, y = large(8, n=20_000)
    with numpy_only():
        expected = moments(x, y, threads=1)
    with kernels():
        for threads in (1, 3):
            found = moments(x, y, threads)
            for name in MOMENTS:
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_the_order_among_equal_keys_plays_no_part():
    x, y = large(9)
    shuffled = np.random.default_rng(0).permutation(len(x))
    with kernels():
        one = cross_moments_by_key(rank_columns(list(x.T)), rank_columns(list(y.T)))
        other = cross_moments_by_key(rank_columns(list(x[shuffled].T)), rank_columns(list(y.T)))
    np.testing.assert_array_equal(one, other)


# --------------------------------------------------------------------------- when they are used


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


RANK = """
import sys, numpy as np
from permaudit.permutation import fast, rank_columns
fast._WORTH_LOADING = 30_000
rank_columns([np.arange({}.0)] * 10)
print("numba" in sys.modules)
"""


def test_nothing_is_compiled_for_small_files():
    assert run(RANK.format(2_000)) == "False"


def test_large_files_are_worth_it():
    assert run(RANK.format(3_000)) == "True"


def test_who_wants_numpy_gets_numpy():
    assert run(RANK.format(3_000), PERMAUDIT_KERNELS="numpy") == "False"


def test_without_numba_numpy_does_it():
    without = "import sys; sys.modules['numba'] = None\n" + RANK.replace(
        '"numba" in', "'permaudit.permutation.kernels' in"
    )
    assert run(without.format(3_000)) == "False"


def test_a_numba_that_does_not_work_is_no_reason_to_fail(tmp_path):
    (tmp_path / "numba.py").write_text("raise AttributeError('something is missing')", encoding="utf-8")
    broken = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n" + RANK.replace(
        '"numba" in', "'permaudit.permutation.kernels' in"
    )
    assert run(broken.format(3_000)) == "False"


def test_kernels_that_cannot_be_kept_are_compiled_each_time():
    code = f"""
import importlib.util, numba.core.caching, numpy as np
numba.core.caching.CacheImpl._locator_classes = []
spec = importlib.util.spec_from_file_location("readonly", {str(compiled.__file__)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
order, doubled, room = np.empty(3, np.int32), np.empty((3, 1), np.int32), np.empty((2, 3), np.uint64)
print(module.rank_column(np.array([3, 1, 2]), False, order, doubled, 0, room), order.tolist(), doubled[:, 0].tolist())
"""
    assert run(code) == "0 [1, 2, 0] [2, -2, 0]"
