"""Make a release, write it, and audit exactly what was written; a release that is blocked is not left behind."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data import load, map_table
from permaudit.errors import DataError, OutputError, PermauditError, shown
from permaudit.make import BrokenAnonymizerError, make_releases
from permaudit.plan import FileSource, GivenCandidate, MadeCandidate, Written
from permaudit.runner import prepare_run, run_audit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.model import Made
    from permaudit.outcome import InputFile, Outcome
    from permaudit.plan import Audit
    from permaudit.plugins import Host

_SUFFIXES = (".csv", ".parquet")
_FORMULA = r"^[\t\r ]*([=@]|[+-][^0-9. ])"
"""How a formula begins; what is only a number is none."""


@contextlib.contextmanager
def published(  # noqa: PLR0913 - what to make, and where to
    audit: Audit, host: Host, name: str, target: Path, held: Path | None = None, *, engine: str = "memory"
) -> Iterator[Release]:
    """Make the candidate, write it beside the target, and audit what was written.

    The caller decides by the outcome whether to `keep` it, and its map in the file `held`: what is not kept is gone.
    """
    candidate = _wanted(audit, name)
    if candidate.attributes:
        what = "is made of some attributes only, for comparison; audit these attributes alone to release them"
        raise PermauditError(f"candidate {shown(name)} {what}")
    _refuse_target(target, "a release")
    anonymizer = host.catalogue.anonymizers[candidate.anonymizer]
    if held is not None:
        if not anonymizer.card.linked:
            raise PermauditError(f"candidate {shown(name)} holds new records, which come from nobody: it has no map")
        _refuse_target(held, "a map")
        if held.absolute() == target.absolute():
            raise OutputError(f"{held}: the map of a release must be another file: it is never released")
    run = prepare_run(replace(audit, candidates=(candidate,), sweeps=()), host, engine=engine)
    try:
        [made] = make_releases(
            anonymizer, replace(candidate, replicates=1), run.data.for_anonymizers(study=False), None
        )
    except BrokenAnonymizerError as error:
        raise PermauditError(f"candidate {shown(name)}: {error}") from error
    columns, notes = _passed_through(audit, host, made, run.data.original.input, linked=anonymizer.card.linked)
    table = pa.table({**dict(zip(made.table.column_names, made.table.columns, strict=True)), **columns})
    if target.suffix == ".csv":
        _refuse_formulas(table, target)
    with _temporary(target) as path:
        try:
            _write(table, path)
        except OSError as error:
            # The text of a foreign library says more than the reason.
            reason = os.strerror(error.errno) if error.errno else "unknown error"
            raise OutputError(f"{target}: cannot be written: {reason}") from error
        given = GivenCandidate(
            name=name,
            source=FileSource(path=path, shown=target.name),
            kind=anonymizer.card.kind,
            linkage="row" if anonymizer.card.linked else "none",
            written=Written(by=candidate, rows=made.rows, notes=(*made.notes, *notes)),
        )
        outcome = run_audit(replace(audit, candidates=(given,), sweeps=()), host, engine=engine)
        yield Release(outcome, path, target, map_table(made.rows, made.table.num_rows))


class Release:
    """A release that was written and audited, and is not yet in its place."""

    def __init__(self, outcome: Outcome, path: Path, target: Path, whose: pa.Table) -> None:
        """Take the outcome of its audit, where it is, where it belongs, and from which record each of its records comes."""
        self.outcome = outcome
        self._path = path
        self._target = target
        self._whose = whose

    def keep(self, held: Path | None = None) -> None:
        """Put the release into its place, and its map into another, which is for nobody else; never over another file."""
        if held is not None:
            with _temporary(held) as path:
                _write(self._whose, path)
                _put(path, held)
        try:
            _put(self._path, self._target)
        except OutputError:
            if held is not None:
                held.unlink(missing_ok=True)
            raise


def _put(path: Path, target: Path) -> None:
    """Give a file its name, where no other one has it."""
    try:
        os.link(path, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or 'unknown error'}") from error


def _refuse_target(target: Path, what: str) -> None:
    """Raise where a file cannot be written."""
    if target.suffix not in _SUFFIXES:
        raise OutputError(f"{target}: {what} is written as {' or '.join(_SUFFIXES)}, by its suffix")
    if target.exists():
        raise OutputError(f"{target} exists already; {what} is never overwritten")


def _wanted(audit: Audit, name: str) -> MadeCandidate:
    """Return the candidate of this name, which an anonymizer must make."""
    found = {candidate.name: candidate for candidate in audit.candidates}
    candidate = found.get(name)
    if candidate is None:
        raise PermauditError(f"no candidate '{shown(name)}'; there are {', '.join(map(shown, found))}")
    if not isinstance(candidate, MadeCandidate):
        raise PermauditError(f"candidate '{shown(name)}' is a file already: there is nothing to make")
    return candidate


def _passed_through(
    audit: Audit, host: Host, made: Made, source: InputFile | None, *, linked: bool
) -> tuple[dict[str, pa.ChunkedArray], tuple[str, ...]]:
    """Return the columns that are released as they are; without linkage they would belong to nobody."""
    names = list(audit.not_audited)
    if not names:
        return {}, ()
    listed = ", ".join(map(shown, names))
    if not linked:
        return {}, (f"not released, since the records are new: {listed}",)
    loaded = load(audit.original, names, host.catalogue.readers)
    table = loaded.table
    if isinstance(audit.original, FileSource) and loaded.input != source:
        raise DataError.one(loaded.shown, "changed while the release was made; try again when nobody writes to it")
    if made.rows is not None:
        table = table.take(pa.array(made.rows))
    return {name: table[name] for name in names}, (f"released unchanged and not audited: {listed}",)


@contextlib.contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """Give a private file beside the target that is gone afterwards."""
    try:
        descriptor, name = tempfile.mkstemp(dir=target.absolute().parent, prefix=".permaudit-", suffix=target.suffix)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or 'unknown error'}") from error
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _refuse_formulas(table: pa.Table, target: Path) -> None:
    """Raise where spreadsheets would take texts for formulas; a guard before them would change what is released."""
    texts = {"the names of the columns": pa.chunked_array([pa.array(table.column_names)])}
    texts |= {
        f"column '{shown(name)}'": table[name] for name in table.column_names if pa.types.is_string(table[name].type)
    }
    for where, text in texts.items():
        count = pc.sum(pc.match_substring_regex(text, _FORMULA)).as_py() or 0
        if count:
            what = "1 text" if count == 1 else f"{count} texts"
            message = f"{where} would hold {what} that spreadsheets take for formulas; write it as .parquet"
            raise DataError.one(str(target), message)


def _needs_quotes(table: pa.Table) -> bool:
    """Tell whether some text would break a line of comma-separated text."""
    texts = [pa.chunked_array([pa.array(table.column_names)])]
    texts += [column for column in table.columns if pa.types.is_string(column.type)]
    return any(pc.any(pc.match_substring_regex(text, '[",\\r\\n]')).as_py() for text in texts)


def _write(table: pa.Table, path: Path) -> None:
    """Write a table by the suffix of the file."""
    if path.suffix == ".parquet":
        from pyarrow import parquet  # noqa: PLC0415 - only for those who need it

        parquet.write_table(table, path, write_page_checksum=True)
    else:
        from pyarrow import csv  # noqa: PLC0415

        csv.write_csv(table, path, csv.WriteOptions(quoting_style="needed" if _needs_quotes(table) else "none"))
