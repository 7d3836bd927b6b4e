"""Files to read, and the way from a file to a table that the loader takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from permaudit import DataError
from permaudit.data.files import check_file, check_unpacked, reader_for
from permaudit.plan import FileSource
from permaudit.plugins import load_plugins

if TYPE_CHECKING:
    import pyarrow as pa

CANARY = "c4n4ry"
"""A cell that no message may hold."""


@pytest.fixture(scope="session")
def readers():
    return load_plugins([]).catalogue.readers


@pytest.fixture
def put(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def read(readers):
    """Return a function that reads columns of a file, all of them if none are named, as the loader would."""

    def table_of(path: Path, columns: list[str] | None = None, *, form: str | None = None, **options: Any) -> pa.Table:
        source = FileSource(path=Path(path), shown="the file", format=form)
        reader = reader_for(source, readers)
        chosen = reader.parameters.model_validate(options)
        check_file(source, reader)
        names = reader.columns(source.path, chosen)
        check_unpacked(source)
        table = reader.read(source.path, tuple(names if columns is None else columns), chosen)
        table.validate(full=True)
        return table

    return table_of


@pytest.fixture
def refused(read):
    """Return a function that reads a file which must be refused, and returns the message."""

    def message(path: Path, *args: Any, **options: Any) -> str:
        with pytest.raises(DataError) as caught:
            read(path, *args, **options)
        text = str(caught.value)
        assert text.strip()
        assert CANARY not in text
        assert str(path.parent) not in text
        return text

    return message
