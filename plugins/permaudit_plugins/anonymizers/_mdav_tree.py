"""MDAV on a tree of the records, compiled: the groups of `_mdav_plain`, to the last record, in n log n.

A balanced tree over the distinct points (Bentley's k-d tree) keeps for each node the box around its points that still have records in no group,
and the lowest of their numbers. "Farthest from" and "nearest to" a record look into a node only if its box can hold a better
record, or an equally good one with a lower number. No pruning is ever wrong by rounding: a box's bound goes through the very
operations of the distances, and each of these is monotone.

"Farthest from the centroid" is another matter: what is left soon is a ball around it, and every box at its surface could
hold the farthest record. But the centroid hardly moves, and no distance to it changes by more than it moved. So each leaf
keeps its greatest distance as last computed, and only those are computed anew whose bound is the greatest of all.

Importing this module needs numba; the first call compiles, and the result is cached beside the module or, where that cannot be
written, in the user's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numba
import numpy as np

from permaudit_plugins.anonymizers._mdav_plain import on_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

F = TypeVar("F", bound="Callable[..., object]")

LEAF = 16
"""The most points of a leaf; measured: 8 and 32 are slower."""
SLACK = 1e-9
"""What rounding may do to a bound that involves the centroid, and far more, as a part of the largest coordinate."""


def compiled(function: F) -> F:
    """Compile a function when it is first called; keep the result where there is a place to keep it."""
    try:
        return cast("F", numba.njit(cache=True)(function))
    except RuntimeError:  # no directory can be written
        return cast("F", numba.njit(function))


class Tree(NamedTuple):
    """The records that are in no group yet. Node 1 is the root, the children of node i are 2i and 2i + 1."""

    rows: Floats
    """The distinct points, leaf by leaf."""
    numbers: Whole
    """For each point: the lowest number of its records."""
    boxes: Floats
    """For each node: the lower corner of its box, then the upper one."""
    lowest: Whole
    """For each node: the lowest number of its records; the number of all records if it is empty."""
    starts: Whole
    """For each node: where its points begin."""
    counts: Whole
    """For each leaf: how many points it still has; they stand first."""
    reach: Floats
    """For each node: no point of it is farther from the centroid than this, plus all ways that the centroid went."""
    homes: Whole
    """For each record: the leaf of its point."""
    following: Whole
    """For each record: the next one at the same point, or the number of all records."""
    waiting: Whole
    """Room for nodes that a search must still look into."""
    bounds: Floats
    """Room for what it can find there."""


def tree_groups(points: Floats, k: int) -> Whole:
    """Return the group of each record, numbered in the order in which they were formed."""
    points = np.ascontiguousarray(points)
    records, size = points.shape
    firsts, following = _distinct(points)
    nodes = 2
    while firsts.size > LEAF * nodes // 2:
        nodes *= 2
    tree = Tree(
        rows=points[firsts],
        numbers=firsts,
        boxes=np.empty((nodes, 2 * size)),
        lowest=np.empty(nodes, np.int64),
        starts=np.zeros(nodes, np.int64),
        counts=np.zeros(nodes, np.int64),
        reach=np.full(nodes, np.inf),
        homes=np.empty(records, np.int64),
        following=following,
        waiting=np.empty(nodes, np.int64),
        bounds=np.empty(nodes),
    )
    _build(tree)
    return _form(tree, points, *on_grid(points), k)


# --------------------------------------------------------------------------- distinct points


def _distinct(points: Floats) -> tuple[Whole, Whole]:
    """Return the first record of each distinct point, and for each record the next one at the same point.

    Points that are the same are found by a hash. Should two different ones share it, some repeated ones may count as
    distinct: then the search takes longer, and finds the same.
    """
    hashes = np.zeros(points.shape[0], np.uint64)
    for values in points.T:
        hashes ^= (values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    one, two = order[:-1], order[1:]
    alike = hashes[one] == hashes[two]
    one, two = one[alike], two[alike]
    same = (points[one] == points[two]).all(axis=1)
    following = np.full(points.shape[0], points.shape[0])
    following[one[same]] = two[same]
    first = np.ones(points.shape[0], np.bool_)
    first[two[same]] = False
    return np.flatnonzero(first), following


# --------------------------------------------------------------------------- building


@compiled
def _swap(tree: Tree, one: int, two: int) -> None:
    """Let two points change places."""
    rows, numbers = tree.rows, tree.numbers
    for j in range(rows.shape[1]):
        rows[one, j], rows[two, j] = rows[two, j], rows[one, j]
    numbers[one], numbers[two] = numbers[two], numbers[one]


@compiled
def _halve(tree: Tree, start: int, stop: int, middle: int, axis: int) -> None:
    """Arrange the points so that none before the middle comes after one behind it (Hoare's selection).

    The number of the record decides where values are equal.
    """
    rows, numbers = tree.rows, tree.numbers
    left, right = start, stop - 1
    while left < right:
        pivot = (left + right) // 2
        value, number = rows[pivot, axis], numbers[pivot]
        low, high = left, right
        while low <= high:
            while rows[low, axis] < value or (rows[low, axis] == value and numbers[low] < number):
                low += 1
            while rows[high, axis] > value or (rows[high, axis] == value and numbers[high] > number):
                high -= 1
            if low <= high:
                _swap(tree, low, high)
                low += 1
                high -= 1
        if middle <= high:
            right = high
        elif middle >= low:
            left = low
        else:
            return


@compiled
def _enclose(tree: Tree, node: int, count: int) -> None:
    """Draw the box around the first points of a node, and find the lowest number."""
    rows, box = tree.rows, tree.boxes[node]
    size = rows.shape[1]
    box[:size] = np.inf
    box[size:] = -np.inf
    lowest = tree.homes.size
    for place in range(tree.starts[node], tree.starts[node] + count):
        for j in range(size):
            box[j] = min(box[j], rows[place, j])
            box[size + j] = max(box[size + j], rows[place, j])
        lowest = min(lowest, tree.numbers[place])
    tree.lowest[node] = lowest


@compiled
def _build(tree: Tree) -> None:
    """Halve the points again and again, each time across the longest side of their box."""
    size = tree.rows.shape[1]
    nodes = tree.starts.size
    counts = np.zeros(nodes, np.int64)
    counts[1] = tree.rows.shape[0]
    for node in range(1, nodes):
        start, count = tree.starts[node], counts[node]
        _enclose(tree, node, count)
        if node >= nodes // 2:
            tree.counts[node] = count
            for place in range(start, start + count):
                number = tree.numbers[place]
                while number < tree.homes.size:
                    tree.homes[number] = node
                    number = tree.following[number]
            continue
        sides = tree.boxes[node, size:] - tree.boxes[node, :size]
        half = count // 2
        _halve(tree, start, start + count, start + half, int(np.argmax(sides)))
        tree.starts[2 * node], counts[2 * node] = start, half
        tree.starts[2 * node + 1], counts[2 * node + 1] = start + half, count - half


# --------------------------------------------------------------------------- taking out


@compiled
def _remove(tree: Tree, number: int) -> None:
    """Take out the first record of a point, and shrink the boxes above it as far as anything changes."""
    node = tree.homes[number]
    place = tree.starts[node]
    while tree.numbers[place] != number:
        place += 1
    tree.numbers[place] = tree.following[number]
    size = tree.rows.shape[1]
    changed = tree.lowest[node] == number
    if tree.numbers[place] == tree.homes.size:
        box, row = tree.boxes[node], tree.rows[place]
        for j in range(size):
            changed |= row[j] == box[j] or row[j] == box[size + j]
        tree.counts[node] -= 1
        _swap(tree, place, tree.starts[node] + tree.counts[node])
    if not changed:
        return
    _enclose(tree, node, tree.counts[node])
    while node > 1:
        node //= 2
        box, one, two = tree.boxes[node], tree.boxes[2 * node], tree.boxes[2 * node + 1]
        changed = False
        for j in range(size):
            low, high = min(one[j], two[j]), max(one[size + j], two[size + j])
            changed |= low != box[j] or high != box[size + j]
            box[j], box[size + j] = low, high
        lowest = min(tree.lowest[2 * node], tree.lowest[2 * node + 1])
        if not changed and lowest == tree.lowest[node]:
            return
        tree.lowest[node] = lowest


# --------------------------------------------------------------------------- farthest from the centroid


@compiled
def _set_reach(tree: Tree, node: int, reach: float) -> None:
    """Set the reach of a leaf, and of the nodes above it as far as anything changes."""
    tree.reach[node] = reach
    while node > 1:
        node //= 2
        reach = max(tree.reach[2 * node], tree.reach[2 * node + 1])
        if reach == tree.reach[node]:
            return
        tree.reach[node] = reach


@compiled
def _outermost(tree: Tree, left: int, sums: Floats, way: float, slack: float) -> int:
    """Return the record farthest from the centroid, after all the way that the centroid went."""
    rows, numbers = tree.rows, tree.numbers
    best, number, seen = -1.0, tree.homes.size, 0
    while tree.reach[1] + way + slack >= np.sqrt(max(best, 0.0)) / left:
        node = 1
        while node < tree.starts.size // 2:
            node *= 2
            if tree.reach[node + 1] > tree.reach[node]:
                node += 1
        most = -1.0
        start = tree.starts[node]
        for place in range(start, start + tree.counts[node]):
            total = 0.0
            for j in range(sums.size):
                away = left * rows[place, j] - sums[j]
                total += away * away
            most = max(most, total)
            if total > best or (total == best and numbers[place] < number):
                best, number = total, numbers[place]
        # Out of sight until the search is over.
        _set_reach(tree, node, -np.inf)
        tree.waiting[seen], tree.bounds[seen] = node, np.sqrt(most) / left - way if most >= 0 else -np.inf
        seen += 1
    for i in range(seen):
        _set_reach(tree, tree.waiting[i], tree.bounds[i])
    return int(number)


# --------------------------------------------------------------------------- farthest from a record and nearest to it


@compiled
def _most(tree: Tree, node: int, center: Floats, antipode: Floats, limit: float) -> float:
    """Return what no squared distance of a node's records to the center exceeds.

    It is that of the farthest corner of the box, or the limit less the squared distance of the box to the antipode.
    """
    box = tree.boxes[node]
    size = center.size
    corner, apart = 0.0, 0.0
    for j in range(size):
        away = max(center[j] - box[j], box[size + j] - center[j])
        corner += away * away
        away = max(box[j] - antipode[j], antipode[j] - box[size + j], 0.0)
        apart += away * away
    return min(corner, limit - apart)


@compiled
def _farthest(tree: Tree, center: Floats, antipode: Floats, limit: float) -> int:
    """Return the record farthest from the center, a point at the surface of the ball that holds all records.

    Let the antipode be the opposite point of that surface: by Thales the squared distances of any point of the ball to both
    add up to no more than the squared diameter, the limit. So who is far from the one is near the other.
    """
    rows, numbers, lowest = tree.rows, tree.numbers, tree.lowest
    size, leaves, nobody = center.size, tree.starts.size // 2, tree.homes.size
    best, number = -1.0, nobody
    tree.waiting[0], tree.bounds[0], many = 1, np.inf, 1
    while many:
        many -= 1
        node, bound = tree.waiting[many], tree.bounds[many]
        if bound < best or (bound == best and lowest[node] > number):
            continue
        while node < leaves:
            one, two = 2 * node, 2 * node + 1
            most_one = _most(tree, one, center, antipode, limit) if lowest[one] < nobody else -1.0
            most_two = _most(tree, two, center, antipode, limit) if lowest[two] < nobody else -1.0
            if most_one < most_two or (most_one == most_two and lowest[one] > lowest[two]):
                one, two, most_one, most_two = two, one, most_two, most_one
            if most_two > best or (most_two == best and lowest[two] < number):
                tree.waiting[many], tree.bounds[many] = two, most_two
                many += 1
            node, bound = one, most_one
            if bound < best or (bound == best and lowest[node] > number):
                break
        else:
            start = tree.starts[node]
            for place in range(start, start + tree.counts[node]):
                total = 0.0
                for j in range(size):
                    away = rows[place, j] - center[j]
                    total += away * away
                if total > best or (total == best and numbers[place] < number):
                    best, number = total, numbers[place]
    return int(number)


@compiled
def _least(tree: Tree, node: int, center: Floats) -> float:
    """Return what every squared distance of a node's records to the center reaches."""
    box = tree.boxes[node]
    size = center.size
    total = 0.0
    for j in range(size):
        away = max(box[j] - center[j], center[j] - box[size + j], 0.0)
        total += away * away
    return total


@compiled
def _settle(distances: Floats, found: Whole, distance: float, number: int) -> None:
    """Put a record in place of the last of a heap: no parent is nearer than its children, and lower numbers are nearer."""
    place, count = 0, found.size
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        other = child + 1
        if other < count and (
            distances[other] > distances[child]
            or (distances[other] == distances[child] and found[other] > found[child])
        ):
            child = other
        if distances[child] < distance or (distances[child] == distance and found[child] < number):
            break
        distances[place], found[place] = distances[child], found[child]
        place = child
    distances[place], found[place] = distance, number


@compiled
def _nearest(tree: Tree, center: Floats, found: Whole, distances: Floats) -> None:
    """Find the records nearest to the center, as many as there is room for."""
    rows, numbers, lowest = tree.rows, tree.numbers, tree.lowest
    size, leaves, nobody = center.size, tree.starts.size // 2, tree.homes.size
    found[:] = nobody
    distances[:] = np.inf
    tree.waiting[0], tree.bounds[0], many = 1, 0.0, 1
    while many:
        many -= 1
        node, bound = tree.waiting[many], tree.bounds[many]
        if bound > distances[0] or (bound == distances[0] and lowest[node] > found[0]):
            continue
        while node < leaves:
            one, two = 2 * node, 2 * node + 1
            least_one = _least(tree, one, center) if lowest[one] < nobody else np.inf
            least_two = _least(tree, two, center) if lowest[two] < nobody else np.inf
            if least_one > least_two or (least_one == least_two and lowest[one] > lowest[two]):
                one, two, least_one, least_two = two, one, least_two, least_one
            if least_two < distances[0] or (least_two == distances[0] and lowest[two] < found[0]):
                tree.waiting[many], tree.bounds[many] = two, least_two
                many += 1
            node, bound = one, least_one
            if bound > distances[0] or (bound == distances[0] and lowest[node] > found[0]):
                break
        else:
            start = tree.starts[node]
            for place in range(start, start + tree.counts[node]):
                total = 0.0
                for j in range(size):
                    away = rows[place, j] - center[j]
                    total += away * away
                number = numbers[place]
                while number < nobody and (total < distances[0] or (total == distances[0] and number < found[0])):
                    _settle(distances, found, total, number)
                    number = tree.following[number]


# --------------------------------------------------------------------------- grouping


@compiled
def _form(tree: Tree, points: Floats, whole: Whole, step: float, k: int) -> Whole:
    """Form the groups from the extremes inwards; return the group of each record."""
    records, size = points.shape
    sums, largest = np.zeros(size, np.int64), 0.0
    for i in range(records):
        for j in range(size):
            sums[j] += whole[i, j]
            largest = max(largest, abs(points[i, j]))
    slack = SLACK * size * largest
    groups = np.full(records, -1)
    found, distances = np.empty(k - 1, np.int64), np.empty(k - 1)
    seeds = np.empty(2, np.int64)
    left, formed, way = records, 0, 0.0
    before = sums * step / left
    while left >= 2 * k:
        total = (sums * step).astype(np.float64)
        here = total / left
        way += np.sqrt(((here - before) ** 2).sum())
        before = here
        seeds[0] = _outermost(tree, left, total, way, slack)
        _remove(tree, seeds[0])
        many = 1
        if left >= 3 * k:
            outer = points[seeds[0]]
            limit = 4 * ((outer - here) ** 2).sum() + slack * largest
            seeds[1] = _farthest(tree, outer, 2 * here - outer, limit)
            _remove(tree, seeds[1])
            many = 2
        for seed in seeds[:many]:
            _nearest(tree, points[seed], found, distances)
            # The records of one point leave in the order of their numbers.
            found.sort()
            groups[seed] = formed
            sums -= whole[seed]
            for number in found:
                _remove(tree, int(number))
                groups[number] = formed
                sums -= whole[number]
            formed += 1
        left -= many * k
    groups[groups < 0] = formed
    return groups
