"""The page about readers: its examples are valid, and nothing is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from permaudit.data.files import LIMITS, reader_for
from permaudit.plan import FileSource

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "readers.md").read_text(encoding="utf-8")
EXAMPLES = [
    source for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) for source in yaml.safe_load(block).values()
]


def reader_of(source, readers):
    entry = {"path": source} if isinstance(source, str) else source
    if "path" not in entry:
        return readers[entry["format"]], entry
    return reader_for(FileSource(path=Path(entry["path"]), shown="", format=entry.get("format")), readers), entry


@pytest.mark.parametrize("source", EXAMPLES, ids=str)
def test_every_example_is_valid(source, readers):
    reader, entry = reader_of(source, readers)
    assert ("options" in entry) <= ("format" in entry)
    reader.parameters.model_validate(entry.get("options", {}))


def test_every_reader_suffix_and_option_is_on_the_page(readers):
    words = set(re.findall(r"`([^`\n]+)`", PAGE))
    for reader in readers.values():
        options = [field.alias or name for name, field in reader.parameters.model_fields.items()]
        assert {reader.card.id, *reader.card.suffixes} <= words
        assert [name for name in options if not re.search(rf"`{name}[`:]", PAGE)] == []


def test_the_limits_on_the_page_are_those_of_the_code():
    assert f"more than {LIMITS.size >> 30} GiB" in PAGE
    assert LIMITS.size == LIMITS.unpacked
    assert f"more than {LIMITS.unsuspected >> 20} MiB and {LIMITS.ratio} times" in PAGE
