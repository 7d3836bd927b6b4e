"""Deliberately broken plugins: the kit refuses each one, for the stated reason; the sound ones that they come from pass."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from permaudit import TemplateCard
from permaudit.testing import (
    ConformanceError,
    case_of,
    check_anonymizer,
    check_engine,
    check_metric,
    check_reader,
    check_rule,
    check_templates,
    comparison_of,
    original_of,
)

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)  # by their names, so that another process finds them too
METRICS, ANONYMIZERS, RULES, READERS, ENGINES, TEMPLATES = (
    importlib.import_module(f"broken_{kind}")
    for kind in ("metrics", "anonymizers", "rules", "readers", "engines", "templates")
)
sys.path.remove(HERE)

CELLS = {"NAME": ["Anna", "Bert", "Cleo"], "AGE": ["031", "007", "064"], "TOWN": ["Aachen", "Bremen", "Celle"]}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(HERE)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.pipes"
    lines = ["|".join(CELLS), *("|".join(record) for record in zip(*CELLS.values(), strict=True))]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def refusal(check, *arguments, **options):
    with pytest.raises(ConformanceError) as caught:
        check(*arguments, **options)
    return [(failure.check, failure.message) for failure in caught.value.failures]


def cases(module):
    return pytest.mark.parametrize(
        ("kind", "part", "words"), module.BROKEN, ids=lambda one: getattr(one, "__name__", "")
    )


def names(failures, part, words):
    return any(check == part and words in message for check, message in failures)


# --------------------------------------------------------------------------- broken ones


@cases(METRICS)
def test_a_broken_metric_is_refused_for_its_reason(kind, part, words):
    failures = refusal(check_metric, kind())
    assert names(failures, part, words), failures


@cases(ANONYMIZERS)
def test_a_broken_anonymizer_is_refused_for_its_reason(kind, part, words):
    failures = refusal(check_anonymizer, kind())
    assert names(failures, part, words), failures


@cases(RULES)
def test_a_broken_rule_is_refused_for_its_reason(kind, part, words):
    failures = refusal(check_rule, kind(), passes=[case_of({"CM2": 0.9})], fails=[case_of({"CM2": 0.1})])
    assert names(failures, part, words), failures


@cases(READERS)
def test_a_broken_reader_is_refused_for_its_reason(kind, part, words, people):
    failures = refusal(check_reader, kind(), people, expected=CELLS)
    assert names(failures, part, words), failures


@cases(ENGINES)
def test_a_broken_engine_is_refused_for_its_reason(kind, part, words):
    failures = refusal(check_engine, kind())
    assert names(failures, part, words), failures


class Look:
    """A template set in a folder that a test fills."""

    card = TemplateCard(id="acme", title="Acme", summary="A look of its own.")

    def __init__(self, directory, files):
        self.directory = directory
        for name, content in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            (directory / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize("what", TEMPLATES.BROKEN)
def test_a_broken_template_set_is_refused_for_its_reason(what, tmp_path):
    files, part, words = TEMPLATES.BROKEN[what]
    failures = refusal(check_templates, Look(tmp_path, files))
    assert names(failures, part, words), failures


def test_a_template_set_without_a_folder_is_refused(tmp_path):
    failures = refusal(check_templates, Look(tmp_path / "nowhere", {}))
    assert failures == [("files", "directory is no pathlib.Path of a directory that is there")]


def test_what_was_printed_is_there_for_the_author_to_see(capfd):
    refusal(check_metric, METRICS.Prints())
    assert "a copy!\n" in capfd.readouterr().out


# --------------------------------------------------------------------------- sound ones


def test_the_sound_metric_passes():
    check_metric(METRICS.Sound())


def test_the_sound_anonymizer_passes():
    check_anonymizer(ANONYMIZERS.Sound())


def test_the_sound_rule_passes():
    check_rule(RULES.Sound(), passes=[case_of({"CM2": 0.9})], fails=[case_of({"CM2": 0.1})])


def test_the_sound_reader_passes(people):
    check_reader(READERS.Sound(), people, expected=CELLS)


def test_the_sound_engine_passes():
    check_engine(ENGINES.Sound())


def test_an_engine_that_cannot_go_to_another_process_passes():
    class Local(ENGINES.Sound):
        """Nobody can import it by its name."""

    check_engine(Local())


def test_the_sound_template_set_passes(tmp_path):
    texts = "page: {kind: Informe para la junta}\nverdict: {block: No publicar}\n"
    decision = "<p>{{ report.candidates[0].name }} {% include 'parts/form.html.j2' %}</p>"
    form = '<a href="https://office.example/form">12b</a>'
    files = {"texts/es.yaml": texts, "parts/decision.html.j2": decision, "parts/form.html.j2": form}
    check_templates(Look(tmp_path, {"style/brand.css": "h1 { color: #123 }", "logo.svg": "<svg/>", **files}))


# --------------------------------------------------------------------------- all at once, and what the author knows


def test_everything_that_is_wrong_is_said_at_once():
    class Hopeless(METRICS.Sound):
        card = METRICS.WithoutTitle.card

    Hopeless.card = METRICS.replace(METRICS.CARD, title="", better="up", bounds=(1, 0))
    with pytest.raises(ConformanceError) as caught:
        check_metric(Hopeless())
    assert [failure.check for failure in caught.value.failures] == ["card"] * 3
    assert str(caught.value).startswith("metric 'ACME' does not keep the contract:\n  - card: title says nothing")


def test_a_value_for_what_must_be_refused_is_a_failure():
    columns = {"A": range(30), "B": [place % 7 for place in range(30)]}
    failures = refusal(check_metric, METRICS.Sound(), refuses=[comparison_of(columns, columns)])
    assert failures == [("refuses", "has a value (0.0) for comparison 1, which it must refuse")]


def test_a_release_of_what_must_be_refused_is_a_failure():
    failures = refusal(check_anonymizer, ANONYMIZERS.Sound(), refuses=[original_of()])
    assert failures == [("refuses", "makes a release of original 1, which it must refuse")]


def test_a_file_that_is_read_and_must_be_refused_is_a_failure(people):
    failures = refusal(check_reader, READERS.Sound(), people, refuses=[people])
    assert failures == [("refuses", "reads people.pipes, which it must refuse")]


def test_a_rule_that_knows_other_answers_than_its_author_is_refused():
    failures = refusal(check_rule, RULES.Sound(), passes=[case_of({"CM2": 0.1})], fails=[case_of({"CM2": 0.9})])
    assert [check for check, _ in failures] == ["known answers"] * 2
