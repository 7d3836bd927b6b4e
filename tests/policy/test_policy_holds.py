"""An audit file may tighten its policy and never loosen it, whatever it tries."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from .conftest import LEAST, findings, policy_file

OTHER = {"rule": "threshold", "metric": "CM2", "on": "calibrated"}


def test_the_policys_rules_are_in_force_and_say_where_they_come_from(under):
    ran, result = under()
    assert ran.code == 0
    (finding,) = findings(result, "threshold")
    assert finding["origin"] == "policy"
    assert finding["place"] == {"file": finding["place"]["file"], "line": 4, "column": 3}
    assert finding["place"]["file"].endswith("board.yaml")


def test_the_result_prints_the_policys_hash_title_and_whether_it_was_pinned(under, tmp_path):
    ran, result = under()
    content = (tmp_path / "audit" / "board.yaml").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert result["policy"]["sha256"] == digest
    assert (result["policy"]["title"], result["policy"]["pinned"]) == ("The board", False)
    assert digest[:16] in ran.out
    assert digest[:16] in (tmp_path / "out" / "summary.md").read_text("utf-8")
    assert any(one["sha256"] == digest for one in result["provenance"]["inputs"])
    _, result = under(policy={"path": "board.yaml", "sha256": digest})
    assert result["policy"]["pinned"] is True


@pytest.mark.parametrize("weaker", [0.0, 0.001, 0.29])
def test_a_weaker_limit_beside_the_policys_changes_nothing(under, weak, weaker):
    ran, result = under(rules=[OTHER | {"min": weaker} for _ in range(2)], files={"masked.csv": weak})
    assert ran.code == 1
    assert findings(result, "threshold")[0]["outcome"] == "fail"
    assert any("stays in force" in text for text in result["policy"]["differences"])


def test_a_stronger_limit_counts_on_top(under):
    ran, result = under(rules=[OTHER | {"min": 0.9}])
    assert ran.code == 1
    assert [(finding["origin"], finding["outcome"]) for finding in findings(result, "threshold")] == [
        ("policy", "pass"),
        ("audit file", "fail"),
    ]
    assert any("more than the policy's min 0.3" in text for text in result["policy"]["differences"])


WEAK_RULES = {
    "another metric": [{"rule": "threshold", "metric": "CM3", "min": 0.01}],
    "one of several": [
        {"rule": "at-least-one-of", "of": [{"metric": "CM3", "min": 0.01}, {"metric": "CM2", "min": 0.0001}]}
    ],
    "for this candidate": [OTHER | {"min": 0.0001, "when": {"candidate": "noisy"}}],
    "for the other kind": [OTHER | {"min": 0.0001, "when": {"kind": "synthetic"}}],
    "an upper limit": [OTHER | {"max": 1.0}],
    "another scale": [{"rule": "threshold", "metric": "CM2", "min": 0.0001}],
    "a scope": [{"rule": "attributes-in-scope", "attributes": ["FICA"]}],
    "distance": [{"rule": "distance-to-null", "metric": "CM2", "min": 0.0001}],
}


@pytest.mark.parametrize("rules", WEAK_RULES.values(), ids=WEAK_RULES)
def test_no_rule_of_the_audit_file_takes_the_place_of_the_policys(under, weak, rules):
    ran, result = under(rules=rules, files={"masked.csv": weak})
    assert ran.code == 1
    assert {finding["outcome"] for finding in findings(result, "threshold") if finding["origin"] == "policy"} == {
        "fail"
    }


@pytest.mark.parametrize("rules", WEAK_RULES.values(), ids=WEAK_RULES)
def test_no_rule_of_the_audit_file_makes_up_for_a_policy_that_says_nothing_of_this_kind(under, rules):
    """The policy is about synthetic files only: nothing that the audit file adds can release a masked one."""
    ran, _ = under(
        board={"rules": [{"rule": "threshold", "metric": "CM3", "min": 0.1, "when": {"kind": "synthetic"}}]},
        rules=rules,
    )
    assert ran.code in {1, 3}


@pytest.mark.parametrize("kind", ["masked", "synthetic"])
@pytest.mark.parametrize("linkage", ["row", "none"])
@pytest.mark.parametrize("board", ["masked", "synthetic", None])
def test_no_declaration_of_kind_or_linkage_slips_between_the_policys_rules(under, weak, kind, linkage, board):
    """A weak release, declared as each kind, under a policy for masked files, for synthetic ones, or for all."""
    if (kind, linkage) == ("synthetic", "row"):
        return  # a mistake in the file, see tests/config
    rules = [LEAST, {"rule": "threshold", "metric": "CM3", "on": "relative", "min": 0.9}]
    when = {} if board is None else {"when": {"kind": board}}
    ran, _ = under(
        board={"rules": [rule | when for rule in rules]},
        candidates={"noisy": {"path": "masked.csv", "kind": kind, "linkage": linkage}},
        files={"masked.csv": weak},
    )
    nobody_judged = (board, kind, linkage) == ("synthetic", "masked", "row")
    assert ran.code == (3 if nobody_judged else 1)


def test_metrics_that_the_audit_file_leaves_out_are_computed_all_the_same(under, weak):
    ran, result = under(metrics=["UM"], files={"masked.csv": weak})
    assert ran.code == 1
    assert "CM2" in result["candidates"][0]["metrics"]
    assert any("computed all the same" in text for text in result["policy"]["differences"])


def test_only_the_policy_can_leave_attributes_out_of_reach(under, people, masked):
    bare = masked.assign(INTVAL=people["INTVAL"])
    scope = {"rule": "attributes-in-scope", "attributes": ["FICA", "FEDTAX"]}
    ran, result = under(rules=[scope], files={"masked.csv": bare})
    assert ran.code == 1
    assert findings(result, "no-unprotected-attribute")[0]["outcome"] == "fail"
    ran, result = under(board={"rules": [LEAST, scope]}, files={"masked.csv": bare})
    assert ran.code == 0
    assert result["candidates"][0]["excluded"][0]["attribute"] == "INTVAL"


# --------------------------------------------------------------------------- the seed


def test_the_policys_seed_is_used_whatever_the_audit_file_asks_for(under):
    ran, result = under(seed=99)
    assert ran.code == 0
    assert result["provenance"]["seed"] == 5
    assert any("asks for the seed 99; the policy's 5 is used" in text for text in result["policy"]["differences"])


def test_the_command_line_cannot_choose_another_seed(under):
    ran, _ = under("--seed", 99)
    assert ran.code == 2
    assert "sets the seed 5" in ran.err
    assert under("--seed", 5)[0].code == 0


def test_a_seed_that_the_policy_leaves_open_is_printed_as_a_choice_of_the_audit(under):
    _, result = under(board={"seed": None}, seed=99)
    assert any("chooses the seed 99 itself" in text for text in result["policy"]["differences"])
    _, result = under("--seed", 98, board={"seed": None})
    assert any("the command line chooses the seed 98" in text for text in result["policy"]["differences"])


# --------------------------------------------------------------------------- what is not allowed is exit code 2


def refused(ran, *words):
    """Assert that nothing was audited, at the right place and for the right reason."""
    assert ran.code == 2
    assert all(word in ran.err for word in words), ran.err
    assert "audit.yaml:" in ran.err
    assert not ran.out


WAIVER = {
    "rule": "threshold",
    "candidate": "noisy",
    "reason": "known",
    "approved-by": ["Ada", "Grace"],
    "expires": "2099-01-01",
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"not_audited": {"FICA": "public"}, "attributes": {"FEDTAX": "numeric", "INTVAL": "numeric"}},
            "the policy allows no such column",
        ),
        ({"holdout": "masked.csv"}, "would have to say holdout: allowed"),
        ({"plugins": {"allow": ["acme"]}}, "is not among the policy's plugins"),
        ({"waivers": [WAIVER]}, "it allows no waivers"),
        (
            {"attributes": {"FICA": {"type": "numeric", "decimals": 0}, "FEDTAX": "numeric", "INTVAL": "numeric"}},
            "the policy allows no rounding",
        ),
    ],
    ids=["a column left out", "a holdout", "a plugin", "a waiver", "rounding"],
)
def test_what_a_policy_does_not_name_is_not_allowed(under, changes, words):
    ran, _ = under(**changes)
    refused(ran, words)


def test_a_policy_allows_by_name_and_no_other_name(under, people, masked):
    changes = {"not_audited": {"FICA": "public"}, "attributes": {"FEDTAX": "numeric", "INTVAL": "numeric"}}
    refused(under(board={"not_audited": ["FEDTAX"]}, **changes)[0], "allows only FEDTAX")
    _, result = under(board={"not_audited": ["FICA"]}, **changes)
    assert any("leaves the column FICA out, as the policy allows" in text for text in result["policy"]["differences"])
    rounded = {"FICA": {"type": "numeric", "decimals": 2}, "FEDTAX": "numeric", "INTVAL": "numeric"}
    refused(under(board={"decimals": ["FEDTAX"]}, attributes=rounded)[0], "allows only FEDTAX")
    _, result = under(board={"decimals": "any"}, attributes=rounded)
    assert any("rounds FICA to 2 decimals" in text for text in result["policy"]["differences"])


def test_a_policy_that_demands_a_holdout_is_not_served_without_one(under):
    refused(under(board={"holdout": "required"})[0], "the policy demands one")


def test_a_waiver_may_be_for_the_policys_rules_and_days_only(under):
    allowed = {"waivers": {"allow": ["no-identifiers"], "most-days": 90}}
    refused(under(board=allowed, waivers=[WAIVER])[0], "allows only no-identifiers", "the policy allows at most 90")


def test_versions_of_plugins_must_please_both_the_policy_and_the_audit(under, install):
    """The policy's list is what is imported, where both agree on the version."""
    metric = """
from permaudit import hookimpl, Measured, MetricCard

permaudit_api = 1

class Odd:
    card = MetricCard(id="odd", title="Odd", measures="diagnostic", better="higher", bounds=(0, 1), reference="none",
                      summary="none", low="low", high="high", blind_spots="everything")
    def compute(self, pair, rng):
        return Measured(0.5)

@hookimpl
def permaudit_metrics():
    return [Odd()]
"""
    install("acme", {"acme_odd": metric}, version="2.0")
    assert under(board={"plugins": {"allow": ["acme>=2"]}})[0].code == 0
    for board, own in ((">=3", ""), (">=2", ">=3"), ("<2", ">=1")):
        ran, _ = under(board={"plugins": {"allow": [f"acme{board}"]}}, plugins={"allow": [f"acme{own}"]})
        assert ran.code == 2


