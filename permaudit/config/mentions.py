"""The names and parameters in a tree that may have mistakes: what has the wrong shape is left out, and judged elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.config.parameters import validated
from permaudit.config.references import References, RuleMention
from permaudit.config.words import Problem, place_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import BaseModel

    from permaudit.config.references import Named
    from permaudit.config.sweeps import SweepMention
    from permaudit.config.words import Steps
    from permaudit.model import Catalogue, Rule


_OF_A_CANDIDATE = 2
"""Steps to the table that is released."""


def references_in(value: Any, rules: tuple[RuleMention, ...], sweeps: tuple[SweepMention, ...]) -> References:
    """Return the names that must fit something else."""
    audit = _mapping(value)
    candidates = list(_candidates(audit))
    return References(
        columns=(
            *((("attributes", name), name) for name in _mapping(audit.get("attributes"))),
            *_texts(audit.get("identifiers"), ("identifiers",)),
            *((("not-audited", name), name) for name in _mapping(audit.get("not-audited"))),
        ),
        attributes=frozenset(_mapping(audit.get("attributes"))),
        orders=tuple(
            tuple(_texts(_mapping(entry).get("order"), ("attributes", name, "order")))
            for name, entry in _mapping(audit.get("attributes")).items()
        ),
        bounds=tuple(_bounds(_mapping(audit.get("attributes")))),
        keys=tuple(named for steps, entry in candidates for named in _keys(entry, steps)),
        candidates=(*_mapping(audit.get("candidates")), *(name for sweep in sweeps for name, _ in sweep.points)),
        given=frozenset(str(steps[-1]) for steps, entry in candidates if "anonymizer" not in entry),
        judges_something=not isinstance(value, dict) or "candidates" in audit or "sweeps" in audit,
        linked_synthetics=tuple(
            (*steps, "linkage")
            for steps, entry in candidates
            if entry.get("kind") == "synthetic" and _is_linked(entry.get("linkage")) and "anonymizer" not in entry
        ),
        keyless=tuple(steps for steps, linkage in _linkages(audit) if not linkage.keys() & {"key", "map"}),
        files=tuple((steps, _text(entry.get("format")), "path" in entry) for steps, entry in _files(audit)),
        unread_options=tuple(steps for steps, entry in _files(audit) if "options" in entry and "format" not in entry),
        metrics=tuple(_texts(audit["metrics"], ("metrics",))) if isinstance(audit.get("metrics"), list) else None,
        anonymizers=(*_text_at(candidates, "anonymizer"), *_text_at(_sweeps(audit), "anonymizer")),
        formats=tuple(_text_at(_files(audit), "format")),
        rules=rules,
    )


def paths_in(value: Any) -> Iterator[Named]:
    """Yield the paths of microdata, taxonomies and the policy."""
    audit = _mapping(value)
    for key in ("original", "holdout"):
        if isinstance(audit.get(key), str):
            yield (key,), audit[key]
    yield from _text_at(_linkages(audit), "map")
    yield from _text_at(_files(audit), "path")
    if isinstance(audit.get("policy"), str):
        yield ("policy",), audit["policy"]
    yield from _text_at([(("policy",), _mapping(audit.get("policy")))], "path")
    attributes = _mapping(audit.get("attributes")).items()
    yield from _text_at(((("attributes", name), _mapping(entry)) for name, entry in attributes), "taxonomy")


def earlier_in(rules: Iterable[RuleMention], catalogue: Catalogue) -> Iterator[Named]:
    """Yield the paths of the earlier results that rules compare with."""
    for mention in rules:
        rule = catalogue.rules.get(mention.rule or "")
        if rule is not None and mention.params is not None:
            for text in _earlier(rule, mention.params):
                named = [name for name in type(mention.params).model_fields if getattr(mention.params, name) == text]
                yield (*mention.steps, *named[:1]), text


def rules_in(value: Any, catalogue: Catalogue) -> tuple[tuple[RuleMention, ...], list[Problem]]:
    """Return the rules with their validated parameters, and what is wrong with these."""
    mentions: list[RuleMention] = []
    problems: list[Problem] = []
    entries = _mapping(value).get("rules")
    for number, item in enumerate(entries if isinstance(entries, list) else ()):
        entry, steps = _mapping(item), ("rules", number)
        name, params = entry.get("rule"), None
        rule = catalogue.rules.get(name) if isinstance(name, str) else None
        if rule is not None:
            own = {key: part for key, part in entry.items() if key not in {"rule", "when"}}
            params, found = validated(f"rule '{name}'", rule.parameters, own, steps)
            problems += found
        candidate = _mapping(entry.get("when")).get("candidate")
        mentions.append(
            RuleMention(
                steps=steps,
                rule=name if isinstance(name, str) else None,
                params=params,
                candidate=candidate if isinstance(candidate, str) else None,
            )
        )
    return tuple(mentions), problems


def params_in(value: Any, catalogue: Catalogue) -> tuple[dict[str, BaseModel | None], list[Problem]]:
    """Return the validated parameters of each made candidate, and what is wrong with them."""
    made: dict[str, BaseModel | None] = {}
    problems: list[Problem] = []
    for steps, entry in _candidates(_mapping(value)):
        name, params = entry.get("anonymizer"), entry.get("params", {})
        anonymizer = catalogue.anonymizers.get(name) if isinstance(name, str) else None
        if anonymizer is not None and isinstance(params, dict):
            owner = f"anonymizer '{name}'"
            made[str(steps[-1])], found = validated(owner, anonymizer.parameters, params, (*steps, "params"))
            problems += found
    return made, problems


def options_in(value: Any, catalogue: Catalogue) -> tuple[dict[Steps, BaseModel | None], list[Problem]]:
    """Return the validated options of each file, by where it stands, and what is wrong with them."""
    options: dict[Steps, BaseModel | None] = {}
    problems: list[Problem] = []
    for steps, entry in _files(_mapping(value)):
        name, given = entry.get("format"), entry.get("options", {})
        reader = catalogue.readers.get(name) if isinstance(name, str) else None
        if reader is not None and isinstance(given, dict):
            own, found = validated(f"reader '{name}'", reader.parameters, given, (*steps, "options"))
            problems += found
            if "options" in entry:
                options[steps] = own
            if len(steps) == _OF_A_CANDIDATE and "path" in entry and getattr(own, "query", None) is not None:
                where = (*steps, "options", "query")
                message = "a query says nothing of the file that is released; name the table with table: instead"
                problems.append(Problem(where, f"{place_name(where)}: {message}", "key"))
    return options, problems


def _earlier(rule: Rule, params: BaseModel) -> tuple[str, ...]:
    """Ask a rule for its earlier results; one that cannot say them will be an error when it judges."""
    try:
        return tuple(str(text) for text in rule.earlier(params))
    except Exception:
        return ()


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _candidates(audit: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, Any]]]:
    for name, entry in _mapping(audit.get("candidates")).items():
        if isinstance(entry, dict):
            yield ("candidates", name), entry


def _sweeps(audit: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, Any]]]:
    for name, entry in _mapping(audit.get("sweeps")).items():
        yield ("sweeps", name), _mapping(entry)


def _files(audit: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield the mappings that describe a file."""
    for key in ("original", "holdout"):
        if isinstance(audit.get(key), dict):
            yield (key,), audit[key]
    yield from (item for item in _candidates(audit) if "anonymizer" not in item[1])
    for steps, linkage in _linkages(audit):
        if isinstance(linkage.get("map"), dict):
            yield (*steps, "map"), linkage["map"]


def _linkages(audit: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, Any]]]:
    """Yield the linkages that are mappings."""
    for steps, entry in _candidates(audit):
        if isinstance(entry.get("linkage"), dict) and "anonymizer" not in entry:
            yield (*steps, "linkage"), entry["linkage"]


def _bounds(attributes: dict[str, Any]) -> Iterator[tuple[Steps, tuple[float, float]]]:
    for name, entry in attributes.items():
        match _mapping(entry).get("bounds"):
            case [int() | float() as low, int() | float() as high]:
                yield ("attributes", name, "bounds"), (low, high)


def _is_linked(linkage: Any) -> bool:
    return linkage == "row" or isinstance(linkage, dict)


def _keys(entry: dict[str, Any], steps: Steps) -> Iterator[Named]:
    key, base = _mapping(entry.get("linkage")).get("key"), (*steps, "linkage", "key")
    if isinstance(key, str):
        yield base, key
    yield from _texts(key, base)


def _texts(value: Any, base: Steps) -> Iterator[Named]:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield (*base, number), item


def _text_at(entries: Any, key: str) -> Iterator[Named]:
    for steps, entry in entries:
        if isinstance(entry.get(key), str):
            yield (*steps, key), entry[key]
