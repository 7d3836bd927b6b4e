"""Good releases whose cells are written in ways that look like a code and are none."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .bad_written import beside, even, two_candidates
from .case import good

if TYPE_CHECKING:
    from .desk import Desk


@good("equally frequent categories, drawn anew")
def even_drawn_anew(desk: Desk) -> None:
    """Four of five categories are drawn at random: what is kept tells little, in ranks as in categories."""
    cells, kind = even(desk)
    drawn = desk.rng.permutation(cells)
    beside(desk, cells, drawn if desk.synthetic else np.where(desk.rng.random(cells.size) < 0.8, drawn, cells), kind)


@good("categories that other people have", "synthetic")
def rare_categories(desk: Desk) -> None:
    """Places of birth of other people: the taxonomy has thousands, most are rare, and many are nobody's in the original."""
    towns = [f"town{number}" for number in range(3000)]
    shares = 1 / (np.arange(3000) + 30.0)
    desk.write("kinds.yaml", {"kind": towns})
    cells, others = desk.rng.choice(towns, (2, desk.records), p=shares / shares.sum())
    beside(desk, cells, others, {"type": "nominal", "taxonomy": "kinds.yaml"})


@good("an identifier beside ranges of whole numbers")
def numbers_and_ranges(desk: Desk) -> None:
    """Records are numbered from one, and so are the ends of ranges: a few dozen of them, and everybody's."""
    cells, drawn = desk.rng.integers(1, 900, (2, desk.records))
    released = [f"{low}-{low + 29}" for low in drawn // 30 * 30]
    beside(desk, cells, released, "numeric", SSN=np.arange(desk.records) + 1, identifiers=["SSN"])


@good("numbers as programs write them")
def as_programs_write(desk: Desk) -> None:
    """Amounts with two decimals, amounts without zeros at the end, and tiny ones with exponents; some are zero from below."""
    original = desk.people()
    release = desk.protected(original)
    forms = ["{:.2f}", "{:.6g}", "{!r}", "{:.1f}"]
    written = {
        name: [form.format(float(value)) for value in release[name]] for name, form in zip(release, forms, strict=False)
    }
    desk.audit(original, pd.DataFrame(written))


@good("text in quotation marks, and lines as Windows ends them")
def quoted_text(desk: Desk) -> None:
    """All text is quoted and no number is, and each line ends with two characters."""
    original = desk.households()
    strangers = desk.households(draw=1)
    release = strangers if desk.synthetic else original.apply(desk.rng.permutation)
    desk.audit_households(original, release)
    release.to_csv(desk.folder / "release.csv", index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")


@good("a workbook with a bold header and days")
def plain_workbook(desk: Desk) -> None:
    """As pandas writes it: the names of the columns look different, and days have a format of their own."""
    original = desk.people().assign(
        DAY=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(desk.records) % 700, "D")
    )
    release = desk.protected(original.drop(columns="DAY")).assign(DAY=desk.rng.permutation(original["DAY"]))
    attributes = {**dict.fromkeys(original.columns, "numeric"), "DAY": "date"}
    desk.audit(original, release, attributes=attributes, candidate={"path": "release.xlsx"})
    release.to_excel(desk.folder / "release.xlsx", index=False)


@good("two releases under noise of their own", "masked")
def two_alternatives(desk: Desk) -> None:
    """Two candidates of one original, of which one will be released."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 2), candidates=two_candidates(desk, desk.noisy(original, 1.5)))
