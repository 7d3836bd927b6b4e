"""Bad releases that tell by how cells are written what their values do not: tied categories, identifiers, spellings, looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .case import BLOCK, REVIEW, bad

if TYPE_CHECKING:
    from .desk import Desk

LARGE, RARE = 8, 3
"""So many categories that are equally frequent, and so many that hardly anybody has."""


def even(desk: Desk, extra: int = 0) -> tuple[np.ndarray, dict[str, Any]]:
    """Draw categories of which all large ones are equally frequent, and write a taxonomy that has further ones."""
    large = [f"large{number}" for number in range(LARGE)]
    rare = [f"rare{number}" for number in range(RARE)]
    few = [name for number, name in enumerate(rare) for _ in range(number + 1)]
    rest = (desk.records - len(few)) % LARGE
    many = (desk.records - len(few)) // LARGE
    cells = np.array([*large * many, *few, *rare[:1] * rest])
    desk.write("kinds.yaml", {"kind": [*large, *rare, *(f"other{number}" for number in range(extra))]})
    return desk.rng.permutation(cells), {"type": "nominal", "taxonomy": "kinds.yaml"}


def beside(desk: Desk, original: Any, released: Any, kind: Any, **changes: Any) -> None:
    """Write an audit of well protected people with one column more."""
    people = desk.people()
    release = desk.protected(people).assign(KIND=released)
    attributes = {**dict.fromkeys(people.columns, "numeric"), "KIND": kind}
    more = {name: changes.pop(name) for name in list(changes) if name.isupper()}
    desk.audit(people.assign(KIND=original, **more), release, attributes=attributes, **changes)


def _deciles(column: pd.Series, many: int) -> np.ndarray:
    """Cut a column into equal parts, numbered."""
    return (column.rank(method="first").to_numpy() - 1).astype(int) * many // len(column)


@bad("equally frequent categories as they were", "masked", codes={BLOCK, REVIEW})
def even_categories(desk: Desk) -> None:
    """Nearly everybody keeps the own category; only those of the few rare ones, which alone have a rank, get another."""
    cells, kind = even(desk)
    rare = np.char.startswith(cells, "rare")
    beside(desk, cells, np.where(rare, desk.rng.permutation(cells), cells), kind)


@bad("equally frequent categories, half of them kept", "masked", codes={BLOCK, REVIEW})
def half_of_even_categories(desk: Desk) -> None:
    """The same where every other one gets a category at random: seven in ten of the rest is told."""
    cells, kind = even(desk)
    drawn = np.char.startswith(cells, "rare") | (desk.rng.random(cells.size) < 0.4)
    beside(desk, cells, np.where(drawn, desk.rng.permutation(cells), cells), kind)


@bad("whole records of equally frequent categories", "synthetic", codes={BLOCK, REVIEW})
def whole_even_records(desk: Desk) -> None:
    """Six categories of real people each, which nobody shares with anybody, beside numbers that are fresh."""
    columns = {f"KIND{number}": even(desk)[0] for number in range(6)}
    people = desk.people().iloc[:, :2]
    kinds = pd.DataFrame(columns)
    release = pd.concat([desk.people(draw=1).iloc[:, :2], desk.shuffled(kinds)], axis=1)
    kind = {"type": "nominal", "taxonomy": "kinds.yaml"}
    attributes = {**dict.fromkeys(people.columns, "numeric"), **dict.fromkeys(columns, kind)}
    desk.audit(pd.concat([people, kinds], axis=1), release, attributes=attributes)


@bad("categories that nobody has, as a code", codes={BLOCK, REVIEW})
def unused_as_code(desk: Desk) -> None:
    """Tenths of another attribute are written as categories of the taxonomy that the original does not use, and that tie."""
    cells, kind = even(desk, extra=10)
    code = np.array([f"other{place}" for place in _deciles(desk.people().iloc[:, 0], 10)])
    beside(desk, cells, code, kind)


@bad("categories that nobody has, as a code for a third", codes={BLOCK, REVIEW})
def some_unused_as_code(desk: Desk) -> None:
    """The same for the people of a third of the records, among categories drawn at random."""
    cells, kind = even(desk, extra=10)
    code = np.array([f"other{place}" for place in _deciles(desk.people().iloc[:, 0], 10)])
    beside(desk, cells, np.where(desk.rng.random(cells.size) < 1 / 3, code, desk.rng.permutation(cells)), kind)


@bad("equally frequent categories as a code for another attribute", "masked", codes={BLOCK, REVIEW})
def even_as_code(desk: Desk) -> None:
    """The categories are the original's, and which of the equally frequent ones it is tells an eighth of another attribute."""
    cells, kind = even(desk)
    code = np.array([f"large{place}" for place in _deciles(desk.people().iloc[:, 0], LARGE)])
    drawn = desk.rng.permutation(cells)
    beside(desk, cells, np.where(np.char.startswith(drawn, "rare"), drawn, code), kind)