# --------------------------------------------------------------------------- which policy it is


def test_a_policy_with_another_content_than_the_audit_file_names_is_exit_code_2(under, tmp_path):
    good = policy_file(tmp_path / "audit")
    digest = hashlib.sha256(good.read_bytes()).hexdigest()
    for spelling in (digest, digest.upper()):
        assert under(policy={"path": "board.yaml", "sha256": spelling})[0].code == 0
    ran, _ = under(board={"rules": [LEAST | {"min": 0.29}]}, policy={"path": "board.yaml", "sha256": digest})
    refused(ran, "policy.sha256 does not fit", "it was changed, or is another policy")


def test_any_flipped_byte_of_a_pinned_policy_is_found(write_audit, permaudit, tmp_path):
    path = policy_file(tmp_path / "audit")
    content = path.read_bytes()
    pinned = {"path": "board.yaml", "sha256": hashlib.sha256(content).hexdigest()}
    audit = write_audit(rules=None, seed=None, policy=pinned)
    for place in range(len(content)):
        spoilt = bytearray(content)
        spoilt[place] ^= 1 << place % 8
        path.write_bytes(spoilt)
        assert permaudit("check", audit).code == 2, place
    path.write_bytes(content)
    assert permaudit("check", audit).code == 0


@pytest.mark.parametrize("digest", ["", "0", None, 0, "f" * 63, "g" * 64, ["f" * 64]], ids=repr)
def test_a_hash_that_is_none_is_not_taken_for_no_hash(under, digest):
    ran, _ = under(policy={"path": "board.yaml", "sha256": digest})
    refused(ran, "policy.sha256")


