"""What plugins are given and hand back, and the protocols that they fulfil."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.random import Generator
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from permaudit.cards import AnonymizerCard, EngineCard, Kind, MetricCard, ReaderCard, RuleCard, TemplateCard
    from permaudit.columns import Shelf
    from permaudit.outcome import Attribution, Baseline, Finding, MetricResult, Outcome, Records, Section
    from permaudit.plan import Attribute, Role

    Floats: TypeAlias = NDArray[np.float64]
    Columns: TypeAlias = Mapping[str, NDArray[Any]]

LinkageName: TypeAlias = Literal["row", "key", "none"]
Order: TypeAlias = Literal["in place", "shifted", "reversed"]

JUDGED = "judged-by-a-threshold"
"""The host's own rule: a candidate that no threshold judged is at best `review`."""
WAIVERS = "waivers-in-order"
"""The host's own rule: a candidate with a waiver that was not applied is at best `review`."""
CONFIRMED = "everything-confirmed"
"""The host's own rule: while the audit file has something that nobody confirmed, every candidate is at best `review`."""
COMPUTED = "metrics-computed"
"""The host's own rule: a metric that was asked for and failed blocks, also where no rule needs it."""
HOST_RULES = frozenset({JUDGED, WAIVERS, CONFIRMED, COMPUTED})
"""No plugin can take their names, and no waiver touches them."""

# --------------------------------------------------------------------------- moments, the waist


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """All that the permutation metrics need to know of an original and a release.

    The matrices are sample covariances (divisor n - 1) of average ranks, over the attributes in order.
    `cross_by_key[j]` is the cross-covariance after both files were sorted by attribute j, in expectation over
    random tie-breaking; its row and column j are there, for metrics to drop.
    """

    attributes: tuple[str, ...]
    records: int
    original: Floats
    release: Floats
    cross: Floats
    cross_by_key: Floats
    unchanged: tuple[bool, ...]
    """For each attribute: does every record, paired by position, keep its rank exactly?"""
    trivial_permutation: bool
    """Are the two multisets of rank records equal?"""
    mirror_by_key: Floats | None = None
    """As `cross_by_key`, but with the release sorted from high to low; only for metrics that declare `Needs(mirror=True)`."""
    mirrored_permutation: bool = False
    """Are the two multisets of rank records equal once some attributes of the release are turned upside down?"""
    by_key_error: float | None = None
    """How far off `cross_by_key` and `mirror_by_key` may be where an engine approximates them; None where they are exact.

    For every key, the Frobenius norm of the error, as correlations of whitened ranks: so far, all together, the canonical
    correlations may be off. Metrics that look at keys give the worst value that this allows, and declare `Needs(error=True)`.
    """


