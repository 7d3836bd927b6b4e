"""A metric that rates a verbatim copy as safe may not gate."""

from __future__ import annotations

import json

import numpy as np
import pytest

from permaudit.cards import MetricCard, Needs
from permaudit.fitness import answer, why_unfit
from permaudit.known import CASES, COPY, JITTERED, MIRRORED, SHUFFLED, STRANGERS, TIED, known_case
from permaudit.model import Measured
from permaudit.plugins import load_plugins

HOST = load_plugins()
ENGINE = HOST.catalogue.engines["memory"]
BUILT_IN = HOST.catalogue.metrics


class Broken:
    """A metric of which a test says what it computes."""

    def __init__(self, compute, *, measures="confidentiality", better="higher", bounds=(0, 1), needs=None):
        self._compute = compute
        self.card = MetricCard(
            id="broken",
            title="Broken",
            measures=measures,
            better=better,
            bounds=bounds,
            needs=needs or Needs(),
            reference="none",
            summary="none",
            low="low",
            high="high",
            blind_spots="everything",
        )

    def compute(self, pair, rng):  # noqa: ARG002
        value = self._compute(pair)
        return value if isinstance(value, Measured) else Measured(value)


def is_copy(pair):
    """What a metric must see at least."""
    return pair.moments.trivial_permutation


@pytest.mark.parametrize(
    "name", [name for name, one in BUILT_IN.items() if one.card.measures in {"confidentiality", "risk"}]
)
@pytest.mark.parametrize("linked", [True, False])
def test_every_built_in_metric_of_protection_may_gate(name, linked):
    assert why_unfit(BUILT_IN[name], ENGINE, linked=linked) is None


UNFIT = {
    "always safe": Broken(lambda _: 0.9),
    "safest for a copy": Broken(lambda pair: 1.0 if is_copy(pair) else 0.2),
    "upside down": Broken(lambda pair: 0.0 if is_copy(pair) else 0.9, better="lower"),
    "hardly worse for a copy": Broken(lambda pair: 0.88 if is_copy(pair) else 0.9),
    "counts the records only": Broken(lambda pair: 1 / pair.moments.records),
    "risk that is never there": Broken(lambda _: 0.0, measures="risk", better="lower"),
    "without bounds, the same for all": Broken(lambda _: 7.0, bounds=(-np.inf, np.inf)),
    "right value, wrong null": Broken(
        lambda pair: Measured(0.5, null=0.5) if is_copy(pair) else Measured(0.9, null=0.9)
    ),
}


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("metric", UNFIT.values(), ids=UNFIT)
def test_a_metric_that_does_not_tell_a_copy_from_strangers_may_not_decide(metric, linked):
    reason = why_unfit(metric, ENGINE, linked=linked)
    assert reason is not None
    assert "copy" in reason


FIT = {
    "sees copies": Broken(lambda pair: 0.0 if is_copy(pair) else 0.9),
    "risk of copies": Broken(lambda pair: float(is_copy(pair)), measures="risk", better="lower"),
    "without bounds": Broken(lambda pair: -3.0 if is_copy(pair) else 5.0, bounds=(-np.inf, np.inf)),
    "utility, which lets nothing through": Broken(lambda _: 1.0, measures="utility"),
    "a diagnostic, which lets nothing through": Broken(lambda _: 1.0, measures="diagnostic"),
}


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("metric", FIT.values(), ids=FIT)
def test_a_metric_that_does_may_decide(metric, linked):
    assert why_unfit(metric, ENGINE, linked=linked) is None


def test_a_metric_that_needs_links_is_not_asked_about_unlinked_files():
    """It never decides there, whatever it reads."""
    metric = Broken(lambda pair: 0.0 if all(pair.moments.unchanged) else 0.9, needs=Needs(linkage=True))
    assert why_unfit(metric, ENGINE, linked=True) is None
    assert why_unfit(metric, ENGINE, linked=False) is None


def test_a_metric_that_fails_on_a_copy_lets_none_pass():
    """Then it has no value in an audit of a copy either, and a rule that needs it is an error."""

    def compute(pair):
        if is_copy(pair):
            raise ValueError("no idea")
        return 0.9

    assert why_unfit(Broken(compute), ENGINE, linked=True) is None
    assert answer(Broken(compute), COPY, ENGINE, linked=True).result.status == "error"


