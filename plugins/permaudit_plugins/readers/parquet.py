"""Apache Parquet, with the types of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from permaudit import DataError, Mistake, Parameters, ReaderCard, hookimpl, shown

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ParquetReader:
    """Read Parquet files."""

    card: ClassVar[ReaderCard] = ReaderCard(id="parquet", title="Apache Parquet", suffixes=(".parquet",))

    parameters: ClassVar[type[Parameters]] = Parameters

    def columns(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names in the file's schema."""
        from pyarrow import parquet  # noqa: PLC0415 - a fifth of the start-up time, only for those who need it

        try:
            names = parquet.read_schema(path, memory_map=False).names
        except (pa.ArrowException, OSError):
            raise DataError.one("", "is not a Parquet file, or it is damaged") from None
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise DataError(Mistake("", None, None, f"column '{shown(name)}' stands twice") for name in repeated)
        return tuple(names)

    def read(self, path: Path, columns: tuple[str, ...], options: Parameters) -> pa.Table:  # noqa: ARG002
        """Return the columns as they are typed in the file."""
        from pyarrow import parquet  # noqa: PLC0415

        try:
            # A file object, not a path: for a path pyarrow looks for a partitioned data set and pulls in more of itself.
            with path.open("rb") as stream:
                return parquet.ParquetFile(stream).read(columns=list(columns)).select(list(columns))
        except (pa.ArrowException, OSError):
            raise DataError.one("", "is not a Parquet file, or it is damaged") from None


@hookimpl
def permaudit_readers() -> list[ParquetReader]:
    """Provide the reader of Parquet files."""
    return [ParquetReader()]
