"""The published schemas are those of this version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "schema"


@pytest.mark.parametrize("which", ["audit", "policy", "result"])
def test_a_published_schema_is_what_the_command_prints(which, permaudit):
    if not FOLDER.is_dir():
        pytest.skip("the docs are not beside the tests: this is a test of the built wheel")
    printed = permaudit("schema", which)
    assert printed.code == 0
    assert json.loads(printed.out) == json.loads((FOLDER / f"{which}.schema.json").read_text(encoding="utf-8"))
