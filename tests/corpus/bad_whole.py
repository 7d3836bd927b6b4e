"""Bad releases that hold every record of the original, in one disguise or another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import BLOCK, bad
from .people import HOUSEHOLD_TYPES

if TYPE_CHECKING:
    from .desk import Desk


def one_cell(where: np.ndarray, frame: pd.DataFrame) -> np.ndarray:
    """Mark one cell of each record."""
    return np.arange(frame.shape[1]) == where[:, None]


@bad("verbatim", codes={BLOCK})
def verbatim(desk: Desk) -> None:
    """The original itself."""
    original = desk.people()
    desk.audit(original, original)


@bad("verbatim, every type", codes={BLOCK})
def verbatim_households(desk: Desk) -> None:
    """The original itself, with dates, categories and truth values."""
    original = desk.households()
    desk.audit_households(original, original)


@bad("shuffled", codes={BLOCK})
def shuffled(desk: Desk) -> None:
    """Whole records in another order: what is known of one person finds the rest."""
    original = desk.people()
    desk.audit(original, desk.shuffled(original))


@bad("shuffled with ties", codes={BLOCK})
def shuffled_with_ties(desk: Desk) -> None:
    """Whole records of a few coarse categories in another order."""
    original = desk.people().rank(pct=True).mul([3, 5, 2, 9]).round().astype(int)
    desk.audit(original, desk.shuffled(original))


@bad("shuffled, every type", codes={BLOCK})
def shuffled_households(desk: Desk) -> None:
    """Whole records of every type in another order."""
    original = desk.households()
    desk.audit_households(original, desk.shuffled(original))


@bad("monotone transform of one column")
def one_column_transformed(desk: Desk) -> None:
    """Squared, or otherwise bent, a column still has every rank; the other columns are verbatim."""
    original = desk.people()
    first = original.columns[0]
    desk.audit(original, desk.ordered(original.assign(**{first: np.sign(original[first]) * original[first] ** 2})))


@bad("monotone transform of all columns", codes={BLOCK})
def all_columns_transformed(desk: Desk) -> None:
    """Every rank of every record is kept: only the scale is another one."""
    original = desk.people()
    desk.audit(original, desk.ordered(np.cbrt(original)))


@bad("units changed", codes={BLOCK})
def units_changed(desk: Desk) -> None:
    """Dollars became euros: a constant factor and a constant fee."""
    original = desk.people()
    desk.audit(original, desk.ordered(original * [0.92, 1.1, 3.28, 0.45] + [7, 0, -1, 2]))


@bad("rank-preserving noise", codes={BLOCK})
def rank_preserving_noise(desk: Desk) -> None:
    """Noise that stops short of the neighbouring value changes every cell and no rank."""
    original = desk.people()

    def moved(column: pd.Series) -> pd.Series:
        values = np.sort(column.unique())
        gaps = dict(zip(values, np.append(np.diff(values), 1.0), strict=True))
        return column + column.map(gaps) * desk.rng.uniform(0, 0.9)

    desk.audit(original, desk.ordered(original.apply(moved)))


@bad("rounded only")
def rounded_only(desk: Desk) -> None:
    """Values with two digits instead of five: nearly every record is still the only one of its kind."""
    original = desk.people()
    digits = original.map(lambda value: float(f"{value:.2g}"))
    desk.audit(original, desk.ordered(digits))


@bad("jittered copies")
def jittered(desk: Desk) -> None:
    """Each value moved by a hundredth of a standard deviation."""
    original = desk.people()
    desk.audit(original, desk.ordered(desk.noisy(original, 0.01)))


@bad("jittered copies of ranks")
def jittered_ranks(desk: Desk) -> None:
    """Each value replaced by that of a record at most five places away, in every column."""
    original = desk.people()

    def nearby(column: pd.Series) -> np.ndarray:
        values = np.sort(column.to_numpy())
        places = column.rank(method="first").to_numpy().astype(int) - 1
        moved = places + desk.rng.integers(-5, 6, len(places))
        return values[np.clip(moved, 0, len(values) - 1)]

    desk.audit(original, desk.ordered(original.apply(nearby)))


@bad("mirrored")
def mirrored(desk: Desk) -> None:
    """Every value with its sign changed: who knows that reads the original."""
    original = desk.people()
    desk.audit(original, desk.ordered(-original))


@bad("one column mirrored")
def one_column_mirrored(desk: Desk) -> None:
    """One column upside down, all others verbatim."""
    original = desk.people()
    last = original.columns[-1]
    desk.audit(original, desk.ordered(original.assign(**{last: -original[last]})))


@bad("half of the columns mirrored")
def half_mirrored(desk: Desk) -> None:
    """Two of four columns upside down, two verbatim."""
    original = desk.people()
    desk.audit(original, desk.ordered(original * [1, -1, 1, -1]))


@bad("mirrored and jittered")
def mirrored_and_jittered(desk: Desk) -> None:
    """Upside down and moved a little, so that no rank record is exactly the same."""
    original = desk.people()
    desk.audit(original, desk.ordered(-desk.noisy(original, 0.05)))


@bad("two attributes swapped")
def two_columns_swapped(desk: Desk) -> None:
    """Two columns have exchanged their contents; every record is there."""
    original = desk.people()
    first, second, *rest = original.columns
    desk.audit(original, desk.ordered(original[[second, first, *rest]].set_axis(original.columns, axis=1)))


@bad("all attributes rotated")
def columns_rotated(desk: Desk) -> None:
    """Each column stands under the name of the next one."""
    original = desk.people()
    moved = original[np.roll(original.columns, 1)].set_axis(original.columns, axis=1)
    desk.audit(original, desk.ordered(moved))


@bad("two pairs of attributes swapped, jittered")
def two_pairs_swapped(desk: Desk) -> None:
    """Columns under each other's names and moved a little."""
    original = desk.people()
    moved = desk.noisy(original.iloc[:, [1, 0, 3, 2]], 0.02).set_axis(original.columns, axis=1)
    desk.audit(original, desk.ordered(moved))


