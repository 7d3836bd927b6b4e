"""Sweeps in the audit file: which candidates they make, and which they refuse to make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.cli.loading import load_audit
from permaudit.errors import AuditFileError

from .foreign import counted, result


@pytest.fixture
def points(write_audit):
    """Return a function that says which parameters the points of one sweep have."""

    def spell(anonymizer, **params):
        audit, _ = load_audit(write_audit(candidates=None, sweeps={"s": {"anonymizer": anonymizer, "params": params}}))
        assert audit.sweeps[0].candidates == tuple(candidate.name for candidate in audit.candidates)
        return [candidate.params.model_dump() for candidate in audit.candidates]

    return spell


def test_lists_make_every_combination_in_the_order_of_the_file(points):
    found = [(one["k"], one["scale"]) for one in points("mdav", k=[2, 5], scale=["std", "rank", "range"])]
    assert found == [(k, scale) for k in (2, 5) for scale in ("std", "rank", "range")]


def test_steps_include_the_end_and_are_exact(points):
    found = [one["alpha"] for one in points("additive-noise", alpha={"from": 0.05, "to": 1, "step": 0.05})]
    assert found == [number / 20 for number in range(1, 21)]
    assert repr(found[2]) == "0.15"


def test_steps_that_do_not_meet_the_end_stop_before_it(points):
    assert [one["alpha"] for one in points("additive-noise", alpha={"from": 0.1, "to": 0.95, "step": 0.4})] == [
        0.1,
        0.5,
        0.9,
    ]


def test_points_on_a_logarithmic_scale_have_equal_ratios(points):
    found = [
        one["epsilon"] for one in points("laplace", epsilon={"from": 0.01, "to": 100, "points": 5, "scale": "log"})
    ]
    assert found == [0.01, 0.1, 1, 10, 100]


def test_whole_numbers_stay_whole_and_come_once(points):
    found = [one["k"] for one in points("mdav", k={"from": 2, "to": 20, "points": 30, "scale": "log"})]
    assert all(isinstance(k, int) for k in found)
    assert found == sorted(set(found))
    assert (found[0], found[-1]) == (2, 20)


def test_a_range_between_whole_numbers_has_fractions_where_the_parameter_takes_them(points):
    found = points("pram", p={"from": 0, "to": 1, "points": 5})
    assert [one["p"] for one in found] == [0, 0.25, 0.5, 0.75, 1]


@given(st.integers(1, 400), st.integers(1, 40), st.integers(1, 60))
def test_a_range_by_steps_is_what_decimals_on_paper_give(start, step, many):
    from permaudit.config.candidate_shape import RangeShape  # noqa: PLC0415
    from permaudit.config.sweeps import _range  # noqa: PLC0415

    wanted = RangeShape.model_validate(
        {
            "from": start / 100,
            "to": (start + step * many) / 100,
            "step": step / 100,
        }
    )
    assert list(_range(wanted, is_whole=False)) == [(start + step * number) / 100 for number in range(many + 1)]


# --------------------------------------------------------------------------- names


def mistakes(write_audit, **content):
    with pytest.raises(AuditFileError) as error:
        load_audit(write_audit(**content))
    return [(mistake.line is not None and mistake.column, mistake.message) for mistake in error.value.mistakes]


def noise(**params):
    return {"anonymizer": "additive-noise", "params": params}


def test_a_point_with_the_name_of_a_candidate_is_refused(write_audit):
    candidates = {"noise alpha=0.5": {"path": "masked.csv", "kind": "masked"}}
    [(column, message)] = mistakes(write_audit, candidates=candidates, sweeps={"noise": noise(alpha=[0.1, 0.5])})
    assert column == 3
    assert message == (
        "sweeps.noise makes the candidate 'noise alpha=0.5', which is there already; "
        "give another name, or each value once"
    )


def test_points_of_two_sweeps_with_the_same_name_are_refused(install, write_audit, tmp_path):
    install("acme", counted(tmp_path / "calls"))
    sweeps = {
        "s": {"anonymizer": "counted", "params": {"alpha": [1, 2], "label": ["x", "z"]}},
        "s alpha=1,": {"anonymizer": "counted", "params": {"alpha": 1, "label": ["x", "z"]}},
    }
    [(_, message)] = mistakes(write_audit, candidates=None, sweeps=sweeps, plugins={"allow": ["acme"]})
    assert message.startswith("sweeps['s alpha=1,'] makes the candidate 's alpha=1, label=x', which is there already")


@pytest.mark.parametrize("values", [[0.5, 0.5], [1, 1.0], [0.1, 0.5, 0.10]])
def test_the_same_value_twice_is_refused(write_audit, values):
    [(_, message)] = mistakes(write_audit, candidates=None, sweeps={"noise": noise(alpha=values)})
    assert "which is there already" in message


def test_values_that_differ_in_the_seventh_digit_are_two_points(points, write_audit):
    assert len(points("additive-noise", alpha=[0.1234567, 0.1234568])) == 2


def test_values_that_cannot_stand_in_a_name_or_are_too_long_for_one_make_no_bad_names(install, write_audit, tmp_path):
    install("acme", counted(tmp_path / "calls"))
    labels = ["a/b", "a\\c", "two\nlines", "x" * 300, "y" * 300]
    sweeps = {"s": {"anonymizer": "counted", "params": {"alpha": 1, "label": labels}}}
    audit, _ = load_audit(write_audit(candidates=None, sweeps=sweeps, plugins={"allow": ["acme"]}))
    names = [candidate.name for candidate in audit.candidates]
    assert names == ["s label=a-b", "s label=a-c", "s label=two-nlines", "s 4", "s 5"]
    assert [candidate.params.label for candidate in audit.candidates] == labels


def test_too_many_combinations_are_refused_before_they_are_made(write_audit):
    params = {"k": {"from": 2, "to": 2000, "step": 1}, "scale": ["std", "rank", "range"]}
    [(_, message)] = mistakes(write_audit, candidates=None, sweeps={"s": {"anonymizer": "mdav", "params": params}})
    assert message == "sweeps.s.params makes 5997 combinations; at most 5000 are allowed"


def test_a_rule_can_be_for_one_point_only(write_audit, permaudit, tmp_path):
    rules = [
        {"rule": "threshold", "metric": "CM2", "min": 0.01},
        {"rule": "threshold", "metric": "CM2", "min": 1.0, "when": {"candidate": "noise alpha=0.9"}},
    ]
    audit = write_audit(candidates=None, sweeps={"noise": noise(alpha=[0.8, 0.9])}, rules=rules)
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 1
    found = {point["candidate"]: point["verdict"] for point in result(tmp_path / "out")["sweeps"][0]["points"]}
    assert found == {"noise alpha=0.8": "release", "noise alpha=0.9": "block"}
