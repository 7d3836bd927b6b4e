"""Feather, which is Arrow's file format (IPC), with the types of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from permaudit import Extent, Parameters, ReaderCard, hookimpl
from permaudit_plugins.readers._arrow_extras import beside_the_cells, has_dictionaries, unused_values
from permaudit_plugins.readers._damage import checked_names, damage_is

if TYPE_CHECKING:
    from pathlib import Path

permaudit_api = 1

_DAMAGED = "is not an Arrow file (Feather version 2), or it is damaged"


class FeatherReader:
    """Read Feather and Arrow files."""

    card: ClassVar[ReaderCard] = ReaderCard(
        id="feather", title="Feather (Arrow IPC)", suffixes=(".feather", ".arrow"), magic=(b"ARROW1",)
    )

    parameters: ClassVar[type[Parameters]] = Parameters

    def columns(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names in the file's schema."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            names = pa.ipc.open_file(stream).schema.names
        return checked_names(names)

    def extent(self, path: Path, columns: tuple[str, ...], options: Parameters) -> Extent:  # noqa: ARG002
        """Return how many records the heads of the batches declare."""
        from pyarrow import dataset  # noqa: PLC0415 - only it counts without reading, in all versions

        with damage_is(_DAMAGED), path.open("rb") as stream:
            return Extent(dataset.IpcFileFormat().make_fragment(pa.PythonFile(stream, mode="r")).count_rows())

    def read(self, path: Path, columns: tuple[str, ...], options: Parameters) -> pa.Table:  # noqa: ARG002
        """Return the columns as they are typed in the file."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            file = pa.ipc.open_file(stream)
            wanted = pa.ipc.IpcReadOptions(included_fields=[file.schema.get_field_index(name) for name in columns])
            stream.seek(0)
            table = pa.ipc.open_file(stream, options=wanted).read_all().select(list(columns))
            table.validate(full=True)  # a damaged file may hold offsets that lead anywhere
            return table

    def unread(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Name metadata that only somebody can have written there, and values that no record has."""
        with damage_is(_DAMAGED), path.open("rb") as stream:
            file = pa.ipc.open_file(stream)
            said = [*beside_the_cells(file.schema, getattr(file, "metadata", None))]
            if any(file.get_batch_with_custom_metadata(place)[1] for place in range(file.num_record_batches)):
                said.append("metadata of the batches")
            if listed := has_dictionaries(file.schema):
                said += unused_values(file.read_all().select(listed))
            return tuple(said)


@hookimpl
def permaudit_readers() -> list[FeatherReader]:
    """Provide the reader of Feather files."""
    return [FeatherReader()]
