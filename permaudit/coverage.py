"""What entered the numbers and what did not: nothing drops out silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.data import noted
from permaudit.outcome import ColumnNote, Coverage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permaudit.compare import Compared
    from permaudit.data import AuditData, Release
    from permaudit.outcome import MetricResult, Records
    from permaudit.plan import Audit

_SOME = 0.0005
"""Ties below this are not worth a word."""


def column_notes(
    audit: Audit, data: AuditData, release: Release, compared: Compared, blanked: Mapping[str, str]
) -> list[ColumnNote]:
    """Say of each attribute how it was read on both sides, what was declared missing, and how much of its order ties take away."""
    ties = _ties(compared)
    notes = []
    for attribute in audit.attributes:
        if attribute.name not in release.encoded:
            continue  # a point of a sweep that is made of other attributes
        sides = data.pairer.original.columns, release.encoded
        (missing, said), (missing_released, said_released) = (noted(side, attribute.name) for side in sides)
        notes.append(
            ColumnNote(
                attribute=attribute.name,
                type=attribute.type,
                missing_policy=attribute.missing or audit.missing,
                missing_original=missing,
                missing_released=missing_released,
                statements=list(
                    dict.fromkeys(
                        [
                            *said,
                            *said_released,
                            *([blanked[attribute.name]] if attribute.name in blanked else ()),
                            *ties.get(attribute.name, ()),
                        ]
                    )
                ),
            )
        )
    return notes


def unseen(releases: Sequence[Release], compared: Compared, scope: frozenset[str] | None) -> dict[str, str]:
    """Return the released attributes that vary though no metric saw them, each with how that came about.

    Those that a policy leaves out of reach are meant to be.
    """
    found = {}
    for left in compared.excluded:
        name = left.attribute
        if scope is not None and name not in scope:
            continue
        columns = [release.encoded[name] for release in releases]
        if any(column.hides for column in columns):
            found[name] = "has different values in the release, and the declared type makes them all one"
        elif any(column.varies for column in columns):
            found[name] = "is constant in the original, and varies in the release"
    for name in compared.attributes:
        if any(release.encoded[name].hides for release in releases):
            found[name] = "has different values in the release, which all rank alike"
    return found


def covered(result: MetricResult, compared: Compared, records: Records) -> Coverage:
    """Say which attributes and how many records entered a metric, and why no others did."""
    if result.value is None:
        return Coverage(attributes=[], records=0, reason=result.reason)
    reasons = [f"{left.attribute}: {left.reason}" for left in compared.excluded]
    for count, what in (
        (records.suppressed, "original records have no released one"),
        (records.added, "released records have no original one"),
        (records.dropped, "records were left out for a missing value"),
    ):
        if count:
            reasons.append(f"{count} {what}")
    return Coverage(attributes=list(compared.attributes), records=records.compared, reason="; ".join(reasons) or None)


def _ties(compared: Compared) -> dict[str, list[str]]:
    """Say for each attribute with ties how much of the variance of ranks they take away."""
    ground = compared.ground
    if ground is None:
        return {}
    return {
        name: [
            f"equal values take away {first:.1%} of the variance of ranks in the original, {second:.1%} in the release"
        ]
        for name, first, second in zip(compared.attributes, ground.original.ties, ground.release.ties, strict=True)
        if max(first, second) >= _SOME
    }
