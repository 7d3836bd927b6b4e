"""The doctor: what it looks at, what it says of each metric, and how it exits."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from permaudit.doctor import examine
from permaudit.doctor.machine import check_machine
from permaudit.doctor.packages import check_packages
from permaudit.doctor.paper import check_paper
from permaudit.known import CASES

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"


@pytest.fixture(scope="module")
def diagnosis():
    return examine()


def answers(diagnosis, metric):
    (found,) = [one for one in diagnosis.metrics if one.metric == metric]
    return {one.case: one for one in found.answers}


def test_every_metric_answers_every_known_case(diagnosis):
    assert {metric.metric for metric in diagnosis.metrics} >= {"UM", "CM1", "CM2", "CM3", "COPIES", "MIRROR"}
    for metric in diagnosis.metrics:
        assert tuple(one.case for one in metric.answers) == CASES
        assert not [one for one in metric.answers if one.judgement in {"broken", "may not gate"}]
    assert diagnosis.unfit == ()
    assert not diagnosis.is_wrong


@pytest.mark.parametrize(
    ("metric", "case", "value"),
    [
        *((metric, "verbatim copy", 0.0) for metric in ("CM1", "CM2", "CM3")),
        *((metric, "copy, all tied", 0.0) for metric in ("CM1", "CM2", "CM3")),
        *((metric, "constant", 1.0) for metric in ("CM1", "CM2", "CM3")),
        *((metric, "mirrored copy", 0.0) for metric in ("CM1", "CM2", "MIRROR")),
        ("CM3", "shuffled copy", 0.0),
        ("COPIES", "verbatim copy", 1.0),
        ("COPIES", "shuffled copy", 1.0),
        ("UM", "verbatim copy", 1.0),
        ("UM", "shuffled copy", 1.0),
        ("UM", "mirrored copy", 1.0),
        ("UM", "constant", 0.0),
    ],
)
def test_the_known_answers(diagnosis, metric, case, value):
    assert answers(diagnosis, metric)[case].value == pytest.approx(value, abs=1e-9)


def test_strangers_read_their_null(diagnosis):
    from permaudit.permutation import wilks_null_mean  # noqa: PLC0415

    null = wilks_null_mean(4, 4, 240)
    assert answers(diagnosis, "CM2")["strangers"].value == pytest.approx(null, abs=3 * np.sqrt(2 * 16) / 240)


def test_links_of_a_shuffled_copy_are_advisory_and_nothing_is_expected_of_them(diagnosis):
    for metric in ("CM1", "CM2"):
        one = answers(diagnosis, metric)["shuffled copy"]
        assert (one.status, one.expected, one.judgement) == ("advisory", "anything", "nothing expected")


def test_the_surroundings_are_in_order_where_these_tests_run():
    found = [*check_packages(), *check_machine()]
    assert [check.name for check in found if check.state == "wrong"] == []
    names = {check.name for check in found}
    assert {"Python", "packages", "arithmetic", "threads", "memory", "randomness", "temporary files"} <= names


def test_a_limit_of_threads_that_is_no_number_is_noted(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    (threads,) = [check for check in check_machine() if check.name == "threads"]
    assert threads.state == "note"
    assert "OMP_NUM_THREADS" in threads.advice


def test_a_place_for_temporary_files_that_is_not_there_is_wrong(monkeypatch, tmp_path):
    import tempfile  # noqa: PLC0415

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (place,) = [check for check in check_machine() if check.name == "temporary files"]
    assert place.state == "wrong"


def test_a_package_that_is_too_old_is_wrong(monkeypatch):
    from importlib import metadata  # noqa: PLC0415

    known = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0.0.1" if name == "numpy" else known(name))
    (core,) = [check for check in check_packages() if check.name == "packages"]
    assert core.state == "wrong"
    assert "numpy" in f"{core.found} {core.advice}"


def test_a_missing_extra_is_noted_with_the_command_that_installs_it(monkeypatch):
    from importlib import metadata  # noqa: PLC0415

    known = metadata.version

    def version(name):
        if name == "duckdb":
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(metadata, "version", version)
    (extra,) = [check for check in check_packages() if check.name == "extra duckdb"]
    assert (extra.state, extra.advice) == ("note", "pip install 'permaudit[duckdb]'")


def test_a_page_is_really_painted():
    found = check_paper()
    assert found.name == "PDF"
    assert found.state in {"ok", "note"}
    assert found.state == "ok" or found.advice


def test_the_command_prints_a_table_and_exits_with_0(permaudit):
    ran = permaudit("doctor")
    assert ran.code == 0
    assert "✔ This installation is fit to judge." in ran.out
    for name in ("CM1", "CM2", "CM3", "COPIES", "UM", "MIRROR"):
        assert re.search(rf"^  {name} [↑↓] ", ran.out, re.MULTILINE), name


def test_the_same_as_json(permaudit):
    ran = permaudit("doctor", "--json")
    told = json.loads(ran.out)
    assert (told["schema"], told["exit_code"], ran.code) == ("permaudit/doctor/1", 0, 0)
    gates = {metric["metric"]: metric["may_gate"] for metric in told["metrics"]}
    assert (
        gates.items() >= {"UM": False, "MIRROR": False, "CM1": True, "CM2": True, "CM3": True, "COPIES": True}.items()
    )


def test_a_plugin_that_cannot_be_loaded_is_exit_code_2(install, permaudit):
    install("acme", {"acme_wrong": "raise ImportError('nothing there')"})
    ran = permaudit("doctor", "--allow", "acme")
    assert ran.code == 2
    assert "acme" in ran.out
    assert "cannot be relied on" in ran.out


def test_a_plugin_that_nobody_allowed_is_named_and_not_imported(install, permaudit, tmp_path):
    install("acme", {"acme_wrong": f"open({str(tmp_path / 'imported')!r}, 'w')"})
    ran = permaudit("doctor")
    assert ran.code == 0
    assert "not loaded" in ran.out
    assert not os.path.exists(tmp_path / "imported")  # noqa: PTH110


BROKEN = """
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Raising:
    card = MetricCard(
        id="raising", title="Raising", measures="confidentiality", better="higher", bounds=(0, 1),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
        raise ValueError("CANARY-4711")

@hookimpl
def permaudit_metrics():
    return [Raising()]
"""


def test_a_metric_that_raises_is_shown_as_broken_without_its_words(install, permaudit):
    install("acme", {"acme_raising": BROKEN})
    ran = permaudit("doctor", "--allow", "acme", "--json")
    (metric,) = [one for one in json.loads(ran.out)["metrics"] if one["metric"] == "raising"]
    assert {one["judgement"] for one in metric["answers"]} == {"broken"}
    assert "CANARY" not in ran.out + ran.err


@pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests")
def test_the_page_lists_every_known_case_and_every_judgement():
    from typing import get_args  # noqa: PLC0415

    from permaudit.doctor.answers import Judgement  # noqa: PLC0415
    from permaudit.doctor.checks import State  # noqa: PLC0415

    text = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    assert set(CASES) <= set(rows)
    for word in (*get_args(Judgement), *get_args(State)):
        assert f"`{word}`" in text
