"""One small bundle with every view, made once and copied for each test."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import yaml

from permaudit.bundle import MANIFEST, open_bundle
from permaudit.cli.loading import load_audit
from permaudit.cli.output import write_outcome
from permaudit.manifest import manifest_text
from permaudit.plugins import load_plugins
from permaudit.report import from_json, to_json
from permaudit.report.about import about
from permaudit.report.formats import VIEWS
from permaudit.runner import run_audit
from permaudit.verify import verify_bundle

if TYPE_CHECKING:
    from pathlib import Path

    from permaudit.outcome import Outcome


@dataclass
class Bundle:
    """A bundle beside the files that it was made from."""

    folder: Path
    """Audit file, original and release."""
    directory: Path
    """The result."""

    @property
    def outcome(self) -> Outcome:
        return from_json((self.directory / "audit.json").read_bytes())

    def forge(self, outcome: Outcome, views: tuple[str, ...] = ("md", "junit", "sarif", "github"), **texts: bytes):
        """Write another outcome with all its views and a manifest that fits, as somebody who can write all files would."""
        templates = load_plugins().catalogue.templates
        files = {"audit.json": to_json(outcome)}
        files |= {VIEWS[name].file: VIEWS[name].render(outcome, templates) for name in views}
        files |= texts
        for path in self.directory.iterdir():
            path.unlink()
        for name, content in files.items():
            (self.directory / name).write_bytes(content)
        (self.directory / MANIFEST).write_bytes(manifest_text(files, about(outcome)))

    def reseal(self):
        """Write a manifest that fits the files as they are now."""
        path = self.directory / MANIFEST
        kept = {
            key: value for key, value in json.loads(path.read_bytes()).items() if key not in {"schema", "files", "self"}
        }
        files = {one.name: one.read_bytes() for one in self.directory.iterdir() if one.name not in {MANIFEST, ".lock"}}
        path.write_bytes(manifest_text(files, kept))


@pytest.fixture(scope="session")
def host():
    return load_plugins()


@pytest.fixture(scope="session")
def made(tmp_path_factory, people, masked):
    """Make the bundle: one candidate that is released, one that is blocked, one that needs a review."""
    folder = tmp_path_factory.mktemp("made")
    people.to_csv(folder / "original.csv", index=False)
    masked.to_csv(folder / "masked.csv", index=False)
    people.to_csv(folder / "bare.csv", index=False)
    masked[::-1].to_csv(folder / "unjudged.csv", index=False)
    content = {
        "permaudit": 1,
        "title": "A small audit",
        "original": "original.csv",
        "attributes": dict.fromkeys(people.columns, "numeric"),
        "metrics": ["CM2"],
        "candidates": {
            "noisy": {"path": "masked.csv", "kind": "masked"},
            "bare": {"path": "bare.csv", "kind": "masked"},
            "unjudged": {"path": "unjudged.csv", "kind": "masked"},
        },
        "rules": [
            {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"candidate": name}}
            for name in ("noisy", "bare")
        ],
        "seed": 1,
    }
    (folder / "audit.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    audit, host = load_audit(folder / "audit.yaml")
    with open_bundle(folder / "out") as bundle:
        write_outcome(bundle, run_audit(audit, host), ("md", "junit", "sarif", "github"), host.catalogue)
    return folder


@pytest.fixture
def bundle(made, tmp_path):
    """Return a copy of the bundle that a test may harm; the inputs are where they were."""
    shutil.copytree(made / "out", tmp_path / "result")
    return Bundle(made, tmp_path / "result")


@pytest.fixture
def verified(bundle, host):
    """Return a function that verifies the bundle."""

    def verify(**options):
        return verify_bundle(bundle.directory, host, **options)

    return verify


def broken(found):
    """Return what was found broken."""
    return {check.what: check.message for check in found.checks if check.state == "broken"}
