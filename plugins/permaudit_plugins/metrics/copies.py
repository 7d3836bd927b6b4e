"""COPIES: released records that are, or nearly are, an original one, beside what chance alone would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import Measured, MetricCard, Needs, ValidFor, hookimpl
from permaudit_plugins.metrics._files import files_of
from permaudit_plugins.metrics._search import Search
from permaudit_plugins.metrics._whole import Whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator

    from permaudit import Comparison
    from permaudit_plugins.metrics._sighting import Sighting

permaudit_api = 1


@dataclass(frozen=True, slots=True)
class Copies:
    """The share of released records that equal an original record, beside what chance alone would give."""

    card: ClassVar[MetricCard] = MetricCard(
        id="COPIES",
        title="Copied records",
        measures="risk",
        better="lower",
        bounds=(0, 1),
        needs=Needs(rows=True),
        valid_for=ValidFor(
            linked="It counts the released records that equal their own original one.",
            unlinked="It counts the released records that equal any original one, for which no mapping is needed.",
            section="the share of copied records beside that of records which cannot be copies, which the paper does not define",
        ),
        reference="share of released records that equal an original one; baseline: the same for records that cannot be copies",
        summary="Counts the released records that equal an original record in every audited attribute (in a linked release: "
        "their own). Beside it stands how many are near to one, equal one in part or in disguise, each with what chance gives.",
        low="no released record equals an original one (in a linked file: its own)",
        high="every released record equals an original one (in a linked file: its own)",
        blind_spots="The value counts equal records only: near, partial and disguised copies are in its parts, which the rule "
        "no-copied-records judges. Where records have few possible values, agreement by chance is common and hides copies. "
        "Not seen: a few near copies among many records, copies of which most values changed, and columns that are mixtures "
        "of others.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Return the share of copies, and what chance would give; of a linked release, the copies in place."""
        assert pair.rows is not None  # noqa: S101 - declared in `needs`
        rows = pair.rows
        looked = _in_place if pair.linked else _anywhere
        # Nobody holds the search any longer when all records are gone through: both at once would take twice the room.
        equal, looks = looked(Search.of(files_of(rows), rng, linked=pair.linked), pair.tolerances)
        exactly = {}
        if rows.whole is not None:
            whole = Whole(rows.whole, rng)
            equal, exact = whole.in_place() if pair.linked else whole.anywhere()
            looks |= exact
            exactly["equal_among"] = whole.records
        unique = {} if pair.linked else {"copies_of_unique_records": looks["unique"]["found"]}
        return _measured(equal, looks, unique | exactly)


def _anywhere(search: Search, tolerances: Mapping[str, float]) -> tuple[Sighting, dict[str, dict[str, Any]]]:
    """Count the released records that equal any original one, and take every other look."""
    equal = search.equal()
    looks = {"equal": equal.details(), "unique": search.unique()} | search.own_values()
    looks |= search.near() | search.within(tolerances)
    if (part := search.in_part()) is not None:
        looks["in_part"] = part
    return equal, looks | search.in_pieces() | search.disguised() | search.mostly()


def _in_place(search: Search, tolerances: Mapping[str, float]) -> tuple[Sighting, dict[str, dict[str, Any]]]:
    """Count the released records that equal their own original, and those that equal or single out somebody else's.

    How near a record is to its own original is what masking decides, and what CM1 and CM2 judge; only another's record has no
    business there.
    """
    equal = search.equal_in_place()
    looks = {"equal": search.unique_in_place(), "elsewhere": search.equal().details()}
    looks |= {"unique_elsewhere": search.unique()} | search.own_values()
    looks |= search.near() | search.within(tolerances) | search.in_place() | search.close_by_rank()
    return equal, looks


def _measured(equal: Sighting, looks: Mapping[str, Mapping[str, Any]], more: Mapping[str, Any]) -> Measured:
    """Put the share of equal records together with everything else that was seen."""
    details = {
        "copied_records": equal.found,
        **more,
        "released_records": equal.of,
        "baseline": equal.chance.share,
        "baseline_is": f"the share of {equal.chance.what} that equal an original one",
        "looks": dict(looks),
    }
    return Measured(equal.found / equal.of, details)


@hookimpl
def permaudit_metrics() -> list[Copies]:
    """Provide the copy detector."""
    return [Copies()]
