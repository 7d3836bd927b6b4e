"""The report in a real Chromium: complete, quiet, reachable by keyboard, and without barriers."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from .scenes import page

SCREENS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 360, "height": 800}},
}
AUTOMATIC = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SEEN = {"runOnly": {"type": "rule", "values": ["color-contrast", "target-size", "scrollable-region-focusable"]}}
"""What another screen can change."""
KINDS = ("board", "single", "review", "outside", "german", "wide")


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a scene, and holds every message and every request against it."""

    @contextmanager
    def show(name: str, *, content: str | None = None, **options):
        path = tmp_path / "report.html"
        path.write_text(content or page(name), encoding="utf-8")
        context = browser.new_context(**(SCREENS["light"] | options))
        tab = context.new_page()
        heard: list[str] = []
        tab.on("console", lambda message: heard.append(message.text))
        tab.on("pageerror", lambda error: heard.append(str(error)))
        tab.on("request", lambda request: heard.append(request.url) if request.url != path.as_uri() else None)
        tab.goto(path.as_uri())
        yield tab
        context.close()
        assert heard == []

    return show


def violations(tab, rules: dict | None = None) -> list[str]:
    """Run axe-core in the page and say what it finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    options = rules or {"runOnly": AUTOMATIC}
    found = axe.Axe().run(tab, options=options | {"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {json.dumps([node['html'][:120] for node in one['nodes'][:3]])}" for one in found]


# --------------------------------------------------------------------------- barriers


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_no_barrier_on_a_page_that_has_everything(opened, screen):
    with opened("board", **SCREENS[screen]) as tab:
        tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert violations(tab, None if screen != "dark" else SEEN) == []


@pytest.mark.parametrize("name", ["single", "review", "outside", "german"])
def test_axe_finds_no_barrier_on_any_other_kind_of_page(opened, name):
    with opened(name) as tab:
        assert violations(tab) == []
        tab.emulate_media(color_scheme="dark")
        assert violations(tab, SEEN) == []
        tab.set_viewport_size(SCREENS["phone"]["viewport"])
        assert violations(tab, SEEN) == []


def test_axe_would_find_a_barrier(opened):
    spoilt = page("single").replace("</main>", '<img src="data:,"><p style="color:#aaa">pale</p></main>')
    with opened("single", content=spoilt) as tab:
        found = " ".join(violations(tab))
    assert "image-alt" in found
    assert "color-contrast" in found


# --------------------------------------------------------------------------- widths


@pytest.mark.parametrize("name", [*KINDS, "crowd"])
def test_no_page_scrolls_sideways(opened, name):
    with opened(name) as tab:
        for width in (320, 360, 768, 1280):
            tab.set_viewport_size({"width": width, "height": 800})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", KINDS)
def test_on_a_phone_every_table_can_be_read_without_scrolling_sideways(opened, name):
    with opened(name, **SCREENS["phone"]) as tab:
        tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        wide = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).length"
        assert tab.evaluate(wide) == 0


def test_on_a_phone_a_row_is_a_card_that_tells_its_headings_and_can_still_be_sorted(opened):
    with opened("board", **SCREENS["phone"]) as tab:
        cell = tab.locator("#comparison > .sortable .stacked td.number").first
        assert cell.get_attribute("data-label") == "CM1: higher is safer"
        assert "CM1" in tab.evaluate("(one) => getComputedStyle(one, '::before').content", cell.element_handle())
        button = tab.locator("#comparison > .sortable thead button").first
        button.click()
        assert tab.locator("#comparison > .sortable th[aria-sort]").count() == 1


def test_text_at_twice_its_size_still_fits(opened):
    with opened("board", viewport={"width": 640, "height": 800}) as tab:
        tab.evaluate("document.documentElement.style.fontSize = '200%'")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 640


# --------------------------------------------------------------------------- without a script, on paper, in the dark


def test_without_javascript_everything_is_there(opened):
    with opened("board", java_script_enabled=False) as tab:
        text = tab.inner_text("main")
        assert tab.locator("th button").count() == 0
        for heading in ("Why", "What would be released", "Decision of the review board", "Waivers", "Provenance"):
            assert heading in text
        assert tab.locator("details.numbers table").count() == tab.locator("figure").count()


def test_the_dark_page_is_dark_and_prints_light(opened):
    ask = "getComputedStyle(document.documentElement).backgroundColor"
    with opened("single", **SCREENS["dark"]) as tab:
        assert sum(map(int, tab.evaluate(ask)[4:-1].split(","))) < 150
        tab.emulate_media(media="print", color_scheme="dark")
        assert tab.evaluate(ask) == "rgb(255, 255, 255)"


def test_a_printed_page_leaves_out_what_paper_cannot_do(opened):
    with opened("single") as tab:
        tab.emulate_media(media="print")
        for selector in (".contents", ".skip", "details.numbers"):
            assert not tab.locator(selector).first.is_visible()
        assert tab.locator(".decision").is_visible()


# --------------------------------------------------------------------------- what the script adds


def column(tab, table: str, number: int) -> list[str]:
    return tab.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()


def test_a_table_can_be_sorted_by_keyboard_both_ways(opened):
    with opened("board") as tab:
        table = "#comparison > .sortable table"
        heading = tab.locator(f"{table} thead th:nth-child(2)")
        before = [float(text.strip("()")) for text in column(tab, table, 2)]
        heading.locator("button").focus()
        tab.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "ascending"
        assert [float(text.strip("()")) for text in column(tab, table, 2)] == sorted(before)
        tab.keyboard.press("Space")
        assert heading.get_attribute("aria-sort") == "descending"
        assert [float(text.strip("()")) for text in column(tab, table, 2)] == sorted(before, reverse=True)
        tab.locator(f"{table} thead th:nth-child(1) button").click()
        assert heading.get_attribute("aria-sort") is None
        assert column(tab, table, 1) == sorted(column(tab, table, 1))


def test_a_mark_of_the_map_lights_up_its_row_and_tells_its_numbers(opened):
    with opened("board") as tab:
        mark = tab.locator("#comparison .figures svg [data-key]").first
        key = mark.get_attribute("data-key")
        row = tab.locator(f"#comparison > .sortable tr[data-key='{key}']")
        mark.scroll_into_view_if_needed()
        mark.hover()
        assert "on" in row.get_attribute("class").split()
        tip = tab.locator(".tip")
        assert tip.is_visible()
        assert row.locator("th").inner_text() in tip.inner_text()
        tab.keyboard.press("Escape")  # what appears on hover can be sent away
        assert not tip.is_visible()
        tab.mouse.move(1, 1)
        assert "on" not in (row.get_attribute("class") or "").split()


def test_a_row_lights_up_its_marks_also_for_the_keyboard(opened):
    with opened("board") as tab:
        row = tab.locator("#comparison > .sortable tbody tr").first
        lit = f"#comparison .figures svg [data-key='{row.get_attribute('data-key')}'].pc-on"
        row.locator("a").focus()
        assert tab.locator(lit).count() >= 1
        tab.keyboard.press("Tab")
        assert tab.locator(lit).count() == 0


def test_everything_that_can_be_used_is_reached_by_the_tab_key_in_order_and_shows_it(opened):
    with opened("single") as tab:
        wanted = tab.evaluate(
            "[...document.querySelectorAll('a[href], button, summary, [tabindex=\"0\"]')]"
            ".filter(one => one.checkVisibility()).length"
        )
        tab.evaluate("window.reached = []")
        for _ in range(wanted):
            tab.keyboard.press("Tab")
            tab.evaluate(
                "() => { const one = document.activeElement; const style = getComputedStyle(one);"
                "window.reached.push([[...document.querySelectorAll('*')].indexOf(one),"
                " style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]) }"
            )
        reached = tab.evaluate("window.reached")
        places = [place for place, _ in reached]
        assert len(set(places)) == wanted
        assert places == sorted(places)
        assert all(outlined for _, outlined in reached)


def test_the_first_tab_leads_past_the_masthead(opened):
    with opened("single") as tab:
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.getAttribute('href')") == "#content"
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.id") == "content"


# --------------------------------------------------------------------------- what the page may do


def test_the_page_runs_its_own_script_and_no_other_and_fetches_nothing(browser, tmp_path):
    path = tmp_path / "report.html"
    foreign = (
        "<script>window.foreign = 1</script><img src='http://127.0.0.1:9/x.png' onerror='window.foreign = 2'>"
        "<iframe srcdoc='<script>parent.foreign = 3</script>'></iframe><link rel=stylesheet href='http://127.0.0.1:9/x.css'>"
    )
    path.write_text(page("single").replace("</main>", f"{foreign}</main>"), encoding="utf-8")
    context = browser.new_context()
    tab = context.new_page()
    refused, answered = [], []
    tab.on("console", lambda message: refused.append(message.text))
    tab.on("response", lambda response: answered.append(response.url))
    tab.goto(path.as_uri())
    assert tab.evaluate("window.foreign") is None
    assert tab.locator("th button").count() > 0
    assert [url for url in answered if url.startswith("http")] == []
    assert sum("Content Security Policy" in text for text in refused) >= 3
    context.close()
