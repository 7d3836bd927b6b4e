"""Files of SPSS, Stata and SAS, through pyreadstat in a process of its own.

Damaged files make the C library behind pyreadstat write where it should not, and the process ends. In a child that is
one more damaged file; in the host it would be the end of the audit.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any

from pydantic import Field

from permaudit import DataError, Extent, Mistake, Parameters, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._extra import require

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1

_LABELLED = 0.1
"""A variable may have labels for so many values, by share of the records: more tell records apart."""
_NO_CATALOG = (
    "files of SAS hold no labels: they are in a catalogue; name the .sas7bcat file beside the data as option catalog, or remove "
    "labels and audit the codes"
)
_MANY_LABELS = 20
"""Short lists are lists of categories, however few records there are."""


class StatisticsOptions(Parameters, defer_build=True):
    """How to take coded values."""

    labels: bool = Field(default=False, description="take the labels of coded values instead of the codes")


class SasOptions(StatisticsOptions):
    """How to take coded values whose labels are in another file."""

    catalog: str | None = Field(
        default=None,
        pattern=r"^[^/\\\u0000]+\.[sS][aA][sS]7[bB][cC][aA][tT]$",
        description="the name of the .sas7bcat file with the labels, which stands beside the data",
    )
    catalog_sha256: str | None = Field(
        default=None, pattern=r"^[0-9a-f]{64}$", description="the sha256 of that file: its labels are what is audited"
    )


@dataclass(frozen=True, slots=True)
class StatisticsReader:
    """Read the files of a statistics package."""

    card: ReaderCard
    parameters: type[StatisticsOptions] = StatisticsOptions

    def columns(self, path: Path, options: StatisticsOptions) -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of the variables."""
        from permaudit_plugins.readers._damage import checked_names  # noqa: PLC0415

        return checked_names(self._head(path)["names"])

    def extent(self, path: Path, columns: tuple[str, ...], options: StatisticsOptions) -> Extent | None:  # noqa: ARG002
        """Return how many records the head of the file declares, where it does."""
        records = self._head(path)["records"]
        return None if records is None else Extent(records)

    def read(self, path: Path, columns: tuple[str, ...], options: StatisticsOptions) -> pa.Table:
        """Return the variables with their types, and with nulls for every kind of missing value."""
        import pyarrow as pa  # noqa: PLC0415

        with self.answer(path, columns=columns, labels=options.labels, **_catalog(options)) as (_, stream):
            return pa.ipc.open_stream(pa.PythonFile(stream, mode="r")).read_all()

    def unread(self, path: Path, options: StatisticsOptions) -> tuple[str, ...]:  # noqa: ARG002
        """Name notes, and lists of labels so long that they are lists of records rather than of categories."""
        head = self._head(path)
        said = ["notes"] if head["notes"] else []
        most = max(_MANY_LABELS, _LABELLED * (head["records"] or 0))
        said += [f"{count} value labels of '{shown(name)}'" for name, count in head["labels"].items() if count > most]
        return tuple(said)

    def declared_missing(self, path: Path, columns: tuple[str, ...], options: StatisticsOptions) -> pa.Table:
        """Return the values that an SPSS file declares missing itself, and the letters that Stata and SAS have for that."""
        import pyarrow as pa  # noqa: PLC0415

        if path.name.lower().endswith((".por", ".xpt")):  # of these the library reads no such thing
            return pa.table({})
        with self.answer(path, columns=columns, labels=options.labels, declared=True) as (_, stream):
            return pa.ipc.open_stream(pa.PythonFile(stream, mode="r")).read_all()

    def _head(self, path: Path) -> dict[str, Any]:
        """Return what the head of the file says, which is asked for several times."""
        from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

        with damage_is("cannot be read"):
            status = path.stat()
        return _head_of(self, path.resolve(), status.st_mtime_ns, status.st_size)

    @contextmanager
    def answer(self, path: Path, **job: Any) -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
        """Give what the child says, and the stream in which a table may follow."""
        from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

        suffix = next((end for end in self.card.suffixes if path.name.lower().endswith(end)), self.card.suffixes[0])
        require("pyreadstat", "stat", f"{suffix} files")
        job |= {"path": str(path.resolve()), "suffix": suffix}
        # -P: a module in the current directory must not stand in for one of the library's.
        command = [sys.executable, "-P", "-m", "permaudit_plugins.readers._statistics_child"]
        with (
            damage_is(f"is not a file of {self.card.title}, or it is damaged", KeyError),
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child,  # noqa: S603 - our own
        ):
            if child.stdin is None or child.stdout is None:  # they are pipes
                raise OSError
            child.stdin.write(json.dumps(job).encode())
            child.stdin.close()
            answer = json.loads(child.stdout.readline())
            if "mistakes" in answer:
                raise DataError(Mistake("", None, None, text) for text in answer["mistakes"])
            yield answer, child.stdout


def _catalog(options: StatisticsOptions) -> dict[str, str | None]:
    """Return where the labels of a file of SAS are, if they are asked for."""
    if not isinstance(options, SasOptions) or not options.labels:
        return {}
    if options.catalog is None:
        raise DataError.one("", _NO_CATALOG)
    return {"catalog": options.catalog, "catalog_sha256": options.catalog_sha256}


@lru_cache(maxsize=100)
def _head_of(reader: StatisticsReader, path: Path, changed: int, size: int) -> dict[str, Any]:  # noqa: ARG001
    """Ask a child for the head of a file; starting one takes longer than its answer, and so the file is asked once."""
    with reader.answer(path, columns=None, labels=False) as (answer, _):
        return answer


@hookimpl
def permaudit_readers() -> list[StatisticsReader]:
    """Provide the readers of statistics packages."""
    spss = ReaderCard(id="spss", title="SPSS", suffixes=(".sav", ".zsav", ".por"), magic=(b"$FL2", b"$FL3"))
    stata = ReaderCard(id="stata", title="Stata", suffixes=(".dta",), magic=(b"<stata_dta>",))
    sas = ReaderCard(id="sas", title="SAS", suffixes=(".sas7bdat", ".xpt"))
    return [StatisticsReader(spss), StatisticsReader(stata), StatisticsReader(sas, SasOptions)]
