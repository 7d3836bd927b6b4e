"""Sort a column that does not fit into memory with all that sorting takes: DuckDB does, on the disk where it has to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit import PermauditError, ScratchError, to_arrow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit import Shelf, Sourced, Stored

_SORTING_SHARE = 4
"""DuckDB is given one part in so many of the memory: it holds to its limit only roughly."""
_LEAST = 64 << 20
"""With less, DuckDB cannot sort at all."""
_BATCH = 1 << 17


def sorted_on_disk(column: Stored | Sourced, shelf: Shelf) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return an order of the records, and at which of its places another value begins."""
    order = np.empty(column.size, np.int32)
    begins = np.empty(column.size, bool)
    place, last = 0, None
    with _database(shelf) as database:
        batches = pa.RecordBatchReader.from_batches(
            pa.schema({"place": pa.int32(), "value": pa.from_numpy_dtype(column.dtype)}), _batches(column)
        )
        database.register("stored", batches)
        result = database.sql("SELECT place, value FROM stored ORDER BY value")
        stream = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch  # as older versions call it
        for batch in stream(_BATCH):
            here = slice(place, place + batch.num_rows)
            values = batch.column("value").to_numpy()
            order[here] = batch.column("place").to_numpy()
            begins[here] = np.concatenate(([last is None or values[0] != last], values[1:] != values[:-1]))
            place, last = here.stop, values[-1]
    return order, begins


def _batches(column: Stored | Sourced) -> Iterator[pa.RecordBatch]:
    """Give a column with the numbers of its records; -0.0 is 0.0."""
    place = 0
    for block in column.blocks(_BATCH):
        values = block + 0.0 if block.dtype.kind == "f" else block
        numbers = np.arange(place, place + values.size, dtype=np.int32)
        yield pa.record_batch({"place": to_arrow(numbers), "value": to_arrow(values)})
        place += values.size


@contextmanager
def _database(shelf: Shelf) -> Iterator[Any]:
    """Open a database that lives in memory and spills onto the shelf; its errors may quote cells and are not passed on."""
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError:
        raise PermauditError("the engine 'disk' needs DuckDB: pip install 'permaudit[duckdb]'") from None

    spill = shelf.directory / "spill"
    limit = max(_LEAST, shelf.memory // _SORTING_SHARE)
    settings: dict[str, Any] = {
        "memory_limit": f"{limit}B",
        "temp_directory": str(spill),
        "threads": 2,  # each thread sorts in memory of its own
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(config=settings) as database:
            yield database
    except duckdb.OutOfMemoryException:
        raise PermauditError(
            f"a column cannot be sorted within {limit >> 20} MiB, a quarter of the memory; allow more with --memory"
        ) from None
    except (duckdb.IOException, OSError) as error:
        raise ScratchError.full(shelf.directory.parent) from error
