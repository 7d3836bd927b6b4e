"""Rows 89 to 99: texts from data, audit files and plugins on their way into every output."""

from __future__ import annotations

import html
import http.server
import json
import re
import shutil
import threading
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import yaml

import permaudit as pa
from permaudit.plugins import load_plugins
from permaudit.report.formats import VIEWS, NoPdfError
from permaudit.report.pdf import to_pdf
from tests.ci_outputs.hostile import named
from tests.leaks.outputs import texts_of_pdf

from .foreign import PLACES, speaking

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SETS = load_plugins().catalogue.templates
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
MARKUP = {
    "script": "<script>fetch('{at}')</script>",
    "title": "</title><script src={at}></script>",
    "image": "\"><img src={at} onerror=fetch('{at}')>",
    "svg": "</svg><svg onload=fetch('{at}')><image href='{at}'/></svg>",
    "style": "</style><style>@import '{at}'; body{{background:url({at})}}</style>",
    "address": "javascript:fetch('{at}')",
    "base": "<base href={at}><meta http-equiv=refresh content='0;url={at}'>",
    "attachment": "<link rel=attachment href={at}><a rel=attachment href=file:///etc/hostname>x</a>",
    "file": "<link rel=attachment href=file:///etc/hostname><object data=file:///etc/hostname>",
    "template": "{{{{7*7}}}} {{% include '{at}' %}} {{{{ config }}}}",
}


