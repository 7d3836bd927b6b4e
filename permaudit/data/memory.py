"""Whether an audit fits into memory, told before the work begins instead of by the system's killing it.

The estimates are low ones: what they refuse does not fit. Measured on delimited numbers, an audit takes about 50 bytes
for each audited cell and 7 times the size of the moments by key; counted here are 32 bytes and 6 times.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from permaudit.errors import DataError
from permaudit.plan import FileSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.plan import Source

_HELD = 16
"""Bytes of a cell in every file: as it was read, and as a number."""
_WORKED_ON = 16
"""Bytes of a cell in the two files that are being compared: ranks, an order, what sorting needs."""
_MOMENTS = 6 * 8
"""Bytes for each attribute times attribute times key: the moments by key, and what the metrics make of them."""
_SAMPLE = 1 << 20
_GIB = 1 << 30
_UNLIMITED = 1 << 60
_MEMINFO = Path("/proc/meminfo")
_LIMIT = Path("/sys/fs/cgroup/memory.max")


def available_memory() -> int:
    """Return how many bytes this process can hope for: what the system has left, within the limit of a container."""
    free = re.search(r"^MemAvailable:\s+(\d+) kB", _text_of(_MEMINFO), re.MULTILINE)
    limit = re.match(r"\d+", _text_of(_LIMIT))
    return min(int(free[1]) * 1024 if free else _UNLIMITED, int(limit[0]) if limit else _UNLIMITED)


def refuse_attributes(where: str, attributes: int) -> None:
    """Raise where the moments of so many attributes do not fit into memory, whatever the number of records."""
    needed, free = _MOMENTS * attributes**3, available_memory()
    if needed > free:
        raise DataError.one(
            where,
            f"{attributes:,} audited attributes need at least {_written(needed)} of memory, and {_written(free)} are free; "
            "audit fewer attributes at a time",
        )


def refuse_records(records: Mapping[str, int], attributes: int) -> None:
    """Raise where files with so many records do not fit into memory; the first one is the original."""
    counts = list(records.values())
    compared = counts[0] + max(counts[1:], default=counts[0])
    needed = attributes * (_HELD * sum(counts) + _WORKED_ON * compared)
    free = available_memory()
    if needed > free:
        where, most = max(records.items(), key=lambda item: item[1])
        raise DataError.one(
            where,
            f"{_rounded(most):,} records of {attributes} audited attribute{'s' * (attributes != 1)} are too many: the audit "
            f"needs at least {_written(needed)} of memory, and {_written(free)} are free; audit fewer attributes or "
            "candidates at a time, or a random sample of the records (of a linked release the same ones)",
        )


def estimated_records(source: Source) -> int:
    """Estimate from its size how many records a text file has; 0 where that cannot be told without reading it all."""
    if not isinstance(source, FileSource) or source.path.name.lower().endswith(".gz"):
        return 0
    try:
        status = source.path.stat()
        if not stat.S_ISREG(status.st_mode):
            return 0
        with source.path.open("rb") as stream:
            beginning = stream.read(_SAMPLE)
    except (OSError, ValueError):  # whoever reads it will say so
        return 0
    if b"\0" in beginning or b"\n" not in beginning:
        return 0
    lines = sum(unquoted.count(b"\n") for unquoted in beginning.split(b'"')[::2])
    return lines * status.st_size // len(beginning)


def _text_of(path: Path) -> str:
    """Return the text of a file of the kernel, where there is one."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _rounded(number: int) -> int:
    """Round to three digits: it is an estimate."""
    return int(float(f"{number:.3g}"))


def _written(size: int) -> str:
    """Write a number of bytes."""
    return f"{size / _GIB:,.1f} GiB"
