"""Audits that together have every kind of page: real ones, of small files."""

from __future__ import annotations

import fcntl
from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml

from permaudit.census_like import census_like
from permaudit.cli.loading import load_audit
from permaudit.plugins import load_plugins
from permaudit.report import from_json, to_json
from permaudit.report.audience import for_audience
from permaudit.report.look import template_folders
from permaudit.runner import run_audit

if TYPE_CHECKING:
    from collections.abc import Callable

    from permaudit.outcome import Outcome
    from permaudit.report.look import TemplateFolders

NAMES = ("FICA", "FEDTAX", "INTVAL")
LONG = "a name that somebody thought would explain everything about the candidate and its history"
WIDE = 34
POLICY = {
    "permaudit-policy": 1,
    "title": "Public-use files",
    "seed": 11,
    "rules": [
        {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "masked"}},
        {"rule": "threshold", "metric": "CM3", "min": 0.2, "when": {"kind": "synthetic"}},
    ],
    "waivers": {"allow": ["no-unprotected-attribute", "threshold"], "most-days": 36500},
    "holdout": "required",
}
WAIVERS = [
    {
        "rule": "no-unprotected-attribute",
        "candidate": "one-bare",
        "attribute": "FEDTAX",
        "reason": "published by the tax office anyway",
        "approved-by": ["A. Ito", "B. Meyer"],
        "expires": "2099-12-31",
    },
    {
        "rule": "threshold",
        "candidate": "one-bare",
        "metric": "CM2",
        "reason": "follows from the attribute that is public anyway",
        "approved-by": ["A. Ito", "B. Meyer"],
        "expires": "2001-12-31",
    },
]
BOARD: dict[str, Any] = {
    "candidates": {
        "noisy": {"path": "noisy.csv", "kind": "masked"},
        "one-bare": {"path": "bare.csv", "kind": "masked"},
        "drawn": {"anonymizer": "ipso", "replicates": 3},
    },
    "sweeps": {"swapping": {"anonymizer": "rank-swap", "params": {"p": [5, 30, 60]}, "replicates": 2}},
    "policy": "policy.yaml",
    "holdout": "others.csv",
    "rules": [{"rule": "threshold", "metric": "UM", "min": 0.2}],
    "waivers": WAIVERS,
}


def people(records: int = 200, seed: int = 20261118) -> pd.DataFrame:
    return pd.DataFrame(census_like(records=records, seed=seed))[list(NAMES)]


def files() -> dict[str, pd.DataFrame]:
    """Return an original, other people, and releases of it."""
    original, rng = people(), np.random.default_rng(7)
    noisy = original + rng.normal(0, original.std().to_numpy(), original.shape)
    return {
        "original.csv": original,
        "others.csv": people(seed=5),
        "noisy.csv": noisy,
        "bare.csv": noisy.assign(FEDTAX=original["FEDTAX"]),
    }


def audited(tables: dict[str, pd.DataFrame] | None = None, study_seed: int | None = None, **content: Any) -> Outcome:
    """Audit tables under an audit file."""
    tables = tables or files()
    base = {"permaudit": 1, "title": "Income of made-up people", "original": "original.csv", "seed": 3}
    base["attributes"] = dict.fromkeys(tables["original.csv"].columns, "numeric")
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, table in tables.items():
            table.to_csv(folder / file, index=False)
        (folder / "policy.yaml").write_text(yaml.safe_dump(POLICY), encoding="utf-8")
        path = folder / "audit.yaml"
        path.write_text(yaml.safe_dump(base | content, sort_keys=False), encoding="utf-8")
        audit, host = load_audit(path)
        return run_audit(audit, host, study_seed=study_seed)


class Common:
    """Where the workers of a test run put what they share; None where there is one only."""

    folder: Path | None = None


def shared(make: Callable[[str], bytes]) -> Callable[[str], bytes]:
    """Let all workers of a test run share what one of them made."""

    @cache
    @wraps(make)
    def get(name: str) -> bytes:
        if Common.folder is None:
            return make(name)
        path = Common.folder / f"{make.__name__}-{name}"
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_bytes(make(name))
            return path.read_bytes()

    return get


@cache
def scene(name: str) -> Outcome:
    """Return the outcome of an audit by its name."""
    return from_json(result(name))


@shared
def result(name: str) -> bytes:
    """Return a scene as `audit.json`."""
    return to_json(SCENES[name]())


def _board() -> Outcome:
    return audited(study_seed=1, **BOARD)


def _single() -> Outcome:
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    return audited(candidates={"noisy": BOARD["candidates"]["noisy"]}, rules=rules)


def _review() -> Outcome:
    return audited(candidates={"noisy": BOARD["candidates"]["noisy"]})


def _outside() -> Outcome:
    return for_audience(scene("board"), "external")


def _german() -> Outcome:
    outcome = scene("board")
    return replace(outcome, presentation=replace(outcome.presentation, language="de"))


def _crowd() -> Outcome:
    """Return thirty candidates, two of them with names of which only the end differs, the others like the second."""
    names = [f"{LONG} {end}" for end in "ab"]
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    outcome = audited(
        candidates={name: dict(BOARD["candidates"]["noisy"]) for name in names}, metrics=["CM2", "UM"], rules=rules
    )
    more = [replace(outcome.candidates[1], name=f"release-{number}") for number in range(3, 31)]
    every = [*names, *(one.name for one in more)]
    return replace(
        outcome,
        candidates=[*outcome.candidates, *more],
        fronts=[replace(front, candidates=every, pareto=every) for front in outcome.fronts],
    )


def _wide() -> Outcome:
    """Return one candidate with more attributes of long names than a table on paper has rows."""
    rng = np.random.default_rng(2)
    columns = [f"ATTRIBUTE_WITH_A_NAME_THAT_WAS_MADE_BY_A_MACHINE_{number:02}" for number in range(WIDE)]
    original = pd.DataFrame(rng.normal(size=(200, WIDE)) + rng.normal(size=(200, 1)), columns=columns)
    released = original + rng.normal(size=original.shape)
    candidates = {LONG: {"path": "released.csv", "kind": "masked"}}
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    return audited({"original.csv": original, "released.csv": released}, candidates=candidates, rules=rules)


SCENES = {
    "board": _board,
    "single": _single,
    "review": _review,
    "outside": _outside,
    "german": _german,
    "crowd": _crowd,
    "wide": _wide,
}


@cache
def page(name: str, *, paged: bool = False) -> str:
    """Return a scene as `report.html`, or as the page that becomes the PDF."""
    from permaudit.report.html import to_html  # noqa: PLC0415

    outcome = scene(name)
    return to_html(outcome, to_json(outcome), folders_of(outcome), paged=paged).decode()


@shared
def paper(name: str) -> bytes:
    """Return a scene as `report.pdf`."""
    from permaudit.report.pdf import to_pdf  # noqa: PLC0415

    outcome = scene(name)
    return to_pdf(outcome, to_json(outcome), folders_of(outcome))


def folders_of(outcome: Outcome) -> TemplateFolders:
    """Return the templates that an outcome asks for."""
    return template_folders(load_plugins().catalogue.templates, outcome.presentation.template)