@pytest.fixture(scope="module")
def requests():
    """Listen on this machine, and note every request: there must be none."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    seen_at = f"http://127.0.0.1:{server.server_port}/x"
    yield seen_at, seen
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def outcome(people, masked):
    """Return a small outcome, as the command line would have it."""
    return pa.audit(people, masked, kind="masked", rules=[{"rule": "threshold", "metric": "CM2", "min": 0.05}])


class Elements(HTMLParser):
    """Note every element, its attributes, and the addresses in them."""

    def __init__(self, page):
        super().__init__()
        self.counts, self.addresses, self.handlers = Counter(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag != "text":  # a label of a drawing has as many lines as it needs
            self.counts[tag, tuple(sorted(name for name, _ in attrs))] += 1
        self.addresses += [value for name, value in attrs if name in {"href", "src", "data", "action", "xlink:href"}]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    handle_startendtag = handle_starttag


def rendered(outcome, *formats):
    """Return these views of an outcome as text, escapes and all."""
    return {name: VIEWS[name].render(outcome, SETS).decode("utf-8") for name in formats}


def spoilt_by(outcome, name):
    """Return the outcome with a name wherever one can stand: of a release, of one of a sweep, of all they are made of."""
    spoilt = named(outcome, name)
    (alone,), (sweep,) = spoilt.candidates, spoilt.sweeps
    swept = replace(alone, name=f"{name} in a sweep")
    points = [replace(point, candidate=swept.name) for point in sweep.points]
    return replace(spoilt, candidates=[alone, swept], sweeps=[replace(sweep, points=points, best=None)])


def page_of(outcome, name):
    return rendered(spoilt_by(outcome, name), "html")["html"]


def printable(text):
    """Return whether nothing in a text is invisible or moves something."""
    return not CONTROL.search(text)


# --------------------------------------------------------------------------- markup


@pytest.mark.parametrize("kind", MARKUP)
def test_row_89_markup_in_any_name_makes_no_element(outcome, requests, kind):
    name = MARKUP[kind].format(at=requests[0])
    page = Elements(page_of(outcome, name))
    expected = Elements(page_of(outcome, re.sub(r"\S", "x", name)))
    assert page.counts == expected.counts
    assert page.handlers == []
    assert all(address.startswith(("#", "data:")) for address in page.addresses)


def test_row_89_nothing_runs_and_nothing_is_asked_for_in_a_browser(outcome, requests, tmp_path):
    """All of it at once, in Chromium, with the policy of the page and without."""
    at, seen = requests
    quiet_in_chromium(page_of(outcome, " ".join(MARKUP.values()).format(at=at)), tmp_path)
    assert seen == []


def quiet_in_chromium(page, tmp_path):
    """Open a page with its security policy and without it, and hold everything against it that runs or is asked for."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page was parsed, but not looked at in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    bare = re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page)
    assert bare != page
    (tmp_path / "with.html").write_text(page, encoding="utf-8")
    (tmp_path / "without.html").write_text(bare, encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name in ("with.html", "without.html"):
            tab = browser.new_page()
            asked, talked = [], []
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.on("dialog", lambda dialog, talked=talked: talked.append(dialog.message))
            tab.goto((tmp_path / name).as_uri())
            tab.wait_for_load_state("networkidle")
            assert [url for url in asked if not url.startswith("data:")] == [(tmp_path / name).as_uri()]
            assert talked == []
            assert tab.evaluate("document.scripts.length") == 1
            alive = (
                "img, image, object, iframe, base, foreignObject, set, svg a, [onerror], [onload], [onclick], [onbegin]"
            )
            assert tab.evaluate(f"document.querySelectorAll('{alive}').length") == 0
            tab.close()
        browser.close()


@pytest.mark.parametrize("form", ["junit", "sarif", "github", "md", "json"])
def test_row_89_markup_stays_text_in_the_other_formats(outcome, requests, form):
    name = " ".join(MARKUP.values()).format(at=requests[0])
    text = rendered(spoilt_by(outcome, name), form)[form]
    match form:
        case "junit":
            known = {
                "testsuites",
                "testsuite",
                "testcase",
                "failure",
                "error",
                "skipped",
                "system-out",
                "properties",
                "property",
            }
            assert {element.tag for element in ET.fromstring(text).iter()} <= known
        case "json" | "sarif":
            assert json.loads(text)
        case "md":
            cmark = pytest.importorskip("cmarkgfm", reason="needs cmarkgfm")
            page = Elements(cmark.github_flavored_markdown_to_html(text))
            assert not {tag for tag, _ in page.counts} & {"script", "img", "svg", "style", "link", "base", "meta", "a"}
        case "github":
            assert all(line.startswith(("::error", "::warning", "::notice")) for line in text.splitlines())


def test_row_90_nothing_is_fetched_for_a_pdf_and_nothing_foreign_is_attached(outcome, requests):
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    at, seen = requests
    spoilt = spoilt_by(outcome, " ".join(MARKUP.values()).format(at=at))
    content = VIEWS["pdf"].render(spoilt, SETS)
    texts = texts_of_pdf(content)
    assert [name for name in texts if "attached" in name] == ["report.pdf, attached audit.json"]
    assert VIEWS["json"].render(spoilt, SETS).decode() in texts["report.pdf, attached audit.json"]
    assert b"/JavaScript" not in content
    assert b"/URI (http" not in content
    assert seen == []


@pytest.mark.parametrize(
    ("inside", "is_refused"),
    [
        ('<img src="{at}">', True),
        ('<link rel="attachment" href="{at}">', False),
        ('<link rel="attachment" href="file:///etc/hostname">', False),
        ('<link rel="stylesheet" href="{at}">', True),
        ("<style>@import '{at}'; </style>", True),
        ("<style>body {{ background: url({at}) }}</style>", True),
        ('<svg width="9" height="9"><image href="{at}" width="9" height="9"/></svg>', False),
        ('<a rel="attachment" href="file:///etc/hostname">x</a>', True),
    ],
)
def test_row_90_even_live_markup_would_fetch_and_attach_nothing(outcome, requests, monkeypatch, inside, is_refused):
    """As if escaping had failed: the pages themselves ask for something. There is no PDF then, or one without it."""
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    at, seen = requests
    page = f"<html lang=en><title>x</title><body><p>x</p>{inside.format(at=at)}</body></html>"
    monkeypatch.setattr("permaudit.report.pdf.to_html", lambda *_, **__: page.encode())
    if is_refused:
        with pytest.raises(NoPdfError, match="painting ended with code 1; the other files are complete"):
            to_pdf(outcome, b"{}", None)
    else:
        texts = texts_of_pdf(to_pdf(outcome, b"{}", None))
        assert [name for name in texts if "attached" in name] == ["report.pdf, attached audit.json"]
    assert seen == []


@pytest.fixture
def spoken(install, write_audit, permaudit, people, requests, tmp_path):  # noqa: PLR0913, PLR0917 - what it takes
    """Return a function that runs an audit in which plugins and categories say a text, and returns the folder of its result."""

    def run(name, text, formats):
        install(f"{name}-plugin", {f"{name}_plugin": speaking(text, requests[0])})
        categories = [f"{text} {end}" for end in "abc"]
        rng = np.random.default_rng(3)
        drawn = [rng.choice(3, len(people)) for _ in range(4)]
        original, release = (
            people[["FICA"]].assign(town=np.array(categories)[towns], grade=np.array(categories)[grades])
            for towns, grades in (drawn[:2], drawn[2:])
        )
        release["FICA"] = rng.permutation(release["FICA"])
        audit = write_audit(
            tmp_path / name,
            files={"original.csv": original, "masked.csv": release},
            attributes={
                "FICA": "numeric",
                "town": {"type": "nominal", "taxonomy": "towns.yaml"},
                "grade": {"type": "ordinal", "order": categories},
            },
            candidates={"given": {"path": "masked.csv", "kind": "masked"}, "made": {"anonymizer": "maker"}},
            metrics=["CM2", "speaking", "refusing"],
            plugins={"allow": [f"{name}-plugin"]},
        )
        towns = {text: {f"{text} 1": categories[:2], f"{text} 2": categories[2:]}}
        (audit.parent / "towns.yaml").write_text(yaml.safe_dump(towns), encoding="utf-8")
        out = tmp_path / f"{name}-out"
        ran = permaudit("run", audit, "--out", out, "--format", formats)
        assert (ran.code, ran.log) == (1, ""), ran.err
        return out

    return run


@pytest.mark.parametrize("kind", ["script", "title", "attachment", "template"])
def test_row_89_texts_of_plugins_and_categories_stay_text_on_the_page_and_on_paper(spoken, requests, tmp_path, kind):
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    at, seen = requests
    text = MARKUP[kind].format(at=at)
    out = spoken("hostile", text, "html,pdf")
    page, paper = (out / "report.html").read_text(encoding="utf-8"), (out / "report.pdf").read_bytes()
    harmless = (spoken("decent", re.sub(r"\S", "x", text), "html") / "report.html").read_text(encoding="utf-8")
    looked_at, expected = Elements(page), Elements(harmless)
    assert looked_at.counts == expected.counts
    assert looked_at.handlers == []
    assert all(address.startswith(("#", "data:")) for address in looked_at.addresses)
    assert [place for place in PLACES if f"&lt;{place}&gt; " not in page] == []
    assert html.escape(text[:20]).replace("&#x27;", "&#39;") in page
    texts = texts_of_pdf(paper)
    assert [name for name in texts if "attached" in name] == ["report.pdf, attached audit.json"]
    assert (out / "audit.json").read_text(encoding="ascii") in texts["report.pdf, attached audit.json"]
    assert b"/JavaScript" not in paper
    assert b"/URI (http" not in paper
    assert "x</text>" in page  # the drawing of the plugin is there, without what lived in it
    if kind == "script":
        quiet_in_chromium(page, tmp_path)
    assert seen == []


# --------------------------------------------------------------------------- commands of other programs


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "@SUM(A1)", "\t=1+1", "+1", "-1+1"])
def test_row_91_formulas_stand_in_no_file_that_a_spreadsheet_opens(outcome, name):
    """No format of a result is one, and in those that are, a name is never a whole file's line."""
    assert not {view.file.rpartition(".")[2] for view in VIEWS.values()} & {"csv", "tsv", "xlsx", "ods"}
    texts = rendered(spoilt_by(outcome, name), "md", "github", "html")
    assert not [line for line in texts["md"].splitlines() if line.startswith(("=", "@", "\t"))]
    assert all(line.startswith("::") for line in texts["github"].splitlines())
    assert texts["html"].startswith("<!")


