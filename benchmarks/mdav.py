"""Time of MDAV: the tree beside the plain numpy version and beside brute force, compiled.

    python benchmarks/mdav.py                 all sizes, and write results/mdav.md
    python benchmarks/mdav.py 1e4x4,3 ...     these sizes (records x attributes, k), and print only

All run in the same process, one after the other, on one processor; what counts is processor time, because other work on the
machine does not enter it (though it does enter through the shared cache). Where a version is not bearable at a size it
is left out: brute force and the plain version need n^2 / k distances. The groups must be the same, or the script fails.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np

from permaudit_plugins.anonymizers._mdav_plain import on_grid, plain_groups
from permaudit_plugins.anonymizers._mdav_tree import tree_groups

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = ["1e4x4,3", "1e5x4,3", "1e5x4,10", "1e5x10,3", "1e6x4,3", "1e6x4,10"]
RESULTS = Path(__file__).parent / "results" / "mdav.md"
PLAIN_UP_TO = 4e9
BRUTE_UP_TO = 4e10
MANY = 5e5
AUTOREGRESSION = 0.5
SEED = 20261118


def scaled(n: int, m: int) -> np.ndarray:
    """Points with lognormal margins and an AR(1) copula, scaled to their range."""
    rng = np.random.default_rng(SEED)
    normal = rng.standard_normal((n, m))
    for j in range(1, m):
        normal[:, j] = AUTOREGRESSION * normal[:, j - 1] + np.sqrt(1 - AUTOREGRESSION**2) * normal[:, j]
    values = np.exp(normal)
    return (values - values.min(axis=0)) / np.ptp(values, axis=0)


# --------------------------------------------------------------------------- brute force


@numba.njit(cache=True)
def farthest(points: np.ndarray, left: np.ndarray, factor: float, center: np.ndarray) -> int:
    best, found = -1.0, -1
    for place in range(left.size):
        total = 0.0
        for j in range(center.size):
            away = factor * points[place, j] - center[j]
            total += away * away
        if total > best or (total == best and left[place] < left[found]):
            best, found = total, place
    return found


@numba.njit(cache=True)
def take_out(points: np.ndarray, left: np.ndarray, place: int, last: int) -> None:
    points[place] = points[last]
    left[place] = left[last]


@numba.njit(cache=True)
def nearest(points: np.ndarray, left: np.ndarray, center: np.ndarray, distances: np.ndarray, found: np.ndarray) -> None:
    distances[:], found[:] = np.inf, np.iinfo(np.int64).max
    for i in range(left.size):
        total = 0.0
        for j in range(center.size):
            away = points[i, j] - center[j]
            total += away * away
        slot = found.size
        while slot and (total < distances[slot - 1] or (total == distances[slot - 1] and left[i] < found[slot - 1])):
            slot -= 1
            if slot + 1 < found.size:
                distances[slot + 1], found[slot + 1] = distances[slot], found[slot]
        if slot < found.size:
            distances[slot], found[slot] = total, left[i]


@numba.njit(cache=True)
def brute(points: np.ndarray, whole: np.ndarray, step: float, k: int) -> np.ndarray:
    """MDAV by computing every distance, with the definitions of the plain version; the records left stand first."""
    records = points.shape[0]
    original, points, left = points, points.copy(), np.arange(records)
    groups, sums = np.full(records, -1), whole.sum(axis=0)
    count, formed, seeds = records, 0, np.empty(2, np.int64)
    distances, found = np.empty(k - 1), np.empty(k - 1, np.int64)
    while count >= 2 * k:
        many = 2 if count >= 3 * k else 1
        place = farthest(points[:count], left[:count], float(count), sums * step)
        for turn in range(many):
            if turn:
                place = farthest(points[:count], left[:count], 1.0, original[seeds[0]])
            seeds[turn] = left[place]
            count -= 1
            take_out(points, left, place, count)
        for seed in seeds[:many]:
            nearest(points[:count], left[:count], original[seed], distances, found)
            groups[seed] = formed
            sums -= whole[seed]
            for number in found:
                groups[number] = formed
                sums -= whole[number]
            formed += 1
            for place in range(count - 1, -1, -1):
                if groups[left[place]] >= 0:
                    count -= 1
                    take_out(points, left, place, count)
    groups[groups < 0] = formed
    return groups


# --------------------------------------------------------------------------- measuring


def seconds(function: Callable[..., np.ndarray], *given: object) -> tuple[float, np.ndarray]:
    start = time.process_time()
    groups = function(*given)
    return time.process_time() - start, groups


def measured(size: str) -> list[str]:
    """One row of the table."""
    shape, k = size.split(",")
    n, m = (int(float(part)) for part in shape.split("x"))
    k = int(k)
    points = scaled(n, m)
    tree, groups = min((seconds(tree_groups, points, k) for _ in range(1 if n > MANY else 3)), key=lambda pair: pair[0])
    row = [shape, str(k), f"{tree:.3f}"]
    for function, given, limit in [
        (brute, (*on_grid(points), k), BRUTE_UP_TO),
        (plain_groups, (k,), PLAIN_UP_TO),
    ]:
        if n * n * m / 4 / k > limit:
            row += ["-", "-"]
            continue
        slow, theirs = seconds(function, points, *given)
        if not np.array_equal(theirs, groups):
            raise SystemExit(f"{size}: the groups differ")
        row += [f"{slow:.2f}", f"{slow / tree:.0f}x"]
    return row


def main() -> None:
    sizes = sys.argv[1:] or SIZES
    small = scaled(100, 2)
    compiling, _ = seconds(tree_groups, small, 3)
    brute(small, *on_grid(small), 3)
    load = os.getloadavg()[0]
    lines = [
        "| n x m | k | tree | brute force, compiled | brute force / tree | plain numpy | plain / tree |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    print(*lines, sep="\n")
    for size in sizes:
        lines.append(f"| {' | '.join(measured(size))} |")
        print(lines[-1], flush=True)
    if sys.argv[1:]:
        return
    about = (
        f"Written by `benchmarks/mdav.py`. numba {numba.__version__}, numpy {np.__version__}, Python "
        f"{platform.python_version()}; one thread of {os.cpu_count()} processors; load before the run {load:.1f}. Loading the "
        f"compiled tree, or compiling it the first time, took {compiling:.1f} s and is not in the table."
    )
    says = (
        "Seconds of processor time; only ratios within one row mean anything on a shared machine. All versions of a row gave "
        "the same groups, record by record; a dash stands for what would have taken too long."
    )
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(["# MDAV", about, says, "\n".join(lines)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
