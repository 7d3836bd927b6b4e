"""What every section of the report uses: words, names, marks, tables, and how much of everything there is room for."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.charts.words import Words
from permaudit.report.coarse import WITHHELD
from permaudit.report.context import Figure, Grid, Mark, Row
from permaudit.report.speech import Speech
from permaudit.report.words import digits_for, distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permaudit.outcome import Outcome, Place, RuleOutcome, Verdict
    from permaudit.report.charts import Chart
    from permaudit.report.context import Said
    from permaudit.report.texts import Texts

LINE, NAME = 600, 60
_FINDING = 4000
"""So long may be what a rule says; nobody signs half a finding."""
_SHORT_HASH = 12
_MANY = 12
"""Of more candidates than these, what may go out is drawn less often, on the screen too: the page would be huge."""
_PLAIN = 9999
"""Numbers up to here are written without blanks between their digits."""
_WAIVER_SIGNS: dict[str, RuleOutcome] = {
    "applied": "waived",
    "unused": "not-applicable",
    "expired": "fail",
    "mismatched": "fail",
    "refused": "fail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of everything is shown; what is left out is in `audit.json`."""

    rows: int
    candidates: int
    reasons: int = 3
    first: int
    """So many warnings and waivers may stand before them; with more, reasons give way: the decision must fit."""
    finding: int
    """Letters of a finding on the first page; the rest of its sentences stands with the candidate."""
    waivers: int = 2
    releases: int
    lines: int
    """Of an audit file or a policy."""
    files: bool
    """Are the audit file and the policy also shown as they were written?"""
    letters: int
    """Of the names of a candidate's attributes, which are listed whole in `audit.json`."""
    notes: int
    """Rows of what is particular about columns."""
    panels: int = 12
    metrics_in_tables: int = 6
    bars_of_passing: bool
    """Are the bars of attributes also drawn for candidates that may go out? Their table says the same."""