@pytest.mark.parametrize("name", ["::error::x", "a\n::error file=x::y", "a]]>b", "a%0A::error::b", "##[error]x"])
def test_row_92_no_name_becomes_a_command_or_ends_a_section(outcome, permaudit, write_audit, people, tmp_path, name):  # noqa: PLR0913, PLR0917 - what it takes
    texts = rendered(spoilt_by(outcome, name), "github", "junit", "md", "html")
    lines = texts["github"].splitlines()
    assert all(re.match(r"::(error|warning|notice) ", line) for line in lines)
    assert ET.fromstring(texts["junit"]) is not None
    renamed = people.rename(columns={"FICA": name})
    audit = write_audit(
        title=name,
        attributes=dict.fromkeys(renamed.columns, "numeric"),
        files={"original.csv": renamed, "masked.csv": renamed},
    )
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--format", "md,html")
    assert ran.code in {1, 2}
    assert not re.search(r"(?m)^\s*(::|##\[)", ran.out + ran.err)


@pytest.mark.parametrize("name", ["\x1b[31mred", "abc\u202etxt.exe", "re\u200blease", "a\u2028b", "a\x9b31m"])
def test_row_93_invisible_characters_are_shown_as_codes(outcome, name):
    for form, text in rendered(spoilt_by(outcome, name), "html", "md", "github", "junit", "sarif").items():
        assert printable(text), form
    assert name.encode("unicode_escape").decode() in page_of(outcome, name).replace("&#39;", "'")


