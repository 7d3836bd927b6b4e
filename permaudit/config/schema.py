"""The JSON Schema of an audit file, with the installed plugins in it, and the keys that it knows."""

from __future__ import annotations

import re
import types
from typing import TYPE_CHECKING, Any, TypeAlias

from permaudit.config.candidate_shape import RangeShape
from permaudit.config.report import languages
from permaudit.config.shape import AuditShape
from permaudit.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from permaudit.config.words import Steps
    from permaudit.model import Anonymizer, Catalogue, Reader, Rule

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NOT_IN_SCHEMA = (
    "a column that is named twice",
    "a lower bound that is not below the upper one",
    "a range that goes nowhere, has neither step nor points or both, or a sweep of too many combinations",
    "a key that is an audited attribute, too",
    "a candidate in `when` that does not exist",
    "a metric that a rule limits and that is unknown, or not among `metrics`",
    "a limit outside the bounds of its metric",
    "a file that does not exist, is no regular file, or lies outside the root",
    "a language that the chosen template set does not have",
    "a version in `plugins.allow` that is none, or a distribution that is named twice",
    "a condition between the parameters of one plugin, or a format such as a date",
    "1.0 where an integer is expected",
    "a waiver without two different approvers or with one in mixed alphabets, of the host's own rules, that is there twice, or for an unknown name",
    "what the policy does not allow",
    "what only the text of the file shows: duplicate keys, anchors, tags, unclear words",
)
"""What `build_audit` finds and a JSON Schema cannot say."""

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_BRANCHES = ("allOf", "anyOf", "oneOf")


def audit_schema(catalogue: Catalogue) -> Schema:
    """Return the JSON Schema (2020-12) of an audit file that uses these plugins."""
    schema = {"$schema": DIALECT, **file_schema()}
    definitions = schema["$defs"]
    for name in ("FileShape", "GivenShape"):
        shape = definitions[name]
        shape["properties"]["format"]["enum"] = sorted(catalogue.readers)
        elsewhere = sorted(reader.card.id for reader in catalogue.readers.values() if not reader.card.local)
        branches = [
            {"if": {"required": ["options"]}, "then": {"required": ["format"]}},
            {
                "if": {"properties": {"format": {"enum": elsewhere}}, "required": ["format"]},
                "then": {"properties": {"path": False}},
                "else": {"required": ["path"]},
            },
        ]
        branches += [_reader_branch(item, definitions) for item in catalogue.readers.values()]
        shape["allOf"] = [*shape.get("allOf", []), *branches]
    schema["properties"]["metrics"]["items"] = _choice(
        (metric.card.id, f"{metric.card.title}: {metric.card.summary}") for metric in catalogue.metrics.values()
    )
    _add_rules(definitions["RuleShape"], catalogue, definitions)
    waiver = definitions["WaiverShape"]["properties"]
    waiver["rule"] |= _choice((item.card.id, item.card.title) for item in catalogue.rules.values())
    waiver["metric"] |= {"enum": sorted(catalogue.metrics)}
    made = definitions["MadeShape"]
    made["properties"]["anonymizer"] = _choice(
        (item.card.id, f"{item.card.title}: {item.card.summary}") for item in catalogue.anonymizers.values()
    )
    made["allOf"] = [_made_branch(item, definitions) for item in catalogue.anonymizers.values()]
    sweep = definitions["SweepShape"]
    sweep["properties"]["anonymizer"] = made["properties"]["anonymizer"]
    sweep["allOf"] = [_sweep_branch(item, definitions) for item in catalogue.anonymizers.values()]
    definitions["RangeShape"] = closed_range()
    report = definitions["ReportShape"]["properties"]
    report["template"] |= _choice(
        (item.card.id, f"{item.card.title}: {item.card.summary}") for item in catalogue.templates.values()
    )
    report["language"]["enum"] = sorted({one for name in catalogue.templates for one in languages(catalogue, name)})
    return schema


def policy_schema(catalogue: Catalogue) -> Schema:
    """Return the JSON Schema (2020-12) of a policy that uses these plugins."""
    schema = {"$schema": DIALECT, **policy_file_schema()}
    definitions = schema["$defs"]
    _add_rules(definitions["PolicyRuleShape"], catalogue, definitions)
    definitions["PolicyWaiversShape"]["properties"]["allow"]["else"]["items"] = {"enum": sorted(catalogue.rules)}
    return schema


def file_schema() -> Schema:
    """Return the JSON Schema of an audit file without what plugins add to it."""
    return _shape_schema(AuditShape)


def policy_file_schema() -> Schema:
    """Return the JSON Schema of a policy without what plugins add to it."""
    from permaudit.config.policy_shape import PolicyShape  # noqa: PLC0415 - pydantic's models, which most audits do not need

    return _shape_schema(PolicyShape)


def _add_rules(rule: Schema, catalogue: Catalogue, definitions: Schema) -> None:
    """Name the installed rules, and let each have its own parameters."""
    rule["properties"]["rule"] = _choice((item.card.id, item.card.title) for item in catalogue.rules.values())
    rule["allOf"] = [_rule_branch(item, rule["properties"]["when"], definitions) for item in catalogue.rules.values()]


def _shape_schema(shape: type[BaseModel]) -> Schema:
    schema = shape.model_json_schema()
    for part in (schema, *schema["$defs"].values()):
        for name, item in part["properties"].items():
            part["properties"][name] = _by_names(item)
            # The made-up titles and defaults of the models are no news to anybody.
            part["properties"][name].pop("title", None)
            part["properties"][name].pop("default", None)
    for part in schema["$defs"].values():
        part.pop("title", None)
    return schema