@dataclass(frozen=True, slots=True, eq=False)
class OwnMoments:
    """What is known of an original and a release that are compared as wholes only: their own covariances, as in `Moments`."""

    records: int
    original: Floats
    release: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The encoded columns of both sides, whole, for the metrics that cannot live on moments.

    Linked files have as many records, in the same order; unlinked ones may differ in size.
    """

    original: Columns
    release: Columns
    holdout: Columns | None = None
    """Records of the same population that were not used for the release, where the audit has them."""
    left_out: Columns | None = None
    """Of a linked release: the original records that are said to have no released one, where there are such."""
    sampled: str | None = None
    """How records were drawn, where these are not all of them."""
    apart: Rows | None = None
    """The same with categories kept apart that tie by their marginality; metrics are given these, where there are some."""
    original_order: Columns | None = None
    """For each attribute the row numbers in an order of its values, where the engine has put the columns in order..."""
    release_order: Columns | None = None
    """...the same of the release."""
    whole: Rows | None = None
    """All records, where these are not all of them and there is room to go through them one column at a time: each time a
    column is asked for, it is read from a file."""


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """The original beside itself and beside strangers: what numbers look like where nothing was disclosed."""

    strangers: tuple[Moments, ...]
    """The original beside records of the same population that are not in it, several times."""
    strangers_are: str
    """Who the strangers are: the holdout, or a random half of the original beside the other half."""
    resampled: tuple[OwnMoments, ...]
    """The original beside samples drawn from it with replacement (bootstrap), several times: as wholes."""
    fewer_strangers: tuple[Moments, ...] = ()
    """As `strangers`, with half as many records: what the number of records alone changes. Empty where these are too few."""
    drawn_share: float = 0.0
    """Which share of a file `strangers` took each time, where every time the same files were drawn from: draws of a whole file
    are all alike, and their spread is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One original beside one release: what a metric is given."""

    kind: Kind
    linked: bool
    moments: Moments
    rows: Rows | None = None
    """Only for metrics that declare `Needs(rows=True)`."""
    references: References | None = None
    """Only for metrics that declare `Needs(references=True)`, and not while intervals are computed."""
    tolerances: Mapping[str, float] = field(default_factory=dict)
    """How far apart values may be and still count as nearly the same, in the units of the columns, where declared."""
    roles: Mapping[str, Role | None] = field(default_factory=dict)
    """What an intruder may know of each attribute, where the audit file says so."""


# --------------------------------------------------------------------------- what plugins hand back


@dataclass(frozen=True, slots=True)
class Measured:
    """The value of a metric, with its parts: numbers, texts, lists and mappings of these, never a record."""

    value: float
    details: Mapping[str, Any] = field(default_factory=dict)
    null: float | None = None
    """What the metric is expected to read when release and original are unrelated."""
    baseline: Baseline | None = None
    """What it reads where nothing was disclosed."""
    interval: tuple[float, float] | None = None
    """A 95 % confidence interval; without it the host makes one from subsamples where moments are all that is needed."""
    section: Section | None = None
    """What the metric adds to the report, for internal readers."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much there is to read; rather too little than too much, for what is refused because of it must not fit."""

    records: int
    bytes: int = 0
    """What the wanted columns take in memory as they are read, where that is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """What an anonymizer works on: the audited columns, and what the audit file says of them."""

    table: pa.Table
    """Numbers as numbers, everything else as it stands in the source."""
    attributes: Mapping[str, Attribute]
    """Types, orders, taxonomies, bounds and roles, by column."""
    study: bool
    """Is this a study with a known seed? If not, what is made may be released, and noise must be fit for that."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A release that an anonymizer made."""

    table: pa.Table
    """The released columns: those of the original, in the same order."""
    rows: NDArray[np.intp] | None = None
    """From which record of the original each released one comes, where some were left out; None for all, in order."""
    notes: tuple[str, ...] = ()
    """What the result must say about how it was made, without a value of the data."""


@dataclass(frozen=True, slots=True)
class OwnValues:
    """How often one way of reading released cells gives people's own values, beside how often it would by chance."""

    attributes: tuple[str, ...]
    what: str
    """What is read: an end, a member, a centre, or what is left where most is missing."""
    found: int
    of: int
    """In how many records there is something to read."""
    expected: float
    spread: float
    """The standard deviation of chance."""


