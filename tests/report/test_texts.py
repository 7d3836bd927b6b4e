"""The report's own words: the same catalogue in every language that is shipped."""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields, replace
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import pytest
import yaml

from permaudit.errors import PermauditError
from permaudit.plugins import load_plugins
from permaudit.report import to_json
from permaudit.report.charts.words import Words
from permaudit.report.context import Said
from permaudit.report.desk import chart_words
from permaudit.report.html import to_html
from permaudit.report.look import TemplateFolders, template_folders
from permaudit.report.sentences import sentences
from permaudit.report.speech import Speech
from permaudit.report.texts import Texts, read_texts

from .scenes import page, scene

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = template_folders(load_plugins().catalogue.templates, "board").folders
ENGLISH, GERMAN = (read_texts(FOLDERS, language) for language in ("en", "de"))


def written(language: str) -> dict[str, str]:
    """Return the texts that stand in one file."""

    def flat(value, start=""):
        for name, item in value.items():
            if isinstance(item, dict):
                yield from flat(item, f"{start}{name}.")
            else:
                yield f"{start}{name}", item

    return dict(flat(yaml.safe_load((FOLDERS[-1] / "texts" / f"{language}.yaml").read_text(encoding="utf-8"))))


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_text_is_there_in_both_languages():
    english, german = written("en"), written("de")
    elsewhere = ("charts.", "said.")
    assert {name for name in german if not name.startswith(elsewhere)} == set(english)


def test_every_text_is_a_text_and_has_the_same_holes_in_both_languages():
    english, german = written("en"), written("de")
    assert [name for name, text in {**english, **german}.items() if not isinstance(text, str)] == []
    assert {name: holes(german[name]) for name in english} == {name: holes(text) for name, text in english.items()}


def test_every_sentence_of_results_is_said_in_german_with_everything_that_is_filled_in():
    fixed, others = sentences()
    german = {name.removeprefix("said."): text for name, text in written("de").items() if name.startswith("said.")}
    assert {name: holes(text) for name, text in german.items()} == {
        one.name: set(one.holes) for one in (*fixed.values(), *others)
    }


def test_nearly_all_that_permaudit_itself_says_is_among_the_sentences():
    """What is new stands in English, marked as such, until somebody has said it: nothing fails, but it must stay rare."""
    catalogue = load_plugins().catalogue
    cards = [thing.card for thing in catalogue.metrics.values()]
    said = [text for card in cards for text in (card.title, card.summary, card.low, card.high, card.blind_spots)]
    said += [text for card in cards for text in (card.valid_for.linked, card.valid_for.unlinked)]
    said += [thing.card.why for thing in catalogue.rules.values()]
    known = "\n".join(one.text for kind in sentences() for one in (kind.values() if isinstance(kind, dict) else kind))
    said += [text for module in _modules(catalogue) for text in _spoken_in(module)]
    missing = sorted({text for text in said if text not in known})
    assert len(said) > 200
    assert len(missing) <= 0.1 * len(said), missing


def _modules(catalogue) -> list[str]:
    rules = {type(thing).__module__ for thing in catalogue.rules.values()}
    return sorted({*rules, "permaudit_plugins.rules._limit", "permaudit.verdict", "permaudit.waivers"})


def _spoken_in(module: str) -> Iterator[str]:
    """Yield the pieces of texts of some length that a module puts together, without what documents or logs."""
    tree = ast.parse(Path(import_module(module).__file__).read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in {"description", "title"}:
            silent |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("_LOG.", "ValueError", "TypeError")):
            silent |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            text = node.value.strip(" ;:,(){}'.")
            if len(text.split()) > 3 and "{" not in text:
                yield text


