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


OTHERS = """
import json
from pathlib import Path
import pyarrow as pa
from permaudit import DataError, EngineCard, Parameters, ReaderCard, TemplateCard, hookimpl
from permaudit.permutation import pair_moments, rank_columns

permaudit_api = 1

class JsonTable:
    card = ReaderCard(id="json", title="JSON by column", suffixes=(".table",))
    parameters = Parameters

    def columns(self, path, options):
        return tuple(self.table(path).column_names)

    def read(self, path, columns, options):
        return self.table(path).select(list(columns))

    def table(self, path):
        try:
            return pa.table(json.loads(path.read_text("utf-8")))
        except (ValueError, TypeError, AttributeError, pa.ArrowException):
            raise DataError.one("", "is no object of lists") from None

class Forgetful(JsonTable):
    card = ReaderCard(id="other", title="Other JSON", suffixes=(".other",))

class Plain:
    card = EngineCard(id="plain", title="Plain", summary="ranks one column after the other")

    def prepare(self, columns):
        return tuple(columns), rank_columns(list(columns.values()))

    def moments(self, original, release, *, mirrored=False):
        return pair_moments(original[0], original[1], release[1], mirrored=mirrored)

class Look:
    card = TemplateCard(id="look", title="Look", summary="a look of its own")
    directory = Path(__file__).parent / "look"

@hookimpl
def permaudit_readers():
    return [JsonTable(), Forgetful()]

@hookimpl
def permaudit_engines():
    return [Plain()]

@hookimpl
def permaudit_templates():
    return [Look()]
"""


def test_readers_engines_and_template_sets_are_checked_too(distribution, child, tmp_path):
    folder = distribution("acme-others", {"acme_others": OTHERS})
    (folder / "look" / "styles").mkdir(parents=True)
    (folder / "look" / "styles" / "brand.css").write_text("h1 { color: red }", encoding="utf-8")
    (tmp_path / "people.table").write_text('{"NAME": ["Anna", "Bert"], "AGE": [31, 64]}', encoding="utf-8")
    ran = child(
        "-rA", "--permaudit", "acme-others", "--permaudit-file", "people.table",
        python=PYTEST, env={"PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert "PASSED ::reader json keeps the contract\n" in ran.stdout
    assert "PASSED ::engine plain keeps the contract\n" in ran.stdout
    assert "files: styles/brand.css is read by nobody" in ran.stdout
    assert "no file for it: give a small one that ends in .other with --permaudit-file" in ran.stdout
    assert "1 failed, 2 passed, 1 skipped" in ran.stdout


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
