"""A plugin of every kind that speaks in the report, and says one text wherever it can."""

from __future__ import annotations

SOURCE = """
from permaudit import (
    AnonymizerCard, Finding, Made, Measured, MetricCard, NotApplicable, Parameters, RuleCard, Section, hookimpl,
)

permaudit_api = 1

TEXT, LIVE = {text!r}, {live!r}


def said(where):
    return "<" + where + "> " + TEXT


def card(name):
    return MetricCard(
        id=name, title=said("title"), measures="risk", better="lower", bounds=(0, 1), reference=said("reference"),
        summary=said("summary"), low=said("low"), high=said("high"), blind_spots=said("blind"),
    )


class Speaking:
    card = card("speaking")

    def compute(self, pair, rng):
        figure = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>' + escaped(TEXT) + '</title>'
            '<text x="1" y="5">x</text>' + LIVE + '</svg>'
        )
        section = Section(
            title=said("heading"), text=said("section"), figure=figure, alt=said("alt"),
            header=[said("header"), "x"], rows=[[said("row"), 0.5], ["x", said("cell")]],
        )
        return Measured(0.5, {{"said": TEXT, TEXT: 1}}, section=section)


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Refusing:
    card = card("refusing")

    def compute(self, pair, rng):
        raise NotApplicable(said("reason"))


class Maker:
    card = AnonymizerCard(id="maker", title=TEXT, kind="masked", linked=True, reference=TEXT, summary=TEXT)
    parameters = Parameters

    def anonymize(self, original, params, rng):
        return Made(original.table.take(list(range(original.table.num_rows))[::-1]), notes=(said("note"),))


class Rule:
    card = RuleCard(id="speaker", title=said("rule"), why=said("card"), always_on=True)
    parameters = Parameters

    def metrics(self, params, *, linked):
        return ("speaking",)

    def limits(self, params):
        return ()

    def scope(self, params):
        return ()

    def earlier(self, params):
        return ()

    def judge(self, params, case):
        return Finding(
            rule="speaker", outcome="review", message=said("message"), why=said("why"), fix=said("fix"),
            evidence={{"text": said("evidence")}}, attributes=[],
        )


@hookimpl
def permaudit_metrics():
    return [Speaking(), Refusing()]


@hookimpl
def permaudit_anonymizers():
    return [Maker()]


@hookimpl
def permaudit_rules():
    return [Rule()]
"""

PLACES = ("title", "reference", "summary", "low", "high", "blind", "heading", "section", "alt", "header", "row", "cell")
PLACES += ("reason", "note", "message", "why", "fix", "evidence")
"""Whose texts stand on the page."""


LIVE = (
    '<script>alert(1)</script><script href="{at}/live.js"/><style>@import url({at}/live.css); * {{ fill: red }}</style>'
    '<rect width="9" height="9" onload="alert(2)" onclick="alert(3)" style="fill: url({at}/live.svg#x)"/>'
    '<a href="javascript:alert(4)"><text x="1" y="2">here</text></a><image href="{at}/live.png" width="9" height="9"/>'
    '<use href="{at}/live.svg#x"/><set attributeName="href" to="javascript:alert(5)" onbegin="alert(6)"/>'
    '<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="{at}/live.html"/>'
    '<img src="{at}/live2.png" onerror="alert(7)"/></body></foreignObject>'
)
"""Everything in a drawing that could run, or ask for something."""


def speaking(text: str, at: str) -> str:
    """Return the source of the plugin that says this text, and draws what points to an address."""
    return SOURCE.format(text=text, live=LIVE.format(at=at))
