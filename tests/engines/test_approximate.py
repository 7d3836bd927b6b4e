"""An engine that approximates says how far off it is, and is judged by the worst that this allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import yaml

from permaudit import Needs, PermauditError
from permaudit.cli.loading import load_audit
from permaudit.permutation.confidentiality import least_wilks
from permaudit.runner import run_audit
from permaudit_plugins.engines.memory import MemoryEngine
from permaudit_plugins.metrics.cm3 import CM3

from .audits import cases, written

ERROR = 0.05


@dataclass(frozen=True)
class Rough(MemoryEngine):
    """The engine in memory, which says that it is not exact."""

    card = replace(MemoryEngine.card, id="rough", approximates=True)
    error: float | None = None
    seeds: ClassVar[list[int]] = []

    def approximate(self, seed):
        self.seeds.append(seed)
        return Rough(ERROR)

    def moments(self, original, release, *, mirrored=False):
        return replace(MemoryEngine.moments(self, original, release, mirrored=mirrored), by_key_error=self.error)


@pytest.fixture
def loaded(tmp_path):
    content = written(tmp_path, cases(numeric_only=True)["unlinked, with fewer records"], "csv")
    path = tmp_path / "audit.yaml"

    def load(limit):
        rules = [{"rule": "threshold", "metric": "CM3", "min": limit}]
        path.write_text(yaml.safe_dump({**content, "rules": rules}, sort_keys=False), encoding="utf-8")
        audit, host = load_audit(path)
        engines = {**host.catalogue.engines, "rough": Rough()}
        return audit, replace(host, catalogue=replace(host.catalogue, engines=engines))

    return load


def test_an_approximate_number_is_judged_at_its_unfavourable_end_and_says_so(loaded):
    exact = run_audit(*loaded(0.1), engine="rough").candidates[0].metrics["CM3"].value
    (candidate,) = run_audit(*loaded(0.1), engine="rough", approx=True).candidates
    found = candidate.metrics["CM3"]
    assert found.details["approximate"]["error"] == ERROR
    assert found.value < found.details["approximate"]["estimate"]
    assert any("moments by key are approximate" in text and "0.05" in text for text in candidate.warnings)
    limit = (found.value + exact) / 2
    assert run_audit(*loaded(limit), engine="rough").candidates[0].verdict == "release"
    outcome = run_audit(*loaded(limit), engine="rough", approx=True)
    assert outcome.verdict == "block"
    assert outcome.provenance.engine == "rough, approximate"


@dataclass(frozen=True)
class Heedless(CM3):
    """CM3 by somebody who takes approximate numbers for exact ones."""

    card = replace(CM3.card, id="HEEDLESS", needs=Needs(attributes=2))

    def compute(self, pair, rng):
        return CM3.compute(self, replace(pair, moments=replace(pair.moments, by_key_error=None)), rng)


def test_a_metric_that_does_not_ask_for_the_error_has_no_value(loaded):
    audit, host = loaded(0.1)
    metrics = {**host.catalogue.metrics, "HEEDLESS": Heedless()}
    host = replace(host, catalogue=replace(host.catalogue, metrics=metrics))
    audit = replace(audit, metrics=("CM2", "HEEDLESS"))
    statuses = [
        run_audit(audit, host, engine="rough", approx=approx).candidates[0].metrics["HEEDLESS"].status
        for approx in (False, True)
    ]
    assert statuses == ["ok", "error"]


def test_an_engine_that_does_not_approximate_refuses_to(loaded, write_audit, permaudit):
    with pytest.raises(PermauditError, match=r"'memory' does not approximate \(of those installed: rough\)"):
        run_audit(*loaded(0.1), engine="memory", approx=True)
    ran = permaudit("run", write_audit(), "--approx")
    assert ran.code == 2
    assert "does not approximate (of those installed: none); leave --approx out" in ran.err


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("error", [0.0, 0.01, 0.2, 0.5])
def test_no_matrix_within_the_error_has_less_protection(size, error):
    rng = np.random.default_rng(size)
    for _ in range(300):
        matrix = rng.normal(size=(size, size))
        matrix *= rng.random() / np.linalg.norm(matrix, 2)
        moved = rng.normal(size=(size, size))
        if rng.random() < 0.5:  # the worst: along the singular vectors
            left, values, right = np.linalg.svd(matrix)
            moved = left @ np.diag(values + 0.1 * rng.random(size)) @ right
        moved *= error / np.linalg.norm(moved)
        rho = np.linalg.svd(matrix, compute_uv=False)
        nearby = np.linalg.svd(matrix + moved, compute_uv=False)
        least = least_wilks(rho, error)
        assert 0 <= least <= np.prod(1 - np.minimum(nearby, 1) ** 2) + 1e-12
        assert least <= np.prod(1 - rho**2) + 1e-12
    assert least_wilks(rho, 0.0) == pytest.approx(np.prod(1 - rho**2))
    assert least_wilks(np.array([0.9, 1.0]), error) == 0


def test_what_is_drawn_cannot_be_known_before_the_release_is_there(loaded, tmp_path):
    """Or records at these places could be spoilt, and all others given away."""

    def seed():
        Rough.seeds.clear()
        run_audit(*loaded(0.1), engine="rough", approx=True)
        return Rough.seeds.pop()

    first = seed()
    assert seed() == first
    path = tmp_path / "c.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], *reversed(lines[1:])]), encoding="utf-8")
    assert seed() != first
