"""Template sets that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

BROKEN: dict[str, tuple[dict[str, str], str, str]] = {
    "a misspelt folder": ({"styles/brand.css": "h1 {}"}, "files", "styles/brand.css is read by nobody"),
    "a summary of its own": ({"summary.md.j2": "x"}, "files", "summary.md.j2 is read by nobody"),
    "a misspelt text": (
        {"texts/en.yaml": "page: {knd: x}"},
        "texts",
        "no page asks for the text page.knd, in 'en'",
    ),
    "texts that are none": ({"texts/en.yaml": "- x"}, "texts", "reading the texts in 'en' raised PermauditError"),
    "no template": ({"parts/decision.html.j2": "{% if %}"}, "templates", "compiling parts/decision.html.j2 raised"),
    "a name that is not there": (
        {"parts/decision.html.j2": "{{ report.verdikt.word }}"},
        "pages",
        "rendering the page in 'en' for the screen raised UndefinedError",
    ),
    "a text that asks for what it is not given": (
        {"texts/en.yaml": "page: {kind: 'for {nobody}'}"},
        "pages",
        "the text page.kind of the report (en) is missing, or asks for what it is not given",
    ),
    "no verdict": (
        {"report.html.j2": "<h1>{{ report.title }}</h1>{% for one in report.candidates %}{{ one.name }}{% endfor %}"},
        "pages",
        "the page in 'en' for the screen does not show the verdict",
    ),
    "no candidates": (
        {"report.html.j2": "<h1>{{ report.title }} {{ t.known('verdict', 'block') }}</h1>"},
        "pages",
        "the page in 'en' for the screen does not show the name of a candidate",
    ),
    "markup from data": (
        {"parts/decision.html.j2": "{% for one in report.candidates %}{{ one.name | safe }}{% endfor %}"},
        "pages",
        "shows a name of the data as markup",
    ),
    "a style from elsewhere": (
        {"style/brand.css": "@import 'https://fonts.example/x.css';"},
        "pages",
        "the page in 'en' for the screen asks for something from the network",
    ),
    "a picture from elsewhere": (
        {"parts/decision.html.j2": '<img src="//pictures.example/x.png" alt="x">'},
        "pages",
        "asks for something from the network",
    ),
    "another page each time": (
        {"parts/decision.html.j2": "{{ range(10**9) | random }}"},
        "pages",
        "the page in 'en' for the screen is another one each time",
    ),
    "a style that ends its element": (
        {"style/brand.css": "a {} </style>"},
        "pages",
        "raised PermauditError (the style of the template set ends its element)",
    ),
}
