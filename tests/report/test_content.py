"""What a board finds in the report, item by item."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import yaml

from permaudit.plugins import load_plugins
from permaudit.report import to_json
from permaudit.report.audience import for_audience
from permaudit.report.build import build_report
from permaudit.report.charts.lettering import fitted_name, width_of
from permaudit.report.html import to_html
from permaudit.report.look import template_folders

from .scenes import LONG, NAMES, WIDE, audited, page, scene

if TYPE_CHECKING:
    from permaudit.report.context import Report


def report_of(outcome, *, paged: bool = False) -> Report:
    folders = template_folders(load_plugins().catalogue.templates, "board")
    return build_report(outcome, to_json(outcome), folders.texts(outcome.presentation.language), paged=paged)


@pytest.fixture(scope="module")
def board() -> Report:
    return report_of(scene("board"))


def candidate(report: Report, name: str):
    return next(one for one in report.candidates if one.name == name)


# --------------------------------------------------------------------------- the first page


@pytest.mark.parametrize(
    ("name", "verdict", "answer"),
    [
        ("single", "Release", "Yes. Nothing that was checked speaks against it."),
        ("review", "Review", "Not yet. A person must decide."),
        ("wide", "Block", "No. It must not be released as it is."),
        ("board", "Block", "No: this is a study. By the rules alone: 4 may go out, 2 must not."),
        ("crowd", "Release", "Yes. Nothing that was checked speaks against it."),
    ],
)
def test_the_first_page_answers_whether_it_may_go_out_in_word_shape_and_sentence(name, verdict, answer):
    report = report_of(scene(name))
    assert (report.verdict.word, report.cover.answer) == (verdict, answer)
    assert report.cover.badge.alt == f"verdict: {verdict}"
    assert "<svg" in report.verdict.sign


def test_files_of_which_some_may_go_out_are_counted():
    outcome = scene("board")
    real = replace(outcome, provenance=replace(outcome.provenance, study=False))
    assert report_of(real).cover.answer == "Not all of them: 4 may go out, 2 must not."


def test_waivers_come_before_the_reasons_and_who_gave_them_is_named(board):
    shown = page("board")
    assert shown.index("This verdict rests on 1 waiver") < shown.index('id="cover-why"')
    [waiver] = board.cover.waivers
    assert (waiver.approved_by, waiver.expires) == ("A. Ito, B. Meyer", "2099-12-31")
    assert [one.mark.word for one in board.waivers] == ["in force", "expired"]


def test_the_worst_finding_comes_first_with_what_would_fix_it_and_who_demands_it(board):
    worst = board.cover.reasons[0]
    assert worst.mark.code == "fail"
    assert worst.candidate == "one-bare"
    assert "FEDTAX" in worst.fix.text
    assert worst.source.startswith("policy, policy.yaml:")


def test_what_would_be_released_is_told_by_hash_records_attributes_and_method(board):
    told = {one.name: one for one in board.cover.releases}
    outcome = {one.name: one for one in scene("board").candidates}
    assert told["noisy"].digest == outcome["noisy"].sha256[:12]
    assert (told["noisy"].records, told["noisy"].attributes, told["noisy"].method) == ("200", "3", "masked file")
    assert told["drawn"].digest == ""
    assert told["swapping"].method == "sweep of rank-swap, 3 points; best point: swapping p=30"
    assert told["one-bare"].limits == "CM2 0.0000 (min. 0.05)"
    assert page("board").count("no file yet") == 2
    [fact] = [fact for fact in candidate(board, "drawn").facts if fact.label == "SHA-256 of the file"]
    assert "permaudit anonymize" in fact.value


def test_a_board_decides_by_one_of_three_about_each_candidate_and_two_people_sign(board):
    assert (board.decision.choices, board.decision.rows) == ((), ())
    assert board.decision.note == "This is a study, and nothing of it can be approved for release."
    outcome = scene("board")
    real = replace(outcome, provenance=replace(outcome.provenance, study=False))
    asked = report_of(real).decision
    assert asked.choices == ("Approve", "Approve with conditions", "Reject")
    assert [(one.name, one.mark.code) for one in asked.rows] == [
        ("one-bare", "block"),
        ("noisy", "release"),
        ("drawn", "release"),
        ("swapping p=30", "release"),
    ]
    assert 'class="tick"' not in page("board")
    folders = template_folders(load_plugins().catalogue.templates, "board")
    assert to_html(real, to_json(real), folders).count(b'class="tick" role="img"') == 12
    assert len(board.decision.signatories) == 2
    assert report_of(scene("single")).decision.rows == ()
    crowd = report_of(scene("crowd"), paged=True).decision.note
    assert "What has no mark is not approved. 25 more candidates are not listed" in crowd


def test_a_sweep_tells_each_kind_of_finding_once_where_it_is_worst_and_which_point_would_do():
    outcome = scene("board")
    [sweep] = outcome.sweeps
    swept = [one for one in outcome.candidates if one.name.startswith("swapping")]
    fails = replace(next(one for one in swept[0].rules if one.outcome == "fail"), message="the least")
    told = [fails.evidence["value"] * share for share in (0.5, 0.1)]
    spoilt = [
        replace(fails, message=f"{value}", evidence=fails.evidence | {"value": value}, fix="protect") for value in told
    ]
    points = [
        replace(swept[0], name="swapping p=5", rules=[*swept[0].rules, spoilt[0]]),
        replace(swept[0], name="swapping p=60", rules=[*swept[0].rules, spoilt[1]]),
        swept[1],
    ]
    [worst] = report_of(replace(outcome, candidates=points, fronts=[], waivers=[])).cover.reasons
    assert worst.message.text == f"{told[1]}"
    assert worst.alike == "and 1 more point of this sweep"
    assert worst.fix.text.startswith("take swapping p=30 instead: it passes all rules")
    assert sweep.best == "swapping p=30"


def test_what_may_go_out_says_why_what_was_looked_for_and_what_nobody_sees():
    cover = report_of(scene("single")).cover
    assert cover.reasons == ()
    limit, looked, unseen = cover.grounds
    assert limit.text.text.startswith("CM2 is 0.")
    assert limit.where.startswith("noisy · audit file")
    assert "copied and nearly copied records" in looked.text.text
    assert unseen.label == "What CM2 does not see"
    assert report_of(scene("wide")).cover.grounds == ()


def test_a_limit_that_is_not_for_all_candidates_is_a_line_that_says_for_whom(board):
    assert board.comparison is not None
    both, some = (figure.chart.svg for figure in board.comparison.figures)
    assert "within all limits" in both
    assert "within all limits" not in some
    assert "only for drawn" in re.sub(r"<[^>]*>", " ", some)


def test_a_finding_is_told_to_its_end_with_its_candidate_and_its_beginning_on_the_first_page():
    outcome = scene("single")
    [only] = outcome.candidates
    long = "; ".join(f"sentence {number} of a finding that goes on and on" for number in range(30))
    failed = replace(only.rules[0], outcome="fail", message=long)
    changed = replace(outcome, verdict="block", candidates=[replace(only, verdict="block", rules=[failed])])
    report = report_of(changed, paged=True)
    assert report.candidates[0].rules[0].message.text == long
    assert re.search(r"; and \d+ more things, see the candidate$", report.cover.reasons[0].message.text)


# --------------------------------------------------------------------------- one candidate


def test_every_metric_is_drawn_with_null_baseline_limit_and_interval(board):
    outcome = scene("board").candidates[0]
    drawn = {one.name.partition(":")[0]: one for one in candidate(board, "noisy").metrics}
    assert set(drawn) == set(outcome.metrics)
    rows = {row.cells[0]: row.cells[1:] for row in drawn["CM2"].figure.data.rows}
    result = outcome.metrics["CM2"]
    assert f"{result.value:.4f}" in " ".join(rows["this release"])
    text = " ".join(cell for row in drawn["CM2"].figure.data.rows for cell in row.cells)
    for number in (result.null, *result.interval):
        assert f"{number:.4f}" in text
    assert "at least 0.05" in text
    baseline = " ".join(cell for row in drawn["CM3"].figure.data.rows for cell in row.cells)
    assert f"{outcome.metrics['CM3'].baseline.value:.4f}" in baseline
    assert all(one.blind_spots.text for one in drawn.values())
    assert all("is safer" in one.facts[0].value or "is more useful" in one.facts[0].value for one in drawn.values())


def test_replicates_are_shown_with_their_spread(board):
    [cm3] = [one for one in candidate(board, "drawn").metrics if one.name.startswith("CM3")]
    text = " ".join(cell for row in cm3.figure.data.rows for cell in row.cells)
    assert "replicates" in text


def test_the_rules_come_with_evidence_fix_and_source_what_failed_first(board):
    rules = candidate(board, "one-bare").rules
    order = ["fail", "error", "review", "waived", "pass", "not-applicable"]
    assert [rule.mark.code for rule in rules] == sorted((rule.mark.code for rule in rules), key=order.index)
    failed, waived = rules[0], next(rule for rule in rules if rule.mark.code == "waived")
    assert failed.fix.text
    assert failed.why.text
    assert {fact.label for fact in failed.evidence} >= {"metric", "value", "at least"}
    assert waived.waived.startswith("Said “failed”; waived by A. Ito, B. Meyer until 2099-12-31")
    assert all(rule.source for rule in rules)


def test_attributes_are_told_apart_in_words_as_a_table_and_in_drawings(board):
    told = candidate(board, "one-bare").attribution
    assert told.sentences[0].startswith("FEDTAX is the least protected attribute")
    assert "best key for an intruder" in told.sentences[1]
    assert told.table.header == (
        "Attribute",
        "Told by the release",
        "Order hidden from a key",
        "Links gone without it",
        "Records moved",
        "Mean distance in rank",
        "Change by permutation",
    )
    assert {row.cells[0] for row in told.table.rows} == set(NAMES)
    titles = [figure.chart.title for figure in told.figures]
    assert titles == [
        "How much of each attribute's order the release tells",
        "What an intruder gains by sorting on one attribute",
        "How many of the links go when one attribute is left out",
        "How far records moved in rank",
        "Permutation and residual noise",
        "Structure kept: spectra behind UM",
        "Where each rank went",
    ]


def test_on_paper_the_bars_of_what_may_go_out_are_left_to_the_table():
    board = report_of(scene("board"), paged=True)
    passing, blocked = candidate(board, "noisy").attribution, candidate(board, "one-bare").attribution
    assert [figure.chart.title for figure in passing.figures] == [
        "Structure kept: spectra behind UM",
        "Where each rank went",
    ]
    assert len(blocked.figures) == 7
    assert passing.table.header == blocked.table.header


# --------------------------------------------------------------------------- candidates beside each other


def test_maps_are_drawn_of_metrics_that_rules_limit_with_pareto_set_and_limits(board):
    beside = board.comparison
    assert [figure.chart.title for figure in beside.figures] == ["CM2 and UM", "CM3 and UM"]
    markup = beside.figures[0].chart.svg
    assert "within all limits" in markup
    assert "no other is better in both" in markup
    assert "Best trade-offs" in beside.figures[0].chart.alt
    assert {row.key for row in beside.table.rows} == {"c0", "c1", "c2"}


def test_a_sweep_has_curves_with_bands_a_map_and_a_table(board):
    [sweep] = board.comparison.sweeps
    curves, drawn = sweep.figures
    assert "one standard deviation" in curves.chart.svg
    assert "3 attributes" in curves.chart.svg
    assert drawn.chart.title == "CM2 and UM"
    assert [row.cells[0] for row in sweep.table.rows] == ["5", "30", "60"]
    assert sweep.best.startswith("Best point: swapping p=30")


def test_a_sweep_over_sets_of_attributes_is_drawn_beside_each_other_by_their_number():
    """As in the paper's figures: for the same parameter, more attributes mean less UM."""
    sets = [list(NAMES[:2]), list(NAMES)]
    sweep = {"anonymizer": "mdav", "params": {"k": [3, 9, 27]}, "attributes": sets}
    outcome = audited(study_seed=1, sweeps={"groups": sweep}, metrics=["CM1", "CM2", "UM"])
    assert [one.attributes for one in outcome.candidates] == [sets[0]] * 3 + [sets[1]] * 3
    [found] = outcome.sweeps
    assert found.points[0].candidate == "groups k=3, 2 attributes"
    two, three = (found.points[place].values["UM"] for place in (2, 5))
    assert three < two
    [drawn] = report_of(outcome).comparison.sweeps
    assert [row.cells[:2] for row in drawn.table.rows][::3] == [("3", "2"), ("3", "3")]
    curves = drawn.figures[0]
    assert curves.chart.svg.count("<svg") == 3  # two panels, and what the lines are
    assert "2 attributes" in curves.chart.svg
    assert "3 attributes" in curves.chart.svg
    assert curves.wide