@bad("single cells blanked")
def cells_blanked(desk: Desk) -> None:
    """One cell in twenty is empty, the rest is verbatim; missing values count as the lowest."""
    original = desk.people()
    desk.audit(original, desk.ordered(original.mask(desk.rng.random(original.shape) < 0.05)), missing="lowest")


@bad("a cell of every record blanked, records dropped")
def every_record_blanked(desk: Desk) -> None:
    """Nine records in ten have an empty cell and are otherwise verbatim; the audit leaves out incomplete records."""
    original = desk.people()
    protected = desk.protected(original).to_numpy()
    bare = np.arange(len(original)) >= len(original) // 10
    release = pd.DataFrame(np.where(bare[:, None], original, protected), columns=original.columns)
    where = desk.rng.integers(0, original.shape[1], len(original))
    release = release.mask(bare[:, None] & one_cell(where, original))
    desk.audit(original, desk.ordered(release), missing="drop-records")


@bad("single cells starred")
def cells_starred(desk: Desk) -> None:
    """One cell in twenty is a star that stands for any value, the rest is verbatim."""
    original = desk.people()
    release = original.astype(str).mask(desk.rng.random(original.shape) < 0.05, "*")
    types = {name: {"type": "numeric", "star": "any"} for name in original.columns}
    desk.audit(original, desk.ordered(release), attributes=types)


@bad("a star in every record")
def every_record_starred(desk: Desk) -> None:
    """Every record has one star; the other three values are verbatim."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    release = original.astype(str).mask(one_cell(where, original), "*")
    types = {name: {"type": "numeric", "star": "any"} for name in original.columns}
    desk.audit(original, desk.ordered(release), attributes=types)


@bad("narrow intervals")
def narrow_intervals(desk: Desk) -> None:
    """Each value stands in an interval that hardly anybody shares."""
    original = desk.people()
    width = original.std() / 50
    low = (original / width).apply(np.floor) * width
    texts = low.map("[{:.6f},".format) + (low + width).map("{:.6f})".format)
    desk.audit(original, desk.ordered(texts))


@bad("one value redrawn in every record")
def one_value_redrawn(desk: Desk) -> None:
    """In each record one value, a different one each time, comes from somebody else; three are verbatim."""
    original = desk.people()
    where = desk.rng.integers(0, original.shape[1], len(original))
    other = desk.independent(original)
    release = original.mask(one_cell(where, original), other)
    desk.audit(original, desk.ordered(release))


@bad("one column synthetic, the others verbatim")
def one_column_synthetic(desk: Desk) -> None:
    """One attribute is drawn anew, and the other three are whole records."""
    original = desk.people()
    last = original.columns[-1]
    desk.audit(original, desk.ordered(original.assign(**{last: desk.independent(original)[last]})))


@bad("every record twice", "synthetic")
def every_record_twice(desk: Desk) -> None:
    """Duplicate rows hide nothing."""
    original = desk.people()
    desk.audit(original, desk.shuffled(pd.concat([original, original])))


@bad("bootstrap of the original", "synthetic")
def bootstrap(desk: Desk) -> None:
    """Records drawn with replacement are the original's records."""
    original = desk.people()
    desk.audit(original, original.sample(len(original), replace=True, random_state=desk.seed))


