"""What ranges, sets and gaps tell of people's own values, beside what they tell by chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit as pa
from tests.corpus.people import correlated

RECORDS = 300
RULES = [{"rule": "threshold", "metric": "CM3", "min": 0.01}]


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(20261118)


@pytest.fixture(scope="module")
def original():
    scores = correlated(RECORDS, 3, 0.4, np.random.default_rng(5))
    ages = np.clip((45 + 18 * scores[:, 0]).round(), 0, 99).astype(int)
    return pd.DataFrame({"AGE": ages, "INCOME": (3000 + 700 * scores[:, 1]).round(2), "HEIGHT": scores[:, 2].round(4)})


def finding(original, cells, kind="masked", **options):
    """What the rule says of a release in which INCOME and HEIGHT are those of nobody."""
    others = correlated(len(original), 2, 0.1, np.random.default_rng(6)).round(4)
    release = pd.DataFrame({"AGE": original["AGE"] * 0, "INCOME": others[:, 0], "HEIGHT": others[:, 1]}).astype(object)
    (candidate,) = pa.audit(original, release.assign(**cells), kind=kind, rules=RULES, **options).candidates
    (found,) = [one for one in candidate.rules if one.rule == "no-own-values"]
    return found


ATTACKS = {
    "the lower end is the own value": lambda x, rng: f"[{x}, {x + 1 + rng.integers(40)}]",
    "the upper end is the own value": lambda x, rng: f"[{x - 1 - rng.integers(40)}, {x}]",
    "the centre is the own value": lambda x, rng: f"({x - (w := 1 + rng.integers(40))}, {x + w})",
    "the first member is the own value": lambda x, rng: f"{{{x},{rng.integers(99)},{rng.integers(99)}}}",
    "all who have the same cell have the same value": lambda x, _: f"[{x - 7}, {x + 2 + x % 5}]",
}


@pytest.mark.parametrize("reading", ATTACKS)
@pytest.mark.parametrize("attribute", ["AGE", "INCOME"])
def test_own_values_are_read_from_cells_however_they_are_hidden(original, rng, reading, attribute):
    cells = {attribute: [ATTACKS[reading](value, rng) for value in original[attribute]]}
    found = finding(original, cells)
    assert found.outcome == "review"
    assert found.attributes == [attribute]
    assert attribute in found.message
    readings = {name.removeprefix(f"{attribute}: ") for name in found.evidence["readings"]}
    if not (reading.startswith("all who") and attribute == "INCOME"):  # incomes are hardly ever the same
        assert reading in readings


def groups(original, size):
    """Number groups of the most similar incomes."""
    return original["INCOME"].rank(method="first").sub(1).floordiv(size)


HONEST = {
    "classes of ten years": lambda x: {"AGE": [f"{v // 10 * 10}-{v // 10 * 10 + 9}" for v in x["AGE"]]},
    "half-open classes": lambda x: {"AGE": [f"[{v // 2 * 2}, {v // 2 * 2 + 2})" for v in x["AGE"]]},
    "top coding": lambda x: {"AGE": [str(v) if v < 60 else "60+" for v in x["AGE"]]},
    "classes of amounts": lambda x: {"INCOME": [f"[{v // 500 * 500}, {v // 500 * 500 + 500})" for v in x["INCOME"]]},
    "ranges of groups of five": lambda x: {
        "INCOME": x.groupby(groups(x, 5))["INCOME"].transform(lambda v: f"[{v.min()}, {v.max()}]"),
        "AGE": x.groupby(groups(x, 5))["AGE"].transform(lambda v: f"[{v.min()}, {v.max()}]"),
        "HEIGHT": x.groupby(groups(x, 5))["HEIGHT"].transform(lambda v: f"[{v.min()}, {v.max()}]"),
    },
    "sets of groups of five": lambda x: {
        "INCOME": x.groupby(groups(x, 5))["INCOME"].transform(lambda v: "{" + ",".join(map(str, sorted(v))) + "}")
    },
}


@pytest.mark.parametrize("honest", HONEST)
def test_honest_ranges_name_no_more_than_chance_does(original, honest):
    assert finding(original, HONEST[honest](original)).outcome == "pass"


def test_a_record_is_pieced_together_from_cells_in_any_order(original, rng):
    cells = original.apply(lambda column: [f"[{v}, {v + np.ptp(column) * rng.random() + 1}]" for v in column])
    found = finding(original, dict(cells.sample(frac=1, random_state=1).reset_index(drop=True)), kind="synthetic")
    assert found.outcome == "fail"
    assert found.attributes == list(original)
    mixed = cells.apply(lambda column: rng.permutation(column.to_numpy()))
    assert finding(original, dict(mixed), kind="synthetic").outcome == "pass"


def test_no_cell_is_told(original, rng):
    cells = {"INCOME": [f"[{value}, {value + 1 + rng.integers(900)}]" for value in original["INCOME"]]}
    found = finding(original, cells)
    told = repr(found)
    assert not any(str(value) in told for value in original["INCOME"])


@pytest.mark.parametrize("left", [0.1, 0.6])
def test_what_is_left_beside_gaps_is_judged_on_its_own(original, left):
    """The same values, once as they are and once those of others, among as many gaps."""
    there = np.random.default_rng(3).random(RECORDS) < left
    bare = original["INCOME"].where(there)
    strange = original["INCOME"].sample(frac=1, random_state=1).reset_index(drop=True).where(there)
    options = {"missing": "lowest"}
    assert finding(original, {"INCOME": bare}, **options).outcome == "review"
    assert finding(original, {"INCOME": strange}, **options).outcome == "pass"


def test_the_metrics_of_links_are_those_of_what_is_left(original):
    """Forty values that keep their order make CM1 and CM2 zero, however many gaps are beside them."""
    left = original["INCOME"].where(np.arange(RECORDS) < 40) * 2 + 1
    release = original.sample(frac=1, random_state=1).reset_index(drop=True).assign(INCOME=left)
    outcome = pa.audit(original, release, kind="masked", missing="lowest", rules=[])
    (candidate,) = outcome.candidates
    for name in ("CM1", "CM2"):
        assert candidate.metrics[name].value == pytest.approx(0, abs=1e-9)
        assert candidate.metrics[name].details["left"]["attribute"] == "INCOME"
        assert candidate.metrics[name].details["left"]["records"] == 40
        assert candidate.metrics[name].details["left"]["all_together"] > 0.1
    (bare,) = [one for one in candidate.rules if one.rule == "no-unprotected-attribute"]
    assert (bare.outcome, bare.attributes) == ("fail", ["INCOME"])
    assert any("'INCOME' has a value on both sides in 40 records only" in text for text in candidate.warnings)


DROPPED = {"INCOME": {"type": "numeric", "missing": "lowest"}, "HEIGHT": {"type": "numeric", "missing": "drop-records"}}


def test_a_record_that_is_left_out_hides_no_order_of_what_is_left(original):
    """Five gaps elsewhere leave out five records, and nothing that is looked at in the others."""
    income = original["INCOME"].where(np.arange(RECORDS) % 3 > 0) * 2 + 1
    height = original["HEIGHT"].sample(frac=1, random_state=1).reset_index(drop=True)
    for gaps, left in ((0, 200), (5, 197)):
        release = pd.DataFrame({"INCOME": income, "HEIGHT": height.where(np.arange(RECORDS) >= gaps)})
        (candidate,) = pa.audit(original, release, kind="masked", attributes=DROPPED, rules=[]).candidates
        assert candidate.records.dropped == gaps
        assert candidate.metrics["CM1"].details["left"]["records"] == left
        (bare,) = [one for one in candidate.rules if one.rule == "no-unprotected-attribute"]
        assert (bare.outcome, bare.attributes) == ("fail", ["INCOME"])


@pytest.mark.parametrize("kind", ["masked", "synthetic"])
def test_a_record_that_is_left_out_hides_no_order_of_ends(original, rng, kind):
    widths = rng.uniform(0, 50_000, RECORDS)
    cells = [f"[{value - 123}, {value + width}]" for value, width in zip(original["INCOME"], widths, strict=True)]
    others = original["HEIGHT"].sample(frac=1, random_state=1).reset_index(drop=True)
    release = pd.DataFrame({"INCOME": cells, "HEIGHT": others if kind == "masked" else original["HEIGHT"]})
    release["HEIGHT"] = release["HEIGHT"].where(np.arange(RECORDS) >= 5)
    (candidate,) = pa.audit(original, release, kind=kind, attributes=DROPPED, rules=[]).candidates
    assert candidate.records.dropped == 5
    assert candidate.metrics["CM1" if kind == "masked" else "CM3"].details["left"]["read_by"]


def test_the_order_of_ends_counts_where_that_of_middles_is_gone(original, rng):
    """Lower ends that are the own value less a constant keep its order, whatever the ranges end with."""
    widths = rng.uniform(0, 50_000, RECORDS)
    cells = [f"[{value - 123}, {value + width}]" for value, width in zip(original["INCOME"], widths, strict=True)]
    release = original.sample(frac=1, random_state=2).reset_index(drop=True).assign(INCOME=cells)
    (linked,) = pa.audit(original, release, kind="masked", rules=[]).candidates
    for name in ("CM1", "CM2"):
        assert linked.metrics[name].value == pytest.approx(0, abs=1e-9)
        assert linked.metrics[name].details["left"]["read_by"] == "INCOME"
    whole = original.apply(
        lambda column: [f"[{value - 7}, {value + width}]" for value, width in zip(column, widths, strict=True)]
    )
    (unlinked,) = pa.audit(original, whole.sample(frac=1, random_state=3), kind="synthetic", rules=RULES).candidates
    assert unlinked.metrics["CM3"].value == 0
    assert unlinked.metrics["CM3"].details["left"]["all_together"] > 0.1
