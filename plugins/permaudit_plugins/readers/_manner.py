"""How a delimited text is written where its cells do not decide it: empty lines, kinds of line ends, quotation marks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from permaudit import shown
from permaudit_plugins.readers._quotes import check_quotes
from permaudit_plugins.readers._text import utf8_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Places = NDArray[np.intp]

_LINE_FEED, _CARRIAGE_RETURN = b"\n\r"
_FEW = 100
"""So many cells are looked at one by one, also where all of them are quoted or none."""
_MOST_TEXTS = 1_000_000
"""Of more different cells of a column the first ones are looked at."""


def manner_of(path: Path, names: Sequence[str], *, encoding: str, delimiter: str, quote: str | None) -> tuple[str, ...]:
    """Say what of the way a text is written could say something that its cells do not.

    That some cells are quoted may follow from what they hold. Where the same cell stands there with and without, it does not.
    """
    quoted, _ = check_quotes(path, encoding, delimiter, quote)
    mark = quote.encode() if quoted and quote is not None else b""
    lines, columns = _Lines(), [_Column() for _ in names]
    for number, part in enumerate(_whole_records(path, encoding, mark)):
        text = np.frombuffer(part, np.uint8)
        inside = np.logical_xor.accumulate(text == mark[0]) if mark else np.zeros(text.size, bool)
        lines.look_at(text, inside)
        if mark:
            _look_at_cells(part, text, inside, delimiter.encode(), columns, has_header=not number)
    said = [f"empty lines between records ({lines.empty_within})"] if lines.empty_within and len(names) > 1 else []
    said += ["line ends of several kinds"] if len(lines.ends) > 1 else []
    said += [
        f"cells of column '{shown(name)}' that are the same with and without quotation marks"
        for name, column in zip(names, columns, strict=True)
        if column.differs
    ]
    return tuple(said)


def _whole_records(path: Path, encoding: str, mark: bytes) -> Iterator[bytes]:
    """Give the text in parts that end with a line end outside quotation marks."""
    rest = b""
    for chunk in utf8_chunks(path, encoding):
        text = rest + chunk
        end = text.rfind(b"\n")
        while mark and end >= 0 and text.count(mark, 0, end) % 2:
            end = text.rfind(b"\n", 0, end)
        yield text[: end + 1]
        rest = text[end + 1 :]
    yield rest


@dataclass(slots=True)
class _Lines:
    """The lines as far as they were read."""

    ends: set[str] = field(default_factory=set)
    empty_within: int = 0
    _empty: int = 0
    """Empty lines that no record has followed yet: at the end, they say no more than their number."""

    def look_at(self, text: NDArray[np.uint8], inside: Mask) -> None:
        """Look at some whole records."""
        if not text.size:
            return
        feeds = np.flatnonzero((text == _LINE_FEED) & ~inside)
        is_return = (text == _CARRIAGE_RETURN) & ~inside
        both = feeds[feeds > 0][is_return[feeds[feeds > 0] - 1]]
        found = {"return and feed": both.size, "feed": feeds.size - both.size, "return": is_return.sum() - both.size}
        self.ends |= {kind for kind, many in found.items() if many}
        before = np.concatenate([[-1], feeds])
        long = np.diff(np.append(before, text.size)) - 1
        long[: feeds.size] -= np.isin(feeds, both)
        has_cells = np.flatnonzero(long > 0)
        if not has_cells.size:
            self._empty += feeds.size
            return
        last = int(has_cells[-1])
        self.empty_within += self._empty + last + 1 - has_cells.size
        self._empty = max(0, feeds.size - last - 1)


@dataclass(slots=True)
class _Column:
    """Cells of one column with and without quotation marks, from the parts of the file that have both."""

    quoted: set[bytes] = field(default_factory=set)
    plain: set[bytes] = field(default_factory=set)
    manners: set[bool] = field(default_factory=set)
    """Whether all filled cells of a part were quoted, or none."""

    @property
    def differs(self) -> bool:
        """Tell whether the same cell is written in both ways, or one part of the file in one and another in the other."""
        return not self.quoted.isdisjoint(self.plain) or len(self.manners) > 1


def _look_at_cells(  # noqa: PLR0913 - a part of the file, and how it is to be read
    part: bytes,
    text: NDArray[np.uint8],
    inside: Mask,
    delimiter: bytes,
    columns: Sequence[_Column],
    *,
    has_header: bool,
) -> None:
    """Note which cells of each column are quoted, where that is not the same for all of them."""
    is_line_end = ~inside & (
        (text == _LINE_FEED) | ((text == _CARRIAGE_RETURN) & (np.append(text[1:], 0) != _LINE_FEED))
    )
    ends = np.flatnonzero(is_line_end | (~inside & (text == delimiter[0])))
    if not text.size or not is_line_end[-1]:
        ends = np.append(ends, text.size)
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_last = np.append(is_line_end, True)[ends]
    first = np.flatnonzero(np.concatenate([[True], is_last[:-1]]))
    place = np.arange(starts.size) - first[np.concatenate([[0], np.cumsum(is_last)[:-1]])]
    place[(place == 0) & is_last & (len(columns) > 1)] = len(columns)  # an empty line
    if has_header:
        place[: len(columns)] = len(columns)
    is_quoted = np.append(inside, False)[starts]
    for number, column in enumerate(columns):
        here = np.flatnonzero(place == number)
        quoted = is_quoted[here]
        is_uniform = (quoted.all() and not column.plain) or not (quoted.any() or column.quoted)
        if is_uniform and here.size > _FEW:
            filled = ends[here] > starts[here]
            column.manners |= set(quoted[filled].tolist())
            continue
        for cells, known, marks in ((here[quoted], column.quoted, 1), (here[~quoted], column.plain, 0)):
            if len(known) < _MOST_TEXTS:
                texts = (
                    part[start:end] for start, end in zip(starts[cells].tolist(), ends[cells].tolist(), strict=True)
                )
                known.update(text.removesuffix(b"\r")[marks : -marks or None] for text in texts)
