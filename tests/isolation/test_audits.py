"""Whole audits with foreign plugins that fail: never a crash, never a release, and output that can be read."""

from __future__ import annotations

import json
import textwrap

import pytest

import permaudit as pa

from .conftest import MODULE

FAULTS = [
    "os._exit(0)",
    "sys.exit(0)",
    "ctypes.string_at(0)",
    "os.kill(os.getppid(), 9); time.sleep(600)",
    "time.sleep(600)",
    "x = [bytearray(1 << 24) for _ in range(1000)]",
    "raise ValueError('CANARY')",
    "return Measured(7)",
    "return Measured(0.5)",  # after a word that nobody asked for
]
LIMITS = {"timeout": 2, "memory": "256MB"}
RULES = [{"rule": "threshold", "metric": name, "min": 0.05} for name in ("CM2", "odd")]


def module(metric="return Measured(0.5)", anonymizer="return Made(original.table)", top=""):
    bodies = {"metric": textwrap.indent(metric, " " * 8), "anonymizer": textwrap.indent(anonymizer, " " * 8)}
    return {"acme": MODULE.format(top=top, **bodies)}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_call_from_python_is_blocked_and_goes_on(install, people, masked, fault):
    install("acme", module(f"print('CANARY')\n{fault}"))
    outcome = pa.audit(people, masked, kind="masked", rules=RULES, allow=["acme"], **LIMITS)
    assert outcome.verdict == "block"
    assert outcome.candidates[0].metrics["odd"].status == "error"
    assert outcome.candidates[0].metrics["CM2"].status == "ok"


@pytest.mark.parametrize("fault", FAULTS[:4])
def test_an_anonymizer_that_fails_blocks_its_candidate_and_no_other(install, write_audit, permaudit, tmp_path, fault):
    install("acme", module(anonymizer=fault))
    candidates = {"made": {"anonymizer": "odd"}, "noisy": {"path": "masked.csv", "kind": "masked"}}
    audit = write_audit(candidates=candidates, plugins={"allow": ["acme"], **LIMITS})
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 1
    result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
    assert [one["verdict"] for one in result["candidates"]] == ["block", "release"]


NOISE = "print('CANARY'); os.write(1, b'CANARY'); sys.__stdout__.write('CANARY'); ctypes.CDLL(None).printf(b'CANARY')"


@pytest.mark.parametrize(
    ("import_time", "call_time", "value", "code"),
    [(NOISE, NOISE, None, 1), (NOISE, "", 0.5, 0), ("os.close(1); os.close(2)",) * 2 + (0.5, 0)],
    ids=["prints", "its import prints", "closes outputs"],
)
def test_json_on_standard_output_stays_valid(  # noqa: PLR0913, PLR0917 - where, when, and what comes of it
    distribution, write_audit, child, import_time, call_time, value, code
):
    folder = distribution("acme", module(f"{call_time}\nreturn Measured(0.5)", top=import_time))
    audit = write_audit(metrics=["CM2", "odd"], plugins={"allow": ["acme"]})
    ran = child("run", audit, "--json", env={"PYTHONPATH": str(folder)})
    assert json.loads(ran.stdout)["candidates"][0]["metrics"]["odd"]["value"] == value
    assert "CANARY" not in ran.stdout + ran.stderr
    assert ran.returncode == code


@pytest.mark.parametrize("top", ["os._exit(0)", "ctypes.string_at(0)"])
def test_a_plugin_that_ends_the_process_at_its_import_is_an_error(distribution, write_audit, child, top):
    folder = distribution("acme", module(top=top))
    ran = child("run", write_audit(plugins={"allow": ["acme"]}), env={"PYTHONPATH": str(folder)})
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("the plugins of acme 1.0 ended the process that imported them")


def test_what_an_import_changes_in_its_process_changes_no_result(install, write_audit, permaudit, tmp_path):
    careless = (
        "np.seterr(all='raise'); random.seed(1); np.random.seed(1); os.chdir('/'); warnings.simplefilter('error')"
    )
    install("acme", module(top=careless))
    assert permaudit("run", write_audit(), "--out", tmp_path / "alone").code == 0
    audit = write_audit(plugins={"allow": ["acme"]})
    assert permaudit("run", audit, "--out", tmp_path / "beside").code == 0
    alone, beside = (
        json.loads((tmp_path / name / "audit.json").read_bytes())["candidates"] for name in ("alone", "beside")
    )
    assert [one["metrics"] for one in alone] == [one["metrics"] for one in beside]
