"""Objects in a memory file: columns are written to it once and read from it in place, and nobody can change them."""

from __future__ import annotations

import fcntl
import io
import mmap
import os
import pickle
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from permaudit.isolation.failure import CallFailedError

if TYPE_CHECKING:
    from numpy.random import Generator

_ALIGNED: Final = 64
_DATA = {
    "permaudit.errors": frozenset({"Mistake"}),
    "pyarrow.lib": None,
    "numpy": frozenset({"ndarray", "dtype"}),
    "builtins": frozenset({"bytearray", "complex", "frozenset", "set"}),
    "decimal": frozenset({"Decimal"}),
    "fractions": frozenset({"Fraction"}),
    __name__: frozenset({"read_only_mapping"}),
}
"""What may be in an answer, by module; None for everything in it."""
_NOUNS = ("permaudit.cards", "permaudit.model", "permaudit.outcome")
"""permaudit's own classes of these modules may be, too, and nothing that they import."""
_ARRAYS = frozenset({"_frombuffer", "_reconstruct", "scalar"})
"""How numpy packs its arrays and numbers, in whichever module of its core."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of a parcel are: first the pickle, then its buffers."""

    places: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Return how many bytes there are in all."""
        start, length = self.places[-1]
        return start + length


def memory_file() -> int:
    """Return a file without a name: in memory where the system has such, else in the directory for temporary files."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("permaudit", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile() as stream:
        return os.dup(stream.fileno())


def pack(things: Any, file: int, most: int | None = None) -> Layout | None:
    """Write objects to a file; return where everything is, or None where that would be more than `most` bytes."""
    buffers: list[pickle.PickleBuffer] = []
    head = io.BytesIO()
    _Packer(head, protocol=5, buffer_callback=buffers.append).dump(things)
    parts = [head.getbuffer(), *(buffer.raw() for buffer in buffers)]
    places, start = [], 0
    for part in parts:
        places.append((start, part.nbytes))
        start = -(-(start + part.nbytes) // _ALIGNED) * _ALIGNED
    layout = Layout(tuple(places))
    if most is not None and layout.size > most:
        return None
    for part, (place, _) in zip(parts, places, strict=True):
        _write(file, part, place)
    return layout


def generators_in(arguments: tuple[Any, ...]) -> list[Generator]:
    """Return the random generators among arguments; told by what they have, so that the host need not import numpy here."""
    return [one for one in arguments if hasattr(one, "bit_generator")]


def seal(file: int) -> None:
    """Let nobody write to the file any more, where the system can do that."""
    if hasattr(fcntl, "F_ADD_SEALS"):
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
        with suppress(OSError):  # no memory file: the mapping is for reading all the same
            fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)


def unpack(file: int, layout: Layout) -> Any:
    """Read objects from a file of this program."""
    head, buffers = _mapped(file, layout)
    return pickle.loads(head, buffers=buffers)  # noqa: S301 - written by the host


def unpack_answer(file: int, layout: Layout) -> Any:
    """Read an answer: data only, so that nothing of a plugin runs in this process because of it."""
    head, buffers = _mapped(file, layout)
    return _DataOnly(io.BytesIO(head), buffers=buffers).load()


def read_only_mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a mapping that nobody can change."""
    return MappingProxyType(items)


class _Packer(pickle.Pickler):
    """Also packs mappings that nobody can change, which Python's own pickler refuses."""

    def reducer_override(self, thing: Any) -> Any:
        """Say how to pack such a mapping."""
        return (read_only_mapping, (dict(thing),)) if isinstance(thing, MappingProxyType) else NotImplemented


class _DataOnly(pickle.Unpickler):
    """Knows numbers, arrays, tables and permaudit's own nouns."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what is named, if it is data."""
        allowed = _ARRAYS if module.startswith(("numpy._core.", "numpy.core.")) else _DATA.get(module, frozenset())
        is_known = name in allowed if allowed is not None else "." not in name  # a dot would lead on to what is no data
        if is_known or (module in _NOUNS and "." not in name):
            found = super().find_class(module, name)
            if is_known or (isinstance(found, type) and found.__module__ == module):
                return found
        raise CallFailedError(f"returned an object of type {name}, which is no plain data")


def _mapped(file: int, layout: Layout) -> tuple[bytes, list[memoryview]]:
    """Map a file for reading; return the pickle and its buffers."""
    whole = memoryview(mmap.mmap(file, layout.size, prot=mmap.PROT_READ))
    head, *buffers = (whole[start : start + length] for start, length in layout.places)
    return bytes(head), buffers


def _write(file: int, part: memoryview, place: int) -> None:
    """Write all of a part; one call may write less than it is given."""
    left = part.cast("B")
    while left.nbytes:
        written = os.pwrite(file, left, place)
        left, place = left[written:], place + written