SCREEN = Room(
    first=99,
    finding=600,
    notes=500,
    releases=6,
    rows=500,
    candidates=60,
    lines=2000,
    files=True,
    letters=20_000,
    bars_of_passing=True,
)
PAPER = Room(
    first=1,
    finding=300,
    notes=12,
    releases=5,
    rows=30,
    candidates=12,
    lines=160,
    files=False,
    letters=3000,
    bars_of_passing=False,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Desk:
    """An outcome, and what is needed to write about it."""

    outcome: Outcome
    texts: Texts
    speech: Speech
    """Says what the outcome says in the language of the report."""
    words: Words
    room: Room
    names: dict[str, str]
    """What each candidate is called, so that no two look the same."""
    whole_names: dict[str, str]
    """The same, not shortened: for where a candidate has a place of its own."""
    keys: dict[str, str]
    """What marks and rows of the same candidate have in common."""
    anchors: dict[str, str]
    """Where each candidate has a section of its own."""

    def verdict(self, verdict: Verdict) -> Mark:
        """Return the mark of a verdict."""
        word = self.texts(f"verdict.{verdict}")
        return Mark(code=verdict, word=word, sign=charts.verdict_sign(verdict, word))

    def outcome_mark(self, outcome: RuleOutcome) -> Mark:
        """Return the mark of a rule's outcome."""
        word = self.texts(f"outcome.{outcome}")
        return Mark(code=outcome, word=word, sign=charts.outcome_sign(outcome, word))

    def waiver_mark(self, state: str) -> Mark:
        """Return the mark of what became of a waiver."""
        sign, word = _WAIVER_SIGNS[state], self.texts(f"waiver.{state}")
        return Mark(code=sign, word=word, sign=charts.outcome_sign(sign, word))

    def said(self, text: str, limit: int = _FINDING) -> Said:
        """Return what the outcome says, in the language of the report if possible."""
        return self.speech(text, limit)

    def source(self, origin: str, place: Place | None) -> str:
        """Say who demands something, and where that is written."""
        who = self.texts.known("origin", origin)
        return who if place is None else f"{who}, {shown(PurePath(place.file).name, NAME)}:{place.line}"

    def key(self, name: str) -> str:
        """Return what marks and rows of the same candidate have in common."""
        return self.keys[name]

    def direction(self, direction: str) -> str:
        """Say which direction is better."""
        return self.texts.known("direction", direction)

    def told(self, text: str, limit: int) -> str:
        """Write what somebody wrote; that it was withheld, in the language of the report."""
        return self.said(text, limit).text if text == WITHHELD else shown(text, limit)

    def names_of(self, names: Sequence[str], most: int = 8, limit: int = NAME) -> str:
        """List names, not too many."""
        listed = ", ".join(self.told(name, limit) for name in names[:most])
        return listed if len(names) <= most else f"{listed} {self.texts.count('more.names', len(names) - most)}"

    def grid(
        self,
        title: str,
        header: Sequence[str],
        rows: Iterable[Row],
        *,
        numeric: Sequence[bool] | None = None,
        most: int | None = None,
    ) -> Grid:
        """Make a table; what there is no room for is counted."""
        every, most = tuple(rows), most or self.room.rows
        left = len(every) - most
        return Grid(
            title=title,
            header=tuple(header),
            rows=every[:most],
            numeric=tuple(numeric) if numeric is not None else (False,) * len(header),
            judged=any(row.mark is not None for row in every),
            more=self.texts.count("more.rows", left) if left > 0 else "",
        )

    def figure(self, chart: Chart, note: str = "", *, wide: bool = False) -> Figure:
        """Put a drawing and its data together."""
        table = chart.table
        rows = [
            Row(cells=tuple(shown(cell, LINE) for cell in cells), key=key)
            for cells, key in zip(table.rows, table.keys, strict=True)
        ]
        title = self.texts("figure.data", title=shown(chart.title, LINE))
        return Figure(
            chart=chart, note=note, wide=wide, data=self.grid(title, table.header, rows, numeric=table.numeric)
        )


def make_desk(outcome: Outcome, texts: Texts, room: Room) -> Desk:
    """Lay everything out for one outcome."""
    names = [candidate.name for candidate in outcome.candidates]
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    best = {sweep.best for sweep in outcome.sweeps}
    own = [name for name in names if name not in points] + [name for name in names if name in points & best]
    if len(own) > _MANY:
        room = replace(room, bars_of_passing=False)
    return Desk(
        outcome=outcome,
        texts=texts,
        speech=Speech(texts),
        words=chart_words(texts, digits_for(outcome.presentation.audience)),
        room=room,
        names=dict(zip(names, distinct(names, NAME), strict=True)),
        whole_names=dict(zip(names, distinct(names, LINE), strict=True)),
        keys={name: f"c{number}" for number, name in enumerate(names)},
        anchors={name: f"candidate-{number}" for number, name in enumerate(own[: room.candidates], start=1)},
    )


def chart_words(texts: Texts, digits: int = charts.DIGITS) -> Words:
    """Return the charts' own words in the language of the report, and how exactly they write numbers."""
    plain = texts.below("charts")
    given: dict[str, object] = {"digits": digits}
    for field in fields(Words):
        inner = {name.partition(".")[2]: text for name, text in plain.items() if name.startswith(f"{field.name}.")}
        if field.name == "density_steps" and inner:
            given[field.name] = tuple(inner[str(step)] for step in range(1, len(inner) + 1))
        elif inner:
            given[field.name] = {name.replace("_", " "): text for name, text in inner.items()}
        elif field.name in plain:
            given[field.name] = plain[field.name]
    return Words(**given)  # type: ignore[arg-type]


def whole(number: int) -> str:
    """Write a count: large ones in groups of three digits, which no language takes for a decimal mark."""
    return str(number) if abs(number) <= _PLAIN else f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def short_hash(digest: str | None) -> str:
    """Write the beginning of a hash."""
    return "" if digest is None else shown(digest, 64)[:_SHORT_HASH]