@dataclass(frozen=True, slots=True)
class Displaced:
    """How many stretches of linked records fit other original records far better than those they are linked to."""

    found: int
    of: int


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Everything that a rule may look at when it judges one candidate."""

    name: str
    kind: Kind
    linkage: LinkageName
    records: Records
    declared_attributes: tuple[str, ...]
    """The attributes of the audit file, also those that entered no metric."""
    metrics: Mapping[str, MetricResult]
    limited: frozenset[str]
    """The metrics on which some rule of this audit sets a limit for this candidate."""
    released_columns: tuple[str, ...]
    key: tuple[str, ...]
    """The columns by which released records are linked to original ones."""
    identifiers: frozenset[str]
    not_audited: Mapping[str, str]
    unchanged: tuple[str, ...]
    """The attributes that keep every record's rank, in a linked release."""
    attribution: Attribution | None = None
    """Which attribute is responsible for what, where it was asked for."""
    scope: frozenset[str] | None = None
    """The attributes that must be protected, where a policy says so; None for all."""
    earlier: Mapping[str, Outcome] = field(default_factory=dict)
    """Earlier results that a rule asks for, by the path as it was written."""
    compared: tuple[str, ...] = ()
    """The attributes that entered the metrics."""
    carried: Mapping[str, str] = field(default_factory=dict)
    """The released columns that are left out with a reason and tell something of the original, each with what."""
    hidden: Mapping[str, str] = field(default_factory=dict)
    """The released columns that are left out with a reason and stand for an identifier, each with how, and for which."""
    kept: Mapping[str, float] = field(default_factory=dict)
    """The attributes whose released categories tell the original ones though ranks do not, each with what share of them."""
    jointly: Mapping[str, str] = field(default_factory=dict)
    """The attributes that this and another candidate tell together though neither does alone, each with the other's name."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """The audited columns that tell more than the values which metrics see, each with what."""
    unread: tuple[str, ...] = ()
    """What the released file holds beside its columns, where its reader says so."""
    unseen: Mapping[str, str] = field(default_factory=dict)
    """Released attributes that vary and that no metric saw, each with how that came about."""
    blanked: Mapping[str, str] = field(default_factory=dict)
    """The attributes in which cells that are declared missing may be values, each with why."""
    own_values: tuple[OwnValues, ...] = ()
    """How often released cells give people's own values, read in ways that no rank shows."""
    order: Order | None = None
    """How the records of the release stand in the order of the original, where they do and the linkage does not say so."""
    displaced: Displaced | None = None
    """Of a linked release: the stretches of it that stand for other records; None where that cannot be seen."""
    by_map: bool = False
    """Are records linked by a map, which is never released and which only the data can confirm?"""
    cards: Mapping[str, MetricCard] = field(default_factory=dict)
    """What each of the metrics says of itself: which direction is better, and what it needs."""

    @property
    def linked(self) -> bool:
        """Tell whether the controller knows which record comes from which."""
        return self.linkage != "none"


# --------------------------------------------------------------------------- protocols


class Metric(Protocol):
    """A number for one comparison."""

    @property
    def card(self) -> MetricCard:
        """Say what the metric is."""

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Return the value; raise `NotApplicable` with the reason where it has no meaning."""


@runtime_checkable
class MetricOfMany(Metric, Protocol):
    """A metric on moments that can also give the values alone of many comparisons at once, which intervals take."""

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return for each what `compute` has for its value."""


class Anonymizer(Protocol):
    """A way to make a release from an original."""

    @property
    def card(self) -> AnonymizerCard:
        """Say what the anonymizer is."""

    @property
    def parameters(self) -> type[BaseModel]:
        """Return the pydantic model of its parameters."""

    def anonymize(self, original: Original, params: Any, rng: Generator) -> Made:
        """Make a release; raise `DataError` where the data or the parameters rule that out."""


