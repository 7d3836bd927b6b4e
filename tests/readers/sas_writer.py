"""Write a small `.sas7bdat`: 32 bit, little-endian, uncompressed, as SAS for Unix lays it out.

The layout is that of M. Shotwell, "SAS7BDAT Database Binary Format" (2014). pandas and pyreadstat, which share no code, read what
is written here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_HEADER, _PAGE, _PAGE_HEAD, _POINTER = 1024, 65536, 24, 12
_ALIGNED_BY_0, _LITTLE, _UTF_8 = 0x22, 1, 20
_META, _DATA = 0x0000, 0x0100
_ROW_SIZE, _COLUMN_SIZE, _TEXT, _NAMES, _ATTRIBUTES, _FORMAT = (
    0xF7F7F7F7, 0xF6F6F6F6, 0xFFFFFFFD, 0xFFFFFFFF, 0xFFFFFFFC, 0xFFFFFBFE,
)  # fmt: skip
_MISSING = struct.pack("<Q", 0xFFFFFE0000000000)
"""What SAS writes for a full stop: a NaN with a mark."""


@dataclass(frozen=True)
class Column:
    """A column: numbers (None for missing ones) or texts, with the name of a format and a label."""

    name: str
    cells: Sequence[float | str | None]
    format: str = ""
    label: str = ""

    @property
    def is_text(self) -> bool:
        """Tell whether the cells are texts."""
        return isinstance(self.cells[0], str)

    @property
    def width(self) -> int:
        """Return how many bytes a cell takes."""
        return max(len(str(cell).encode()) for cell in self.cells) if self.is_text else 8

    def written(self, cell: float | str | None) -> bytes:
        """Return a cell as it stands in a record."""
        if self.is_text:
            return str(cell).encode().ljust(self.width)
        return _MISSING if cell is None else struct.pack("<d", cell)


class _Texts:
    """All names, formats and labels, one after the other; each is known by its place."""

    def __init__(self) -> None:
        self._content = bytearray(28)

    def place(self, text: str) -> bytes:
        """Keep a text, and return where it is: number of the block, offset, length."""
        content = text.encode()
        place = struct.pack("<HHH", 0, len(self._content) if content else 0, len(content))
        self._content += content.ljust(-(-len(content) // 4) * 4)
        return place

    def block(self) -> bytes:
        """Return the subheader."""
        return _sized(struct.pack("<I", _TEXT) + bytes(self._content) + bytes(8))


def _sized(content: bytes) -> bytes:
    """Write into a subheader how much follows its head."""
    return content[:4] + struct.pack("<H", len(content) - 12) + content[6:]


def sas7bdat(columns: Sequence[Column]) -> bytes:
    """Return the bytes of a file with these columns."""
    records = [
        b"".join(map(Column.written, columns, cells)) for cells in zip(*(one.cells for one in columns), strict=True)
    ]
    return _header() + _meta_page(columns, len(records), len(records[0])) + _data_page(records)


def _header() -> bytes:
    """Return what stands before the pages."""
    head = bytearray(_HEADER)
    head[:32] = _MAGIC
    head[32], head[35], head[37], head[39], head[70] = _ALIGNED_BY_0, _ALIGNED_BY_0, _LITTLE, ord("1"), _UTF_8
    head[84:164] = b"SAS FILE" + b"PEOPLE".ljust(64) + b"DATA    "
    head[196:208] = struct.pack("<III", _HEADER, _PAGE, 2)
    head[216:272] = b"9.0401M0" + b"Linux".ljust(16) + bytes(16) + b"x86_64".ljust(16)
    return bytes(head)


def _meta_page(columns: Sequence[Column], records: int, width: int) -> bytes:
    """Return the page that says what the columns are; subheaders are laid down from its end."""
    texts = _Texts()
    names = b"".join(texts.place(one.name) + bytes(2) for one in columns)
    formats = [
        struct.pack("<I", _FORMAT) + bytes(30) + texts.place(one.format) + texts.place(one.label) + bytes(6)
        for one in columns
    ]
    attributes, offset = b"", 0
    for one in columns:
        attributes += struct.pack("<IIHBB", offset, one.width, 4, 2 if one.is_text else 1, 0)
        offset += one.width
    row_size = bytearray(480)
    struct.pack_into("<I", row_size, 0, _ROW_SIZE)
    struct.pack_into("<II", row_size, 20, width, records)
    struct.pack_into("<II", row_size, 36, len(columns), 0)
    struct.pack_into("<I", row_size, 52, _PAGE)
    subheaders = [
        bytes(row_size),
        struct.pack("<III", _COLUMN_SIZE, len(columns), 0),
        texts.block(),
        _sized(struct.pack("<I", _NAMES) + bytes(8) + names + bytes(8)),
        _sized(struct.pack("<I", _ATTRIBUTES) + bytes(8) + attributes + bytes(8)),
        *formats,
    ]
    page = bytearray(_PAGE)
    struct.pack_into("<HHH", page, 16, _META, len(subheaders), len(subheaders))
    end = _PAGE
    for place, content in enumerate(subheaders):
        end -= len(content)
        page[end : end + len(content)] = content
        struct.pack_into("<II", page, _PAGE_HEAD + _POINTER * place, end, len(content))
    return bytes(page)


def _data_page(records: Sequence[bytes]) -> bytes:
    """Return the page with the records."""
    page = bytearray(_PAGE)
    struct.pack_into("<HHH", page, 16, _DATA, len(records), 0)
    content = b"".join(records)
    page[_PAGE_HEAD : _PAGE_HEAD + len(content)] = content
    return bytes(page)