def test_a_single_candidate_is_compared_with_nothing():
    assert report_of(scene("single")).comparison is None
    assert 'id="comparison"' not in page("single")


# --------------------------------------------------------------------------- data, method, provenance


def test_the_data_are_described_by_type_missing_values_linkage_and_coverage(board):
    assert [row.cells[:3] for row in board.data.attributes.rows] == [(name, "numbers", "refused") for name in NAMES]
    linkage = {row.cells[0]: row.cells[1] for row in board.data.records.rows}
    assert (linkage["noisy"], linkage["drawn"]) == ("records linked by row", "records not linked")
    assert {name for row in board.data.coverage.rows for name in row.cells[0].split(", ")} == set(
        scene("board").glossary
    )


def test_the_method_is_explained_with_a_worked_picture_and_every_metric(board):
    assert "Five made-up records" in board.method.picture.chart.alt
    assert [one.name for one in board.method.metrics] == list(scene("board").glossary)
    for one in board.method.metrics:
        labels = [fact.label for fact in one.facts]
        assert labels[1:] == ["0 means", "1 means", "What it does not see", "Defined in"]
        assert all(fact.value for fact in one.facts)


def test_the_provenance_has_hashes_versions_plugins_seed_and_both_files(board):
    outcome = scene("board")
    facts = {fact.label: fact.value for fact in board.provenance.facts}
    assert facts["SHA-256 of audit.json"] == board.digest
    assert facts["SHA-256 of the policy"] == outcome.policy.sha256
    assert facts["Seed of the audit's own draws"] == str(outcome.provenance.seed)
    assert facts["Study with a known seed"] == "yes"
    assert {row.cells[1] for row in board.provenance.inputs.rows} == {one.sha256 for one in outcome.provenance.inputs}
    assert "permaudit" in {row.cells[0] for row in board.provenance.packages.rows}
    [plugins] = board.provenance.plugins.rows
    assert plugins.cells[0] == "permaudit"
    assert plugins.cells[2] == outcome.provenance.plugins[0].sha256
    run, *written = board.provenance.documents
    assert run.name == "As it was run: audit file and policy together, with every default"
    assert [one.name.rpartition("/")[2] for one in written] == [
        "audit.yaml, as it was written",
        "policy.yaml, as it was written",
    ]
    assert "  noisy:" in written[0].lines
    [on_paper] = report_of(outcome, paged=True).provenance.documents
    assert on_paper == run


