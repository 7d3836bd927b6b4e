"""Real audits of data in which everything can be recognized: what of it comes out, in every file and on the console."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys

import pytest
import yaml

from . import planted
from .outputs import ALL, FILES, texts_of
from .planted import CELLS, FEW, PLUGIN, TEXTS

pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
FEW_OF = re.compile(r"\b[1-9] (?:original |released )?(?:record|value|row|cop|pair|categor|missing|suppress)")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Write the data of the planted audit into the folder of somebody."""
    folder = tmp_path_factory.mktemp("of") / "grzegorz-home"
    folder.mkdir()
    original, release, synthetic = planted.frames()
    original.to_csv(folder / "payroll-secret.csv", index=False)
    release.to_csv(folder / "payroll-secret-out.csv", index=False)
    synthetic.to_csv(folder / "payroll-secret-new.csv", index=False)
    towns = {
        "anywhere": {
            "up": ["north", CELLS["a rare category"]],
            "down": ["south", "east", CELLS["a category of the release"]],
        }
    }
    (folder / "towns.yaml").write_text(yaml.safe_dump(towns))
    policy = {
        "permaudit-policy": 1,
        "title": "Rules of the board",
        "rules": [{"rule": "threshold", "metric": "CM1", "min": 0.05, "when": {"kind": "masked"}}],
        "waivers": {"allow": ["no-identifiers"], "most-days": 36500},
        "not-audited": ["OMITTEDCOL"],
        "plugins": {"allow": ["acme"]},
    }
    (folder / "board-rules.yaml").write_text(yaml.safe_dump(policy))
    return folder


@pytest.fixture(scope="module")
def audited(home, tmp_path_factory):
    """Run the planted audit for both audiences, in processes of their own, as somebody on some machine."""
    site = tmp_path_factory.mktemp("site")
    (site / "telltale.py").write_text(planted.SOURCE)
    info = site / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[permaudit]\ntelltale = telltale\n")
    names = {"USER": "wolfeschlegel", "LOGNAME": "wolfeschlegel", "HOSTNAME": "brzeczyszczykiewicz", "HOME": str(home)}
    there = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    found = {}
    for audience in ("internal", "external"):
        path = home / f"{audience}.yaml"
        content = {"permaudit": 1, "seed": 1, **planted.audit(), "report": {"audience": audience}}
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        out = home / f"out-{audience}"
        command = [sys.executable, "-m", "permaudit", "run", path, "--out", out, "--format", ALL]
        env = {**os.environ, **names, "PYTHONPATH": there, "TMPDIR": str(tmp_path_factory.mktemp("scratch"))}
        ran = subprocess.run(command, env=env, cwd=home, check=False, capture_output=True, text=True, timeout=600)
        assert ran.returncode == 1, ran.stderr
        assert {file.name for file in out.iterdir()} >= FILES
        found[audience] = texts_of(out) | {"the console": ran.stdout, "messages": ran.stderr}, out
    return found


def found_in(texts, planted_texts):
    """Return which of these texts stand where."""
    return [
        (where, what)
        for where, text in texts.items()
        for what, canary in planted_texts.items()
        if canary.casefold() in text.casefold()
    ]


def counts_in(value, path=()):
    """Yield every whole number of a result with its place."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from counts_in(part, (*path, name))
    elif isinstance(value, list):
        for part in value:
            yield from counts_in(part, path)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, value


def test_nothing_that_was_planted_reaches_outsiders(audited):
    """The operator is told where the private log lies: that one line is for nobody else."""
    texts, _ = audited["external"]
    messages = [line for line in texts["messages"].splitlines() if not line.startswith("debug log for the operator: ")]
    texts = {**texts, "messages": "\n".join(messages)}
    found = found_in(texts, TEXTS | {"this folder": "pytest-of-"})
    assert found == [], [(where, texts[where][-600:]) for where, _ in found]
    host = re.compile(rf"(?<!\w){re.escape(socket.gethostname())}(?!\w)")
    assert [where for where, text in texts.items() if where != "report.pdf, bytes" and host.search(text)] == []


def test_outsiders_see_no_count_below_ten(audited):
    texts, out = audited["external"]
    result = json.loads((out / "audit.json").read_text())
    told = {
        path[-1]: count for path, count in counts_in(result["candidates"]) if 0 < count < 10 and "params" not in path
    }
    assert told.keys() <= {"draws"}
    spoken = [(where, found[0]) for where, text in texts.items() if (found := FEW_OF.search(text))]
    assert spoken == []


def test_the_planted_counts_are_there_to_be_hidden(audited):
    """Otherwise the other tests would prove nothing."""
    _, out = audited["internal"]
    by_key, synthetic = json.loads((out / "audit.json").read_text())["candidates"]
    assert by_key["records"]["suppressed"] == FEW["suppressed"]
    assert {note["attribute"]: note["missing_released"] for note in by_key["columns"]}["AGE"] == FEW["missing"]
    told = {rule["rule"]: rule["message"] for rule in by_key["rules"]}
    assert "quetzalcoatl" in told["no-unaudited-columns"]
    assert "plgtext" in told["telltale"]
    assert by_key["metrics"]["raising"]["status"] == "error"
    assert synthetic["records"]["released"] == planted.RECORDS - 60


def test_no_cell_and_no_exception_reaches_the_controllers_report(audited):
    """A plugin's own words may: whoever allows a plugin reads them."""
    texts, _ = audited["internal"]
    exception = "the text of an exception"
    assert found_in(texts, CELLS | {exception: PLUGIN[exception]}) == []


def test_what_insiders_have_is_coarsened_without_the_data(audited, child, tmp_path):
    """`permaudit report` makes the outsiders' version from the result alone; nothing more comes out of it."""
    _, out = audited["internal"]
    outside = tmp_path / "outside"
    ran = child("report", out, "--audience", "external", "--out", outside, "--format", ALL, timeout=300)
    assert ran.returncode == 1, ran.stderr
    assert found_in(texts_of(outside), TEXTS) == []


def test_the_screen_of_outsiders_does_not_say_where_the_result_lies(audited):
    texts, out = audited["external"]
    assert str(out) not in texts["the console"] + texts["messages"]


def test_the_title_and_the_limits_stay_as_they_were_written(audited):
    """They are nobody's data: a rounded year or a rounded limit would be a lie."""
    _, out = audited["external"]
    result = json.loads((out / "audit.json").read_text())
    assert result["title"] == "Households 2024, first delivery"
    limits = [rule["evidence"].get("min") for one in result["candidates"] for rule in one["rules"]]
    assert {0.05, 0.35} <= set(limits)


def test_what_is_new_to_the_outcome_stays_inside(audited):
    """Nothing of the controller's documents, places, sections or densities is in the outsiders' result."""
    _, out = audited["external"]
    result = json.loads((out / "audit.json").read_text())
    assert result["provenance"]["documents"] == {}
    assert result["provenance"]["places"] == {}
    for one in result["candidates"]:
        assert all(metric["section"] is None for metric in one["metrics"].values())
        assert all(rule["place"] is None for rule in one["rules"])
        assert all(share["density"] is None for share in one["attribution"]["attributes"])
