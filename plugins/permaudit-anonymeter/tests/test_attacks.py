"""The attacks of anonymeter from another environment: what they see, what they refuse, and what becomes of a guest that lies."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from permaudit import Needs, NotApplicable
from permaudit.cli.main import cli
from permaudit.testing import check_metric, comparison_of
from permaudit_anonymeter import attacks, guest
from permaudit_anonymeter.attacks import ATTACKS
from permaudit_anonymeter.guest import VARIABLE, ask
from permaudit_anonymeter.tables import SIDES, groups_of, tables_of

needs_anonymeter = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no Python with anonymeter")
BY_ID = {attack.card.id.removeprefix("ANONYMETER-"): attack for attack in ATTACKS}
NEEDS = Needs(rows=True, holdout=True)


def people(seed, records=150):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=records)
    return {name: common + rng.normal(size=records) for name in ("AGE", "^W.*$", "TAX", "RENT")}


def compared(release=None, original=None, holdout=None):
    original = original or people(1)
    files = [release or original, holdout or people(3)]
    return comparison_of(original, files[0], linked=False, needs=NEEDS, holdout=files[1])


def measured(name, pair, seed=0):
    return BY_ID[name].compute(pair, np.random.default_rng(seed))


@needs_anonymeter
@pytest.mark.parametrize("name", BY_ID)
def test_it_keeps_the_contract(name, soon):
    """Questions that are the same to the letter are put once here; the check asks again from another process."""
    check_metric(BY_ID[name])


@needs_anonymeter
@pytest.mark.parametrize("name", BY_ID)
def test_a_copy_is_clearly_riskier_than_strangers_and_negative_numbers_are_no_success(name, soon):
    copy, strangers = measured(name, compared()), measured(name, compared(people(2)))
    assert copy.interval[0] > 0.9
    assert strangers.interval[1] < 0.2
    assert copy.value == copy.details["copy_would_read"]
    for found in (copy, strangers):
        assert found.interval[0] <= found.value <= found.interval[1]
        assert found.details["attacks"] == found.details["attacks_on_holdout"] >= 50


@needs_anonymeter
@pytest.mark.parametrize("name", BY_ID)
def test_a_mirrored_copy_is_not_seen_as_the_card_says(name, soon):
    mirrored = measured(name, compared({column: -values for column, values in people(1).items()}))
    assert mirrored.interval[0] < 0.05
    assert "turned round" in BY_ID[name].card.blind_spots


@needs_anonymeter
def test_one_that_stays_answers_as_a_fresh_one_does(one_that_stays):
    answers = []

    def noted(question):
        answers.append((question, ask(question)))
        return answers[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attacks, "ask", noted)
        measured("SINGLING-OUT", compared(people(2)))
    [(question, answer)] = answers
    assert one_that_stays(question) == answer


@needs_anonymeter
def test_the_risk_is_that_of_wilson_rates_beyond_the_holdout(soon):
    """Written down again from the counts: Giomi and others (2023), with Wilson's centre for each rate."""
    found = measured("LINKABILITY", compared(people(2)))
    z2 = 1.959963984540054**2

    def rate(successes, made):
        return (found.details[successes] + z2 / 2) / (found.details[made] + z2)

    control = rate("successes_on_holdout", "attacks_on_holdout")
    assert found.value == pytest.approx(max(0, (rate("successes", "attacks") - control) / (1 - control)))


@needs_anonymeter
def test_what_even_a_copy_would_not_show_gets_no_value(soon):
    two = [{name: (values > 0).astype(int) for name, values in people(seed).items()} for seed in (1, 3)]
    with pytest.raises(NotApplicable, match="not be seen here even in a copy"):
        measured("LINKABILITY", compared(original=two[0], holdout=two[1]))


@needs_anonymeter
def test_a_release_that_yields_too_few_queries_gets_no_value(soon):
    same = {name: np.zeros(150) for name in people(1)}
    with pytest.raises(NotApplicable, match="fewer than 50 queries"):
        measured("SINGLING-OUT", compared(same))


TOO_FEW = """
import sys
sys.path.insert(0, sys.argv[1])
import pandas, _in_the_guest
from anonymeter.evaluators import SinglingOutEvaluator
if sys.argv[2] == "strict":
    _in_the_guest.be_strict()
people = pandas.DataFrame({"a": range(60), "b": range(60)})
SinglingOutEvaluator(people, people, n_attacks=500, n_cols=2, max_attempts=1000, seed=1).evaluate()
"""


@needs_anonymeter
@pytest.mark.parametrize(("manner", "last"), [("strict", "_in_the_guest.WarnedOnlyError"), ("lenient", "")])
def test_fewer_queries_than_asked_for_are_an_error_where_anonymeter_only_warns(manner, last):
    command = [os.environ[VARIABLE], "-I", "-c", TOO_FEW, str(Path(guest.__file__).parent), manner]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert bool(ran.returncode) == bool(last)
    assert ran.stderr.strip().endswith(last)


