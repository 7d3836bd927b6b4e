"""An audit that stands under a policy; each test changes what it is about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from pathlib import Path

LEAST = {"rule": "threshold", "metric": "CM2", "on": "calibrated", "min": 0.3}
"""What the board demands. The release of the tests reads 0.59 on that scale, and a weak one 0.005."""


def policy_file(folder: Path, name: str = "board.yaml", **changes: Any) -> Path:
    """Write a policy; a value of None removes a key."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"permaudit-policy": 1, "title": "The board", "rules": [LEAST], "seed": 5}
    content |= {key.replace("_", "-"): value for key, value in changes.items()}
    path = folder / name
    kept = {key: value for key, value in content.items() if value is not None}
    kept = json.loads(json.dumps(kept))  # or what stands there twice would become an anchor, which no policy may have
    path.write_text(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


@pytest.fixture
def weak(people):
    """Return a release that the board would never let pass: noise of a quarter of what it should hide."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(3)
    return people + rng.normal(0, 0.25 * people.std().to_numpy(), people.shape)


@pytest.fixture
def under(write_audit, permaudit, tmp_path):
    """Return a function that runs an audit under a policy, and returns what the command left and the result.

    `board` holds changes to the policy, everything else changes to the audit file.
    """

    def run(*options: object, board: dict[str, Any] | None = None, files: Any = None, **changes: Any):
        changes = {"rules": None, "seed": None, "policy": "board.yaml"} | changes
        audit = write_audit(files=files, **changes)
        policy_file(audit.parent, **(board or {}))
        out = tmp_path / "out"
        ran = permaudit("run", audit, "--out", out, *options)
        result = json.loads((out / "audit.json").read_bytes()) if ran.code in {0, 1, 3} else None
        return ran, result

    return run


def findings(result: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    """Return what a rule found of the only candidate."""
    (candidate,) = result["candidates"]
    return [finding for finding in candidate["rules"] if finding["rule"] == rule]