def _numbers(desk: Desk) -> np.ndarray:
    """Draw a number for everybody."""
    return desk.rng.permutation(900_000)[: desk.records] + 100_000


@bad("two releases whose mean is the original", "masked", codes={BLOCK, REVIEW})
def two_halves(desk: Desk) -> None:
    """What noise adds to one candidate it takes away from the other."""
    original = desk.people()
    noise = desk.noisy(original, 2) - original
    desk.audit(original, original + noise, candidates=two_candidates(desk, original - noise))


def two_candidates(desk: Desk, second: pd.DataFrame) -> dict[str, Any]:
    """Write a second release, and declare both."""
    desk.write("second.csv", second)
    return {name: {"path": f"{name}.csv", "kind": desk.declared} for name in ("release", "second")}


@bad("identifier as a category", codes={BLOCK, REVIEW})
def identifier_as_category(desk: Desk) -> None:
    """The taxonomy has everybody's number as a category, and the release has these."""
    numbers = _numbers(desk)
    cells, kind = even(desk)
    desk.write("kinds.yaml", {"kind": [*np.unique(cells).tolist(), {"none": [str(number) for number in numbers]}]})
    beside(desk, cells, desk.rng.permutation(numbers), kind, SSN=numbers, identifiers=["SSN"])


@bad("identifier as an end of a range", codes={BLOCK, REVIEW})
def identifier_as_end(desk: Desk) -> None:
    """Every cell of one attribute is a range that ends with somebody's number, above everybody's values."""
    numbers = _numbers(desk) + 10_000_000
    cells = desk.rng.integers(20, 90, desk.records)
    released = [f"[0, {number}]" for number in desk.rng.permutation(numbers)]
    beside(desk, cells, released, "numeric", SSN=numbers, identifiers=["SSN"])


@bad("identifier as a member of a set", codes={BLOCK, REVIEW})
def identifier_as_member(desk: Desk) -> None:
    """Every cell of one attribute is a set of people's values and of somebody's number."""
    numbers = _numbers(desk)
    cells = desk.rng.integers(20, 90, desk.records)
    released = [f"{{20,{number},90}}" for number in desk.rng.permutation(numbers)]
    beside(desk, cells, released, "numeric", SSN=numbers, identifiers=["SSN"])


def _told_by(desk: Desk) -> np.ndarray:
    """Return of everybody one bit of an attribute, which a choice of spelling can carry."""
    return _deciles(desk.people().iloc[:, 0], 2) == 1


@bad("TRUE or true as a code", codes={BLOCK, REVIEW})
def cases_as_code(desk: Desk) -> None:
    """Truth values are drawn anew, and written in large letters for those above the median."""
    cells, drawn = desk.rng.random((2, desk.records)) < 0.5
    words = np.where(drawn, "true", "false")
    beside(desk, np.where(cells, "true", "false"), np.where(_told_by(desk), np.char.upper(words), words), "boolean")


@bad("zeros at the end as a code", codes={BLOCK, REVIEW})
def zeros_as_code(desk: Desk) -> None:
    """Ages are drawn anew, and have a point and a zero for those above the median."""
    cells, drawn = desk.rng.integers(20, 90, (2, desk.records))
    beside(
        desk,
        cells,
        [f"{age}.0" if more else str(age) for age, more in zip(drawn, _told_by(desk), strict=True)],
        "numeric",
    )