@needs_anonymeter
def test_an_audit_blocks_a_copy_and_names_the_secret(tmp_path):
    for name, seed in {"original": 1, "copy": 1, "holdout": 3}.items():
        columns = {column.strip("^.*$"): values for column, values in people(seed).items()}
        rows = [
            ",".join(columns),
            *(",".join(map(repr, map(float, row))) for row in zip(*columns.values(), strict=True)),
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    audit = {
        "permaudit": 1,
        "title": "Attacks",
        "original": "original.csv",
        "holdout": "holdout.csv",
        "attributes": {name: {"type": "numeric"} for name in ("AGE", "W", "TAX", "RENT")},
        "candidates": {"copy": {"path": "copy.csv", "kind": "synthetic"}},
        "rules": [{"rule": "threshold", "metric": "ANONYMETER-INFERENCE", "max": 0.1}],
        "plugins": {"allow": ["permaudit-anonymeter"]},
    }
    (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit), encoding="utf-8")
    ran = CliRunner().invoke(cli, ["run", str(tmp_path / "audit.yaml"), "--out", str(tmp_path / "out")], obj=False)
    [candidate] = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    result = candidate["metrics"]["ANONYMETER-INFERENCE"]
    assert result["value"] > 0.9, ran.output
    assert result["details"]["secret"] in audit["attributes"]
    assert candidate["verdict"] == "block"


# --------------------------------------------------------------------------- what anonymeter is given


def test_places_keep_the_order_of_values_and_are_never_negative():
    pair = compared({name: -values for name, values in people(2).items()})
    tables = tables_of(pair.rows)
    for name, places in tables["original"].items():
        assert min(side[name].min() for side in tables.values()) == 0
        assert (np.sort(places) == np.unique(places)).all()
        assert len(set(np.concatenate([side[name] for side in tables.values()]).tolist())) == 450


def test_the_order_of_the_records_does_not_matter():
    turned = {name: values[::-1] for name, values in people(2).items()}
    one, other = tables_of(compared(people(2)).rows), tables_of(compared(turned).rows)
    assert all((one[side][name] == other[side][name]).all() for side in SIDES for name in one[side])


def test_groups_hold_a_twentieth_of_the_population_each():
    groups = groups_of(tables_of(compared(people(2)).rows), "AGE")
    assert np.bincount(groups["original"] + groups["holdout"]).tolist() == [15] * 20


def test_missing_values_are_refused():
    pair = compared()
    holed = dict(pair.rows.release) | {"AGE": np.array([np.nan, *range(149)])}
    for name in BY_ID:
        with pytest.raises(NotApplicable, match="missing values"):
            measured(name, replace(pair, rows=replace(pair.rows, release=holed)))


def test_a_sample_is_refused():
    pair = compared()
    with pytest.raises(NotApplicable, match="only a sample"):
        measured("INFERENCE", replace(pair, rows=replace(pair.rows, sampled="every second")))


@pytest.mark.parametrize(
    ("name", "words"), [("SINGLING-OUT", "fewer distinct records"), ("INFERENCE", "needs 50 records")]
)
def test_a_holdout_that_is_too_small_is_refused(name, words):
    with pytest.raises(NotApplicable, match=words):
        measured(name, compared(holdout=people(3, records=40)))


# --------------------------------------------------------------------------- the other Python


def test_without_another_python_a_person_is_told_what_to_set(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(NotApplicable, match=f"set {VARIABLE} to the Python of one in which it is installed"):
        measured("INFERENCE", compared())


def test_a_python_without_anonymeter_has_no_value(monkeypatch):
    monkeypatch.setenv(VARIABLE, sys.executable)
    with pytest.raises(NotApplicable, match="anonymeter raised ModuleNotFoundError"):
        measured("LINKABILITY", compared())


LIAR = """#!{python}
import json, sys
copy = dict(value=0.9, interval=[0.8, 1], attacks=[100, 100], successes=[90, 0])
release = {release}
turn = dict(secret="", release=release, copy=copy)
json.dump(dict(turns=[turn], version="0"), open(sys.argv[4], "w"))
"""


@pytest.mark.parametrize(
    ("release", "error", "words"),
    [
        ("dict(copy, value=0, interval=[0, 0.1], attacks=[10, 10], successes=[0, 0])", ValueError, "fewer attacks"),
        ("dict(copy, value=0, interval=[0, 0.1], successes=[101, 0])", ValueError, "more successes"),
        ("dict(copy, value=float('nan'))", ValueError, "does not lie in its interval"),
        ("dict(copy, value=-1)", ValueError, "does not lie in its interval"),
        ("dict(copy, value=0, interval=[0, 1], successes=[100, 100])", NotApplicable, "succeeds on everybody"),
        ("sys.exit(3)", NotApplicable, "ended with code 3 and no answer"),
        ("None", NotApplicable, "fewer than 50 queries"),
    ],
)
def test_an_answer_that_is_none_is_never_a_value(monkeypatch, tmp_path, release, error, words):
    fake = tmp_path / "python"
    fake.write_text(LIAR.format(python=sys.executable, release=release), encoding="utf-8")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(VARIABLE, str(fake))
    with pytest.raises(error, match=words):
        measured("LINKABILITY", compared())