@pytest.mark.parametrize("name", ["[/red]", "[bold]x[/bold]", "[link=http://127.0.0.1/]x[/link]", ":skull:"])
def test_row_94_markup_of_the_console_is_printed_as_it_is(write_audit, permaudit, people, tmp_path, name):
    renamed = people.rename(columns={"FICA": name})
    audit = write_audit(
        title=name,
        attributes=dict.fromkeys(renamed.columns, "numeric"),
        files={"original.csv": renamed, "masked.csv": renamed},
    )
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 1
    assert ran.out.count(name) >= 2


# --------------------------------------------------------------------------- characters


@pytest.mark.parametrize("name", ["a\ud800b", "\udfff"])
def test_row_95_lone_surrogates_are_replaced(outcome, name):
    spoilt = spoilt_by(outcome, name)
    for view in ("json", "md", "html", "junit", "sarif", "github"):
        VIEWS[view].render(spoilt, SETS).decode("utf-8")  # would raise


def test_row_95_a_pdf_can_be_painted_of_lone_surrogates(outcome):
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    texts = texts_of_pdf(VIEWS["pdf"].render(spoilt_by(outcome, "a\ud800b"), SETS))
    assert "\\ud800" in texts["report.pdf, pages"]


@pytest.mark.parametrize("name", ["{{7*7}}", "{% for x in y %}", "${7*7}", "#{7*7}", "{{ ''.__class__ }}"])
def test_row_96_templates_in_names_are_printed_literally(outcome, name):
    page = page_of(outcome, name)
    assert name.replace("'", "&#39;") in page
    assert "49" not in set(re.findall(r">\s*(\w+)\s*<", page))


def test_row_96_a_template_that_asks_for_what_is_not_there_is_an_error(tmp_path, outcome):
    """A page with silent gaps would be worse than none."""
    import jinja2  # noqa: PLC0415

    from permaudit.report.html import to_html  # noqa: PLC0415
    from permaudit.report.look import TemplateFolders  # noqa: PLC0415

    (tmp_path / "report.html.j2").write_text("{{ report.no_such_thing }}")
    with pytest.raises(jinja2.UndefinedError):
        to_html(outcome, b"{}", TemplateFolders((tmp_path, SETS["board"].directory)))