def test_every_word_of_the_charts_is_said_in_german():
    said = {name.split(".")[1] for name in written("de") if name.startswith("charts.")}
    assert said == {field.name for field in fields(Words) if field.type != "int"}
    plain, german = Words(), chart_words(GERMAN)
    for field in fields(Words):
        if field.type == "int":
            continue
        ours, theirs = getattr(plain, field.name), getattr(german, field.name)
        if isinstance(ours, str):
            assert holes(ours) == holes(theirs), field.name
        elif isinstance(ours, tuple):
            assert len(ours) == len(theirs), field.name
        else:
            assert set(ours) == set(theirs), field.name
        assert field.default is not MISSING or field.default_factory is not MISSING


def test_a_german_page_has_no_english_sentence_of_the_report_left():
    shown = re.sub(r"\s+", " ", page("german"))
    foreign = re.sub(r'<span lang="en">.*?</span>', "", shown)  # what is left has no other language
    sentences = [text for text in (*ENGLISH.entries.values(), *_plain_words()) if len(text) > 14 and not holes(text)]
    assert len(sentences) > 80
    assert [text for text in sentences if text in foreign and text not in GERMAN.entries.values()] == []


def _plain_words() -> list[str]:
    return [text for field in fields(Words) if isinstance(text := getattr(Words(), field.name), str)]


def test_what_results_say_is_in_german_on_a_german_page():
    german = page("german")
    assert '<html lang="de">' in german
    for text in ("FEDTAX behält die Rangfolge", "CM2 ist", "Stärkste Verbindung", "wie gefordert: mindestens"):
        assert text in german
    assert "eine Grenze" in re.sub(r"<[^>]*>", " ", german)
    foreign = set(re.findall(r'lang="en">([^<]*)<', german))
    assert {text for text in foreign if len(text.split()) > 4 and not text.startswith("Domingo-Ferrer")} == set()
    assert 'lang="en">' not in page("board").replace('<html lang="en">', "")


def test_what_a_stranger_says_on_a_german_page_is_marked_as_english():
    outcome = scene("german")
    first, *others = outcome.candidates
    strange = replace(first.rules[0], outcome="fail", message="Nobody at home knows this one.", fix="Ask <b>them</b>.")
    changed = replace(outcome, candidates=[replace(first, rules=[strange, *first.rules[1:]]), *others])
    german = to_html(changed, to_json(changed), TemplateFolders(FOLDERS)).decode()
    assert '<span lang="en">Nobody at home knows this one.</span>' in german
    assert '<span lang="en">Ask &lt;b&gt;them&lt;/b&gt;.</span>' in german


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("A, B and 3 more keep their rank order", "A, B und 3 weitere behalten ihre Rangfolge"),
        ("CM1 and CM2 are valid", "CM1 und CM2 sind gültig"),
        (
            "fewer than 10 of 200 released records equal an original one; chance would give fewer than 10",
            "weniger als 10 von 200 veröffentlichten Datensätzen gleichen einem ursprünglichen; der Zufall ergäbe weniger als 10",
        ),
        (
            "cannot judge without CM1 and CM2 (CM1: the metric raised KeyError; CM2: not computed)",
            "kein Urteil ohne CM1 und CM2 (CM1: die Metrik brach ab mit KeyError; CM2: nicht berechnet)",
        ),
        (
            "metrics that were asked for have no value (NOISE: the metric raised KeyError; UM: not computed)",
            "verlangte Metriken haben keinen Wert (NOISE: die Metrik brach ab mit KeyError; UM: nicht berechnet)",
        ),
        (
            "mend what went wrong, or leave NOISE and UM out of metrics",
            "beheben, was nicht gelang, oder NOISE und UM unter metrics weglassen",
        ),
        (
            "CM3 could not be judged: needs at least 2 attributes that vary; there is 1",
            "CM3 konnte nicht beurteilt werden: braucht mindestens 2 Merkmale, die sich unterscheiden; es gibt 1",
        ),
        (
            "more in audited columns than metrics see: A spells 20 values in more than one way",
            "in geprüften Spalten steht mehr, als Metriken sehen: A schreibt 20 Werte auf mehr als eine Weise",
        ),
        ("JOB tells 95% of the original's own categories", "JOB verrät 95% der eigenen Kategorien des Originals"),
        ("identifiers in the release: withheld", "Identifikatoren in der Veröffentlichung: nicht genannt"),
    ],
)
def test_sentences_are_said_in_german_with_what_is_filled_in(given, told):
    said = Speech(GERMAN)(given, 600)
    assert (said.text, said.language) == (told, "")


