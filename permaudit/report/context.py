"""What the templates are given: texts and drawings that are ready to be placed.

Every text is plain: names from files have gone through `permaudit.errors.shown`, and the templates escape all of it. The only
markup is that of the drawings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

    from permaudit.outcome import Audience
    from permaudit.report.charts import Chart

# --------------------------------------------------------------------------- small parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A verdict or an outcome: in a word, and as a shape that needs no colour."""

    code: str
    """As in `audit.json`, such as `block`; the styles know it."""
    word: str
    sign: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a result says: in the language of the report where its catalogue has the sentence."""

    text: str
    language: str = ""
    """The language, where it is another one than the report's; else empty."""

    def __str__(self) -> str:
        """Return the text alone."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A name and a value."""

    label: str | Said
    value: str | Said
    code: bool = False
    """Is it a hash or another thing to compare letter by letter?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table."""

    cells: tuple[str | Said, ...]
    anchor: str = ""
    """Where the first cell leads to, if anywhere."""
    mark: Mark | None = None
    """What stands in the last cell, where the table has such a column."""
    key: str = ""
    """The `data-key` of the marks in a drawing that show the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table whose cells are texts."""

    title: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    numeric: tuple[bool, ...]
    """For each column: does it hold numbers?"""
    judged: bool = False
    """Is the last column that of the marks?"""
    more: str = ""
    """Says how many rows were left out and where they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing with its data."""

    chart: Chart
    note: str = ""
    """What to look for."""
    wide: bool = False
    """Does it need the whole width?"""
    data: Grid


# --------------------------------------------------------------------------- the first page


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A finding that decides."""

    candidate: str
    anchor: str
    mark: Mark
    rule: str
    message: Said
    fix: Said
    source: str
    """Who demands it, and where that is written."""
    alike: str
    """Says how many more points of a sweep have the same; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Something that a release rests on, or that it leaves open."""

    label: str
    text: Said
    where: str
    """Of which candidate, and who demands it; empty where it is said of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A candidate in one line."""

    name: str
    anchor: str
    method: str
    records: str
    attributes: str
    limits: str
    """What was read, and what is demanded."""
    digest: str
    """The first digits of the file's hash; empty where there is no file yet."""
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A waiver and what became of it."""

    rule: str
    what: str
    """The candidate, and the attribute if it is for one only."""
    reason: str
    approved_by: str
    expires: str
    mark: Mark
    message: Said
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """The answer on one page."""

    badge: Chart
    question: str
    answer: str
    warnings: tuple[str, ...]
    """What must be read before anything else: a study, an external version."""
    waivers_title: str
    waivers: tuple[Waiver, ...]
    """Those in force."""
    more_waivers: str
    reasons: tuple[Reason, ...]
    """The worst one first."""
    more_reasons: str
    grounds: tuple[Ground, ...]
    """Why it may go out; empty where anything speaks against it."""
    releases: tuple[Release, ...]
    more_releases: str
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A candidate that the board decides about."""

    name: str
    anchor: str
    digest: str
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the board fills in."""

    choices: tuple[str, ...]
    """Empty where nothing can be approved."""
    rows: tuple[Choice, ...]
    """One for each candidate that can be approved; empty where the audit has one candidate only."""
    note: str
    signatories: tuple[str, ...]


# --------------------------------------------------------------------------- one candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric of one candidate."""

    name: str
    figure: Figure
    facts: tuple[Fact, ...]
    blind_spots: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule says of one candidate."""

    mark: Mark
    rule: str
    message: Said
    why: Said
    fix: Said
    evidence: tuple[Fact, ...]
    source: str
    waived: str
    """Who let it pass, why, and until when; empty where nobody did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What a metric adds to the report."""

    metric: str
    title: Said
    text: Said
    figure: Figure | None
    data: Grid | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Which attribute is responsible for what."""

    sentences: tuple[str, ...]
    table: Grid
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """All that was found of one candidate."""

    anchor: str
    name: str
    mark: Mark
    facts: tuple[Fact, ...]
    notes: tuple[Said, ...]
    reasons: tuple[Reason, ...]
    metrics: tuple[Metric, ...]
    rules: tuple[Rule, ...]
    attribution: Attribution | None
    added: tuple[Added, ...]


# --------------------------------------------------------------------------- the other sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Candidates that differ by parameters only."""

    anchor: str
    title: str
    best: str
    """Which point is the best one, if any."""
    because: Said
    """Why."""
    figures: tuple[Figure, ...]
    table: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Candidates beside each other."""

    figures: tuple[Figure, ...]
    table: Grid | None
    brackets: bool
    """Are there values in the table that decide nothing?"""
    sweeps: tuple[Sweep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What was read, and what entered the numbers."""

    attributes: Grid
    records: Grid
    notes: Grid | None
    coverage: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A metric in plain words."""

    name: str
    title: Said
    summary: Said
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How to read the report."""

    picture: Figure
    paragraphs: tuple[str, ...]
    metrics: tuple[Explained, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The text of a file that decided something."""

    name: str
    lines: tuple[str, ...]
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What the numbers were made from, and with what."""

    facts: tuple[Fact, ...]
    differences: tuple[Said, ...]
    """How the audit file differs from the policy."""
    inputs: Grid
    plugins: Grid
    packages: Grid
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the contents."""

    anchor: str
    title: str
    mark: Mark | None = None
    inner: bool = False
    """Does it belong to the entry above?"""


# --------------------------------------------------------------------------- all of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole report."""

    title: str
    identity: str
    """The first digits of the hash of `audit.json`, by which report and result belong together."""
    digest: str
    """The whole hash."""
    verdict: Mark
    audience: Audience
    language: str
    paged: bool
    """Is this for paper?"""
    contents: tuple[Entry, ...]
    cover: Cover
    decision: Decision
    waivers: tuple[Waiver, ...]
    comparison: Comparison | None
    candidates: tuple[Candidate, ...]
    more_candidates: str
    data: Data
    method: Method
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the report is dressed in: comes from the template set, and not from the audit."""

    style: Markup
    script: Markup
    """Empty on paper."""
    script_hash: str
    """What the page's security policy allows to run: this script, or nothing."""
    logo: str
    """A picture as a `data:` address; empty for none."""
