"""Good releases in ranges, in classes, with gaps, and with codes for missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .case import good

if TYPE_CHECKING:
    import pandas as pd

    from .desk import Desk


def _classes(frame: pd.DataFrame, original: pd.DataFrame, many: int) -> pd.DataFrame:
    """Write every value as the class of fixed width that it falls into."""
    width = (original.max() - original.min()) / many
    low = (frame // width) * width
    return low.apply(lambda column: [f"[{value:.4f}, {value + width[column.name]:.4f})" for value in column])


@good("classes of fixed width")
def fixed_classes(desk: Desk) -> None:
    """Well protected values, in ten classes as wide as each other."""
    original = desk.people()
    desk.audit(original, _classes(desk.protected(original), original, 10))


@good("whole numbers in classes of ten", "masked")
def whole_numbers(desk: Desk) -> None:
    """Whole numbers under heavy noise as 20-29: a tenth of all are at each end."""
    original = desk.people()
    whole = (original.rank(pct=True) * 99).round()
    noisy = desk.noisy(whole, 2).clip(lower=0)
    desk.audit(
        whole, (noisy // 10).apply(lambda column: [f"{value * 10:.0f}-{value * 10 + 9:.0f}" for value in column])
    )


def _ranges(desk: Desk, original: pd.DataFrame) -> pd.DataFrame:
    """Write every value as the range of ten records drawn at random: one of them is at each end."""
    groups = original.groupby(desk.rng.permutation(len(original)) // 10)
    return "[" + groups.transform("min").astype(str) + ", " + groups.transform("max").astype(str) + "]"


@good("ranges of groups", "masked")
def ranges_of_groups(desk: Desk) -> None:
    """Ten people share the same ranges, from the least to the greatest value of theirs."""
    original = desk.people()
    desk.audit(original, _ranges(desk, original))


@good("ranges of groups, whose links are lost", "masked")
def ranges_without_links(desk: Desk) -> None:
    """The same in another order, and nobody knows whose ranges they are."""
    original = desk.people()
    rules = [{"rule": "threshold", "metric": "CM3", "on": "relative", "min": 0.8}]
    release = desk.shuffled(_ranges(desk, original))
    desk.audit(original, release, rules=rules, candidate={"linkage": "none"})


@good("sets of groups", "masked")
def sets_of_groups(desk: Desk) -> None:
    """Five people share the same sets of days and categories: every member is somebody's, and nobody knows whose."""
    original = desk.households()[["BORN", "EDUCATION", "JOB"]]
    groups = original.groupby(desk.rng.permutation(len(original)) // 5)
    desk.audit_households(original, groups.transform(lambda column: "{" + ",".join(sorted(set(column))) + "}"))


@good("cells suppressed under noise", "masked")
def suppressed_cells(desk: Desk) -> None:
    """Half of the cells are suppressed, and all others are under heavy noise."""
    original = desk.people()
    release = desk.noisy(original, 2).astype(object)
    release = release.mask(desk.rng.random(release.shape) < 0.5, "*")
    desk.audit(original, release, attributes={name: {"type": "numeric", "star": "any"} for name in original})


@good("gaps in a model's records", "synthetic")
def gaps_of_others(desk: Desk) -> None:
    """Other people, some of whose values are missing."""
    release = desk.people(draw=1)
    desk.audit(desk.people(), release.mask(desk.rng.random(release.shape) < 0.2), missing="lowest")


@good("a code for missing values in both files", "masked")
def missing_codes(desk: Desk) -> None:
    """Some people gave no answer, which both files write as -99; all else is under heavy noise."""
    original = desk.people()
    release = desk.noisy(original, 2).round(3).astype(object)
    silent = desk.rng.random(original.shape) < 0.05
    options = {"format": "csv", "options": {"missing": ["-99"]}}
    desk.audit(
        original.astype(object).mask(silent, "-99"),
        release.mask(desk.rng.permutation(silent), "-99"),
        original_file={"path": "original.csv", **options},
        candidate=options,
        missing="lowest",
    )