class Rule(Protocol):
    """A condition that a candidate must fulfil. Whoever derives from it needs no metric, and limits none, unless it says so."""

    @property
    def card(self) -> RuleCard:
        """Say what the rule is."""

    @property
    def parameters(self) -> type[BaseModel]:
        """Return the pydantic model of its parameters in the audit file."""

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002 - for those who need it
        """Return the ids of the metrics without which the rule cannot judge."""
        return ()

    def limits(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002 - for those who need it
        """Return the ids of the metrics on which the rule sets a limit."""
        return ()

    def scope(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002 - for those who need it
        """Return the attributes that must be protected, where the rule says that others need not be; else nothing."""
        return ()

    def earlier(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002 - for those who need it
        """Return the paths of earlier results that the rule compares with, as written beside it; they come in the case."""
        return ()

    def judge(self, params: Any, case: Case) -> Finding:
        """Return the finding; the host has made sure that the metrics are there."""


class Reader(Protocol):
    """A way to read a file format."""

    @property
    def card(self) -> ReaderCard:
        """Say what the reader is."""

    @property
    def parameters(self) -> type[BaseModel]:
        """Return the pydantic model of its options in the audit file."""

    def columns(self, path: Path, options: Any) -> tuple[str, ...]:
        """Return the names of the columns without reading the records."""

    def read(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        """Return these columns, in this order, as they stand in the file: text or typed, nothing guessed.

        Raise `DataError` with every mistake found; its text never holds a cell of the data.
        """


@runtime_checkable
class MeasuringReader(Reader, Protocol):
    """A reader that can also tell how much there is before it reads it."""

    def extent(self, path: Path, columns: tuple[str, ...], options: Any) -> Extent | None:
        """Return how much these columns are, from what is cheap and can be trusted; None where nothing is.

        Columns that are not there do not matter here. Raise `DataError` where `read` will.
        """


@runtime_checkable
class PiecewiseReader(Reader, Protocol):
    """A reader of text that can also give the records piece by piece, so that not all of them are held as text."""

    def pieces(self, path: Path, columns: tuple[str, ...], options: Any) -> Iterator[pa.Table]:
        """Give what `read` returns, in parts of some megabytes, in order; mistakes may come to light at the end."""


@runtime_checkable
class GroupedReader(Reader, Protocol):
    """A reader of files that hold their records in groups, of which each can be read alone; it can be pickled."""

    def groups(self, path: Path, options: Any) -> tuple[int, ...]:
        """Return how many records each group has, in order."""

    def types(self, path: Path, columns: tuple[str, ...], options: Any) -> tuple[pa.DataType, ...]:
        """Return the types of these columns."""

    def read_group(self, path: Path, group: int, columns: tuple[str, ...], options: Any) -> pa.Table:
        """Return what `read` returns, of one group."""


@runtime_checkable
class ThoroughReader(Reader, Protocol):
    """A reader of files that can hold more than it gives, and that says what."""

    def unread(self, path: Path, options: Any) -> tuple[str, ...]:
        """Say what the file holds beside the columns, each in a few words and without a cell; nothing where there is nothing.

        Whoever releases a file releases all of it.
        """


@runtime_checkable
class DeclaringReader(Reader, Protocol):
    """A reader of files that say themselves which of their values mean that there is none."""

    def declared_missing(self, path: Path, columns: tuple[str, ...], options: Any) -> pa.Table:
        """Return, as text, the values that the file itself declares missing, and null elsewhere; columns without any may lack."""


class Engine(Protocol):
    """A way to get from columns to moments."""

    @property
    def card(self) -> EngineCard:
        """Say what the engine is."""

    def prepare(self, columns: Columns) -> Any:
        """Do the work that is done once per file; what comes back is the engine's own.

        Where it has an attribute `order_by_attribute` (a mapping to row numbers in the order of the values), metrics that
        need records are given it, and sort no column again. Where it has an attribute `ranks_by_attribute` (a mapping to any
        numbers in the order of the values, equal where these are), samples of records are drawn from it.
        """

    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Moments:
        """Compare two prepared files, paired by position; with `mirrored`, also sorted in opposite directions."""


class ApproximatingEngine(Engine, Protocol):
    """An engine that can also approximate the moments by key, and says how far off they may be (`Moments.by_key_error`)."""

    def approximate(self, seed: int) -> Engine:
        """Return the engine that does so; whatever it draws follows from the seed."""


class SpreadingEngine(Engine, Protocol):
    """An engine that lets others do work for the host, too, wherever they are: reading, checking and encoding what it is given."""

    def each(self, work: Callable[[Any], Any], tasks: Sequence[Any], shelf: Shelf) -> list[Any]:
        """Return what the function returns for each task, in their order; functions, tasks and results can be pickled."""


class TemplateSet(Protocol):
    """A set of jinja2 templates for the rendered views."""

    @property
    def card(self) -> TemplateCard:
        """Say what the template set is."""

    @property
    def directory(self) -> Path:
        """Return the directory that holds the templates."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Everything that the loaded plugins provide, by id."""

    metrics: Mapping[str, Metric]
    anonymizers: Mapping[str, Anonymizer]
    rules: Mapping[str, Rule]
    readers: Mapping[str, Reader]
    engines: Mapping[str, Engine]
    templates: Mapping[str, TemplateSet]