@bad("extract of the original", "synthetic")
def extract(desk: Desk) -> None:
    """A tenth of the records, verbatim."""
    original = desk.people()
    desk.audit(original, original.sample(frac=0.1, random_state=desk.seed))


@bad("the original and a few noise rows", "synthetic")
def padded(desk: Desk) -> None:
    """All records of the original with one in twenty of somebody else among them."""
    original = desk.people()
    desk.audit(original, desk.shuffled(pd.concat([original, desk.people(desk.records // 20, draw=1)])))


@bad("the original hidden among strangers", "synthetic")
def among_strangers(desk: Desk) -> None:
    """All records of the original, and nine times as many of other people."""
    original = desk.people(300)
    desk.audit(original, desk.shuffled(pd.concat([original, desk.people(2700, draw=1)])))


@bad("suppressed rows", "masked")
def suppressed_rows(desk: Desk) -> None:
    """A third of the records is suppressed, the others are verbatim, linked by a key."""
    original = desk.people().assign(ID=desk.rng.permutation(10_000)[: desk.records])
    kept = original.sample(frac=0.67, random_state=desk.seed)
    attributes = dict.fromkeys(original.columns.drop("ID"), "numeric")
    changes = {"attributes": attributes, "not_audited": {"ID": "a random number"}}
    desk.audit(original, kept, **changes, candidate={"linkage": {"key": "ID"}})


@bad("suppressed rows, key removed", "masked", codes={2})
def suppressed_rows_by_row(desk: Desk) -> None:
    """Rows are missing and nobody knows which: a linkage by row is impossible."""
    original = desk.people()
    desk.audit(original, desk.noisy(original, 2).iloc[:-50])


@bad("one-hot disguise")
def one_hot(desk: Desk) -> None:
    """Categories become 0/1 columns that say the same; rarely anything is flipped."""
    households = desk.households()
    flags = {
        name: pd.get_dummies(households[name], prefix=name).astype(int) for name in ("EDUCATION", "JOB", "MARRIED")
    }
    original = pd.concat(flags.values(), axis=1)
    original["INCOME"] = households["INCOME"]
    release = original.where(desk.rng.random(original.shape) > 0.002, 1 - original.clip(0, 1))
    release["INCOME"] = desk.noisy(original[["INCOME"]], 0.01)["INCOME"]
    desk.audit(original, desk.ordered(release))


@bad("dates shifted")
def dates_shifted(desk: Desk) -> None:
    """Everybody was born 1,000 days later, and nothing else changed."""
    original = desk.households()
    born = pd.to_datetime(original["BORN"]) + pd.Timedelta(days=1000)
    desk.audit_households(original, desk.ordered(original.assign(BORN=born.dt.strftime("%Y-%m-%d"))))


@bad("categories renamed one to one")
def categories_renamed(desk: Desk) -> None:
    """Jobs and degrees have exchanged names; who sees the shares knows which is which."""
    original = desk.households()
    jobs = sorted(original["JOB"].unique())
    order = HOUSEHOLD_TYPES["EDUCATION"]["order"]
    release = original.assign(
        JOB=original["JOB"].map(dict(zip(jobs, np.roll(jobs, 3), strict=True))),
        EDUCATION=original["EDUCATION"].map(dict(zip(order, order[::-1], strict=True))),
    )
    desk.audit_households(original, desk.ordered(release))
