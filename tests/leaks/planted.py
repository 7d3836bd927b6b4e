"""An audit of data in which everything that must not come out can be recognized."""

from __future__ import annotations

import numpy as np
import pandas as pd

RECORDS = 300
EXTREME, RELEASED_EXTREME, RARE = 987654.25, 876543.75, 31337.75
CELLS = {
    "the original's extreme": "987654",
    "the release's extreme": "876543",
    "a rare value": "31337",
    "a rare category": "Zyzzogeton",
    "a category of the release": "Quokkaville",
    "a person": "Aloysius",
    "a key": "K7731",
}
"""Cells of the data, which are in nobody's report."""
SURROUNDINGS = {
    "a folder": "grzegorz-home",
    "a data file": "payroll-secret",
    "a policy": "board-rules",
    "a user": "wolfeschlegel",
    "a host": "brzeczyszczykiewicz",
    "an approver": "Hildegard",
    "a reason": "Mxyzptlk",
    "a column that nobody declared": "quetzalcoatl",
    "an identifier": "FULLNAME",
    "the reason to leave it out": "Rumpelstiltskin",
}
"""What the controller knows and outsiders do not."""
PLUGIN = {
    "the text of an exception": "xceptn-31337",
    "the text of a plugin": "plgtext-Tzitzimitl",
    "a number of a plugin": "424242",
}
TEXTS = CELLS | SURROUNDINGS | PLUGIN
FEW = {"suppressed": 4, "missing": 3}
"""Counts that are too small for outsiders."""

SOURCE = f"""
from permaudit import AnonymizerCard, Finding, Made, Measured, MetricCard, NotApplicable, Parameters, RuleCard, hookimpl

permaudit_api = 1

TEXT = "{PLUGIN["the text of a plugin"]}"


def card(name):
    return MetricCard(
        id=name, title=name, measures="risk", better="lower", bounds=(0, 1),
        reference="none", summary="none", low="none", high="none", blind_spots="none",
    )


class Raising:
    card = card("raising")

    def compute(self, pair, rng):
        raise ValueError("{PLUGIN["the text of an exception"]}")


class Refusing:
    card = card("refusing")

    def compute(self, pair, rng):
        raise NotApplicable(TEXT)


class Telling:
    card = card("telling")

    def compute(self, pair, rng):
        return Measured(0.5, {{"said": TEXT, "most": 424242.25, TEXT: 1, "list": [424242.5, TEXT], "share": 0.4242425}})


class Rule:
    card = RuleCard(id="telltale", title="telltale", why="because", always_on=True)
    parameters = Parameters

    def metrics(self, params, *, linked):
        return ("telling",)

    def limits(self, params):
        return ()

    def scope(self, params):
        return ()

    def earlier(self, params):
        return ()

    def judge(self, params, case):
        return Finding(
            rule="telltale", outcome="review", message=TEXT, why="because", fix=TEXT, evidence={{"text": TEXT, "few": 7}},
            attributes=["plgtext-Tzitzimitl"],
        )


@hookimpl
def permaudit_metrics():
    return [Raising(), Refusing(), Telling()]


@hookimpl
def permaudit_rules():
    return [Rule()]
"""


def frames():
    """Return the original, a release of it that lost some records, and a synthetic one of another size."""
    rng = np.random.default_rng(11)
    towns = rng.choice(["north", "south", "east"], RECORDS).astype(object)
    towns[17] = CELLS["a rare category"]
    original = pd.DataFrame(
        {
            "ID": [f"{CELLS['a key']}-{number}" for number in range(RECORDS)],
            "FULLNAME": [f"Aloysius {number}" for number in range(RECORDS)],
            "INCOME": rng.lognormal(9, 0.5, RECORDS).round(2),
            "AGE": rng.integers(18, 90, RECORDS).astype(float),
            "TOWN": towns,
        }
    )
    original.loc[17, "INCOME"], original.loc[18, "AGE"] = EXTREME, RARE
    release = original.copy()
    release["INCOME"] = (release["INCOME"] + rng.normal(0, 9000, RECORDS)).round(2)
    release["AGE"] = (release["AGE"] + rng.normal(0, 40, RECORDS)).round()
    release.loc[20, "INCOME"] = RELEASED_EXTREME
    release["TOWN"] = rng.permutation(towns)
    release.loc[20, "TOWN"] = CELLS["a category of the release"]
    release.loc[30:32, "AGE"] = np.nan
    release = release.assign(**{SURROUNDINGS["a column that nobody declared"]: 1, "OMITTEDCOL": 2}).iloc[
        : -FEW["suppressed"]
    ]
    synthetic = original[["INCOME", "AGE", "TOWN"]].sample(RECORDS - 60, random_state=5)
    synthetic["INCOME"] *= rng.lognormal(0, 1, len(synthetic))
    return original, release, synthetic


def audit(**changes):
    """Return an audit file in which everything is used that can tell something."""
    return {
        "title": "Households 2024, first delivery",
        "original": "payroll-secret.csv",
        "attributes": {
            "INCOME": "numeric",
            "AGE": {"type": "numeric", "missing": "drop-records"},
            "TOWN": {"type": "nominal", "taxonomy": "towns.yaml"},
        },
        "identifiers": ["FULLNAME"],
        "not-audited": {"OMITTEDCOL": "Rumpelstiltskin said so"},
        "candidates": {
            "by-key": {"path": "payroll-secret-out.csv", "kind": "masked", "linkage": {"key": "ID"}},
            "synthetic": {"path": "payroll-secret-new.csv", "kind": "synthetic"},
        },
        "policy": "board-rules.yaml",
        "rules": [
            {"rule": "threshold", "metric": "CM2", "min": 0.05},
            {"rule": "threshold", "metric": "CM3", "min": 0.35, "when": {"kind": "synthetic"}},
            {"rule": "threshold", "metric": "raising", "max": 0.5},
        ],
        "metrics": ["UM", "CM1", "CM2", "CM3", "COPIES", "raising", "refusing", "telling"],
        "waivers": [
            {
                "rule": "no-identifiers",
                "candidate": "by-key",
                "attribute": "FULLNAME",
                "reason": "Mxyzptlk agreed on the phone with wolfeschlegel",
                "approved-by": ["Hildegard A", "Hildegard B"],
                "expires": "2099-01-31",
            }
        ],
        "plugins": {"allow": ["acme"]},
        **changes,
    }
