"""The JSON Schema flags the same places as the check."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from permaudit.config import audit_schema, build_audit
from permaudit.config.schema import NOT_IN_SCHEMA
from permaudit.config.tree import parse_tree
from permaudit.config.words import Problem
from permaudit.errors import AuditFileError, PluginError
from permaudit.plugins import load_plugins

from .fakes import CATALOGUE, VALID, anonymizer, rule
from .one_mistake import ONE_MISTAKE

SCHEMA = audit_schema(CATALOGUE)

# How to recognize a mistake that a schema cannot express, in the order of NOT_IN_SCHEMA.
BEYOND = (
    r": column '.*' is named twice",
    r"the lower bound .* is not below",
    r"(from must be below to|needs either step or points|scale log needs|combinations; at most)",
    r"is an audited attribute, too",
    r"when\.candidate: '.*' is not a known candidate",
    r"rules\[\d+\](\.metric)?: '.*' is (not a known metric|not among metrics)",
    r"the bounds of",
    r" (does not exist|cannot be reached|must be a regular file|is too long for a file name|leads )",
    r"report\.language: ",
    r"plugins\.allow\[\d+\]: '.*' is (not a distribution|named twice)",
    r"(is wrong: |must be a date)",
    r"must be an integer, not the number \d+\.0",
    r"waivers\[\d+\]\S* (must name at least two|a word is written with|waives the same)|waivers\[\d+\]\.(rule: .* cannot be|candidate: |attribute: )",
    r"(the policy)",
    r"(there twice, first|not allowed|to some readers|not a number that|too large for)",
)


def flagged_by_schema(tree, schema=SCHEMA) -> set[tuple[int, int]]:
    """Return where an editor would put its marks."""
    problems = []
    for error in jsonschema.Draft202012Validator(schema).iter_errors(tree.value):
        steps = tuple(error.absolute_path)
        if "propertyNames" in error.absolute_schema_path:
            problems.append(Problem((*steps, error.instance), "", "key"))
        elif error.validator == "additionalProperties":
            extra = set(error.instance) - set(error.schema.get("properties", ()))
            problems += [Problem((*steps, key), "", "key") for key in extra]
        elif error.validator == "required":
            problems.append(Problem(steps, "", "key"))
        elif error.validator == "uniqueItems":
            items = error.instance
            problems += [Problem((*steps, at), "") for at, item in enumerate(items) if item in items[:at]]
        else:
            problems.append(Problem(steps, ""))
    return {tree.position(problem) for problem in problems}


def flagged_by_check(tree) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the places that the check flags: those that a schema can know, and the others."""
    within, beyond = set(), set()
    try:
        build_audit(tree, CATALOGUE)
    except AuditFileError as error:
        for mistake in error.mistakes:
            side = beyond if any(re.search(pattern, mistake.message) for pattern in BEYOND) else within
            side.add((mistake.line, mistake.column))
    return within, beyond


def tree_of(text, folder):
    return parse_tree(text.encode(), folder / "audit.yaml", "audit.yaml")


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    json.dumps(SCHEMA, allow_nan=False)


def test_every_kind_of_mistake_beyond_the_schema_is_listed():
    assert len(BEYOND) == len(NOT_IN_SCHEMA)


def test_a_valid_file_has_no_marks(folder):
    assert flagged_by_schema(tree_of(VALID, folder)) == set()


@pytest.mark.parametrize("text", [text for text, _ in ONE_MISTAKE.values()], ids=ONE_MISTAKE)
def test_an_editor_marks_the_same_places_as_the_check(text, folder):
    tree = tree_of(text, folder)
    within, beyond = flagged_by_check(tree)
    marks = flagged_by_schema(tree)
    assert within <= marks
    assert marks <= within | beyond


