"""MDAV written down record by record, for small files: slow, in any arithmetic, and without a trick."""

from __future__ import annotations

from fractions import Fraction


def textbook_groups(points, k, number=Fraction):
    """Return the group of each record; with fractions nothing is ever rounded."""
    points = [tuple(map(number, point)) for point in points.tolist()]
    left = list(range(len(points)))
    groups = [-1] * len(points)
    formed = 0

    def distance(a, b):
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    def farthest(candidates, point):
        return min(candidates, key=lambda i: (-distance(points[i], point), i))

    def form(seed, others):
        nonlocal formed
        nearest = sorted(others, key=lambda i: (distance(points[i], points[seed]), i))[: k - 1]
        for i in [seed, *nearest]:
            groups[i] = formed
            left.remove(i)
        formed += 1

    while len(left) >= 2 * k:
        centroid = tuple(sum(column) / len(left) for column in zip(*(points[i] for i in left), strict=True))
        r = farthest(left, centroid)
        if len(left) < 3 * k:
            form(r, [i for i in left if i != r])
            break
        s = farthest([i for i in left if i != r], points[r])
        form(r, [i for i in left if i not in {r, s}])
        form(s, [i for i in left if i != s])
    for i in left:
        groups[i] = formed
    return groups
