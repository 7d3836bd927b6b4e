"""The report's own words: the same catalogue in every language that is shipped."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from string import Formatter

import pytest
import yaml

from permaudit.errors import PermauditError
from permaudit.plugins import load_plugins
from permaudit.report.charts.words import Words
from permaudit.report.desk import chart_words
from permaudit.report.look import template_folders
from permaudit.report.texts import Texts, read_texts

from .scenes import page

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
    assert {name for name in german if not name.startswith("charts.")} == set(english)


def test_every_text_is_a_text_and_has_the_same_holes_in_both_languages():
    english, german = written("en"), written("de")
    assert [name for name, text in {**english, **german}.items() if not isinstance(text, str)] == []
    assert {name: holes(german[name]) for name in english} == {name: holes(text) for name, text in english.items()}


def test_every_word_of_the_charts_is_said_in_german():
    said = {name.split(".")[1] for name in written("de") if name.startswith("charts.")}
    assert said == {field.name for field in fields(Words)}
    plain, german = Words(), chart_words(GERMAN)
    for field in fields(Words):
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
    foreign = re.sub(r'<span lang="en">.*?</span>', "", shown)
    sentences = [text for text in (*ENGLISH.entries.values(), *_plain_words()) if len(text) > 14 and not holes(text)]
    assert len(sentences) > 80
    assert [text for text in sentences if text in foreign and text not in GERMAN.entries.values()] == []


def _plain_words() -> list[str]:
    return [text for field in fields(Words) if isinstance(text := getattr(Words(), field.name), str)]


def test_what_plugins_say_on_a_german_page_is_marked_as_english():
    assert '<html lang="de">' in page("german")
    assert re.search(r'<p class="message"><span lang="en">[^<]', page("german"))
    assert '<span lang="en">' not in page("board")


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