@pytest.mark.parametrize(
    "path", ["http://example.com/x.csv", "s3://b/x", "file:x", "~/x.csv", "''", "jdbc:x", '"a\\0b"', "C:/x.csv", "x:y"]
)
def test_editors_know_which_paths_are_refused(path, folder):
    tree = tree_of(VALID.replace("original: income.csv", f"original: {path}"), folder)
    within, _ = flagged_by_check(tree)
    assert flagged_by_schema(tree) == within


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 30),
    st.sampled_from([0.05, 0.5, -0.1, 1.5]),
    st.sampled_from(["", " ", "numeric", "masked", "synthetic", "row", "none", "CM1", "CM9", "threshold", "csv"]),
    st.sampled_from(["additive-noise", "plain", "release.csv", "http://x", "acme>=2", "a @ b", "ordinal", "a/b"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["path", "x"]), inner)),
    max_leaves=4,
)
KEYS = st.sampled_from(
    ["path", "kind", "linkage", "anonymizer", "params", "rule", "metric", "min", "when", "alpha", "mn", "a/b", "", "x"]
)


def places_in(value, steps=()):
    """Yield the way to every list and mapping."""
    if isinstance(value, dict | list):
        yield steps
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in items:
            yield from places_in(item, (*steps, step))


def mutate(value, data):
    """Change, add or remove one thing somewhere."""
    steps = data.draw(st.sampled_from(list(places_in(value))))
    for step in steps:
        value = value[step]
    if isinstance(value, dict):
        key = data.draw(st.one_of(st.sampled_from(sorted(value)), KEYS) if value else KEYS)
        if key in value and data.draw(st.booleans()):
            del value[key]
        else:
            value[key] = data.draw(VALUES)
    elif value and data.draw(st.booleans()):
        del value[data.draw(st.integers(0, len(value) - 1))]
    else:
        value.append(data.draw(VALUES))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.integers(1, 4))
def test_an_editor_marks_the_same_places_in_any_mangled_file(folder, data, changes):
    value = parse_tree(VALID.encode(), folder / "audit.yaml", "audit.yaml").value
    for _ in range(changes):
        mutate(value, data)
    tree = tree_of(json.dumps(value, indent=1, ensure_ascii=False), folder)
    assert tree.value == value
    within, beyond = flagged_by_check(tree)
    marks = flagged_by_schema(tree)
    assert within <= marks
    assert marks <= within | beyond


def test_cards_are_told_to_editors():
    [branch] = [part for part in SCHEMA["$defs"]["RuleShape"]["allOf"] if "threshold" in str(part["if"])]
    assert branch["then"]["title"] == "rule threshold"
    assert branch["then"]["description"] == "because of threshold"
    metrics = SCHEMA["properties"]["metrics"]["items"]
    assert metrics["enum"] == ["CM1", "CM2", "CM3", "UM", "distance"]
    assert metrics["markdownEnumDescriptions"][0] == "metric CM1: measures CM1"


def test_definitions_of_two_plugins_do_not_mix(folder):
    class Step(BaseModel):
        other: str

    class Parameters(BaseModel):
        steps: list[Step]

    catalogue = replace(CATALOGUE, rules={**CATALOGUE.rules, "other/one": rule("other/one", Parameters)})
    schema = audit_schema(catalogue)
    text = VALID.replace("{rule: no-identifiers}", "{rule: %s, steps: [{%s}]}")
    assert flagged_by_schema(tree_of(text % ("other/one", "other: x"), folder), schema) == set()
    assert flagged_by_schema(tree_of(text % ("other/one", "size: 1"), folder), schema) == {(20, 31)}
    assert flagged_by_schema(tree_of(text % ("nested", "size: 1"), folder), schema) == set()


def test_a_plugin_without_a_schema_is_named():
    class Odd(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        thing: re.Match = None

    catalogue = replace(CATALOGUE, anonymizers={"odd": anonymizer("odd", Odd)})
    with pytest.raises(PluginError, match="the parameters of anonymizer 'odd' have no JSON Schema"):
        audit_schema(catalogue)


def test_the_schema_of_the_installed_plugins_is_a_schema(folder):
    schema = audit_schema(load_plugins().catalogue)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert flagged_by_schema(tree_of(VALID, folder), schema) == set()