def test_the_audit_is_told_as_it_was_run_with_defaults_policy_and_what_is_always_on():
    outcome = audited(
        candidates={"grouped": {"anonymizer": "mdav", "params": {"k": 3}}},
        policy="policy.yaml",
        holdout="others.csv",
        seed=11,
    )
    told = yaml.safe_load(outcome.provenance.resolved)
    assert told["candidates"]["grouped"] == {
        "anonymizer": "mdav",
        "params": {"k": 3, "scale": "range"},
        "replicates": 1,
        "post": {"round": False, "clip": False},
    }
    assert told["attributes"]["FICA"] == {"type": "numeric", "missing": "error"}
    assert {"CM1", "CM2", "CM3", "UM"} <= set(told["metrics"])
    always_on = {name for name, rule in load_plugins().catalogue.rules.items() if rule.card.always_on}
    by_origin = {
        origin: {one["rule"] for one in told["rules"] if one["origin"] == origin} for origin in ("always on", "policy")
    }
    assert by_origin == {"always on": always_on, "policy": {"threshold"}}
    assert (told["policy"]["most-days"], told["seed"]) == (36500, 11)
    assert for_audience(outcome, "external").provenance.resolved == ""


# --------------------------------------------------------------------------- much of everything


def test_names_that_differ_only_after_the_shortening_are_told_apart():
    report = report_of(scene("crowd"))
    names = [row.cells[0] for row in report.comparison.table.rows]
    assert len(set(names)) == len(names) == 30
    assert LONG not in names[0]
    assert names[1] == f"{names[0]} (2)"


