"""The page about sweeps tells the truth: its audit file is valid, its commands print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from permaudit.cli.loading import load_audit
from permaudit.demo import write_demo

PAGE = Path(__file__).parents[2] / "docs" / "sweeps.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)
TEXT = PAGE.read_text("utf-8")
COMMANDS = re.findall(r"```console\n\$ permaudit (.*?)\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch, permaudit):
    """Work where the page's reader does, and not in the directory that the command line would choose."""
    write_demo(tmp_path / "demo")
    [content] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "demo" / "audit.yaml").write_text(content, "utf-8")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command.split()[0] for command, _ in COMMANDS])
@pytest.mark.usefixtures("folder")
def test_the_commands_of_the_page_print_what_it_shows(permaudit, command, shown):
    *lines, last = shown.splitlines()
    ran = permaudit(*shlex.split(command))
    printed = [line.rstrip() for line in ran.out.splitlines()]
    assert last == f"exit code {ran.code}"
    places = [printed.index(line) for line in lines if line != "..."]
    assert places == sorted(places)
    assert places


def test_the_page_shows_every_command_that_it_is_about():
    assert [command.split()[0] for command, _ in COMMANDS] == ["run", "tune", "anonymize"]


def test_the_table_of_ranges_is_right(write_audit, tmp_path):
    rows = re.findall(r"^\| `(.*)` \| ([\d., ]+) \|$", TEXT, re.MULTILINE)
    assert len(rows) == 5
    for written, values in rows:
        params = {"epsilon": yaml.safe_load(written)}
        anonymizer = "laplace"
        if "from: 0," in written:
            anonymizer, params = "pram", {"p": params["epsilon"]}
        sweeps = {"s": {"anonymizer": anonymizer, "params": params}}
        audit, _ = load_audit(write_audit(candidates=None, sweeps=sweeps))
        [name] = params
        found = [getattr(candidate.params, name) for candidate in audit.candidates]
        assert found == [float(value) for value in values.split(", ")]