@bad("notations of ranges as a code", codes={BLOCK, REVIEW})
def notations_as_code(desk: Desk) -> None:
    """Classes of ages are drawn anew, and written with brackets for those above the median."""
    cells, drawn = desk.rng.integers(20, 90, (2, desk.records))
    low = drawn // 10 * 10
    pairs = zip(low, _told_by(desk), strict=True)
    beside(desk, cells, [f"[{one},{one + 9}]" if more else f"{one}-{one + 9}" for one, more in pairs], "numeric")


def _lines(desk: Desk, written: Any) -> None:
    """Write a well protected release line by line, each in one way or another."""
    original = desk.people()
    desk.audit(original, desk.protected(original))
    path = desk.folder / "release.csv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    pairs = zip(lines, _told_by(desk), strict=True)
    path.write_bytes("".join([header, "\n", *(written(line, more) for line, more in pairs)]).encode())


@bad("empty lines as a code", codes={REVIEW})
def empty_lines(desk: Desk) -> None:
    """An empty line follows each record of those above the median."""
    _lines(desk, lambda line, more: line + ("\n\n" if more else "\n"))


@bad("line ends as a code", codes={REVIEW})
def line_ends(desk: Desk) -> None:
    """The lines of those above the median end in another way."""
    _lines(desk, lambda line, more: line + ("\r\n" if more else "\n"))


@bad("quotation marks as a code", codes={BLOCK, REVIEW})
def quotation_marks(desk: Desk) -> None:
    """Ages are drawn anew, and quoted for those above the median."""
    cells, drawn = desk.rng.integers(20, 90, (2, desk.records))
    beside(desk, cells, drawn, "numeric")
    path = desk.folder / "release.csv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    parts = [line.rpartition(",") for line in lines]
    quoted = [
        f'{head},"{age}"' if more else f"{head},{age}"
        for (head, _, age), more in zip(parts, _told_by(desk), strict=True)
    ]
    path.write_text("\n".join([header, *quoted]) + "\n", encoding="utf-8")


def _workbook(desk: Desk, change: Any) -> None:
    """Write a well protected release as a workbook, and change how it looks."""
    import openpyxl  # noqa: PLC0415 - an extra
    from openpyxl.utils.dataframe import dataframe_to_rows  # noqa: PLC0415

    original = desk.people()
    release = desk.protected(original)
    desk.audit(original, release, candidate={"path": "release.xlsx"})
    book = openpyxl.Workbook()
    for row in dataframe_to_rows(release, index=False):
        book.active.append(row)
    change(book.active, np.flatnonzero(_told_by(desk)) + 2)
    book.save(desk.folder / "release.xlsx")


@bad("colours of cells as a code", codes={REVIEW})
def colours(desk: Desk) -> None:
    """The cells of those above the median are yellow."""
    from openpyxl.styles import PatternFill  # noqa: PLC0415

    def paint(sheet: Any, rows: np.ndarray) -> None:
        for row in rows.tolist():
            sheet.cell(row, 1).fill = PatternFill("solid", fgColor="FFFF00")

    _workbook(desk, paint)


@bad("heights of rows as a code", "masked", codes={REVIEW})
def heights(desk: Desk) -> None:
    """The rows of those above the median are a little higher."""

    def lift(sheet: Any, rows: np.ndarray) -> None:
        for row in rows.tolist():
            sheet.row_dimensions[row].height = 15.5

    _workbook(desk, lift)


@bad("links, lists and a footer of a workbook", "synthetic", codes={REVIEW})
def links(desk: Desk) -> None:
    """Names lie behind the cells, in a list of what may stand in a cell, and below each printed page."""
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415

    def hide(sheet: Any, rows: np.ndarray) -> None:
        for row in rows.tolist()[:20]:
            sheet.cell(row, 1).hyperlink = f"https://people.example/{row}"
        allowed = DataValidation(type="list", formula1='"Ann,Bob"')
        allowed.add("A2:A20")
        sheet.add_data_validation(allowed)
        sheet.oddFooter.center.text = "Ann, Bob"

    _workbook(desk, hide)
