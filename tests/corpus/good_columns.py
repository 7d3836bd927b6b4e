"""Good releases with columns that are left out of the audit for a good reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import good

if TYPE_CHECKING:
    from .desk import Desk


def _beside(desk: Desk, columns: pd.DataFrame, released: pd.DataFrame) -> None:
    """Release columns beside the protected ones; the original has columns of its own, and card numbers."""
    original = desk.people()
    cards = [f"K{number}" for number in desk.rng.permutation(900_000)[: desk.records] + 100_000]
    release = pd.concat([desk.protected(original), released], axis=1)
    desk.audit(
        pd.concat([original, columns], axis=1).assign(CARD=cards),
        release,
        attributes=dict.fromkeys(original.columns, "numeric"),
        identifiers=["CARD"],
        not_audited=dict.fromkeys(released.columns, "everybody knows it"),
    )


@good("public region and sex, not audited")
def public_attributes(desk: Desk) -> None:
    """Twelve regions and two sexes: dozens of people share each pair of them."""
    columns = pd.DataFrame(
        {"REGION": desk.rng.integers(0, 12, desk.records), "SEX": desk.rng.choice(["f", "m"], desk.records)}
    )
    _beside(desk, columns, desk.ordered(columns).reset_index(drop=True))


@good("record number, not audited")
def record_number(desk: Desk) -> None:
    """The records are counted as they stand in the released file."""
    _beside(desk, pd.DataFrame(index=range(desk.records)), pd.DataFrame({"RECORD": np.arange(desk.records) + 1}))


@good("birthday of other people, not audited", "synthetic")
def strangers_birthdays(desk: Desk) -> None:
    """Towns and birthdays of synthetic people, drawn like those of the original: some meet by chance."""
    ours, others = (
        pd.DataFrame({"TOWN": desk.rng.integers(0, 4, desk.records), "BORN": desk.rng.integers(0, 365, desk.records)})
        for _ in range(2)
    )
    _beside(desk, ours, others)
