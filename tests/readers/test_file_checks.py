"""Which files are opened at all: regular, local, of sensible size, and what they claim to be."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import subprocess
import sys
import tarfile
import threading
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from permaudit import DataError, ReaderCard
from permaudit.data.files import Limits, check_file, check_unpacked, content_hash, reader_for
from permaudit.data.load import load
from permaudit.plan import FileSource
from permaudit_plugins.readers.csv import CsvReader
from permaudit_plugins.readers.parquet import ParquetReader

CANARY = "c4n4ry"


def source(path, form=None):
    return FileSource(path=Path(path), shown="data.csv", format=form)


# --------------------------------------------------------------------------- regular local files only


def test_a_pipe_is_refused_without_being_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    done = []

    def check():
        with pytest.raises(DataError, match="is not a regular file"):
            check_file(source(tmp_path / "pipe.csv"), CsvReader())
        with pytest.raises(DataError, match="is not a regular file"):
            content_hash(source(tmp_path / "pipe.csv"))
        done.append(True)

    thread = threading.Thread(target=check, daemon=True)
    thread.start()
    thread.join(10)
    assert done


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/proc", "."])
def test_devices_and_directories_are_refused(path):
    with pytest.raises(DataError, match="is not a regular file"):
        check_file(source(path), CsvReader())


def test_files_that_the_kernel_makes_up_are_empty_and_refused():
    with pytest.raises(DataError, match="is empty"):
        check_file(source("/proc/self/environ"), CsvReader())


def test_a_symbolic_link_is_what_it_leads_to(tmp_path, put, read):
    (tmp_path / "link.csv").symlink_to(put("a.csv", "a,b\n1,2\n"))
    assert read(tmp_path / "link.csv").num_rows == 1
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    with pytest.raises(DataError, match="is not a regular file"):
        check_file(source(tmp_path / "zero.csv"), CsvReader())


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/a.csv", "https://h/a.csv", "s3://b/a.parquet", "file:///etc/passwd.csv", "jdbc:x.csv"]
)
def test_an_address_is_a_name_of_a_file_that_does_not_exist(url, readers):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load(source(url), ["a"], readers)


@pytest.mark.parametrize("name", ["none.csv", "x" * 300 + ".csv", "a\0b.csv"])
def test_what_cannot_be_opened_is_refused_by_its_written_name(tmp_path, name, readers):
    with pytest.raises(DataError, match=r"^data\.csv: cannot be read: ") as caught:
        load(source(tmp_path / name), ["a"], readers)
    assert str(tmp_path) not in str(caught.value)


def test_an_unreadable_file_is_refused(put, monkeypatch):
    path = put("a.csv", "a\n1\n")

    def denied(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(DataError, match=r"^data\.csv: cannot be read: Permission denied$"):
        check_file(source(path), CsvReader())


def test_a_file_over_the_limit_is_refused_before_it_is_opened(tmp_path):
    path = tmp_path / "big.csv"
    with path.open("wb") as stream:
        stream.truncate((64 << 30) + 1)  # a hole: it takes no room on the disk
    with pytest.raises(DataError, match="has 68719476737 bytes; at most 68719476736 are read"):
        check_file(source(path), CsvReader())


# --------------------------------------------------------------------------- content and name agree


def contents():
    frame = pd.DataFrame({"a": [1, 2], "b": [CANARY, "y"]})
    table = pa.Table.from_pandas(frame)
    archive, tarred, hdf = io.BytesIO(), io.BytesIO(), b"\x89HDF\r\n\x1a\n" + bytes(500)
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("a.csv", f"a,b\n1,{CANARY}\n")
    with tarfile.open(fileobj=tarred, mode="w:xz") as writer:
        writer.addfile(tarfile.TarInfo("a.csv"))
    as_parquet, as_feather, as_numpy = io.BytesIO(), io.BytesIO(), io.BytesIO()
    parquet.write_table(table, as_parquet)
    feather.write_feather(table, as_feather)
    np.save(as_numpy, np.arange(3))
    return {
        "zip": archive.getvalue(),
        "gzip": gzip.compress(b"a,b\n1,2\n"),
        "parquet": as_parquet.getvalue(),
        "feather": as_feather.getvalue(),
        "numpy": as_numpy.getvalue(),
        "xz": tarred.getvalue(),
        "hdf5": hdf,
        **{f"pickle {protocol}": pickle.dumps(frame, protocol) for protocol in range(2, 6)},
        "ole": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
        "pdf": b"%PDF-1.7\n",
    }


@pytest.mark.parametrize(("kind", "content"), contents().items(), ids=contents())
def test_a_csv_that_holds_another_format_is_refused_by_its_content(put, refused, kind, content):
    text = refused(put("a.csv", content))
    assert "holds " in text
    assert "which the reader 'csv' does not read" in text


def test_the_only_place_for_gzip_data_is_a_name_that_says_so(put, refused):
    assert "is '.gz' missing in its name?" in refused(put("a.csv", gzip.compress(b"a\n1\n")))
    assert "is called .gz, but does not hold gzip data" in refused(put("a.csv.gz", "a,b\n1,2\n"))


@pytest.mark.parametrize("name", ["a.pkl", "a.h5", "a.hdf5", "a.joblib", "a.xlsm", "a.xls", "a.npy", "a.zip", "a"])
def test_formats_that_run_code_or_have_no_reader_are_refused_by_name(put, refused, name):
    assert "no reader for" in refused(put(name, pickle.dumps({"a": [1]})))


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
def test_naming_a_format_does_not_let_a_pickle_through(put, refused, form):
    assert "holds a pickle" in refused(put("a.pkl", pickle.dumps([CANARY])), form=form)


def test_a_header_that_reads_like_a_format_is_still_text(put, read):
    for name in ("PAR1", "BZh", "PK", "RDX2", "ARROW1", "MZ", "SQLite format 3"):
        assert read(put("a.csv", f"{name},b\n1,2\n")).column_names == [name, "b"]


def test_a_foreign_reader_may_declare_the_beginning_of_its_files(put):
    class Foreign:
        card = ReaderCard(id="hdf", title="HDF5", suffixes=(".h5",), magic=(b"\x89HDF",))

    path = put("a.h5", b"\x89HDF\r\n\x1a\n")
    check_file(source(path), Foreign())
    with pytest.raises(DataError, match="holds an HDF5 file"):
        check_file(source(path), ParquetReader())


# --------------------------------------------------------------------------- packed files


def test_a_truncated_or_damaged_gzip_file_is_refused(put, refused):
    packed = gzip.compress(os.urandom(5000) + b"a,b\n1,2\n")
    good = gzip.compress(f"a,b\n{CANARY},2\n".encode())
    assert "end too early" in refused(put("a.csv.gz", good[:-9]))
    assert "end too early" in refused(put("b.csv.gz", good[:-1]))
    assert "damaged" in refused(put("c.csv.gz", good[:-8] + b"\0\0\0\0" + good[-4:]))
    with pytest.raises(DataError, match="gzip data"):
        check_unpacked(source(put("d.csv.gz", packed[:2000])))
    with pytest.raises(DataError, match="damaged"):
        check_unpacked(source(put("e.csv.gz", good + b"something else")))


def test_padding_after_gzip_data_is_allowed(put, read):
    assert read(put("a.csv.gz", gzip.compress(b"a,b\n1,2\n") + bytes(100))).num_rows == 1


def test_unpacking_counts_every_byte(put):
    path = put("a.csv.gz", gzip.compress(bytes(3_000_000)) + gzip.compress(bytes(2_000_000)))
    check_unpacked(source(path), Limits(unpacked=5_000_000))
    with pytest.raises(DataError, match="more than 4999999 bytes"):
        check_unpacked(source(path), Limits(unpacked=4_999_999))


def test_small_files_of_few_values_may_pack_well(put):
    path = put("a.csv.gz", gzip.compress(b"a,b\n" + b"0,0\n" * 5_000_000))
    assert path.stat().st_size * 200 < 20_000_000
    check_unpacked(source(path))


@pytest.fixture(scope="session")
def bomb(tmp_path_factory):
    """Return a gzip file of about 10 MB that unpacks to 10 GB."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.csv.gz"
    machine = zlib.compressobj(9, zlib.DEFLATED, 31)
    line = b"0,0\n" * (1 << 18)
    head = machine.compress(b"a,b\n" + line) + machine.flush(zlib.Z_FULL_FLUSH)
    block = machine.compress(line * 16) + machine.flush(zlib.Z_FULL_FLUSH)  # the same bytes every time
    with path.open("wb") as stream:
        stream.write(head)
        for _ in range(640):
            stream.write(block)
        stream.write(machine.flush())
    return path


