"""What the readers of databases share: a table or one SELECT."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from permaudit import DataError, Parameters, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHOWN_TABLES = 5
_NOT_CODE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/""", re.DOTALL)

# WITH may begin all of these; and not every driver opens the transaction that would take them back.
_WRITES = re.compile(r"\b(delete|insert|into|merge|update)\b", re.IGNORECASE)


def _one_select(query: str) -> str:
    """Return the query without what ends it, if it is one SELECT; what stands in quotes or comments does not count."""
    code = _NOT_CODE.sub(lambda found: (" " if found[0][0] in "-/" else "'") * len(found[0]), query)
    code = code.rstrip().removesuffix(";")
    if ";" in code or not re.match(r"(select|with)\b", code.strip(), re.IGNORECASE) or _WRITES.search(code):
        raise ValueError("must be one SELECT, and nothing that writes")
    return query[: len(code)].strip()


class QueryOptions(Parameters, defer_build=True):
    """What to read from a database."""

    table: Annotated[str, Field(min_length=1)] | None = Field(default=None, description="the table or view to read")
    query: Annotated[str, AfterValidator(_one_select)] | None = Field(
        default=None, description="the SELECT whose result to read; say ORDER BY where records are linked by row"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        """Refuse both and none."""
        if (self.table is None) == (self.query is None):
            raise ValueError("say either table or query")
        return self


def has_comment(sql: str) -> bool:
    """Tell whether there are comments in a statement."""
    return any(found[0][0] in "-/" for found in _NOT_CODE.finditer(sql))


def quoted(name: str) -> str:
    """Write a name as SQL wants it."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def select(options: QueryOptions, columns: Iterable[str] = ()) -> str:
    """Return the query, or the one that reads these columns of the table, all of them if none are named."""
    if options.query is not None:
        return options.query
    return f"SELECT {', '.join(map(quoted, columns)) or '*'} FROM {quoted(options.table or '')}"  # noqa: S608 - quoted


def count(options: QueryOptions) -> str:
    """Return the query that counts the records."""
    source = quoted(options.table or "") if options.query is None else f"({options.query}) AS counted"
    return f"SELECT count(*) FROM {source}"  # noqa: S608 - quoted, or one SELECT


def require_table(options: QueryOptions, known: Sequence[str]) -> None:
    """Refuse a table that is not there, and name some that are."""
    if options.table is None or options.table in known:
        return
    listed = ", ".join(f"'{shown(name)}'" for name in sorted(known)[:_SHOWN_TABLES])
    more = f" and {len(known) - _SHOWN_TABLES} more" if len(known) > _SHOWN_TABLES else ""
    raise DataError.one("", f"has no table '{shown(options.table)}'; it has {listed or 'none'}{more}")


def by_column(names: Sequence[str], wanted: Sequence[str], batches: Iterable[Iterable[Any]]) -> dict[str, list[Any]]:
    """Turn batches of rows into the lists of the wanted columns."""
    cells: dict[str, list[Any]] = {name: [] for name in wanted}
    places = [(cells[name], names.index(name)) for name in wanted]
    for batch in batches:
        rows = list(batch)
        for target, place in places:
            target.extend(row[place] for row in rows)
    return cells
