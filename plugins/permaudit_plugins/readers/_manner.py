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

    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]
    Places = NDArray[np.intp]

_LINE_FEED, _CARRIAGE_RETURN = b"\n\r"
_MOST_TEXTS = 1_000_000
"""Of more different cells of a column the first ones are looked at."""


def manner_of(path: Path, names: Sequence[str], *, encoding: str, delimiter: str, quote: str | None) -> tuple[str, ...]:
    """Say what of the way a text is written could say something that its cells do not.

    That some cells are quoted may follow from what they hold. Where the same cell stands there with and without, it does not.
    """
    quoted = check_quotes(path, encoding, delimiter, quote)
    mark = quote.encode() if quoted and quote is not None else b""
    lines = _Lines()
    for part in _whole_records(path, encoding, mark):
        lines.look_at(*_read(part, mark))
    columns = _columns_of(path, encoding, delimiter, mark, len(names)) if mark else [_Column() for _ in names]
    said = ["empty lines between records"] if lines.empty_within and len(names) > 1 else []
    said += ["line ends of several kinds"] if len(lines.ends) > 1 else []
    said += [
        f"cells of column '{shown(name)}' that are the same with and without quotation marks"
        for name, column in zip(names, columns, strict=True)
        if not column.quoted.isdisjoint(column.plain)
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

    def look_at(self, text: Bytes, inside: Mask) -> None:
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
    """The cells of one column with and without quotation marks."""

    manners: set[bool] = field(default_factory=set)
    """Whether there are quoted cells, and others."""
    quoted: set[bytes] = field(default_factory=set)
    plain: set[bytes] = field(default_factory=set)

    @property
    def is_mixed(self) -> bool:
        """Tell whether some cells are quoted and others are not."""
        return len(self.manners) > 1

    def note(self, texts: Iterator[bytes], *, quoted: bool) -> None:
        """Hold cells, without their quotation marks."""
        known = self.quoted if quoted else self.plain
        if len(known) < _MOST_TEXTS:
            known.update(text.removesuffix(b"\r")[1:-1] if quoted else text.removesuffix(b"\r") for text in texts)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Where the cells of some whole records begin and end, in which column each is, and whether it is quoted."""

    starts: Places
    ends: Places
    columns: Places
    """Beyond the last column for the header and for empty lines."""
    quoted: Mask


def _cells(text: Bytes, inside: Mask, delimiter: bytes, columns: int, *, has_header: bool) -> _Cells:
    """Find the cells of some whole records."""
    is_return = (text == _CARRIAGE_RETURN) & (np.append(text[1:], 0) != _LINE_FEED)
    is_line_end = ~inside & ((text == _LINE_FEED) | is_return)
    ends = np.flatnonzero(is_line_end | (~inside & (text == delimiter[0])))
    if not text.size or not is_line_end[-1]:
        ends = np.append(ends, text.size)
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_last = np.append(is_line_end, True)[ends]
    first = np.flatnonzero(np.concatenate([[True], is_last[:-1]]))
    place = np.arange(starts.size) - first[np.concatenate([[0], np.cumsum(is_last)[:-1]])]
    if columns > 1:
        place[(place == 0) & is_last] = columns
    if has_header:
        place[:columns] = columns
    return _Cells(starts, ends, place, np.append(inside, False)[starts])


def _columns_of(path: Path, encoding: str, delimiter: str, mark: bytes, many: int) -> list[_Column]:
    """Look which columns are quoted in part, and only then at what their cells are."""
    columns = [_Column() for _ in range(many)]
    for texts in (False, True):
        wanted = [place for place, column in enumerate(columns) if column.is_mixed or not texts]
        for number, part in enumerate(_whole_records(path, encoding, mark) if wanted else ()):
            text, inside = _read(part, mark)
            cells = _cells(text, inside, delimiter.encode(), many, has_header=not number)
            for place in wanted:
                here = np.flatnonzero(cells.columns == place)
                columns[place].manners |= set(np.unique(cells.quoted[here]).tolist())
                for quoted in (True, False) if texts else ():
                    chosen = here[cells.quoted[here] == quoted]
                    pairs = zip(cells.starts[chosen].tolist(), cells.ends[chosen].tolist(), strict=True)
                    columns[place].note((part[start:end] for start, end in pairs), quoted=quoted)
    return columns


def _read(part: bytes, mark: bytes) -> tuple[Bytes, Mask]:
    """Return the bytes of a part, and which of them are between quotation marks."""
    text = np.frombuffer(part, np.uint8)
    return text, np.logical_xor.accumulate(text == mark[0]) if mark else np.zeros(text.size, bool)
