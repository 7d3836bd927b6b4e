"""What is said of a sweep: axes, the Pareto set, the best point; and of replicates."""

from __future__ import annotations

import json
from statistics import fmean, stdev

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.cards import MetricCard
from permaudit.outcome import CandidateResult, MetricResult, Records
from permaudit.plan import Sweep
from permaudit.report import result_schema
from permaudit.sweep import sweep_result

from .foreign import result


def card(name, measures, better):
    return MetricCard(
        id=name,
        title=name,
        measures=measures,
        better=better,
        bounds=(0, 1),
        reference="none",
        summary="none",
        low="low",
        high="high",
        blind_spots="many",
    )


class Metrics:
    """The part of a catalogue that a sweep looks at."""

    def __init__(self, *cards):
        self.metrics = {one.id: type("Metric", (), {"card": one})() for one in cards}


SAFE = card("SAFE", "confidentiality", "higher")
RISK = card("RISK", "risk", "lower")
USEFUL = card("USEFUL", "utility", "higher")


def point(name, verdict="release", status="ok", attributes=(), **values):
    return CandidateResult(
        name=name,
        kind="masked",
        linkage="row",
        anonymizer="some",
        params={"p": name},
        sha256=None,
        records=Records(original=1, released=1, compared=1),
        attributes=list(attributes),
        excluded=[],
        columns=[],
        coverage={},
        warnings=[],
        metrics={metric: MetricResult(status=status, value=value) for metric, value in values.items()},
        rules=[],
        verdict=verdict,
    )


def swept(points, *cards, limited=()):
    sweep = Sweep(name="s", anonymizer="some", varied=("p",), candidates=tuple(one.name for one in points))
    return sweep_result(sweep, {one.name: one for one in points}, frozenset(limited), Metrics(*cards))


PLACES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])] * 2), min_size=1, max_size=12)


@pytest.mark.parametrize("protection", [SAFE, RISK], ids=["higher is safer", "lower is safer"])
@given(PLACES)
def test_the_pareto_set_is_what_its_definition_says(protection, places):
    sign = 1 if protection is SAFE else -1
    points = [point(f"{n}", **{protection.id: a, "USEFUL": b}) for n, (a, b) in enumerate(places)]
    found = [one.pareto for one in swept(points, protection, USEFUL).points]
    expected = [
        not any((sign * c >= sign * a and d >= b) and (sign * c > sign * a or d > b) for c, d in places)
        for a, b in places
    ]
    assert found == expected
    assert any(found)


def test_points_of_other_attributes_are_not_in_the_way_of_a_pareto_set():
    points = [
        point("a", SAFE=0.5, USEFUL=0.5, attributes=["x", "y"]),
        point("b", SAFE=0.4, USEFUL=0.4, attributes=["x", "y"]),
        point("c", SAFE=0.9, USEFUL=0.9, attributes=["x", "y", "z"]),
    ]
    assert [one.pareto for one in swept(points, SAFE, USEFUL).points] == [True, False, True]


@given(PLACES)
def test_the_best_point_passes_and_no_passing_one_is_more_useful(places):
    points = [point(f"{n}", "release" if a >= 0.5 else "block", SAFE=a, USEFUL=b) for n, (a, b) in enumerate(places)]
    found = swept(points, SAFE, USEFUL)
    passing = {one.name: one.metrics["USEFUL"].value for one in points if one.verdict == "release"}
    if not passing:
        assert (found.best, found.best_because) == (None, "no point passes all rules")
    else:
        assert passing[found.best] == max(passing.values())
        assert f"{max(passing.values()):.4f}" in found.best_because


def test_a_point_that_a_person_must_decide_on_is_not_the_best():
    found = swept([point("a", "review", SAFE=1.0, USEFUL=1.0), point("b", SAFE=0.5, USEFUL=0.1)], SAFE, USEFUL)
    assert found.best == "b"


def test_the_axis_is_the_metric_that_a_rule_limits_if_it_is_valid_at_every_point():
    points = [point("a", SAFE=0.5, RISK=0.5, USEFUL=0.5), point("b", SAFE=0.6, RISK=0.4, USEFUL=0.5)]
    assert swept(points, SAFE, RISK, USEFUL).protection_axis == "SAFE"
    assert swept(points, SAFE, RISK, USEFUL, limited=["RISK"]).protection_axis == "RISK"


