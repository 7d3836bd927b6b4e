"""Whether an audit fits into memory, told before the work begins instead of by the system's killing it.

The estimates are low ones: what they refuse does not fit.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from permaudit.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permaudit.model import Extent

_CODE = 8
"""Bytes of a cell of every file as a number, and at least as it is read."""
_WORKED_ON = 16
"""Bytes of a cell in the two files that are being compared: ranks, an order, what sorting needs."""
_MOMENTS = 6 * 8
"""Bytes for each attribute times attribute times key: the moments by key, and what the metrics make of them."""
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_UNLIMITED = 1 << 60
_MEMINFO = Path("/proc/meminfo")
_LIMIT = Path("/sys/fs/cgroup/memory.max")


class TooLargeError(DataError):
    """The files do not fit into memory together: there is no use in reading on."""


class Room:
    """What the files of an audit will take; whatever is too much is refused as soon as that is known."""

    def __init__(self, sources: Sequence[str], attributes: int, limit: int | None = None) -> None:
        """Take the files as they are called in messages, the original first; nothing is known of them yet.

        With a limit, no more than that is to be had, however much is free.
        """
        self._limit = _UNLIMITED if limit is None else limit
        self._sources = sources
        self._attributes = attributes
        self._records = [0] * len(sources)
        self._bytes = [0] * len(sources)

    def learn(self, place: int, extent: Extent) -> None:
        """Take down how much there is in one of the files; raise where all of them together are too much."""
        self.note(place, extent)
        needed, free = self.needed(), min(available_memory(), self._limit)
        if needed > free:
            most = max(range(len(self._records)), key=lambda other: (self._records[other], self._bytes[other]))
            many, attributes = self._records[most], self._attributes
            raise TooLargeError.one(
                self._sources[most],
                f"{rounded(many):,} records of {attributes} audited attribute{'s' * (attributes != 1)} are too many: the "
                f"audit needs at least {written_size(needed)} of memory, and {written_size(free)} are free; let --engine disk "
                "keep them in files, audit fewer attributes or candidates at a time, or a random sample of the records (of a linked release the same ones)",
            )

    def note(self, place: int, extent: Extent) -> None:
        """Take down how much there is in one of the files, whatever that is."""
        self._records[place] = extent.records
        self._bytes[place] = extent.bytes

    def teller(self, place: int) -> Callable[[Extent], None]:
        """Return the way to tell of one of the files."""
        return partial(self.learn, place)

    def needed(self) -> int:
        """Add up what is held all the time, and the most of what is needed for a while."""
        records, width = self._records, self._attributes * _CODE
        read = max(max(count * width, size) for count, size in zip(records, self._bytes, strict=True))
        compared = records[0] + max(records[1:], default=records[0])
        return sum(records) * width + max(read, compared * self._attributes * _WORKED_ON)


def available_memory() -> int:
    """Return how many bytes this process can hope for: what the system has left, within the limit of a container."""
    free = re.search(r"^MemAvailable:\s+(\d+) kB", _text_of(_MEMINFO), re.MULTILINE)
    limit = re.match(r"\d+", _text_of(_LIMIT))
    return min(int(free[1]) * 1024 if free else _UNLIMITED, int(limit[0]) if limit else _UNLIMITED)


def refuse_attributes(where: str, attributes: int) -> None:
    """Raise where the moments of so many attributes do not fit into memory, whatever the number of records."""
    needed, free = _MOMENTS * attributes**3, available_memory()
    if needed > free:
        raise TooLargeError.one(
            where,
            f"{attributes:,} audited attributes need at least {written_size(needed)} of memory, and {written_size(free)} are free; "
            "audit fewer attributes at a time",
        )


def _text_of(path: Path) -> str:
    """Return the text of a file of the kernel, where there is one."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def rounded(number: int) -> int:
    """Round to three digits: it is an estimate."""
    return int(float(f"{number:.3g}"))


def written_size(size: int) -> str:
    """Write a number of bytes, in the largest unit of which there is one."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"
