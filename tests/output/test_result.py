"""`audit.json`: valid by its schema, readable again, and the same bytes for the same audit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import replace
from importlib import metadata

import jsonschema
import numpy as np
import pytest

import permaudit as pa
from permaudit.report import from_json, result_schema, to_json

THRESHOLDS = [
    {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "masked"}},
    {"rule": "threshold", "metric": "CM3", "min": 0.2, "when": {"kind": "synthetic"}},
]
BROKEN = """
from permaudit import MetricCard, hookimpl

permaudit_api = 1

class Broken:
    card = MetricCard(
        id="broken", title="Broken", measures="risk", better="lower", bounds=(0, 1),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
        raise ValueError("no")

@hookimpl
def permaudit_metrics():
    return [Broken()]
"""


@pytest.fixture(scope="module")
def released(people, masked):
    return pa.audit(people, masked, kind="masked", rules=THRESHOLDS)


@pytest.fixture(scope="module")
def schema():
    return result_schema()


def constants(text):
    raise AssertionError(f"{text} is not JSON")


def checked(outcome, schema):
    """Return the parsed JSON of an outcome, after holding it against the schema and reading it back."""
    content = to_json(outcome)
    parsed = json.loads(content, parse_constant=constants)
    jsonschema.validate(parsed, schema)
    assert from_json(content) == outcome
    assert content.isascii()
    assert content.endswith(b"}\n")
    return parsed


# --------------------------------------------------------------------------- schema


def test_the_schema_is_one(schema):
    jsonschema.Draft202012Validator.check_schema(schema)


def test_a_release_is_valid_and_can_be_read_back(released, schema):
    parsed = checked(released, schema)
    assert parsed["schema"] == "permaudit/result/1"
    assert parsed["verdict"] == "release"
    assert parsed["candidates"][0]["metrics"]["CM2"].keys() >= {
        *("status", "value", "std", "replicates", "null", "calibrated", "interval", "reason", "details")
    }
    assert parsed["candidates"][0]["metrics"]["CM3"]["details"].keys() >= {"by_key", "trivial_permutation"}
    assert parsed["provenance"].keys() >= {"inputs", "plugins", "packages", "seed", "study"}


def test_every_status_of_a_metric_is_valid(people, masked, others, install, schema):
    install("acme", {"broken": BROKEN})
    statuses = set()
    for original, release, options in (
        (people, others[:150], {"kind": "synthetic", "rules": THRESHOLDS}),
        (people[["FICA"]], masked[["FICA"]], {"kind": "masked"}),
        (people, masked, {"kind": "masked", "metrics": ["CM1", "broken"], "allow": ["acme"]}),
    ):
        parsed = checked(pa.audit(original, release, **options), schema)
        statuses |= {metric["status"] for metric in parsed["candidates"][0]["metrics"].values()}
    assert statuses == {"ok", "advisory", "not-applicable", "error"}


def test_every_outcome_of_a_rule_is_valid(people, masked, others, schema):
    outcomes = set()
    for original, release, options in (
        (people, others, {"kind": "synthetic"}),
        (people, masked, {"kind": "masked"}),
    ):
        parsed = checked(pa.audit(original, release, **options), schema)
        outcomes |= {rule["outcome"] for rule in parsed["candidates"][0]["rules"]}
    assert outcomes == {"pass", "fail", "review", "not-applicable"}


BREAKAGES = {
    "another schema": lambda result: result.update(schema="permaudit/result/2"),
    "unknown verdict": lambda result: result.update(verdict="ok"),
    "no verdict": lambda result: result.pop("verdict"),
    "no candidates": lambda result: result.pop("candidates"),
    "verdict of a candidate": lambda result: result["candidates"][0].update(verdict="RELEASE"),
    "unknown kind": lambda result: result["candidates"][0].update(kind="anonymous"),
    "unknown status": lambda result: result["candidates"][0]["metrics"]["CM2"].update(status="fine"),
    "value as text": lambda result: result["candidates"][0]["metrics"]["CM2"].update(value="high"),
    "unknown outcome": lambda result: result["candidates"][0]["rules"][0].update(outcome="passed"),
    "rule without a message": lambda result: result["candidates"][0]["rules"][0].pop("message"),
    "no provenance": lambda result: result.pop("provenance"),
}


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_what_is_no_result_is_refused_by_the_schema_and_when_read(released, schema, breakage):
    parsed = json.loads(to_json(released))
    breakage(parsed)
    with pytest.raises(pa.PermauditError, match="not a result of permaudit"):
        from_json(json.dumps(parsed).encode())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(parsed, schema)


@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"CANARY-4711", b'{"verdict": "CANARY-4711"}', b"\xff", b"[" * 9999]
)
def test_anything_else_is_refused_without_being_quoted(content):
    with pytest.raises(pa.PermauditError, match="not a result of permaudit") as caught:
        from_json(content)
    assert "4711" not in str(caught.value)


def test_no_nan_can_be_written(released):
    (candidate,) = released.candidates
    for value in (float("nan"), float("inf")):
        broken = replace(candidate.metrics["CM2"], value=value)
        spoilt = replace(released, candidates=[replace(candidate, metrics={"CM2": broken})])
        with pytest.raises(ValueError, match="JSON compliant"):
            to_json(spoilt)


@pytest.mark.parametrize("name", ["a\ud800b", "\udfff", "\ud83d\ude00\ud83d", "😀", "\x00", "a\u2028b", '"\\ud800'])
def test_any_name_gives_a_file_that_can_be_read(released, schema, name):
    content = to_json(replace(released, title=name))
    jsonschema.validate(json.loads(content), schema)
    whole = "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in name)
    assert from_json(content).title == whole


# --------------------------------------------------------------------------- provenance


def test_the_inputs_are_named_by_their_content(write_audit, permaudit, tmp_path):
    audit = write_audit()
    permaudit("run", audit, "--out", tmp_path / "out")
    outcome = from_json((tmp_path / "out" / "audit.json").read_bytes())
    written = {file.sha256 for file in outcome.provenance.inputs}
    expected = {hashlib.sha256(path.read_bytes()).hexdigest() for path in audit.parent.iterdir()}
    assert written == expected
    assert outcome.candidates[0].sha256 in expected
    assert {file.path for file in outcome.provenance.inputs} >= {"original.csv", "masked.csv"}


def test_the_versions_are_those_that_are_installed(released):
    assert released.provenance.packages["numpy"] == np.__version__
    assert released.provenance.packages["permaudit"] == pa.__version__
    assert set(released.provenance.packages.items()) <= {
        (name, metadata.version(name)) for name in released.provenance.packages
    }


def test_the_glossary_explains_every_metric_that_stands_in_the_result(released):
    assert released.glossary.keys() == released.candidates[0].metrics.keys()
    assert all(note.blind_spots and note.low and note.high for note in released.glossary.values())


# --------------------------------------------------------------------------- the same bytes


@pytest.fixture
def audit_with_draws(write_audit, others):
    """Return an audit that draws: an unlinked release of another size, and one that is made."""

    def write(**changes):
        candidates = {
            "noisy": {"path": "masked.csv", "kind": "masked"},
            "fewer": {"path": "fewer.csv", "kind": "synthetic"},
            "swapped": {"anonymizer": "rank-swap", "params": {"p": 30}},
        }
        return write_audit(
            **({"candidates": candidates, "rules": THRESHOLDS, "files": {"fewer.csv": others[:150]}} | changes)
        )

    return write


def run(permaudit, audit, out, *options):
    permaudit("run", audit, "--out", out, *options)
    return from_json((out / "audit.json").read_bytes())


def metrics(outcome):
    return {candidate.name: candidate.metrics for candidate in outcome.candidates}


def test_the_same_audit_gives_the_same_bytes_whatever_the_surroundings(audit_with_draws, child, tmp_path):
    audit = audit_with_draws()
    surroundings = [
        {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"},
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "1", "LANGUAGE": "de"},
        {"TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "1"},
    ]
    contents = set()
    for number, env in enumerate(surroundings):
        ran = child("run", audit, "--out", tmp_path / str(number), "--study-seed", 7, "--quiet", env=env)
        assert ran.returncode in {0, 1, 3}
        names = ("audit.json", "summary.md", "manifest.json")
        contents.add(tuple((tmp_path / str(number) / name).read_bytes() for name in names))
    assert len(contents) == 1


def computed(metrics):
    """Leave out what is drawn: intervals, baselines, and records paired by chance."""
    return {
        name: dataclasses.replace(metric, interval=None, baseline=None, relative=None)
        for name, metric in metrics.items()
        if name != "COPIES"
    }


def test_another_seed_changes_only_what_is_drawn(audit_with_draws, permaudit, tmp_path):
    audit = audit_with_draws()
    first = metrics(run(permaudit, audit, tmp_path / "a", "--study-seed", 7))
    second = metrics(run(permaudit, audit, tmp_path / "b", "--study-seed", 7, "--seed", 2))
    for name in ("noisy", "swapped"):
        assert computed(first[name]) == computed(second[name])
    assert first["noisy"]["CM2"].interval != second["noisy"]["CM2"].interval
    assert first["fewer"]["CM3"].replicates != second["fewer"]["CM3"].replicates


def test_the_seed_of_the_audit_does_not_drive_the_anonymizers(audit_with_draws, permaudit, tmp_path):
    audit = audit_with_draws()
    first, second = (metrics(run(permaudit, audit, tmp_path / name)) for name in "ab")
    assert first["fewer"] == second["fewer"]
    assert first["swapped"]["CM2"].value != second["swapped"]["CM2"].value


def test_a_study_is_repeatable_and_says_that_it_is_one(audit_with_draws, permaudit, tmp_path):
    audit = audit_with_draws()
    first, second = (run(permaudit, audit, tmp_path / name, "--study-seed", 7) for name in "ab")
    assert metrics(first)["swapped"] == metrics(second)["swapped"]
    assert first.provenance.study
    assert "must not be released" in (tmp_path / "a" / "summary.md").read_text(encoding="utf-8")
    assert not run(permaudit, audit, tmp_path / "c").provenance.study


def test_adding_a_metric_or_a_candidate_changes_no_other_number(audit_with_draws, permaudit, tmp_path, install):
    drawing = BROKEN.replace('raise ValueError("no")', "return Measured(rng.random(50).mean())")
    install("acme", {"broken": drawing.replace("import MetricCard", "import Measured, MetricCard")})
    before = metrics(run(permaudit, audit_with_draws(), tmp_path / "a", "--study-seed", 7))
    candidates = {
        "first of all": {"path": "fewer.csv", "kind": "synthetic"},
        "swapped": {"anonymizer": "rank-swap", "params": {"p": 30}},
        "fewer": {"path": "fewer.csv", "kind": "synthetic"},
        "also swapped": {"anonymizer": "rank-swap", "params": {"p": 30}},
        "noisy": {"path": "masked.csv", "kind": "masked"},
    }
    names = ["broken", "UM", "CM3", "CM2", "CM1"]
    audit = audit_with_draws(candidates=candidates, metrics=names, plugins={"allow": ["acme"]})
    after = metrics(run(permaudit, audit, tmp_path / "b", "--study-seed", 7))
    for candidate, values in before.items():
        assert {name: after[candidate][name] for name in values} == values
    assert after["first of all"]["CM3"].replicates != after["fewer"]["CM3"].replicates
    assert after["also swapped"]["CM2"].value != after["swapped"]["CM2"].value
    assert after["fewer"]["broken"].value != after["noisy"]["broken"].value
