"""`pytest --permaudit DISTRIBUTION`, and pytest where nobody asks for it."""

from __future__ import annotations

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")

PLUGIN = """
import numpy as np
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Share:
    card = MetricCard(
        id="SHARE", title="Variance", measures="diagnostic", better="higher", bounds=(0, 1), reference="none",
        summary="compares rank variances", low="none is left", high="all of it", blind_spots="everything else",
    )

    def compute(self, pair, rng):
        return Measured(min(1.0, float(pair.moments.release.trace() / pair.moments.original.trace())))

class Restless(Share):
    card = MetricCard(
        id="RESTLESS", title="Variance", measures="diagnostic", better="higher", bounds=(0, 1), reference="none",
        summary="compares rank variances", low="none is left", high="all of it", blind_spots="everything else",
    )

    def compute(self, pair, rng):
        return Measured(np.random.default_rng().uniform())

@hookimpl
def permaudit_metrics():
    return [Share(), Restless()]
"""


def test_every_object_of_a_distribution_becomes_a_test(distribution, child):
    folder = distribution("acme-metrics", {"acme_plugin": PLUGIN})
    ran = child("-rA", "--permaudit", "acme-metrics", python=PYTEST, env={"PYTHONPATH": str(folder)})
    assert ran.returncode == 1
    assert "PASSED ::metric SHARE keeps the contract\n" in ran.stdout
    assert "FAILED ::metric RESTLESS keeps the contract" in ran.stdout
    assert "deterministic: gave " in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "1 failed, 1 passed" in ran.stdout


def test_a_distribution_that_is_not_there_is_a_mistake_of_the_command(child):
    ran = child("--permaudit", "acme-metrics", python=PYTEST)
    assert ran.returncode == 4
    assert (
        "--permaudit acme-metrics: plugins.allow asks for 'acme-metrics', but no such plugin is installed" in ran.stderr
    )


def test_who_does_not_ask_for_it_does_not_notice_it(child, tmp_path):
    (tmp_path / "test_own.py").write_text(
        "import sys\n"
        "def test_nothing_heavy_was_imported():\n"
        "    assert not {'numpy', 'pandas', 'pyarrow', 'pydantic', 'permaudit.model'} & set(sys.modules)\n",
        encoding="utf-8",
    )
    ran = child(python=(*PYTEST, "-W", "error"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1 passed" in ran.stdout
