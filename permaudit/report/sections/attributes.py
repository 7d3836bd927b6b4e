"""Which attribute is responsible for what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.context import Attribution, Row
from permaudit.report.desk import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from permaudit.outcome import AttributeShare, CandidateResult
    from permaudit.outcome import Attribution as Found
    from permaudit.report.context import Figure
    from permaudit.report.desk import Desk

    Better = Literal["higher", "lower"]

_COLUMNS: tuple[tuple[str, Better | None], ...] = (
    ("explained", "lower"),
    ("as_key", "higher"),
    ("links_without", None),
    ("moved", "higher"),
    ("distance", "higher"),
    ("permutation", "higher"),
)
_DRAWN = ("explained", "as_key", "links_without", "distance")
_SPECTRA = ("original_spectrum", "release_spectrum")
"""What a metric's details are called that compare the spread of both files along the same directions."""


def attribution(candidate: CandidateResult, prefix: str, desk: Desk) -> Attribution | None:
    """Say which attribute gives most away, in words, as a table, and in drawings."""
    found = candidate.attribution
    spectra = tuple(_spectra(candidate, prefix, desk))
    if found is None or not found.attributes:
        return None
    has_bars = desk.room.bars_of_passing or candidate.verdict != "release"
    bars = (*_bars(found, prefix, desk), *_parts(found, prefix, desk)) if has_bars else ()
    return Attribution(
        sentences=tuple(_sentences(found, desk)),
        table=_table(found, desk),
        figures=(*bars, *spectra, *_density(found, prefix, desk)),
    )


def _sentences(found: Found, desk: Desk) -> Iterator[str]:
    if found.least_protected is not None:
        yield desk.texts("attributes.least", name=shown(found.least_protected, NAME))
    if found.worst_key is not None:
        yield desk.texts("attributes.worst-key", name=shown(found.worst_key, NAME))


def _table(found: Found, desk: Desk) -> Any:
    t = desk.texts
    there = [name for name, _ in _COLUMNS if any(getattr(one, name) is not None for one in found.attributes)]
    rows = [
        Row(cells=(shown(one.attribute, NAME), *(desk.words.measured(getattr(one, name)) for name in there)))
        for one in _weakest_first(found)
    ]
    header = (t("attributes.attribute"), *(t(f"attributes.{name}.column") for name in there))
    return desk.grid(t("attributes.table"), header, rows, numeric=(False, *(True for _ in there)))


def _weakest_first(found: Found) -> list[AttributeShare]:
    """Order attributes by how much of them the release tells, or else by what they are worth as a key."""

    def weakness(one: AttributeShare) -> tuple[float, float]:
        return -(one.explained or 0.0), one.as_key if one.as_key is not None else 1.0

    return sorted(found.attributes, key=weakness)


def _bars(found: Found, prefix: str, desk: Desk) -> Iterator[Figure]:
    t = desk.texts
    for name, better in _COLUMNS:
        items = [(one.attribute, getattr(one, name)) for one in found.attributes]
        if name in _DRAWN and any(item is not None for _, item in items):
            chart = charts.key_bars(
                f"{prefix}-{name.replace('_', '-')}",
                title=t(f"attributes.{name}.title"),
                items=items,
                value_name=t(f"attributes.{name}.column"),
                item_name=t("attributes.attribute"),
                better=better,
                good=t("good.safer") if better else "",
                order="ascending" if better == "higher" else "descending",
                words=desk.words,
            )
            yield desk.figure(chart, t(f"attributes.{name}.note"))


def _parts(found: Found, prefix: str, desk: Desk) -> Iterator[Figure]:
    """Draw how much of the change is a permutation, and how much is noise that changes no rank."""
    t = desk.texts
    items = [(one.attribute, one.permutation) for one in found.attributes]
    if any(item is not None for _, item in items):
        chart = charts.key_bars(
            f"{prefix}-parts",
            title=t("attributes.permutation.title"),
            items=items,
            value_name=t("attributes.permutation.column"),
            item_name=t("attributes.attribute"),
            parts=(t("attributes.permutation.part"), t("attributes.permutation.rest")),
            words=desk.words,
        )
        yield desk.figure(chart, t("attributes.permutation.note"))


def _spectra(candidate: CandidateResult, prefix: str, desk: Desk) -> Iterator[Figure]:
    """Draw the spectra of every metric that has some."""
    for number, (name, result) in enumerate(candidate.metrics.items()):
        original, release = (_numbers(result.details.get(key)) for key in _SPECTRA)
        if original and release:
            title = desk.texts("attributes.spectra.title", metric=shown(name, NAME))
            chart = charts.spectra(
                f"{prefix}-spectra{number}", title=title, original=original, release=release, words=desk.words
            )
            yield desk.figure(chart, desk.texts("attributes.spectra.note"))


def _numbers(given: Any) -> list[float]:
    """Return a list of numbers; nothing where it is something else."""
    is_numbers = isinstance(given, list) and all(isinstance(one, int | float) for one in given)
    return given if is_numbers else []


def _density(found: Found, prefix: str, desk: Desk) -> Iterator[Figure]:
    """Draw where records of each original rank ended up: shares of classes, never points."""
    panels = [(one.attribute, one.density) for one in _weakest_first(found) if one.density is not None]
    if panels:
        chart = charts.rank_density(
            f"{prefix}-density",
            title=desk.texts("attributes.density.title"),
            panels=panels[: desk.room.panels],
            words=desk.words,
        )
        yield desk.figure(chart, desk.texts("attributes.density.note"), wide=True)
