"""Parquet and Feather: the types of the file, and nothing that damage could do."""

from __future__ import annotations

import datetime as dt
import io
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from permaudit import DataError

CANARY = "c4n4ry"


@pytest.fixture
def table():
    zone = dt.UTC
    return pa.table(
        {
            "integer": pa.array([1, None, 2**63 - 1]),
            "unsigned": pa.array([1, 2, 2**64 - 1], pa.uint64()),
            "float": pa.array([0.1, float("nan"), None], pa.float32()),
            "text": ["007", "NA", ""],
            "decimal": [Decimal("1.10"), Decimal("12345678901234567890.12"), None],
            "when": pa.array([dt.datetime(2024, 1, 2, 3, tzinfo=zone)] * 3, pa.timestamp("us", "Europe/Madrid")),
            "day": [dt.date(2024, 1, 2), None, dt.date(1900, 1, 1)],
            "category": pa.array(["b", "a", "b"]).dictionary_encode(),
            "list": [[1, 2], [], None],
            "struct": [{"x": 1}, {"x": None}, None],
            "flag": [True, False, None],
        }
    )


def written(table, suffix, **options):
    stream = io.BytesIO()
    (parquet.write_table if suffix == ".parquet" else feather.write_feather)(table, stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow"])
def test_types_come_through_as_they_are(put, read, table, suffix):
    read_back = read(put(f"a{suffix}", written(table, suffix)))
    assert read_back.schema.types == table.schema.types
    assert read_back.drop(["float"]).equals(table.drop(["float"]))
    assert str(read_back["float"].to_pylist()) == str(table["float"].to_pylist())


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_only_the_columns_asked_for_are_read_in_their_order(put, read, table, suffix):
    assert read(put(f"a{suffix}", written(table, suffix)), ["text", "integer"]).equals(
        table.select(["text", "integer"])
    )


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_repeated_name_is_refused(put, refused, suffix):
    double = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    content = io.BytesIO()
    if suffix == ".parquet":
        parquet.write_table(double, content)
    else:
        with pa.ipc.new_file(content, double.schema) as writer:
            writer.write_table(double)
    assert "column 'a' stands 2 times" in refused(put(f"a{suffix}", content.getvalue()))


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_truncated_file_is_refused(put, refused, suffix):
    content = written(pa.table({"a": [CANARY] * 1000, "b": range(1000)}), suffix)
    for length in (1, 8, 12, 40, len(content) // 2, len(content) - 1):
        assert "damaged" in refused(put(f"a{suffix}", content[:length]))
    assert "damaged" in refused(put(f"a{suffix}", "a,b\n1,2\n"))


@pytest.mark.parametrize(
    ("suffix", "compression"),
    [(".parquet", "none"), (".parquet", "zstd"), (".feather", "uncompressed"), (".feather", "zstd")],
)
def test_damage_anywhere_is_an_error_or_goes_unseen_and_nothing_else(put, read, suffix, compression):
    table = pa.table({"a": [f"{CANARY}{i}" for i in range(300)], "b": range(300)})
    content = bytearray(written(table, suffix, compression=compression))
    chance = random.Random(20261118)
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(8, len(content))] = chance.randrange(256)
        try:
            read(put(f"a{suffix}", bytes(damaged)))
        except DataError as error:
            assert CANARY not in str(error)  # noqa: PT017 - damage that hits nothing raises nothing


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_a_page_of_parquet_that_is_not_what_its_checksum_says_is_refused(put, readers, version, compression):
    table = pa.table({"a": [float(i) for i in range(3000)], "b": [f"{CANARY}{i % 7}" for i in range(3000)]})
    options = {"data_page_version": version, "compression": compression, "row_group_size": 1500}
    content = written(table, ".parquet", write_page_checksum=True, **options)
    about = parquet.ParquetFile(io.BytesIO(content)).metadata
    reader, none = readers["parquet"], readers["parquet"].parameters()
    for place, name in enumerate(["a", "b"]):
        chunk = about.row_group(1).column(place)
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        for middle in (start + chunk.total_compressed_size // 2, start + chunk.total_compressed_size - 5):
            damaged = bytearray(content)
            damaged[middle : middle + 4] = bytes(255 - byte for byte in damaged[middle : middle + 4])
            path = put("a.parquet", bytes(damaged))
            assert reader.read_group(path, 0, (name,), none)[name].equals(table[name][:1500])
            for read_it in (
                lambda path=path, name=name: reader.read(path, (name,), none),
                lambda path=path, name=name: reader.read_group(path, 1, (name,), none),
            ):
                with pytest.raises(DataError, match="is not a Parquet file, or it is damaged"):
                    read_it()
