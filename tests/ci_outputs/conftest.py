"""One small outcome for all views."""

from __future__ import annotations

import pytest

import permaudit as pa


@pytest.fixture(scope="session")
def outcome(people, masked):
    """Return an outcome with verdict release."""
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    return pa.audit(people, masked, kind="masked", rules=rules)