def test_a_gzip_bomb_ends_in_an_error_and_not_in_the_memory(bomb):
    assert 9e6 < bomb.stat().st_size < 12e6
    script = (
        "import sys, resource, pathlib\n"
        "from permaudit import DataError\n"
        "from permaudit.data.load import load\n"
        "from permaudit.plan import FileSource\n"
        "from permaudit.plugins import load_plugins\n"
        "readers = load_plugins([]).catalogue.readers\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: load(FileSource(path=pathlib.Path(sys.argv[1]), shown='bomb'), ['a', 'b'], readers)\n"
        "except DataError as error: print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, bomb], capture_output=True, text=True, check=True, timeout=60)
    message, grown = ran.stdout.splitlines()
    assert message == "bomb: unpacks to more than 200 times its size; it may be a bomb"
    assert int(grown) < 200_000  # kilobytes, of the 10 GB


def test_a_zip_bomb_is_refused_by_its_declared_sizes(tmp_path):
    path = tmp_path / "a.xlsx"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x", "w", force_zip64=True) as member,
    ):
        for _ in range(300):
            member.write(bytes(1 << 20))

    class Zipped:
        card = ReaderCard(id="zipped", title="", suffixes=(".xlsx",), magic=(b"PK\x03\x04",))

    with pytest.raises(DataError, match="more than 200 times its size"):
        check_file(source(path), Zipped())
    with pytest.raises(DataError, match="more than 1000 bytes"):
        check_file(source(path), Zipped(), Limits(unpacked=1000))
    with pytest.raises(DataError, match="holds 1 files; at most 0"):
        check_file(source(path), Zipped(), Limits(members=0))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match="its zip archive is damaged"):
        check_file(source(path), Zipped())


