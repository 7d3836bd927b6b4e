"""A tree -> the audit it asks for, or every mistake in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from permaudit.config.allow import allowed_in
from permaudit.config.explain import problems_of
from permaudit.config.mentions import earlier_in, options_in, params_in, paths_in, references_in, rules_in
from permaudit.config.paths import check_path, located
from permaudit.config.policy import policy_of, policy_problems
from permaudit.config.references import mismatches
from permaudit.config.report import report_of, wrong_report
from permaudit.config.schema import file_schema, keys_in
from permaudit.config.shape import AuditShape
from permaudit.config.standing import place_in, standing_under, uses_of
from permaudit.config.sweeps import sweeps_in
from permaudit.config.under import refused_by
from permaudit.config.waivers import waiver_of, waivers_in, wrong_waivers
from permaudit.errors import AuditFileError
from permaudit.outcome import Place
from permaudit.plan import (
    Attribute,
    Audit,
    FileSource,
    GivenCandidate,
    MadeCandidate,
    QuerySource,
    Sweep,
    When,
)
from permaudit.today import utc_today

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic import BaseModel

    from permaudit.config.policy import PolicyFile
    from permaudit.config.references import RuleMention
    from permaudit.config.sweeps import SweepMention
    from permaudit.config.tree import Tree
    from permaudit.config.words import Problem, Steps
    from permaudit.errors import Mistake
    from permaudit.model import Catalogue
    from permaudit.plan import Candidate, Source


def build_audit(
    tree: Tree,
    catalogue: Catalogue,
    root: Path | None = None,
    *,
    policy: PolicyFile | None = None,
    today: dt.date | None = None,
) -> Audit:
    """Return the audit that a file asks for; raise `AuditFileError` with every mistake in it and in its policy.

    With a `root`, no path may lead out of that directory, also not by links. A policy that was read already is not read
    again.
    """
    policy = policy or policy_of(tree, root)
    board, wrong_policy = policy_problems(policy.tree, catalogue, root) if policy.tree else ((), [])
    rules, wrong_rules = rules_in(tree.value, catalogue)
    params, wrong_params = params_in(tree.value, catalogue)
    options, wrong_options = options_in(tree.value, catalogue)
    sweeps, wrong_sweeps = sweeps_in(tree.value, catalogue)
    names = references_in(tree.value, rules, sweeps)
    problems = [
        *_wrong_shape(tree.value),
        *wrong_rules,
        *wrong_params,
        *wrong_options,
        *wrong_sweeps,
        *wrong_report(tree.value, catalogue),
        *allowed_in(tree.value)[1],
        *mismatches(names, catalogue),
        *wrong_waivers(tree.value, names, catalogue),
        *(() if policy.value is None else refused_by(policy.value, tree.value, today or utc_today())),
        *(
            problem
            for steps, text in (*paths_in(tree.value), *earlier_in(rules, catalogue))
            for problem in check_path(text, steps, tree.file.path.parent, root)
        ),
    ]
    mistakes = sorted({*mistakes_in(tree, problems), *policy.mistakes})
    mistakes += mistakes_in(policy.tree, wrong_policy) if policy.tree else []
    if mistakes:
        raise AuditFileError(mistakes)
    audit = _audit(tree, rules, params, options, sweeps)
    return standing_under(audit, tree.value, policy, board, catalogue, lambda steps: _line(tree, steps))


def check_policy(tree: Tree, catalogue: Catalogue) -> int:
    """Return how many rules a policy has; raise `AuditFileError` with every mistake in it."""
    rules, problems = policy_problems(tree, catalogue)
    mistakes = mistakes_in(tree, problems)
    if mistakes:
        raise AuditFileError(mistakes)
    return len(rules)


def _wrong_shape(value: Any) -> Iterable[Problem]:
    try:
        AuditShape.model_validate(value)
    except ValidationError as error:
        return problems_of(error, value, (), keys_in(file_schema))
    return ()


def mistakes_in(tree: Tree, problems: Iterable[Problem]) -> list[Mistake]:
    """Put everything in the order of the file; where a value was unclear already, nothing more is said of it."""
    hidden = {doubt.steps for doubt in tree.doubts if doubt.hides}
    found = {tree.mistake(problem) for problem in problems if problem.steps not in hidden}
    return sorted(found | {doubt.mistake for doubt in tree.doubts})


# --------------------------------------------------------------------------- from here on everything has been checked


def _audit(
    tree: Tree,
    rules: tuple[RuleMention, ...],
    params: Mapping[str, BaseModel | None],
    options: Mapping[Steps, BaseModel | None],
    sweeps: tuple[SweepMention, ...],
) -> Audit:
    value, folder = tree.value, tree.file.path.parent
    holdout = value.get("holdout")
    return Audit(
        title=value["title"],
        original=_source(value["original"], folder, options.get(("original",))),
        holdout=None if holdout is None else _source(holdout, folder, options.get(("holdout",))),
        attributes=tuple(attribute_of(name, entry, folder) for name, entry in value["attributes"].items()),
        identifiers=tuple(value.get("identifiers", ())),
        not_audited=dict(value.get("not-audited", {})),
        candidates=(
            *(
                _candidate(name, entry, folder, params.get(name), options)
                for name, entry in value.get("candidates", {}).items()
            ),
            *(
                _made(point, value["sweeps"][sweep.name], model, names)
                for sweep in sweeps
                for (point, model), names in zip(sweep.points, sweep.attributes, strict=True)
            ),
        ),
        sweeps=tuple(
            Sweep(
                name=sweep.name,
                anonymizer=value["sweeps"][sweep.name]["anonymizer"],
                varied=sweep.varied,
                candidates=tuple(name for name, _ in sweep.points),
            )
            for sweep in sweeps
        ),
        metrics=tuple(value["metrics"]) if "metrics" in value else None,
        rules=uses_of(tree, rules, "audit file"),
        waivers=tuple(waiver_of(entry, place_in(tree, steps)) for steps, entry in waivers_in(value)),
        missing=value.get("missing", "error"),
        unconfirmed=tuple(value.get("unconfirmed", ())),
        report=report_of(value.get("report", {})),
        seed=value.get("seed", 0),
        files=(tree.file,),
        documents={tree.where: tree.text},
        places={
            **{name: _key_place(tree, ("candidates", name)) for name in value.get("candidates", {})},
            **{point: _key_place(tree, ("sweeps", sweep.name)) for sweep in sweeps for point, _ in sweep.points},
        },
    )


def attribute_of(name: str, entry: str | Mapping[str, Any], folder: Path) -> Attribute:
    """Return an attribute from its entry, short or long."""
    if isinstance(entry, str):
        return Attribute(name=name, type=entry)  # type: ignore[arg-type]
    taxonomy = entry.get("taxonomy")
    return Attribute(
        name=name,
        type=entry["type"],
        order=tuple(entry.get("order", ())),
        taxonomy=None if taxonomy is None else _file({"path": taxonomy}, folder),
        star=entry.get("star"),
        missing=entry.get("missing"),
        role=entry.get("role"),
        bounds=tuple(entry["bounds"]) if "bounds" in entry else None,
        decimals=entry.get("decimals"),
        tolerance=entry.get("tolerance"),
    )


def _source(given: str | Mapping[str, Any], folder: Path, options: BaseModel | None) -> Source:
    entry = {"path": given} if isinstance(given, str) else given
    if "path" not in entry:
        return QuerySource(format=entry["format"], options=options, shown=f"the table read by {entry['format']}")
    return _file(entry, folder, options)


def _file(entry: Mapping[str, Any], folder: Path, options: BaseModel | None = None) -> FileSource:
    digest = entry.get("sha256")
    return FileSource(
        path=located(entry["path"], folder),
        shown=entry["path"],
        sha256=None if digest is None else digest.lower(),
        format=entry.get("format"),
        options=options,
    )


def _candidate(
    name: str,
    entry: Mapping[str, Any],
    folder: Path,
    params: BaseModel | None,
    options: Mapping[Steps, BaseModel | None],
) -> Candidate:
    if "anonymizer" in entry:
        return _made(name, entry, params)
    kind = entry["kind"]
    linkage = entry.get("linkage", "row" if kind == "masked" else "none")
    source = _source(entry, folder, options.get(("candidates", name)))
    if isinstance(linkage, str):
        return GivenCandidate(name=name, source=source, kind=kind, linkage=linkage)  # type: ignore[arg-type]
    columns, held = linkage.get("key", ()), linkage.get("map")
    own = options.get(("candidates", name, "linkage", "map"))
    return GivenCandidate(
        name=name,
        source=source,
        kind=kind,
        linkage="key",
        key=(columns,) if isinstance(columns, str) else tuple(columns),
        map=None if held is None else _source(held, folder, own),
    )


def _made(
    name: str, entry: Mapping[str, Any], params: BaseModel | None, attributes: tuple[str, ...] = ()
) -> MadeCandidate:
    return MadeCandidate(
        name=name,
        anonymizer=entry["anonymizer"],
        params=params,
        replicates=entry.get("replicates", 1),
        attributes=attributes,
        **entry.get("post", {}),
    )


def when_of(entry: Mapping[str, Any]) -> When:
    """Return to which candidates a rule applies."""
    return When(**entry.get("when", {}))


def _key_place(tree: Tree, steps: Steps) -> Place:
    line, column = tree.keys[steps]
    return Place(file=tree.where, line=line, column=column)


def _line(tree: Tree, steps: Steps) -> str:
    line, _ = tree.keys[steps]
    return f"{tree.where}:{line}"
