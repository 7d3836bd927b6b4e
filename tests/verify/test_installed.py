"""The hash of a distribution: of its own files, the same however it was installed."""

from __future__ import annotations

import hashlib
import sys

import pytest

from permaudit.installed import distribution_hash, installed_hashes
from permaudit.plugins import load_plugins
from permaudit.report import from_json

FILES = {"acme/__init__.py": "", "acme/metrics.py": "x = 1\n", "acme/data/table.csv": "1,2\n"}


def by_hand(files):
    """Return what `sha256sum FILES | sha256sum` gives."""
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.fixture
def acme(tmp_path, monkeypatch):
    """Return a function that lays out a distribution, with or without a list of its files."""

    def lay(record=None, folder="site", files=FILES):
        site = tmp_path / folder
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text, encoding="utf-8")
        info = site / "acme-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", encoding="utf-8")
        if record is not None:
            listed = [*record, "acme-1.0.dist-info/METADATA", "acme-1.0.dist-info/RECORD"]
            (info / "RECORD").write_text("".join(f"{name},,\n" for name in listed), encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        return site

    return lay


def test_the_hash_is_that_of_what_sha256sum_prints(acme):
    acme(record=FILES)
    assert distribution_hash("acme", ["acme.metrics"]) == by_hand(FILES)


def test_nothing_is_imported_for_it(acme):
    acme(record=FILES)
    distribution_hash("acme", ["acme.metrics"])
    assert "acme" not in sys.modules


def test_without_a_list_of_files_the_packages_are_taken_whole(acme):
    acme()
    assert distribution_hash("acme", ["acme.metrics:hooks"]) == by_hand(FILES)


@pytest.mark.parametrize("name", ["acme/code.pyc", "start.pth"])
def test_what_would_be_run_counts_whatever_it_is_called(acme, name):
    files = {**FILES, name: "import acme\n"}
    acme(record=files, files=files)
    assert distribution_hash("acme", ["acme"]) == by_hand(files)


def test_a_file_that_somebody_else_laid_among_the_listed_ones_counts(acme):
    files = {**FILES, "acme/metrics.abi3.so": "imported before metrics.py"}
    acme(record=FILES, files=files)
    assert distribution_hash("acme", ["acme"]) == by_hand(files)


def test_of_a_namespace_that_others_share_only_the_listed_files_count(acme):
    own = {"company/acme.py": "x = 1\n"}
    acme(record=own, files={**own, "company/other.py": "y = 1\n"})
    assert distribution_hash("acme", ["company.acme"]) == by_hand(own)


def test_what_is_imported_in_place_of_the_listed_files_counts(acme, tmp_path, monkeypatch):
    acme(record=FILES)
    acme(folder="nearer", files={**FILES, "acme/metrics.py": "x = 2\n"})
    (tmp_path / "nearer" / "acme-1.0.dist-info" / "METADATA").unlink()
    (tmp_path / "nearer" / "acme-1.0.dist-info").rmdir()
    assert distribution_hash("acme", ["acme"]) == by_hand({**FILES, "acme/metrics.py": "x = 2\n"})


def test_a_checkout_that_is_installed_in_place_has_the_same_hash(acme, tmp_path, monkeypatch):
    """As hatchling does it: the list of files names a link to the checkout, and not the packages."""
    acme(record=["_editable_impl_acme.pth"], files={"_editable_impl_acme.pth": "elsewhere\n"})
    for name, text in FILES.items():
        path = tmp_path / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
    assert distribution_hash("acme", ["acme.metrics"]) == by_hand(FILES)


def test_a_single_module_is_enough(acme):
    acme(files={"acme.py": "x = 1\n"})
    assert distribution_hash("acme", ["acme"]) == by_hand({"acme.py": "x = 1\n"})


def test_any_change_of_a_file_changes_the_hash(acme):
    site = acme(record=FILES)
    seen = {distribution_hash("acme", ["acme"])}
    for name in FILES:
        with (site / name).open("a", encoding="utf-8") as stream:
            stream.write("#")
        seen.add(distribution_hash("acme", ["acme"]))
    assert len(seen) == 1 + len(FILES)


def test_what_this_machine_made_does_not_count(acme):
    made = ["acme/__pycache__/metrics.cpython-312.pyc", "../../bin/acme", "acme-1.0.dist-info/INSTALLER"]
    site = acme(record=[*FILES, *made])
    (site / "acme" / "__pycache__").mkdir()
    (site / made[0]).write_bytes(b"compiled")
    assert distribution_hash("acme", ["acme"]) == by_hand(FILES)


def test_files_that_are_not_there_give_no_hash(acme):
    site = acme(record=FILES)
    (site / "acme" / "metrics.py").unlink()
    assert distribution_hash("acme", ["acme"]) is None
    assert distribution_hash("nowhere", ["nowhere"]) is None


def test_the_hash_of_permaudit_covers_the_host_too(monkeypatch):
    asked = []
    monkeypatch.setattr("permaudit.installed.distribution_hash", lambda name, points: asked.append((name, set(points))))
    installed_hashes(load_plugins().plugins)
    ((name, points),) = asked
    assert name == "permaudit"
    assert {point.partition(".")[0] for point in points} == {"permaudit", "permaudit_plugins", "permaudit_templates"}


def test_every_plugin_of_a_result_has_the_hash_of_its_distribution(made):
    plugins = from_json((made / "out" / "audit.json").read_bytes()).provenance.plugins
    assert plugins
    assert len({plugin.sha256 for plugin in plugins}) == 1
    assert all(plugin.sha256 and len(plugin.sha256) == 64 for plugin in plugins)