def _by_names(schema: Schema) -> Schema:
    """Let the pattern of a mapping's keys refuse the other keys, where pydantic lets it choose among them."""
    patterns = schema.pop("patternProperties", None)
    if patterns:
        [(pattern, values)] = patterns.items()
        schema["propertyNames"] = {**schema.get("propertyNames", {}), "pattern": pattern}
        schema["additionalProperties"] = values
    return schema


def _choice(cards: Iterable[tuple[str, str]]) -> Schema:
    """List the ids, and what editors say about each."""
    options = sorted(cards)
    return {"enum": [name for name, _ in options], "markdownEnumDescriptions": [text for _, text in options]}


def _rule_branch(rule: Rule, when: Schema, definitions: Schema) -> Schema:
    own = _plugin_schema("rule", rule.card.id, rule.parameters, definitions)
    branch = {
        **own,
        "title": rule.card.title,
        "description": rule.card.why,
        "properties": {"rule": {"const": rule.card.id}, "when": when, **own.get("properties", {})},
        "required": ["rule", *own.get("required", [])],
    }
    return {"if": _is("rule", rule.card.id), "then": branch}


def _made_branch(anonymizer: Anonymizer, definitions: Schema) -> Schema:
    own = _plugin_schema("anonymizer", anonymizer.card.id, anonymizer.parameters, definitions)
    params = {**own, "title": anonymizer.card.title, "description": anonymizer.card.summary}
    branch: Schema = {"properties": {"params": params}}
    if own.get("required"):
        branch["required"] = ["params"]
    return {"if": _is("anonymizer", anonymizer.card.id), "then": branch}


def _sweep_branch(anonymizer: Anonymizer, definitions: Schema) -> Schema:
    """Let every parameter be one value, a list of values, or a range."""
    own = _plugin_schema("anonymizer", anonymizer.card.id, anonymizer.parameters, definitions)
    properties = {name: _swept(item) for name, item in own.get("properties", {}).items()}
    params = {**own, "title": anonymizer.card.title, "properties": properties}
    return {"if": _is("anonymizer", anonymizer.card.id), "then": {"properties": {"params": params}}}


def _swept(one: Schema) -> Schema:
    a_range = {"type": "object", "required": ["from"]}
    return {
        "if": {"type": "array"},
        "then": {"items": one, "minItems": 1},
        "else": {"if": a_range, "then": {"$ref": "#/$defs/RangeShape"}, "else": one},
    }


def closed_range() -> Schema:
    """Return the schema of a range of values."""
    schema = RangeShape.model_json_schema()
    return {key: item for key, item in schema.items() if key != "title"}


def _reader_branch(reader: Reader, definitions: Schema) -> Schema:
    own = _plugin_schema("reader", reader.card.id, reader.parameters, definitions)
    branch: Schema = {"properties": {"options": {**own, "title": reader.card.title}}}
    if own.get("required"):
        branch["required"] = ["options"]
    return {"if": _is("format", reader.card.id), "then": branch}


def _is(key: str, value: str) -> Schema:
    return {"properties": {key: {"const": value}}, "required": [key]}


def _plugin_schema(noun: str, name: str, model: type[BaseModel], definitions: Schema) -> Schema:
    """Return the schema of a plugin's parameters, with its own definitions put beside the file's."""
    prefix = f"{noun}.{_NOT_IN_A_NAME.sub('_', name)}."
    try:
        schema = closed(model).model_json_schema(ref_template=f"#/$defs/{prefix}{{model}}")
    except Exception as error:
        reason = f"the parameters of {noun} '{name}' have no JSON Schema: {type(error).__name__}"
        raise PluginError(reason) from error
    for key, item in schema.pop("$defs", {}).items():
        definitions[f"{prefix}{key}"] = item
    return schema


def closed(model: type[BaseModel]) -> type[BaseModel]:
    """Return the model, or its like that refuses unknown keys where the plugin's author forgot to say so."""
    if model.model_config.get("extra", "ignore") != "ignore":
        return model
    return types.new_class(model.__name__, (model,), {"extra": "forbid"})


# --------------------------------------------------------------------------- known keys


def keys_in(schema: Callable[[], Schema]) -> Callable[[Steps], list[str]]:
    """Return what tells the keys that a mapping may have, by the steps to one of its keys."""
    made: list[Schema] = []

    def known(steps: Steps) -> list[str]:
        if not made:
            made.append(schema())
        nodes = [made[0]]
        for step in steps[:-1]:
            nodes = [child for node in nodes for child in _below(node, step, made[0])]
        return sorted({key for node in nodes for part in _parts(node, made[0]) for key in part.get("properties", {})})

    return known


def _parts(node: Mapping[str, Any], root: Schema, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and everything that it is put together from, whatever the conditions."""
    if depth > len(_BRANCHES) * 2:
        return
    yield node
    parts = [node[key] for key in ("then", "else") if key in node]
    parts += [part for key in _BRANCHES for part in node.get(key, ())]
    if "$ref" in node:
        parts.append(root.get("$defs", {}).get(node["$ref"].rpartition("/")[2], {}))
    for part in parts:
        yield from _parts(part, root, depth + 1)


def _below(node: Schema, step: str | int, root: Schema) -> Iterator[Schema]:
    for part in _parts(node, root):
        if isinstance(step, int):
            child = part.get("items")
        else:
            child = part.get("properties", {}).get(step, part.get("additionalProperties"))
        if isinstance(child, dict):
            yield child
