"""Bad releases in files that hold more than the table that is audited."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

from .case import REVIEW, WRONG, bad

if TYPE_CHECKING:
    import pandas as pd

    from .desk import Desk


def _audited(desk: Desk, form: str, file: str, **options: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write an audit of a well protected release in another file than usual; return the original and the release."""
    original = desk.people()
    release = desk.protected(original)
    entry = {"path": file, "format": form} | ({"options": options} if options else {})
    desk.audit(original, release, candidate=entry)
    return original, release


@bad("original in another table of the database", codes={REVIEW})
def another_table(desk: Desk) -> None:
    """The table is well protected, and the original lies beside it in the same file."""
    original, release = _audited(desk, "sqlite", "release.db", table="released")
    with closing(sqlite3.connect(desk.folder / "release.db")) as database:
        release.to_sql("released", database, index=False)
        original.to_sql("people", database, index=False)


@bad("query that makes up what it returns", codes={WRONG})
def made_up_by_a_query(desk: Desk) -> None:
    """The file holds the original, and what is audited are random numbers."""
    columns = ", ".join(f'random() AS "{name}"' for name in desk.people().columns)
    original, _ = _audited(desk, "sqlite", "release.db", query=f"SELECT {columns} FROM people")
    with closing(sqlite3.connect(desk.folder / "release.db")) as database:
        original.to_sql("people", database, index=False)


@bad("view that makes up what it returns", codes={REVIEW})
def made_up_by_a_view(desk: Desk) -> None:
    """The same, behind a view."""
    original, _ = _audited(desk, "sqlite", "release.db", table="released")
    mean, width = original.mean(), original.std()
    columns = ", ".join(f'{mean[name]} + {width[name]} * (random() / 9.3e18) AS "{name}"' for name in original.columns)
    with closing(sqlite3.connect(desk.folder / "release.db")) as database:
        original.to_sql("people", database, index=False)
        database.execute(f"CREATE VIEW released AS SELECT {columns} FROM people")
        database.commit()


@bad("originals outside the layout", codes={REVIEW})
def outside_the_layout(desk: Desk) -> None:
    """The lines go on after the last column of the layout."""
    names = list(desk.people().columns)
    layout = {name: [20 * place + 1, 20] for place, name in enumerate(names)}
    original, release = _audited(desk, "fixed-width", "release.dat", layout=layout)
    lines = [
        "".join(f"{value:20.6f}" for value in (*protected, *verbatim))
        for protected, verbatim in zip(release.to_numpy(), original.to_numpy(), strict=True)
    ]
    (desk.folder / "release.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")


@bad("original in the metadata of the file", codes={REVIEW})
def in_the_metadata(desk: Desk) -> None:
    """The columns are well protected, and the file's head holds the original as text."""
    original, release = _audited(desk, "parquet", "release.parquet")
    table = pa.Table.from_pandas(release, preserve_index=False)
    about = {**table.schema.metadata, b"source": original.to_csv(index=False).encode()}
    parquet.write_table(table.replace_schema_metadata(about), desk.folder / "release.parquet")
