"""Labels beside marks, without overlaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permaudit.report.charts.lettering import SMALL, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.report.charts.sheet import Anchor, Point

_HIGH = 12.0
_PIECE = 4.0
_RINGS = 4


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether two rectangles overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Tell whether the rectangle lies in another one."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True, slots=True)
class Label:
    """Where a text stands."""

    x: float
    y: float
    text: str
    anchor: Anchor
    lead: Point | None
    """Where a line from the mark must end, where the text stands away from it."""


@dataclass(slots=True)
class Places:
    """What is taken so far in a frame."""

    frame: Box
    taken: list[Box] = field(default_factory=list)

    def avoid(self, start: Point, end: Point) -> None:
        """Keep labels off a line, which is taken in small pieces."""
        pieces = int(max(abs(end[0] - start[0]), abs(end[1] - start[1])) // _PIECE) + 1
        for piece in range(pieces):
            xs, ys = (
                sorted(from_ + (to - from_) * share / pieces for share in (piece, piece + 1))
                for from_, to in zip(start, end, strict=True)
            )
            self.taken.append(Box(xs[0] - 1, ys[0] - 1, xs[1] + 1, ys[1] + 1))

    def put(self, mark: Point, radius: float, name: str, number: str) -> Label | None:
        """Find a free place near a mark for its name, else right beside it for its number, and take it."""
        for text, rings in ((name, _RINGS), (number, 1)):
            wide = width_of(text, SMALL)
            for label, box in _around(mark, radius + 3, text, wide, rings if text else 0):
                if box.within(self.frame) and not any(map(box.meets, self.taken)):
                    self.taken.append(box)
                    return label
        return None


def _around(mark: Point, gap: float, text: str, wide: float, rings: int) -> Iterator[tuple[Label, Box]]:
    """Return the places around a mark, the nearest ones first; those further away have a line to the mark."""
    sides: list[tuple[float, float, Anchor]] = [
        (1, 0, "start"),
        (-1, 0, "end"),
        (0, -1, "middle"),
        (0, 1, "middle"),
        (0.75, -0.75, "start"),
        (0.75, 0.75, "start"),
        (-0.75, -0.75, "end"),
        (-0.75, 0.75, "end"),
    ]
    for ring in range(rings):
        reach = gap + ring * _HIGH
        for right, down, anchor in sides:
            place = mark[0] + right * reach
            middle = mark[1] + down * (reach + _HIGH / 2)
            start = place - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
            box = Box(start, middle - _HIGH / 2, start + wide, middle + _HIGH / 2)
            near = (place, middle - _HIGH / 2 * down) if anchor == "middle" else (place, middle)
            yield Label(place, middle + 4, text, anchor, near if ring else None), box