@pytest.mark.parametrize(
    "policy", ["", None, [], {}, 5, {"sha256": "f" * 64}, "missing.yaml", "audit.yaml", "original.csv", "."], ids=repr
)
def test_a_policy_that_cannot_be_read_is_not_taken_for_no_policy(write_audit, permaudit, policy):
    path = write_audit(rules=None, seed=None)
    text = path.read_text("utf-8") + f"policy: {'null' if policy is None else repr(policy)}\n"
    path.write_text(text, "utf-8")
    assert permaudit("run", path).code == 2


def test_a_policy_named_twice_is_a_mistake(write_audit, permaudit, tmp_path):
    policy_file(tmp_path / "audit")
    policy_file(tmp_path / "audit", "weak.yaml", rules=[LEAST | {"min": 0.001}])
    path = write_audit(rules=None, seed=None, policy="board.yaml")
    path.write_text(path.read_text("utf-8") + "policy: weak.yaml\n", "utf-8")
    assert permaudit("run", path).code == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": []},
        {"rules": None},
        {"rules": [{"rule": "threshold", "metric": "CM9", "min": 0.1}]},
        {"rules": [{"rule": "treshold", "metric": "CM2", "min": 0.1}]},
        {"rules": [LEAST | {"when": {"candidate": "noisy"}}]},
        {"rules": [LEAST | {"min": 1.5}]},
        {"title": None},
        {"permaudit_policy": 2},
        {"waivers": {"allow": ["no-such-rule"]}},
        {"seed": -1},
        {"holdout": "maybe"},
        {"candidates": {}},
    ],
    ids=str,
)
def test_a_policy_with_a_mistake_is_exit_code_2_with_its_place(under, changes):
    ran, _ = under(board=changes)
    assert ran.code == 2
    assert "board.yaml:" in ran.err


