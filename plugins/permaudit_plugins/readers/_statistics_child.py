"""The child that reads one file of a statistics package: a job on its input, an answer and a table on its output."""

from __future__ import annotations

import hashlib
import io
import json
import os
import resource
import stat
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permaudit import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

_RATIO = 200
_UNSUSPECTED = 1 << 28
_LARGEST_CATALOG = 1 << 28
_READ_BY = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


def main() -> None:
    """Do the job; whatever goes wrong without a mistake to tell ends in silence and a bad exit code."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold the data
    job = json.load(sys.stdin)
    output = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what the library prints may quote cells
        os.dup2(nowhere, stream)
    warnings.simplefilter("ignore")
    answer, table = answered(job)
    with output:
        output.write(json.dumps(answer).encode() + b"\n")
        if table is not None:
            import pyarrow as pa  # noqa: PLC0415

            with pa.ipc.new_stream(output, table.schema) as writer:
                writer.write_table(table)


def answered(job: dict[str, Any]) -> tuple[dict[str, Any], pa.Table | None]:
    """Return the names of the variables and the number of records, or the mistakes, or the table."""
    import pyreadstat  # noqa: PLC0415 - when nothing that it prints can get out any more

    def read(**how: Any) -> tuple[dict[str, list[Any]], Any]:
        cells, about = getattr(pyreadstat, _READ_BY[job["suffix"]])(job["path"], output_format="dict", **how)
        return cells, about

    _, about = read(metadataonly=True)
    if job["columns"] is None:
        known = about.number_rows is not None and about.number_rows >= 0
        names = [str(name) for name in about.column_names]
        beside = {
            "notes": len(about.notes or []),
            "labels": {k: len(v) for k, v in about.variable_value_labels.items()},
        }
        return {"names": names, "records": about.number_rows if known else None, **beside}, None
    if is_bomb(os.stat(job["path"]).st_size, about):  # noqa: PTH116 - a path from the job
        return {"mistakes": [f"unpacks to more than {_RATIO} times its size; it may be a bomb"]}, None
    if job.get("declared"):
        return {}, declared(job, read)
    cells, about = read(usecols=job["columns"])
    labels = about.variable_value_labels if job["labels"] else {}
    if "catalog" in job:
        try:
            labels = catalogued(job, about)
        except ValueError as error:
            return {"mistakes": [str(error)]}, None
    return typed(cells, job["columns"], labels)


def catalogued(job: dict[str, Any], about: Any) -> dict[str, dict[Any, str]]:
    """Return the labels of each variable from the catalogue of SAS beside the data; raise what is wrong with it as a ValueError."""
    import pyreadstat  # noqa: PLC0415 - as above

    path = Path(job["path"]).with_name(job["catalog"])
    named = f"the catalogue '{shown(path.name)}'"
    try:
        status = path.lstat()
        whole = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST_CATALOG
        content = path.read_bytes() if whole else b""
    except OSError:
        whole, content = False, b""
    if not whole:
        message = f"{named} is not beside the data as a readable file of at most {_LARGEST_CATALOG >> 20} MB"
        raise ValueError(message)
    digest = hashlib.sha256(content).hexdigest()
    if digest != job["catalog_sha256"]:
        message = f"{named} has the sha256 {digest}: say so as option catalog_sha256, if it is the right one"
        raise ValueError(message)
    try:
        _, formats = pyreadstat.read_sas7bcat(io.BytesIO(content), output_format="dict")
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, UnicodeError) as error:
        message = f"{named} is not a catalogue of SAS, or it is damaged"
        raise ValueError(message) from error
    found = {
        name: formats.value_labels[used]
        for name, used in about.variable_to_label.items()
        if formats.value_labels.get(used)
    }
    if not found:
        message = f"{named} has labels for none of the columns; read codes with labels: false"
        raise ValueError(message)
    return found


def declared(job: dict[str, Any], read: Callable[..., tuple[dict[str, list[Any]], Any]]) -> pa.Table:
    """Return the values or letters that the file declares missing, as text and with labels in the place of codes; null elsewhere."""
    import pyarrow as pa  # noqa: PLC0415

    whole, about = read(usecols=job["columns"], user_missing=True)
    wanted = [name for name in job["columns"] if name in about.missing_ranges or name in about.missing_user_values]
    if not wanted:
        return pa.table({})
    plain, _ = read(usecols=wanted)
    labels = about.variable_value_labels if job["labels"] else {}
    return pa.table(
        {
            name: pa.array(
                [
                    _written(value, labels.get(name, {})) if seen is None else None
                    for seen, value in zip(plain[name], whole[name], strict=True)
                ],
                pa.large_string(),
            )
            for name in wanted
        }
    )


def _written(value: Any, labels: dict[Any, str]) -> str | None:
    """Write a value as text: its label, a whole number without a point, or as it is."""
    if value is None or value in labels:
        return labels.get(value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_bomb(size: int, about: Any) -> bool:
    """Tell whether the records would take far more room than the file itself does."""
    unpacked = (about.number_rows or 0) * sum(about.variable_storage_width.values())
    return bool(unpacked > _UNSUSPECTED and unpacked > _RATIO * size)


def typed(
    cells: dict[str, list[Any]], columns: list[str], labels: dict[str, dict[Any, str]]
) -> tuple[dict[str, Any], pa.Table | None]:
    """Return the columns as arrow's, with labels in the place of codes where there are labels."""
    import pyarrow as pa  # noqa: PLC0415

    arrays, mistakes = {}, []
    for name in columns:
        values = cells[name]
        if name in labels:
            words = [labels[name].get(code) for code in values]
            mistakes += [
                f"column '{shown(name)}' has {what}; read codes with labels: false"
                for what in without_own_label(values, words)
            ]
            values = words
        try:
            arrays[name] = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            mistakes.append(f"column '{shown(name)}' holds values that fit no type of Arrow")
    return ({"mistakes": mistakes}, None) if mistakes else ({}, pa.table(arrays))


def without_own_label(codes: list[Any], words: list[str | None]) -> Iterator[str]:
    """Say which codes no label tells from all others.

    One without a label would be a number among words, one with a blank label a missing value, and codes that share a label could
    say something that nobody who reads the labels sees.
    """
    bare = [place for place, code in enumerate(codes) if code is not None and not (words[place] or "").strip()]
    if bare:
        yield f"{len(bare)} value{'s' * (len(bare) != 1)} without a label (first in record {bare[0] + 1})"
    firsts: dict[str, Any] = {}
    shared = [
        place for place, word in enumerate(words) if word and firsts.setdefault(word, codes[place]) != codes[place]
    ]
    if shared:
        yield (
            f"{len(shared)} value{'s' * (len(shared) != 1)} whose label another code has, too (first in record {shared[0] + 1})"
        )


if __name__ == "__main__":
    main()