def test_where_a_candidate_has_its_own_place_its_name_is_whole():
    first, second, *_ = report_of(scene("crowd"), paged=True).candidates
    assert (first.name, second.name) == (f"{LONG} a", f"{LONG} b")


def test_of_many_candidates_those_that_may_go_out_have_tables_and_no_bars():
    crowd, board = (report_of(scene(name)).candidates[0] for name in ("crowd", "board"))
    assert crowd.attribution.table.rows
    assert len(crowd.attribution.figures) < len(board.attribution.figures)


def test_what_stands_before_the_reasons_on_paper_takes_the_place_of_one():
    """The decision must fit on the first page."""
    outcome = scene("board")
    plain = replace(outcome, waivers=[], provenance=replace(outcome.provenance, study=False))
    assert len(report_of(plain, paged=True).cover.reasons) == 3
    assert len(report_of(outcome, paged=True).cover.reasons) == 2
    assert report_of(outcome, paged=True).cover.more_reasons


def test_a_baseline_is_told_to_its_end_beside_its_sign():
    svg = next(
        one for one in report_of(scene("single")).candidates[0].metrics if one.name.startswith("CM3")
    ).figure.chart.svg
    lines = re.findall(r'<text x="32"[^>]*>([^<]*)<', svg)
    assert "one random half of the original beside the other, 100 records each, brought to 200 records" in " ".join(
        lines
    )


