"""Good releases in files of other formats, which hold what is audited and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from .case import good

if TYPE_CHECKING:
    from .desk import Desk


@good("Parquet as pandas writes it")
def parquet_of_pandas(desk: Desk) -> None:
    """The file's head says of which types the columns are."""
    original = desk.people()
    release = desk.protected(original)
    desk.audit(original, release, candidate={"path": "release.parquet"})
    release.to_parquet(desk.folder / "release.parquet")


@good("one table in a database")
def one_table(desk: Desk) -> None:
    """The database holds the release and nothing else."""
    original = desk.people()
    release = desk.protected(original)
    entry = {"path": "release.db", "format": "sqlite", "options": {"table": "released"}}
    desk.audit(original, release, candidate=entry)
    with closing(sqlite3.connect(desk.folder / "release.db")) as database:
        release.to_sql("released", database, index=False)


@good("fixed width with blanks between the columns")
def blanks_between(desk: Desk) -> None:
    """Outside the layout there are blanks."""
    original = desk.people()
    release = desk.protected(original)
    layout = {name: [30 * place + 1, 25] for place, name in enumerate(release.columns)}
    desk.audit(
        original, release, candidate={"path": "release.dat", "format": "fixed-width", "options": {"layout": layout}}
    )
    lines = ["".join(f"{value:25.6f}     " for value in record) for record in release.to_numpy()]
    (desk.folder / "release.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