def test_without_a_valid_metric_there_is_no_axis_and_the_reason_is_given():
    points = [point("a", SAFE=0.5, USEFUL=0.5), point("b", status="error", SAFE=None, USEFUL=None)]
    found = swept(points, SAFE, USEFUL)
    assert (found.protection_axis, found.utility_axis, found.best) == (None, None, None)
    assert found.best_because == "no utility metric is valid at every point"
    assert not any(one.pareto for one in found.points)


# --------------------------------------------------------------------------- the whole way

RULES = [
    {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "masked"}},
    {"rule": "threshold", "metric": "CM3", "min": 0.05, "when": {"kind": "synthetic"}},
]
NOISE = {"anonymizer": "additive-noise", "params": {"alpha": [0.1, 0.8, 1]}}
IPSO = {"anonymizer": "ipso", "params": {"keep": [[]]}, "replicates": 3}


@pytest.fixture
def swept_audit(write_audit, permaudit, tmp_path):
    """Return a function that runs an audit of sweeps with a study's seed."""

    def run(number=0, *options, **content):
        audit = write_audit(tmp_path / f"audit{number}", **({"candidates": None, "rules": RULES} | content))
        ran = permaudit("run", audit, "--out", tmp_path / f"out{number}", "--study-seed", 4, *options)
        return ran, result(tmp_path / f"out{number}")

    return run


def test_a_sweep_alone_is_an_audit_and_each_point_a_candidate(swept_audit, tmp_path):
    ran, found = swept_audit(sweeps={"noise": NOISE})
    jsonschema.validate(found, result_schema())
    [sweep] = found["sweeps"]
    names = ["noise alpha=0.1", "noise alpha=0.8", "noise alpha=1"]
    assert [candidate["name"] for candidate in found["candidates"]] == names
    assert [one["candidate"] for one in sweep["points"]] == names
    assert [one["params"] for one in sweep["points"]] == [{"alpha": 0.1}, {"alpha": 0.8}, {"alpha": 1.0}]
    for one, candidate in zip(sweep["points"], found["candidates"], strict=True):
        assert one["values"] == {name: metric["value"] for name, metric in candidate["metrics"].items()}
        assert one["verdict"] == candidate["verdict"]
    assert [one["verdict"] for one in sweep["points"]] == ["block", "release", "release"]
    assert (ran.code, found["verdict"]) == (1, "block")
    assert (sweep["best"], sweep["utility_axis"]) == ("noise alpha=0.8", "UM")
    summary = (tmp_path / "out0" / "summary.md").read_text("utf-8")
    for text in (ran.out, summary.replace("\\", "")):
        assert "noise alpha=0.8" in text
        assert "it passes all rules and has the best UM of those that do" in text


def test_linked_releases_are_placed_by_cm2_and_unlinked_ones_by_cm3(swept_audit):
    _, found = swept_audit(sweeps={"noise": NOISE, "new": IPSO})
    axes = {sweep["name"]: (sweep["protection_axis"], sweep["utility_axis"]) for sweep in found["sweeps"]}
    assert axes == {"noise": ("CM2", "UM"), "new": ("CM3", "UM")}


def test_another_candidate_or_sweep_changes_no_other_number(swept_audit):
    _, alone = swept_audit(0, sweeps={"noise": NOISE})
    _, among = swept_audit(
        1,
        candidates={"aaa": {"path": "masked.csv", "kind": "masked"}, "b": {"anonymizer": "ipso"}},
        sweeps={"before": IPSO, "noise": NOISE, "wider": {"anonymizer": "rank-swap", "params": {"p": [5, 90]}}},
    )
    by_name = {candidate["name"]: candidate for candidate in among["candidates"]}
    for candidate in (*among["candidates"], *alone["candidates"]):
        for finding in candidate["rules"]:
            del finding["place"]  # in another file
    assert [by_name[candidate["name"]] for candidate in alone["candidates"]] == alone["candidates"]
    assert alone["sweeps"][0] in among["sweeps"]


def test_where_no_point_passes_the_reason_is_given(swept_audit):
    ran, found = swept_audit(sweeps={"noise": NOISE}, rules=[{"rule": "threshold", "metric": "CM2", "min": 1.0}])
    [sweep] = found["sweeps"]
    assert (sweep["best"], sweep["best_because"]) == (None, "no point passes all rules")
    assert "no point passes all rules" in ran.out


