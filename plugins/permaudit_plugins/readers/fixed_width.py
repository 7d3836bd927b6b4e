"""Text in which each column has its place in the line; read as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import AfterValidator, Field

from permaudit import DataError, Mistake, Parameters, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._text import Encoding, Tokens  # noqa: TC001 - pydantic evaluates them

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1

_SHOWN_LINES = 5


def _places(layout: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return the layout if every column has a name and a place."""
    if not layout or "" in layout:
        raise ValueError("must name at least one column, each as name: [start, width]")
    if any(start < 1 or width < 1 for start, width in layout.values()):
        raise ValueError("must give each column a start and a width of at least 1")
    return layout


class FixedWidthOptions(Parameters, defer_build=True):
    """How a fixed-width file is written."""

    layout: Annotated[dict[str, tuple[int, int]], AfterValidator(_places)] = Field(
        description="for each column where it starts, counted from 1, and how many characters it is wide"
    )
    encoding: Encoding = Field(default="utf-8", description="the encoding of the text")
    missing: Tokens = ()


class FixedWidthReader:
    """Read fixed-width text."""

    card: ClassVar[ReaderCard] = ReaderCard(id="fixed-width", title="Fixed-width text", suffixes=(".fwf", ".dat"))

    parameters: ClassVar[type[FixedWidthOptions]] = FixedWidthOptions

    def columns(self, path: Path, options: FixedWidthOptions) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the layout: the file has none."""
        return tuple(options.layout)

    def read(self, path: Path, columns: tuple[str, ...], options: FixedWidthOptions) -> pa.Table:
        """Return the columns as text, without the blanks that fill them up."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        from permaudit_plugins.readers._delimited import lines  # noqa: PLC0415

        text = lines(path, options.encoding)
        _refuse_short_lines(text, max(start + width - 1 for start, width in options.layout.values()))
        cells = {}
        for name in columns:
            start, width = options.layout[name]
            cell = pc.ascii_trim(pc.utf8_slice_codeunits(text, start - 1, start - 1 + width), " ")
            if options.missing:
                is_missing = pc.is_in(cell, pa.array(options.missing, cell.type))
                cell = pc.if_else(is_missing, pa.scalar(None, cell.type), cell)
            cells[name] = cell
        return pa.table(cells)

    def unread(self, path: Path, options: FixedWidthOptions) -> tuple[str, ...]:
        """Name the places outside the layout where lines hold more than blanks, and columns whose cells stand on either side."""
        import pyarrow.compute as pc  # noqa: PLC0415

        from permaudit_plugins.readers._delimited import lines  # noqa: PLC0415

        text = lines(path, options.encoding)
        found = []
        for first, last in _gaps(options.layout):
            rest = pc.ascii_trim(pc.utf8_slice_codeunits(text, first - 1, last), " ")
            if pc.any(pc.not_equal(rest, "")).as_py():
                found.append(f"characters {first} to {last}" if last else f"characters from {first} on")
        said = [f"{place} of the lines" for place in found]
        for name, (start, width) in options.layout.items():
            cell = pc.utf8_slice_codeunits(text, start - 1, start - 1 + width)
            cell = cell.filter(pc.not_equal(pc.ascii_trim(cell, " "), ""))
            if all(pc.any(side(cell, " ")).as_py() for side in (pc.starts_with, pc.ends_with)):
                said.append(f"blanks before some cells of '{shown(name)}' and after others")
        return tuple(said)


def _gaps(layout: dict[str, tuple[int, int]]) -> Iterator[tuple[int, int | None]]:
    """Return which characters no column has: the first and the last of each gap, and what follows all columns."""
    free = 1
    for start, width in sorted(layout.values()):
        if start > free:
            yield free, start - 1
        free = max(free, start + width)
    yield free, None


def _refuse_short_lines(text: pa.ChunkedArray, length: int) -> None:
    """Refuse lines that end before the last column does."""
    import numpy as np  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    short = np.flatnonzero(np.asarray(pc.less(pc.utf8_length(text), length)))
    if not len(short):
        return
    what = f"is shorter than the {length} characters of the layout"
    found = [Mistake("", int(line) + 1, None, what) for line in short[:_SHOWN_LINES]]
    if len(short) > _SHOWN_LINES:
        found.append(Mistake("", None, None, f"{len(short) - _SHOWN_LINES} more lines are too short"))
    raise DataError(found)


@hookimpl
def permaudit_readers() -> list[FixedWidthReader]:
    """Provide the reader of fixed-width text."""
    return [FixedWidthReader()]