def test_row_97_a_very_long_name_and_thousands_of_columns_are_shortened_and_capped(
    write_audit, permaudit, masked, tmp_path
):
    many = pd.DataFrame(np.zeros((len(masked), 3000), int), columns=[f"extra-{number}" for number in range(3000)])
    release = pd.concat([masked, many], axis=1).assign(**{"x" * 100_000: 1})
    ran = permaudit(
        "run", write_audit(files={"masked.csv": release}), "--out", tmp_path / "out", "--format", "md,html,junit"
    )
    assert ran.code == 1
    assert max(map(len, ran.out.splitlines())) < 200
    assert len((tmp_path / "out" / "report.html").read_bytes()) < 1 << 20
    assert len((tmp_path / "out" / "summary.md").read_bytes()) < 1 << 16
    assert "x" * 1000 not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["عمر السكان", "年齢と収入", "😀👨‍👩‍👧 revenue", "ผลรวม", "שכר"])
def test_row_98_names_in_other_scripts_are_kept(outcome, name):
    texts = rendered(spoilt_by(outcome, name), "html", "md", "json")
    visible = name.replace("\u200d", "\\u200d")
    assert visible in texts["html"]
    assert json.loads(texts["json"])["title"] == name


@pytest.fixture
def own_fonts_only(monkeypatch, tmp_path):
    """Have no font installed but those of the report."""
    fonts = tmp_path / "fonts.conf"
    fonts.write_text(f"<fontconfig><cachedir>{tmp_path}/fonts</cachedir></fontconfig>", encoding="utf-8")
    monkeypatch.setenv("FONTCONFIG_FILE", str(fonts))


@pytest.mark.usefixtures("own_fonts_only")
def test_row_98_a_pdf_is_made_also_where_no_font_has_the_letters_and_that_is_told(outcome, capfd):
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    name = "عمر 年齢 😀 \U00012345"
    content = VIEWS["pdf"].render(spoilt_by(outcome, name), SETS)
    assert content.startswith(b"%PDF-")
    (told,) = capfd.readouterr().err.splitlines()
    letters = set(name) - {" "}
    (missing,) = re.findall(r"^report\.pdf: no font of this machine has (\d+) of the characters", told)
    assert int(missing) >= len(letters)
    assert not letters & set(told)


def test_row_98_nothing_is_told_where_every_letter_is_there(outcome, capfd):
    pytest.importorskip("weasyprint", reason="needs the extra 'pdf'")
    VIEWS["pdf"].render(spoilt_by(outcome, "Größe, łąka, возраст"), SETS)
    assert capfd.readouterr().err == ""


def test_row_99_two_columns_that_look_the_same_are_numbered(people, masked, requests):
    """They differ behind the place where they are cut off, or in what cannot be seen."""
    names = {"FICA": "x" * 80 + "1", "FEDTAX": "x" * 80 + "2"}
    outcome = pa.audit(
        people.rename(columns=names),
        masked.rename(columns=names),
        kind="masked",
        rules=[{"rule": "threshold", "metric": "CM2", "min": 0.05}],
    )
    texts = rendered(outcome, "html", "md", "json")
    for form in ("html", "md"):
        assert "(1) xxx" in texts[form].replace("\\", ""), form
        assert "(2) xxx" in texts[form].replace("\\", ""), form
    assert set(names.values()) <= set(json.loads(texts["json"])["candidates"][0]["attributes"])


def test_row_99_two_candidates_that_look_the_same_are_numbered(write_audit, permaudit, tmp_path):
    names = ["x" * 90 + end for end in "12"]
    audit = write_audit(candidates={name: {"path": "masked.csv", "kind": "masked"} for name in names})
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--format", "md,html,junit")
    assert ran.code == 0
    for text in (ran.out, (tmp_path / "out" / "report.html").read_text(encoding="utf-8")):
        assert "xxx... (2)" in text
    for file in ("summary.md", "junit.xml"):  # there is room for whole names
        assert all(name in (tmp_path / "out" / file).read_text(encoding="utf-8") for name in names)
