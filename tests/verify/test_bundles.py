"""A bundle that was touched is always found out."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace

import pytest

import permaudit as pa
from permaudit.bundle import MANIFEST, open_bundle
from permaudit.cli.loading import load_audit
from permaudit.cli.output import write_outcome
from permaudit.manifest import bundle_id, manifest_text, parse_manifest
from permaudit.outcome import WaiverResult
from permaudit.runner import run_audit
from permaudit.verify import verify_bundle

from .conftest import broken

VIEWS = ("summary.md", "junit.xml", "audit.sarif", "annotations.txt")
FILES = (MANIFEST, "audit.json", *VIEWS)


def test_a_bundle_as_it_was_written_is_intact(verified):
    found = verified()
    assert found.intact
    assert {check.state for check in found.checks} == {"intact"}
    looked_at = {check.what for check in found.checks}
    assert looked_at >= {*FILES, "original.csv", "masked.csv", "bare.csv", "unjudged.csv"}
    assert any(what.startswith("permaudit ") for what in looked_at)


# --------------------------------------------------------------------------- single bytes


@pytest.mark.parametrize("name", FILES)
def test_any_flipped_byte_is_found(bundle, verified, name):
    """Every byte of the manifest, and of the others as many, evenly spread; which bit is flipped goes round."""
    path = bundle.directory / name
    content = path.read_bytes()
    step = 1 if name == MANIFEST else max(1, len(content) // 200)
    for place in range(0, len(content), step):
        spoilt = bytearray(content)
        spoilt[place] ^= 1 << place % 8
        path.write_bytes(spoilt)
        assert not verified().intact, f"byte {place}"
    path.write_bytes(content)
    assert verified().intact


def test_any_flipped_byte_of_a_report_is_found(made, host, tmp_path):
    """The page and the PDF, which a board signs: bytes evenly spread over both."""
    audit, _ = load_audit(made / "audit.yaml")
    with open_bundle(tmp_path / "result") as opened:
        write_outcome(opened, run_audit(audit, host), ("html", "pdf"), host.catalogue)
    assert verify_bundle(tmp_path / "result", host).intact
    for name in ("report.html", "report.pdf"):
        path = tmp_path / "result" / name
        content = path.read_bytes()
        for place in range(0, len(content), len(content) // 12):
            spoilt = bytearray(content)
            spoilt[place] ^= 1 << place % 8
            path.write_bytes(spoilt)
            assert name in broken(verify_bundle(tmp_path / "result", host)), f"byte {place}"
        path.write_bytes(content)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_cut_or_lengthened_is_found(bundle, verified, name):
    path = bundle.directory / name
    content = path.read_bytes()
    for spoilt in (b"", content[:-1], content[: len(content) // 2], content + b"\n", b" " + content, content * 2):
        path.write_bytes(spoilt)
        assert not verified().intact


def test_a_manifest_that_says_the_same_in_other_words_is_found(bundle, verified):
    path = bundle.directory / MANIFEST
    content = json.loads(path.read_bytes())
    for text in (
        json.dumps(content),
        json.dumps(content, indent=4) + "\n",
        json.dumps(content, indent=2, sort_keys=True) + "\n",
        json.dumps(content, indent=2).replace("{", "{ ") + "\n",
        json.dumps(content, indent=2)[:-2] + ',\n  "self": "x"\n}\n',
        json.dumps(content, indent=2) + "\n\n",
    ):
        path.write_text(text, encoding="utf-8")
        assert broken(verified()) == {MANIFEST: "is not, character for character, a manifest as permaudit writes it"}


# --------------------------------------------------------------------------- whole files


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_found(bundle, verified, name):
    (bundle.directory / name).unlink()
    assert name in broken(verified())


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "audit.json~", "a\x1b[2Jb"])
def test_an_added_file_is_found(bundle, verified, name):
    (bundle.directory / name).write_bytes(b"")
    assert broken(verified()) == {pa.shown(name): "was not written by permaudit"}


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_the_place_of_a_file_is_found_even_if_it_leads_to_the_same_bytes(bundle, verified, tmp_path, name):
    shutil.move(bundle.directory / name, tmp_path / "elsewhere")
    (bundle.directory / name).symlink_to(tmp_path / "elsewhere")
    assert name in broken(verified())


@pytest.mark.parametrize("name", FILES)
def test_a_directory_or_a_pipe_in_the_place_of_a_file_is_found_without_waiting(bundle, verified, name):
    path = bundle.directory / name
    path.unlink()
    path.mkdir()
    assert name in broken(verified())
    path.rmdir()
    os.mkfifo(path)
    assert name in broken(verified())


def test_two_files_in_each_others_place_are_found(bundle, verified):
    first, second = (bundle.directory / name for name in ("summary.md", "junit.xml"))
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    assert set(broken(verified())) == {"summary.md", "junit.xml"}


def test_the_files_of_another_bundle_are_found(bundle, verified, made):
    other = replace(bundle.outcome, title="Another audit")
    files = {name: (bundle.directory / name).read_bytes() for name in FILES}
    bundle.forge(other)
    assert verified().intact
    for name in FILES:
        foreign = (bundle.directory / name).read_bytes()
        (bundle.directory / name).write_bytes(files[name])
        assert verified().intact == (foreign == files[name])
        (bundle.directory / name).write_bytes(foreign)


def test_a_run_that_was_ended_while_it_wrote_is_found(bundle, verified):
    for name in (".next", ".commit"):
        (bundle.directory / name).mkdir()
        assert "run it again" in broken(verified())[name]
        (bundle.directory / name).rmdir()


def test_the_lock_and_the_cache_are_no_part_of_a_result(bundle, verified):
    (bundle.directory / ".lock").unlink(missing_ok=True)
    assert verified().intact
    (bundle.directory / ".cache").mkdir()
    (bundle.directory / ".cache" / "x.json").write_bytes(b"{}")
    assert verified().intact


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_not_intact(bundle, verified):
    (bundle.directory / "summary.md").chmod(0)
    assert "summary.md" in broken(verified())


def test_verifying_writes_nothing(bundle, verified):
    bundle.directory.chmod(0o500)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in bundle.directory.iterdir()}
    assert verified().intact
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in bundle.directory.iterdir()} == before


@pytest.mark.parametrize("name", ["../victim", "/etc/hostname", "", ".", "..", "a/b"])
def test_a_manifest_cannot_point_outside_of_its_directory(bundle, verified, tmp_path, name):
    (tmp_path / "victim").write_bytes(b"precious")
    about = parse_manifest((bundle.directory / MANIFEST).read_bytes())
    files = {one: (bundle.directory / one).read_bytes() for one in FILES if one != MANIFEST}
    content = {key: value for key, value in about.items() if key not in {"schema", "files"}}
    (bundle.directory / MANIFEST).write_bytes(manifest_text({**files, name: b"precious"}, content))
    assert not verified().intact


# --------------------------------------------------------------------------- no bundle


def test_what_is_no_bundle_is_refused(tmp_path, host):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nowhere", tmp_path / "file", tmp_path / "empty"):
        with pytest.raises(pa.OutputError):
            verify_bundle(path, host)


# --------------------------------------------------------------------------- results that do not follow


def first(outcome, **changes):
    """Return the outcome with another first candidate."""
    one, *others = outcome.candidates
    return replace(outcome, candidates=[replace(one, **changes), *others])


WAIVER = WaiverResult(
    rule="x", candidate="x", attribute=None, reason="x", approved_by=["x"], expires="2027-01-31", sha256=None,
    state="applied", message="x",
)  # fmt: skip

FORGERIES = {
    "verdict of the audit": lambda outcome: replace(outcome, verdict="release"),
    "verdicts of all candidates": lambda outcome: replace(
        outcome, verdict="release", candidates=[replace(one, verdict="release") for one in outcome.candidates]
    ),
    "no candidate": lambda outcome: replace(outcome, verdict="release", candidates=[]),
    "a finding": lambda outcome: first(
        outcome, rules=[replace(one, outcome="fail") for one in outcome.candidates[0].rules]
    ),
    "no rules": lambda outcome: first(outcome, rules=[]),
    "a rule that is always on": lambda outcome: first(
        outcome, rules=[one for one in outcome.candidates[0].rules if one.rule != "no-identifiers"]
    ),
    "the host's own rule": lambda outcome: first(
        outcome, rules=[one for one in outcome.candidates[0].rules if one.rule != "judged-by-a-threshold"]
    ),
    "waived without a waiver": lambda outcome: first(
        outcome, rules=[replace(one, outcome="waived") for one in outcome.candidates[0].rules], verdict="review"
    ),
    "the same candidate twice": lambda outcome: replace(outcome, candidates=outcome.candidates * 2),
    "no glossary": lambda outcome: replace(outcome, glossary={}),
    "another text of the audit file": lambda outcome: replace(
        outcome,
        provenance=replace(outcome.provenance, documents={outcome.provenance.inputs[0].path: "permaudit: 1\n"}),
    ),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_result_that_does_not_follow_from_itself_is_found_behind_right_hashes(bundle, verified, forge):
    bundle.forge(forge(bundle.outcome), views=())
    assert "audit.json" in broken(verified())


def test_a_waiver_for_another_rule_does_not_cover_a_waived_one(bundle, verified):
    outcome = bundle.outcome
    bundle.forge(replace(FORGERIES["waived without a waiver"](outcome), waivers=[WAIVER]))
    assert "audit.json" in broken(verified())


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_that_does_not_say_what_the_result_says_is_found_behind_right_hashes(bundle, verified, name):
    path = bundle.directory / name
    content = path.read_bytes()
    path.write_bytes(content.replace(b"block", b"allow"))
    assert path.read_bytes() != content
    bundle.reseal()
    assert broken(verified()) == {name: "does not say what audit.json says"}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"schema"', '"note": 1, "schema"', 1),
        lambda text: text.replace("  ", " "),
        lambda text: text.replace('"verdict": "block"', '"verdict": "release", "verdict": "block"', 1),
        lambda text: text.replace('"seed": 1', '"seed": 1.0', 1),
        lambda text: text.replace('"std": null', '"std": Infinity', 1),
        lambda text: text.replace('"study": false', '"study": "no"', 1),
        lambda text: text.replace('"study": false', '"study": 0', 1),
        lambda text: text + " ",
        lambda text: text[:-9],
    ],
)
def test_a_result_that_is_not_as_permaudit_writes_it_is_found_behind_right_hashes(bundle, verified, change):
    path = bundle.directory / "audit.json"
    text = path.read_text(encoding="ascii")
    path.write_text(change(text), encoding="ascii")
    assert path.read_text(encoding="ascii") != text
    bundle.reseal()
    assert "audit.json" in broken(verified())


@pytest.mark.parametrize("key", ["verdict", "study", "inputs", "policy", "plugins", "permaudit"])
def test_a_manifest_that_says_something_else_than_the_result_is_found(bundle, verified, key):
    content = parse_manifest((bundle.directory / MANIFEST).read_bytes())
    about = {name: value for name, value in content.items() if name not in {"schema", "files"}} | {key: "other"}
    files = {one: (bundle.directory / one).read_bytes() for one in FILES if one != MANIFEST}
    (bundle.directory / MANIFEST).write_bytes(manifest_text(files, about))
    assert "says something else" in broken(verified())["audit.json"]


# --------------------------------------------------------------------------- id


def test_the_id_is_the_hash_of_the_manifest_and_of_nothing_else(bundle, verified):
    text = (bundle.directory / MANIFEST).read_bytes()
    expected = hashlib.sha256(text).hexdigest()
    assert verified().id == bundle_id(text) == expected
    assert verified(expected=expected).intact
    assert set(broken(verified(expected="0" * 64))) == {"id"}


def test_a_forged_bundle_is_intact_but_has_another_id(bundle, verified):
    """What the docs say: whoever can write all files can forge all; the id on paper anchors a result."""
    before = verified().id
    outcome = bundle.outcome
    bundle.forge(replace(outcome, verdict="release", candidates=outcome.candidates[:1]))
    assert verified().intact
    assert not verified(expected=before).intact


# --------------------------------------------------------------------------- other software


def test_a_view_of_another_permaudit_is_not_called_wrong_and_not_called_right(bundle, verified):
    outcome = bundle.outcome
    plugins = [replace(plugin, sha256="0" * 64) for plugin in outcome.provenance.plugins]
    other = replace(outcome, provenance=replace(outcome.provenance, plugins=plugins))
    bundle.forge(other, **{"summary.md": b"# another layout\n"})
    states = {check.what: check.state for check in verified().checks}
    assert states["summary.md"] == "unchecked"
    assert states["junit.xml"] == "intact"
    assert "unchecked" in {state for what, state in states.items() if what.startswith("permaudit ")}


def test_a_plugin_that_is_not_installed_here_is_named(bundle, verified):
    outcome = bundle.outcome
    stranger = replace(outcome.provenance.plugins[0], name="acme", distribution="acme", version="2.0")
    plugins = [*outcome.provenance.plugins, stranger]
    bundle.forge(replace(outcome, provenance=replace(outcome.provenance, plugins=plugins)))
    states = {check.what: (check.state, check.message) for check in verified().checks}
    assert states["acme 2.0"] == ("unchecked", "plugins: not installed here")