def test_a_metric_that_fails_on_strangers_and_not_on_a_copy_is_not_trusted():
    def compute(pair):
        if not is_copy(pair):
            raise ValueError("no idea")
        return 0.9

    assert "none for strangers" in why_unfit(Broken(compute), ENGINE, linked=True)


# --------------------------------------------------------------------------- the known cases themselves


@pytest.mark.parametrize("name", CASES)
def test_the_known_cases_are_what_their_names_say(name):
    compared = known_case(name, ENGINE, Needs(rows=True, mirror=True), linked=True)
    (pair,) = compared.comparisons
    moments, rows = pair.moments, pair.rows
    copies = {COPY, SHUFFLED, TIED}
    assert moments.trivial_permutation == (name in copies)
    assert moments.mirrored_permutation == (name == MIRRORED)
    assert all(moments.unchanged) == (name in {COPY, TIED})
    if name == JITTERED:
        for column, values in rows.original.items():
            assert np.abs(rows.release[column] - values).max() < 0.06 * values.std()
            assert not np.array_equal(rows.release[column], values)
    if name == STRANGERS:
        keys = [
            {tuple(row) for row in np.column_stack(list(side.values())).tolist()}
            for side in (rows.original, rows.release)
        ]
        assert not keys[0] & keys[1]


def test_a_metric_that_needs_more_attributes_gets_them():
    compared = known_case(COPY, ENGINE, Needs(attributes=11), linked=True)
    assert len(compared.comparisons[0].moments.attributes) == 11


# --------------------------------------------------------------------------- in an audit

PLUGIN = """
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Rosy:
    card = MetricCard(
        id="rosy", title="Rosy", measures="confidentiality", better="higher", bounds=(0, 1),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
        return Measured(0.99)

@hookimpl
def permaudit_metrics():
    return [Rosy()]
"""


@pytest.fixture
def rosy(install):
    """Install the metric."""
    install("acme", {"acme_rosy": PLUGIN})


@pytest.mark.parametrize("kind", ["masked", "synthetic"])
@pytest.mark.usefixtures("rosy")
def test_no_release_passes_by_a_metric_that_rates_copies_as_safe(write_audit, permaudit, tmp_path, others, kind):
    """Not even a good one: nobody can tell by this metric that it is good."""
    audit = write_audit(
        candidates={"noisy": {"path": "masked.csv", "kind": kind}},
        rules=[{"rule": "threshold", "metric": name, "min": 0.05} for name in ("CM2", "CM3", "rosy")],
        plugins={"allow": ["acme"]},
        **({"files": {"masked.csv": others}} if kind == "synthetic" else {}),
    )
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    assert candidate["metrics"]["rosy"]["status"] == "error"
    assert "may not decide" in candidate["metrics"]["rosy"]["reason"]
    (finding,) = [rule for rule in candidate["rules"] if rule["outcome"] == "error"]
    assert finding["rule"] == "threshold"


@pytest.mark.usefixtures("rosy")
def test_an_unfit_metric_that_no_rule_limits_is_shown_and_decides_nothing(write_audit, permaudit, tmp_path):
    audit = write_audit(metrics=["CM2", "rosy"], plugins={"allow": ["acme"]})
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 0
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    assert candidate["metrics"]["rosy"]["value"] == 0.99


@pytest.mark.usefixtures("rosy")
def test_an_unfit_metric_cannot_pass_by_standing_among_alternatives(write_audit, permaudit, tmp_path, people):
    """One of several limits is enough, and the copy fails the other one."""
    rule = {"rule": "at-least-one-of", "of": [{"metric": "rosy", "min": 0.5}, {"metric": "CM2", "min": 0.05}]}
    audit = write_audit(rules=[rule], plugins={"allow": ["acme"]}, files={"masked.csv": people + 0.0})
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 1


@pytest.mark.usefixtures("rosy")
def test_the_doctor_names_it_and_exits_with_1(permaudit):
    ran = permaudit("doctor", "--allow", "acme")
    assert ran.code == 1
    words = " ".join(ran.out.split())
    assert "rosy of" in words
    assert "Rules that limit rosy block every release" in words
