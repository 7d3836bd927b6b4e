"""Bad releases whose cells name the own value beside what they rank by: in sets, at ends, in centres, and among gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import bad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .desk import Desk

    Written = Callable[[object, np.ndarray], str]


def _set(members: Sequence[object]) -> str:
    """Write a set, each member once."""
    return "{" + ",".join(dict.fromkeys(map(str, members))) + "}"


def _each(original: pd.DataFrame, written: Written) -> pd.DataFrame:
    """Write every cell from its own value and the sorted values of its column."""
    return original.apply(lambda column: [written(value, np.sort(column.to_numpy())) for value in column])


def _among_decoys(desk: Desk) -> Written:
    """Put the own value first, before seven neighbours of somebody else that hold the median."""

    def written(value: object, ordered: np.ndarray) -> str:
        middle = desk.rng.integers(3, len(ordered) - 3)
        return _set([value, *ordered[middle - 3 : middle + 4]])

    return written


@bad("own values and decoys in sets")
def decoys(desk: Desk) -> None:
    """Every cell is a set of the own value and seven others, which hold its median: the first member is verbatim."""
    original = desk.people()
    desk.audit(original, desk.ordered(_each(original, _among_decoys(desk))))


@bad("own values anywhere in sets")
def shuffled_decoys(desk: Desk) -> None:
    """As before, but the own value is somewhere among the decoys: whoever knows two values of a person finds the rest."""
    original = desk.people()

    def written(value: object, ordered: np.ndarray) -> str:
        return _set(sorted([value, *desk.rng.choice(ordered, 6)]))

    desk.audit(original, desk.ordered(_each(original, written)))


@bad("one attribute in sets of own values and decoys", "masked")
def one_in_decoys(desk: Desk) -> None:
    """One attribute is hidden in sets, the others are under heavy noise."""
    original = desk.people()
    first = original.columns[0]
    release = desk.noisy(original, 2).astype(object)
    release[first] = _each(original[[first]], _among_decoys(desk))[first]
    desk.audit(original, release)


@bad("days, levels and categories among decoys")
def typed_decoys(desk: Desk) -> None:
    """Sets of dates, levels, jobs and incomes, with the own one among others; in the sets of jobs it comes first."""
    original = desk.households()[["BORN", "EDUCATION", "JOB", "INCOME"]]

    def written(value: object, ordered: np.ndarray) -> str:
        return _set([value, *desk.rng.choice(ordered, 3)])

    desk.audit_households(original, desk.ordered(_each(original, written)))


@bad("own values at one end")
def at_one_end(desk: Desk) -> None:
    """Every cell is an interval from the own value to somebody's above it, or from somebody's below it to the own one."""
    original = desk.people()

    def written(value: object, ordered: np.ndarray) -> str:
        place = int(np.searchsorted(ordered, value))
        if desk.rng.random() < place / len(ordered):
            return f"[{ordered[desk.rng.integers(place)]}, {value}]"
        return f"[{value}, {ordered[desk.rng.integers(place, len(ordered))]}]"

    desk.audit(original, desk.ordered(_each(original, written)))


@bad("days at one end", "masked")
def days_at_one_end(desk: Desk) -> None:
    """Dates of birth stand at one end of an interval whose other end is beyond everybody; all else is under heavy noise."""
    original = desk.households()[["BORN", "INCOME"]]
    low = desk.rng.random(len(original)) < 0.5
    born = np.where(low, "1900-01-01/" + original["BORN"], original["BORN"] + "/2050-12-31")
    desk.audit_households(
        original, pd.DataFrame({"BORN": born, "INCOME": desk.noisy(original[["INCOME"]], 2)["INCOME"]})
    )


@bad("own values in the centre of ranges")
def in_the_centre(desk: Desk) -> None:
    """Every cell reaches as far to both sides of the own value, by a random width of up to the range of all."""
    original = desk.people()

    def written(value: object, ordered: np.ndarray) -> str:
        reach = round(float(np.ptp(ordered) * desk.rng.random()), 6)
        return f"[{round(float(value) - reach, 6)}, {round(float(value) + reach, 6)}]"

    desk.audit(original, desk.ordered(_each(original, written)))


@bad("own values at a quarter of the way")
def at_a_quarter(desk: Desk) -> None:
    """Every cell begins by a quarter of its random width below the own value."""
    original = desk.people()

    def written(value: object, ordered: np.ndarray) -> str:
        width = float(np.ptp(ordered) * desk.rng.random())
        return f"[{float(value) - width / 4:.6f}, {float(value) + width * 0.75:.6f}]"

    desk.audit(original, desk.ordered(_each(original, written)))


@bad("ends at a fixed distance")
def at_a_distance(desk: Desk) -> None:
    """Every cell begins by the same amount below the own value, and ends somewhere above it."""
    original = desk.people()

    def written(value: object, ordered: np.ndarray) -> str:
        reach = float(np.ptp(ordered))
        return f"[{float(value) - reach / 27:.6f}, {float(value) + reach * desk.rng.random():.6f}]"

    desk.audit(original, desk.ordered(_each(original, written)))


@bad("narrow ranges for a fifth", "masked")
def narrow_for_some(desk: Desk) -> None:
    """One attribute is in ranges no wider than a millionth of the range of all for a fifth, and in wide ones for the rest."""
    original = desk.people()
    first = original.nunique().idxmax()
    release = desk.noisy(original, 2).astype(object)
    values, width = original[first].to_numpy(float), float(np.ptp(original[first]))
    narrow, moved = desk.rng.random(len(original)) < 0.2, values + desk.rng.normal(0, width, len(values))
    release[first] = [
        f"[{value - width / 1e6}, {value + width / 1e6}]" if is_narrow else f"[{centre - width}, {centre + width}]"
        for value, centre, is_narrow in zip(values, moved, narrow, strict=True)
    ]
    desk.audit(original, release)


@bad("verbatim for forty, empty for the rest", "masked")
def left_for_some(desk: Desk) -> None:
    """One attribute is verbatim for forty people and missing for all others, who count as the lowest."""
    original = desk.people()
    first = original.columns[0]
    release = desk.noisy(original, 2)
    release[first] = original[first].where(np.arange(len(original)) < 40)
    missing = {first: {"type": "numeric", "missing": "lowest"}}
    desk.audit(original, release, attributes=dict.fromkeys(original.columns, "numeric") | missing)


@bad("verbatim where nothing is suppressed")
def left_where_not_starred(desk: Desk) -> None:
    """Two cells in three are a star, and every other one is verbatim."""
    original = desk.people()
    starred = original.astype(object).mask(desk.rng.random(original.shape) < 0.67, "*")
    desk.audit(
        original,
        desk.ordered(starred),
        attributes={name: {"type": "numeric", "star": "any"} for name in original},
    )


@bad("forty records verbatim in all but one attribute, empty for the rest", "synthetic")
def left_of_records(desk: Desk) -> None:
    """Forty people are verbatim but for one attribute, which is missing; all others are other people."""
    original = desk.people()
    bare = original.iloc[:40].assign(**{original.columns[-1]: np.nan})
    release = pd.concat([bare, desk.people(len(original) - 40, draw=1)])
    desk.audit(original, desk.shuffled(release), missing="lowest")


def _declared_missing(
    desk: Desk, release: pd.DataFrame, original: pd.DataFrame, tokens: Sequence[str], **more: object
) -> None:
    """Audit a release of which the audit file says that some texts mean nothing."""
    candidate = {"format": "csv", "options": {"missing": list(tokens)}}
    desk.audit(original, release, candidate=candidate, missing="lowest", **more)


@bad("verbatim cells declared as missing")
def verbatim_declared_missing(desk: Desk) -> None:
    """Half of the cells are verbatim, and the audit file lists them all as tokens for missing values."""
    original = desk.people()
    bare = desk.rng.random(original.shape) < 0.5
    release = desk.protected(original).round(3).astype(str).mask(bare, original.astype(str))
    tokens = np.unique(original.astype(str).to_numpy()[bare]).tolist()
    _declared_missing(desk, release, original, tokens)


@bad("a verbatim number declared as missing")
def number_declared_missing(desk: Desk) -> None:
    """Nine numbers of each column are verbatim, and declared missing for both files."""
    original = desk.people()
    release = desk.protected(original).round(3).astype(str)
    first = original.columns[0]
    release.loc[:8, first] = original.loc[:8, first].astype(str)
    tokens = np.unique(release.loc[:8, first]).tolist()
    source = {"path": "original.csv", "format": "csv", "options": {"missing": tokens}}
    _declared_missing(desk, release, original, tokens, original_file=source)


@bad("a job declared as missing", "masked")
def job_declared_missing(desk: Desk) -> None:
    """Surgeons are released as such, and the audit file says that this means nothing."""
    original = desk.households()[["BORN", "JOB", "INCOME"]]
    release = original.apply(lambda column: desk.rng.permutation(column.to_numpy()))
    release["JOB"] = np.where(original["JOB"] == "surgeon", "surgeon", release["JOB"].replace("surgeon", "nurse"))
    candidate = {"format": "csv", "options": {"missing": ["surgeon"]}}
    desk.audit_households(original, release, candidate=candidate, missing="lowest")
