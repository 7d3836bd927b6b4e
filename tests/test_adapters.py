"""`plugins/adapters.py`, which tests each adapter in environments of its own: what does not install is skipped by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "plugins" / "adapters.py"
NOWHERE = f"--no-index\nno-such-package==1 --hash=sha256:{'0' * 64}\n"
FILES = {
    "permaudit-lonely": {"constraints.txt": NOWHERE},
    "permaudit-guest": {"constraints.txt": "--no-index\n", "guest.txt": NOWHERE},
}

pytestmark = pytest.mark.skipif(
    not SCRIPT.is_file(), reason="the adapters are not beside the tests: this is the built wheel"
)


def test_the_docs_list_every_adapter_with_the_licence_of_its_package():
    page = (SCRIPT.parents[1] / "docs" / "adapters.md").read_text(encoding="utf-8")
    rows = {row.split("]")[0].removeprefix("| ["): row.split("|") for row in page.splitlines() if row.startswith("| [")}
    assert set(rows) == {folder.name for folder in SCRIPT.parent.glob("permaudit-*")}
    for name, (_, _, _, package, licence, _, _) in rows.items():
        project = tomllib.loads((SCRIPT.parent / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        said = (SCRIPT.parent / name / "README.md").read_text(encoding="utf-8").split("Licences: ")[1]
        assert project["license"] == "MIT"
        assert licence.strip() in said
        assert all(one.strip() in said for one in package.split(","))


def test_an_adapter_whose_packages_do_not_install_is_skipped_by_name(tmp_path):
    shutil.copy(SCRIPT, tmp_path)
    for name, files in FILES.items():
        (tmp_path / name).mkdir()
        for file, content in files.items():
            (tmp_path / name / file).write_text(content, encoding="utf-8")
    command = [sys.executable, str(tmp_path / SCRIPT.name), str(tmp_path / "build"), str(tmp_path / "no.whl")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.splitlines()[-2:]) == (
        0,
        [
            "permaudit-guest: skipped: the package that it adapts does not install here",
            "permaudit-lonely: skipped: what it needs does not install here",
        ],
    )
    assert ran.stdout.count("No matching distribution found for no-such-package==1") == 2
    nothing = subprocess.run([*command, "permaudit-misspelt"], capture_output=True, text=True, check=False)
    assert (nothing.returncode, nothing.stdout) == (1, "")