def test_on_paper_a_crowd_is_cut_and_counted():
    report = report_of(scene("crowd"), paged=True)
    assert len(report.candidates) == 12
    assert report.more_candidates == "18 more candidates are in audit.json."
    assert len(report.cover.releases) == 5
    assert report.cover.more_releases == "25 more are listed with the candidates."


def test_many_attributes_are_cut_in_tables_on_paper_and_whole_on_screen_and_in_the_list():
    on_paper, on_screen = (report_of(scene("wide"), paged=paged).candidates[0] for paged in (True, False))
    assert len(on_paper.attribution.table.rows) == 30
    assert on_paper.attribution.table.more == f"{WIDE - 30} more rows are in audit.json."
    assert len(on_screen.attribution.table.rows) == WIDE
    [names] = [fact.value for fact in on_paper.facts if fact.label == f"{WIDE} attributes"]
    assert names.split(", ") == scene("wide").candidates[0].attributes


def test_long_names_are_cut_in_the_middle_where_they_are_drawn():
    names = [f"ATTRIBUTE_WITH_A_NAME_THAT_WAS_MADE_BY_A_MACHINE_{number:02}" for number in range(50)]
    labels = [fitted_name(name, 100) for name in names]
    assert len(set(labels)) == 50
    assert all(width_of(label) <= 100 for label in labels)
    assert labels[7].startswith("ATTR")
    assert labels[7].endswith("_07")
    assert fitted_name("short", 100) == "short"


# --------------------------------------------------------------------------- evidence


def evidence_of(outcome, *, passed: bool):
    """Return what is told of the search for copies, in a release that passed it or one that did not."""
    found = [rule for one in report_of(outcome).candidates for rule in one.rules if rule.rule == "no-copied-records"]
    return next(rule.evidence for rule in found if (rule.mark.code == "pass") == passed)


def test_evidence_with_parts_is_told_part_by_part_and_only_where_something_was_found():
    outcome = audited(
        candidates={name: {"path": f"{name}.csv", "kind": "masked"} for name in ("original", "noisy")},
    )
    labels = [fact.label for fact in evidence_of(outcome, passed=True)]
    assert "copied" in labels
    assert "near" not in labels
    found = {fact.label: fact.value for fact in evidence_of(outcome, passed=False)}
    assert found["equal"].startswith("found ")


# --------------------------------------------------------------------------- what could not be computed


def test_a_metric_that_broke_off_comes_first_and_nobody_says_that_no_rule_limits_it():
    outcome = scene("single")
    [one] = outcome.candidates
    broken = replace(
        one.metrics["UM"], status="error", value=None, interval=None, validity=None, reason="the metric raised KeyError"
    )
    changed = replace(outcome, candidates=[replace(one, metrics={**one.metrics, "UM": broken})])
    first, second, *_ = report_of(changed).candidates[0].metrics
    assert first.name.startswith("UM")
    assert second.name.startswith("CM2")
    told = {str(fact.label): str(fact.value) for fact in first.facts}
    assert "the metric raised KeyError" in told["Could not be computed"]
    assert "Demanded" not in told


def test_values_in_brackets_are_explained_where_there_are_any(board):
    assert board.comparison.brackets
    outcome = scene("board")
    linked = [one for one in outcome.candidates if one.name in {"noisy", "one-bare"}]
    assert report_of(replace(outcome, candidates=linked, sweeps=[], fronts=[])).comparison.brackets is False
