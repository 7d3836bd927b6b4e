"""Apache Parquet, with the types of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, ClassVar

from permaudit import Extent, Parameters, ReaderCard, hookimpl
from permaudit_plugins.readers._damage import checked_names, damage_is

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

permaudit_api = 1

_DAMAGED = "is not a Parquet file, or it is damaged"


class ParquetReader:
    """Read Parquet files."""

    card: ClassVar[ReaderCard] = ReaderCard(
        id="parquet", title="Apache Parquet", suffixes=(".parquet",), magic=(b"PAR1",)
    )

    parameters: ClassVar[type[Parameters]] = Parameters

    def columns(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names in the file's schema."""
        from pyarrow import parquet  # noqa: PLC0415

        with damage_is(_DAMAGED), path.open("rb") as stream:
            names = parquet.read_schema(stream).names
        return checked_names(names)

    def extent(self, path: Path, columns: tuple[str, ...], options: Parameters) -> Extent:  # noqa: ARG002
        """Return what the end of the file says of records and of unpacked pages."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            about = _opened(stream).metadata
            groups = [about.row_group(place) for place in range(about.num_row_groups)]
            pages = [group.column(place) for group in groups for place in range(group.num_columns)]
            # The parts of a nested column have the names of the whole, a point, and names of their own.
            unpacked = sum(
                page.total_uncompressed_size
                for page in pages
                if any(f"{page.path_in_schema}.".startswith(f"{name}.") for name in columns)
            )
            return Extent(about.num_rows, unpacked)

    def read(self, path: Path, columns: tuple[str, ...], options: Parameters) -> pa.Table:  # noqa: ARG002
        """Return the columns as they are typed in the file."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            table = _opened(stream).read(columns=list(columns)).select(list(columns))
            table.validate(full=True)  # damaged text need not be UTF-8
            return table

    def groups(self, path: Path, options: Parameters) -> tuple[int, ...]:  # noqa: ARG002
        """Return how many records each row group has."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            about = _opened(stream).metadata
            return tuple(about.row_group(place).num_rows for place in range(about.num_row_groups))

    def types(self, path: Path, columns: tuple[str, ...], options: Parameters) -> tuple[pa.DataType, ...]:  # noqa: ARG002
        """Return the types in the file's schema."""
        from pyarrow import parquet  # noqa: PLC0415

        with damage_is(_DAMAGED), path.open("rb") as stream:
            schema = parquet.read_schema(stream)
            return tuple(schema.field(name).type for name in columns)

    def read_group(self, path: Path, group: int, columns: tuple[str, ...], options: Parameters) -> pa.Table:  # noqa: ARG002
        """Return the columns of one row group as they are typed in the file."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            table = _opened(stream).read_row_group(group, list(columns)).select(list(columns))
            table.validate(full=True)
            return table

    def unread(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Name metadata that only somebody can have written there, and values that no record has."""
        from permaudit_plugins.readers._arrow_extras import (  # noqa: PLC0415
            beside_the_cells,
            has_dictionaries,
            unused_values,
        )

        with damage_is(_DAMAGED), path.open("rb") as stream:
            file = _opened(stream)
            said = [*beside_the_cells(file.schema_arrow, file.metadata.metadata)]
            if listed := has_dictionaries(file.schema_arrow):
                said += unused_values(file.read(columns=listed))
            return tuple(said)


def _opened(stream: BinaryIO) -> ParquetFile:
    """Open a file so that pages are held against their checksums, where it has some.

    A file object, not a path: for a path pyarrow looks for a partitioned data set and pulls in more of itself.
    """
    from pyarrow import parquet  # noqa: PLC0415 - a fifth of the start-up time, only for those who need it

    return parquet.ParquetFile(stream, page_checksum_verification=True)


@hookimpl
def permaudit_readers() -> list[ParquetReader]:
    """Provide the reader of Parquet files."""
    return [ParquetReader()]