def test_findings_of_two_kinds_that_are_joined_are_each_said_in_german():
    """Also where one of them holds the sign that stands between them."""
    fixed, others = sentences()
    plain = next(iter(fixed))
    samples = dict.fromkeys(("said", "list"), plain) | {
        "text": "INCOME",
        "names": "A, B and C",
        "id": "CM2",
        "count": "12",
        "things": "3",
        "value": "0.5",
        "share": "12 %",
        "limit": "0.05",
        "given": "CM2: 5",
    }
    closed = [one for one in others if "notes" not in one.holes.values()]  # such a one goes on to the end
    said = [*fixed, *(one.text.format(**{hole: samples[kind] for hole, kind in one.holes.items()}) for one in closed)]
    parted = [text for text in said if "; " in text]
    assert len(parted) > 30
    in_german = Speech(GERMAN)
    for text in parted:
        for pair in ((text, plain), ("INCOME keeps its rank order", text), (text, parted[0])):
            told = in_german("; ".join(pair), 9999)
            assert told.language == "", pair
            assert told.text == "; ".join(in_german(part, 9999).text for part in pair)


def test_a_text_of_which_a_part_is_not_known_stays_whole_in_its_own_language():
    text = "CM3 is valid and has a limit; and the moon is full"
    assert Speech(GERMAN)(text, 600) == Said(text=text, language="en")
    assert Speech(ENGLISH)(text, 600) == Said(text=text)


def test_a_set_replaces_single_texts_and_the_rest_stays(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "en.yaml").write_text("page: {kind: Report to the minister}\n", encoding="utf-8")
    texts = read_texts((tmp_path, *FOLDERS), "en")
    assert texts("page.kind") == "Report to the minister"
    assert texts("page.contents") == "Contents"


def test_a_language_of_which_only_some_texts_are_there_falls_back_to_english(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "es.yaml").write_text("page: {contents: Contenido}\n", encoding="utf-8")
    texts = read_texts((tmp_path, *FOLDERS), "es")
    assert (texts.language, texts("page.contents"), texts("page.kind")) == ("es", "Contenido", "Disclosure review")


@pytest.mark.parametrize("language", ["fr", "../en", "../texts/en", "", "EN"])
def test_a_language_that_nobody_wrote_is_refused(language):
    with pytest.raises(PermauditError, match="no texts for the language"):
        read_texts(FOLDERS, language)


@pytest.mark.parametrize("content", ["page: [", "\xff", "- a list", "just a text", "page: {kind: {"])
def test_texts_that_cannot_be_read_are_named(tmp_path, content):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "en.yaml").write_bytes(content.encode("latin-1"))
    with pytest.raises(PermauditError, match=r"en\.yaml"):
        read_texts((tmp_path, *FOLDERS), "en")


@pytest.mark.parametrize("text", ["{nobody}", "{", "{0}", "{title.nothing}"])
def test_a_text_that_asks_for_what_it_is_not_given_is_named(text):
    texts = Texts("en", {"page.title": text})
    with pytest.raises(PermauditError, match=r"the text page\.title of the report \(en\)"):
        texts("page.title", title="a", verdict="b")


def test_one_and_many_are_told_apart():
    assert ENGLISH.count("more.rows", 1) == "1 more row is in audit.json."
    assert ENGLISH.count("more.rows", 2) == "2 more rows are in audit.json."
    assert GERMAN.count("more.candidates", 1) == "Ein weiterer Kandidat steht in audit.json."


def test_a_name_that_no_catalogue_has_stands_as_it_is():
    assert ENGLISH.known("origin", "a plugin") == "a plugin"