def test_the_command_line_can_demand_a_policy_whatever_the_audit_file_says(write_audit, permaudit, tmp_path, weak):
    board = policy_file(tmp_path / "office")
    own = policy_file(tmp_path / "audit", rules=[LEAST | {"metric": "CM1", "min": 0.01}])
    run = ("--out", tmp_path / "out", "--policy", board)
    audit = write_audit(rules=None, seed=None, files={"masked.csv": weak})
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 3
    assert permaudit("run", audit, *run).code == 1
    audit = write_audit(rules=None, seed=None, policy=own.name, files={"masked.csv": weak})
    assert permaudit("run", audit, "--out", tmp_path / "out").code == 0
    ran = permaudit("run", audit, *run)
    refused(ran, "is not the policy that was demanded")
    own.write_bytes(board.read_bytes())
    assert permaudit("run", audit, *run).code == 1


def test_a_demanded_policy_that_is_not_there_is_exit_code_2(write_audit, permaudit, tmp_path):
    assert permaudit("run", write_audit(), "--policy", tmp_path / "missing.yaml").code == 2


def test_a_policy_behind_a_link_is_known_by_its_content(under, tmp_path):
    real = policy_file(tmp_path / "office", rules=[LEAST | {"min": 0.95}])
    ran, _ = under()
    assert ran.code == 0
    link = tmp_path / "audit" / "linked.yaml"
    link.symlink_to(real)
    ran, result = under(policy="linked.yaml")
    assert ran.code == 1
    assert result["policy"]["sha256"] == hashlib.sha256(real.read_bytes()).hexdigest()


# --------------------------------------------------------------------------- what would loosen it through the data


def test_rounding_an_attribute_to_one_value_does_not_hide_it(write_audit, permaudit, tmp_path, people, masked):
    """All of FICA, bare, becomes 0 before it is ranked: no metric sees it, and a rule says so."""
    small = people.assign(FICA=people["FICA"].rank() / 1000)
    attributes = {"FICA": {"type": "numeric", "decimals": 0}, "FEDTAX": "numeric", "INTVAL": "numeric"}
    files = {"original.csv": small, "masked.csv": masked.assign(FICA=small["FICA"])}
    ran = permaudit("run", write_audit(attributes=attributes, files=files), "--out", tmp_path / "out")
    assert ran.code == 1
    assert "FICA has different values in the release" in " ".join(ran.out.split())


