"""Made-up people with attributes of every type, and short ways to anonymize and audit them."""

from __future__ import annotations

import datetime as dt
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from permaudit import Attribute, DataError, Original
from permaudit.config.parameters import validated
from permaudit.data.scales import nested_taxonomy, scale_of
from permaudit.make import make_releases
from permaudit.plan import Audit, MadeCandidate, RuleUse, TableSource
from permaudit.plugins import load_plugins
from permaudit.runner import run_audit

ORDER = ("none", "primary", "secondary", "tertiary")
NESTED = {
    "work": {
        "health": ["nurse", "surgeon", "dentist"],
        "craft": {"wood": ["carpenter", "joiner"], "stone": ["mason"]},
        "office": ["clerk", "notary"],
    }
}
TREE = nested_taxonomy(NESTED)
JOBS = ("nurse", "surgeon", "dentist", "carpenter", "joiner", "mason", "clerk", "notary")

ATTRIBUTES = {
    "AGE": Attribute(name="AGE", role="quasi-identifier"),
    "EDUCATION": Attribute(name="EDUCATION", type="ordinal", order=ORDER, role="quasi-identifier"),
    "JOB": Attribute(name="JOB", type="nominal", taxonomy=TREE, role="quasi-identifier"),
    "BORN": Attribute(name="BORN", type="date", role="quasi-identifier"),
    "MARRIED": Attribute(name="MARRIED", type="boolean", role="quasi-identifier"),
    "SEEN": Attribute(name="SEEN", type="datetime"),
    "INCOME": Attribute(name="INCOME", role="confidential"),
}


@cache
def people(records: int = 300, seed: int = 11) -> pa.Table:
    """Return people whose attributes go together: the older, the more learned and the richer."""
    rng = np.random.default_rng(seed)
    status = rng.normal(size=records)

    def related(share):
        return share * status + np.sqrt(1 - share**2) * rng.normal(size=records)

    age = np.clip(np.rint(45 + 15 * related(0.7)), 18, 95).astype(np.int64)
    education = np.digitize(related(0.8), [-1.2, 0.0, 0.9])
    job = np.digitize(related(0.5), np.linspace(-1.6, 1.6, len(JOBS) - 1))
    days = rng.integers(0, 365, records)
    born = [dt.date(2020 - int(years), 1, 1) + dt.timedelta(int(day)) for years, day in zip(age, days, strict=True)]
    seen = [dt.datetime(2024, 1, 1) + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**7, records)]  # noqa: DTZ001
    return pa.table(
        {
            "AGE": age,
            "EDUCATION": [ORDER[place] for place in education],
            "JOB": [JOBS[place] for place in job],
            "BORN": [day.isoformat() for day in born],
            "MARRIED": related(0.4) > 0,
            "SEEN": pa.array(seen, pa.timestamp("us")),
            "INCOME": np.round(np.exp(10 + 0.5 * related(0.8)), 2),
        }
    )


def original(table: pa.Table, attributes=None) -> Original:
    """Return a table as the host hands it over; columns without a declaration are numeric."""
    declared = ATTRIBUTES if attributes is None else attributes
    return Original(table, {name: declared.get(name, Attribute(name=name)) for name in table.column_names}, study=True)


def numbers(**columns) -> Original:
    """Return numeric columns as the host hands them over."""
    return original(pa.table({name: pa.array(values) for name, values in columns.items()}), {})


def with_gaps(table: pa.Table, share: float = 0.2, seed: int = 5) -> pa.Table:
    """Return a table in which values of every column are missing."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            name: pa.chunked_array(
                [pa.array(table[name].to_pylist(), table[name].type, mask=rng.random(table.num_rows) < share)]
            )
            for name in table.column_names
        }
    )


@cache
def host():
    """Load the installed plugins once."""
    return load_plugins([])


def anonymizer(name: str):
    """Return an installed anonymizer."""
    return host().catalogue.anonymizers[name]


def made(name: str, given: Original, seed: int = 1, **params):
    """Anonymize with parameters as an audit file would have them."""
    method = anonymizer(name)
    found, problems = validated(name, method.parameters, params, ("params",))
    assert not problems, problems
    return method.anonymize(given, found, np.random.default_rng(seed))


def studied(name: str, given: Original, study_seed: int | None, **params) -> pa.Table:
    """Return the release that the host makes of a study with this seed."""
    candidate = MadeCandidate(name="made", anonymizer=name, params=anonymizer(name).parameters(**params))
    (release,) = make_releases(anonymizer(name), candidate, given, study_seed)
    return release.table


def parameter_mistakes(name: str, **params) -> list[str]:
    """Return what the audit file is told about its parameters."""
    _, problems = validated(name, anonymizer(name).parameters, params, ("params",))
    return [problem.message for problem in problems]


def data_mistakes(name: str, given: Original, **params) -> list[str]:
    """Return why the data were refused."""
    with pytest.raises(DataError) as refused:
        made(name, given, **params)
    return [mistake.message for mistake in refused.value.mistakes]


def read_back(given: Original, release: pa.Table):
    """Return the released columns as the host's scales read them."""
    return {
        name: scale_of(given.attributes[name], given.table[name]).encode(release[name])
        for name in given.table.column_names
    }


def audited(name: str, table: pa.Table, *, declared=None, missing="error", **params):
    """Run a whole audit of one made candidate, and return its result."""
    method = anonymizer(name)
    metric = "CM2" if method.card.linked else "CM3"
    rule = host().catalogue.rules["threshold"]
    plan = Audit(
        title="Made-up people",
        original=TableSource(table=table, shown="people"),
        attributes=tuple(original(table, declared).attributes.values()),
        candidates=(MadeCandidate(name="made", anonymizer=name, params=method.parameters(**params)),),
        rules=(RuleUse(rule="threshold", params=rule.parameters(metric=metric, min=0.0), origin="here"),),
        missing=missing,
        seed=3,
    )
    (candidate,) = run_audit(plan, host(), study_seed=8).candidates
    return candidate


def check_audit(name: str, table: pa.Table, **options):
    """Run a whole audit and make sure that every metric that applies came out."""
    candidate = audited(name, table, **options)
    assert candidate.verdict in {"release", "review", "block"}
    valid = {"ok", "advisory"} if candidate.linkage == "none" else {"ok"}
    assert {name: result.status for name, result in candidate.metrics.items() if result.status not in valid} == {}
    assert all(finding.outcome != "error" for finding in candidate.rules)
    return candidate