# --------------------------------------------------------------------------- the loader


def test_a_file_that_changes_while_it_is_read_is_refused(put, readers):
    path = put("a.csv", "a,b\n1,2\n")

    class Slow(CsvReader):
        def read(self, path, columns, options):
            table = super().read(path, columns, options)
            path.write_text("a,b\n1,3\n")
            return table

    with pytest.raises(DataError, match="changed while it was read"):
        load(source(path), ["a", "b"], {"csv": Slow()})


def test_a_header_alone_has_no_records(put, readers):
    with pytest.raises(DataError, match="has no records"):
        load(source(put("a.csv", "a,b\n")), ["a"], readers)


@pytest.mark.parametrize(("there", "wanted"), [("income ", "income"), ("INCOME", "income"), ("gro\u0308ße", "größe")])
def test_a_name_that_differs_in_form_only_is_suggested(put, readers, there, wanted):
    with pytest.raises(DataError, match=r"has no column .*did you mean"):
        load(source(put("a.csv", f"{there},b\n1,2\n")), [wanted], readers)


def test_mistakes_carry_the_name_that_the_audit_file_uses(put, readers):
    with pytest.raises(DataError) as caught:
        load(source(put("a.csv", f"a,b\n1,2,{CANARY}\n")), ["a"], readers)
    assert str(caught.value) == "data.csv:2: has 3 fields where the header has 2"


def test_every_suffix_belongs_to_one_reader(readers):
    suffixes = [suffix for reader in readers.values() for suffix in reader.card.suffixes]
    assert len(suffixes) == len(set(suffixes))
    for reader in readers.values():
        for suffix in reader.card.suffixes:
            assert reader_for(source(f"A{suffix.upper()}"), readers) is reader
