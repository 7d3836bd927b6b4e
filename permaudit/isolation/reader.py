"""What stands for a foreign reader: the same card and options, and tables that were read in its own process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permaudit.errors import PluginFailedError, shown
from permaudit.isolation.failure import CallFailedError
from permaudit.model import Extent, MeasuringReader, ThoroughReader

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pydantic import BaseModel

    from permaudit.cards import ReaderCard
    from permaudit.isolation.nursery import Nursery
    from permaudit.model import Reader


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedReader:
    """A reader of somebody else; what it gives is held against the contract here, since everything else builds on it.

    It reads whole columns, also where it could give them in pieces: an answer comes from its process once.
    """

    card: ReaderCard
    parameters: type[BaseModel]
    nursery: Nursery
    thorough: bool = False
    """Does it say what else is in a file?"""

    def columns(self, path: Path, options: Any) -> tuple[str, ...]:
        """Let the reader name the columns in its own process."""
        names = self._answer("columns", path, options)
        if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
            raise self._failed(f"returned {type(names).__name__}, not a tuple of names of columns")
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise self._failed(f"names the column '{shown(repeated[0])}' twice")
        return names

    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        """Let the reader read in its own process."""
        import pyarrow as pa  # noqa: PLC0415 - many runs read nothing of others

        table = self._answer("read", path, columns, options, tables=True)
        if not isinstance(table, pa.Table):
            raise self._failed(f"returned {type(table).__name__}, not a table")
        if tuple(table.column_names) != columns:
            raise self._failed("returned other columns than those it was asked for")
        try:
            table.validate(full=True)  # one with offsets that lead elsewhere would crash whoever looks at it
        except pa.ArrowException:
            raise self._failed("returned a table that is damaged") from None
        return table

    def unread(self, path: Path, options: Any) -> tuple[str, ...]:
        """Let the reader say in its own process what else is in the file, where it can."""
        said = self._answer("unread", path, options) if self.thorough else ()
        if not isinstance(said, tuple) or not all(isinstance(one, str) for one in said):
            raise self._failed(f"returned {type(said).__name__}, not a tuple of what else is in the file")
        return said

    def _answer(self, method: str, *arguments: Any, tables: bool = False) -> Any:
        """Ask the reader; without its answer nothing can be audited."""
        try:
            return self.nursery.call("reader", self.card.id, method, *arguments, tables=tables)
        except CallFailedError as error:
            raise self._failed(str(error)) from error

    def _failed(self, what: str) -> PluginFailedError:
        """Say what the reader did instead of reading."""
        return PluginFailedError(f"the reader '{shown(self.card.id)}' of {self.nursery.family.origin} {what}")


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedMeasuringReader(IsolatedReader):
    """A reader of somebody else that can also tell how much there is."""

    def extent(self, path: Path, columns: tuple[str, ...], options: Any) -> Extent | None:
        """Let the reader look in its own process."""
        extent = self._answer("extent", path, columns, options)
        if extent is None:
            return None
        if not isinstance(extent, Extent) or not all(_is_count(one) for one in (extent.records, extent.bytes)):
            raise self._failed("tells no number of records and bytes")
        return extent


def isolated_reader(reader: Reader, nursery: Nursery) -> IsolatedReader:
    """Return what stands for a foreign reader, and can do as much."""
    kind = IsolatedMeasuringReader if isinstance(reader, MeasuringReader) else IsolatedReader
    return kind(reader.card, reader.parameters, nursery, isinstance(reader, ThoroughReader))


def _is_count(number: object) -> bool:
    """Tell whether this is a whole number that is not negative."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0