# --------------------------------------------------------------------------- replicates


def test_replicates_give_the_mean_the_spread_and_every_value(swept_audit):
    _, found = swept_audit(candidates={"new": {"anonymizer": "ipso", "replicates": 7}}, rules=RULES)
    [candidate] = found["candidates"]
    for metric in candidate["metrics"].values():
        assert len(metric["replicates"]) == 7
        assert metric["value"] == pytest.approx(fmean(metric["replicates"]))
        assert metric["std"] == pytest.approx(stdev(metric["replicates"]))
    assert len(set(candidate["metrics"]["CM3"]["replicates"])) == 7


def test_details_are_those_of_the_least_favourable_replicate(swept_audit):
    _, found = swept_audit(candidates={"new": {"anonymizer": "ipso", "replicates": 7}}, rules=RULES)
    metric = found["candidates"][0]["metrics"]["CM3"]
    assert min(metric["details"]["by_key"].values()) == pytest.approx(min(metric["replicates"]))


def test_one_replicate_has_no_spread(swept_audit):
    _, found = swept_audit(candidates={"one": {"anonymizer": "additive-noise", "params": {"alpha": 1}}})
    metric = found["candidates"][0]["metrics"]["CM2"]
    assert (metric["std"], metric["replicates"]) == (None, [metric["value"]])


# --------------------------------------------------------------------------- studies and seeds


def numbers(found):
    return [
        {name: metric["replicates"] for name, metric in candidate["metrics"].items()}
        for candidate in found["candidates"]
    ]


MADE = {
    "noise": {"anonymizer": "additive-noise", "params": {"alpha": 1}, "replicates": 2},
    "swap": {"anonymizer": "rank-swap", "params": {"p": 60}},
    "new": {"anonymizer": "ipso"},
}


def test_a_study_is_repeatable_and_says_everywhere_that_it_must_not_be_released(write_audit, permaudit, tmp_path):
    audit = write_audit(candidates=MADE, rules=RULES)
    runs = []
    for number in range(2):
        ran = permaudit("run", audit, "--out", tmp_path / f"{number}", "--study-seed", 11)
        found = result(tmp_path / f"{number}")
        runs.append(numbers(found))
        assert found["provenance"]["study"] is True
        assert "these candidates must not be released" in ran.out
        assert "must not be released" in (tmp_path / f"{number}" / "summary.md").read_text("utf-8")
    assert runs[0] == runs[1]
    permaudit("run", audit, "--out", tmp_path / "other", "--study-seed", 12)
    assert numbers(result(tmp_path / "other")) != runs[0]


def test_without_a_study_the_noise_is_new_each_time_whatever_the_seed_of_the_audit(write_audit, permaudit, tmp_path):
    audit = write_audit(candidates=MADE, rules=RULES, seed=5)
    runs = []
    for number in range(2):
        ran = permaudit("run", audit, "--out", tmp_path / f"{number}")
        found = result(tmp_path / f"{number}")
        runs.append(numbers(found))
        assert (found["provenance"]["seed"], found["provenance"]["study"]) == (5, False)
        assert "known seed" not in ran.out
    for one, other in zip(*runs, strict=True):
        assert all(one[name] != other[name] for name in ("CM1", "CM2", "CM3"))


def test_the_published_seed_has_no_part_in_the_noise_of_a_study(write_audit, permaudit, tmp_path):
    audit = write_audit(candidates=MADE, rules=RULES)
    runs = []
    for seed in (1, 2):
        permaudit("run", audit, "--out", tmp_path / f"{seed}", "--study-seed", 11, "--seed", seed)
        runs.append(result(tmp_path / f"{seed}"))
    assert numbers(runs[0])[:2] == numbers(runs[1])[:2]  # those whose audit draws nothing
    assert [found["provenance"]["seed"] for found in runs] == [1, 2]


def test_the_json_on_the_screen_says_that_it_is_a_study(write_audit, permaudit, tmp_path):
    ran = permaudit("run", write_audit(candidates=MADE), "--out", tmp_path / "out", "--study-seed", 0, "--json")
    assert json.loads(ran.out)["provenance"]["study"] is True
