"""The roles of the audit file reach the metrics."""

from __future__ import annotations

import json

PLUGIN = """
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Roles:
    card = MetricCard(
        id="ROLES", title="Roles", measures="diagnostic", better="higher", bounds=(0, 9), reference="none",
        summary="counts quasi-identifiers", low="none", high="many", blind_spots="all",
    )

    def compute(self, pair, rng):
        roles = dict(pair.roles)
        return Measured(sum(role == "quasi-identifier" for role in roles.values()), details={"roles": roles})

@hookimpl
def permaudit_metrics():
    return [Roles()]
"""


def test_a_metric_is_told_what_an_intruder_may_know(distribution, child, write_audit, people):
    folder = distribution("acme-roles", {"acme_roles": PLUGIN})
    first, second, third = people.columns
    roles = {first: "quasi-identifier", second: "confidential", third: None}
    attributes = {name: {"type": "numeric"} | ({"role": role} if role else {}) for name, role in roles.items()}
    path = write_audit(attributes=attributes, metrics=["CM2", "ROLES"], plugins={"allow": ["acme-roles"]})
    ran = child("run", path, "--out", path.parent / "out", env={"PYTHONPATH": str(folder)})
    assert ran.returncode == 0, ran.stderr
    [candidate] = json.loads((path.parent / "out" / "audit.json").read_bytes())["candidates"]
    assert (candidate["metrics"]["ROLES"]["value"], candidate["metrics"]["ROLES"]["details"]["roles"]) == (1, roles)