def test_categories_that_the_taxonomy_makes_all_alike_are_not_hidden(write_audit, permaudit, tmp_path, people, masked):
    """Equally frequent leaves of a flat taxonomy have one marginality, and so no order."""
    jobs = [f"job {number % 4}" for number in range(len(people))]
    audit = write_audit(
        attributes=dict.fromkeys(people.columns, "numeric") | {"JOB": {"type": "nominal", "taxonomy": "jobs.yaml"}},
        files={"original.csv": people.assign(JOB=jobs), "masked.csv": masked.assign(JOB=jobs)},
    )
    (audit.parent / "jobs.yaml").write_text("all: [job 0, job 1, job 2, job 3]\n", "utf-8")
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    assert "JOB has different values in the release" in " ".join(ran.out.split())


def test_a_column_that_is_constant_in_the_original_cannot_carry_something_else(
    write_audit, permaudit, tmp_path, people, masked
):
    files = {"original.csv": people.assign(REGION=1), "masked.csv": masked.assign(REGION=people["FICA"])}
    audit = write_audit(attributes=dict.fromkeys([*people.columns, "REGION"], "numeric"), files=files)
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    assert "REGION is constant in the original, and varies in the release" in " ".join(ran.out.split())
    same = write_audit(
        attributes=dict.fromkeys([*people.columns, "REGION"], "numeric"),
        files=files | {"masked.csv": masked.assign(REGION=1)},
    )
    assert permaudit("run", same, "--out", tmp_path / "out").code == 0


class TestHoldout:
    """Whoever chooses the strangers chooses what counts as chance: records of either file are no strangers."""

    @pytest.fixture
    def copied(self, people, others):
        """Return a synthetic file of which half are copies, in random order."""
        half = pd.concat([people[:100], others[100:]])
        return half.sample(frac=1, random_state=1)

    @pytest.fixture
    def audit(self, write_audit, copied):
        def write(holdout, release=copied, **changes):
            return write_audit(
                files={"masked.csv": release, "holdout.csv": holdout},
                candidates={"noisy": {"path": "masked.csv", "kind": "synthetic"}},
                rules=[{"rule": "threshold", "metric": "CM3", "on": "relative", "min": 0.5}],
                holdout="holdout.csv",
                **changes,
            )

        return write

    @pytest.mark.parametrize("part", [20, 100, 200])
    def test_records_of_the_original_are_refused(self, audit, permaudit, people, others, part):
        holdout = pd.concat([people[:part], others[: 200 - part] * 1.01])
        ran = permaudit("run", audit(holdout))
        assert ran.code == 2
        assert f"{part} of 200 records are also in the original" in ran.err

    def test_records_of_the_release_are_refused(self, audit, permaudit, others):
        ran = permaudit("run", audit(others[100:], release=others))
        assert ran.code == 2
        assert "100 of 100 records are also in the release 'noisy'" in ran.err

    def test_strangers_are_welcome_and_see_the_copies(self, audit, permaudit, tmp_path):
        from permaudit.census_like import census_like  # noqa: PLC0415

        strangers = pd.DataFrame(census_like(200, seed=77)).drop(columns="POTHVAL")
        assert permaudit("run", audit(strangers), "--out", tmp_path / "out").code == 1

    @pytest.mark.parametrize("values", [2, 5, 12])
    @pytest.mark.parametrize("seed", range(5))
    def test_strangers_that_meet_the_original_by_chance_are_no_reason_to_refuse(self, values, seed):
        """Few different records, two to a thousand: samples of one population, and a release that is one too, of any size."""
        from permaudit.strangers import refuse_familiar  # noqa: PLC0415

        rng = np.random.default_rng(seed)
        holdout, original, release, large = (
            {name: rng.integers(values, size=size) for name in "ABC"} for size in (150, 400, 400, 4000)
        )
        refuse_familiar("holdout.csv", holdout, original, {"one": release, "large": large})
