"""What the tokens for missing values, which an audit file declares, take out of sight: gaps, or values in disguise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.load import as_written, declared_in
from permaudit.data.scales import ColumnError, scale_of
from permaudit.data.scales.base import is_text, plain
from permaudit.errors import DataError
from permaudit.plan import FileSource, QuerySource, Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permaudit.data.read import AuditData
    from permaudit.data.scales import EncodedColumn
    from permaudit.model import Reader
    from permaudit.plan import Attribute, Audit, GivenCandidate, Source

    Counts = dict[str, Counter[str]]

_MOST = 10
"""So many different tokens for one attribute are still ways to say that there is nothing, and not ways to say what there is."""
_FEWEST = 2
"""A code for missing values stands in the original more than once; what stands there once is somebody's value."""
_TOLD = 5
"""Of so many tokens the counts are listed one by one."""


@dataclass(frozen=True, slots=True)
class Blanked:
    """What the declared tokens blank in the original and in one release."""

    notes: Mapping[str, str] = field(default_factory=dict)
    """For each attribute with such cells how many there are."""
    values: Mapping[str, str] = field(default_factory=dict)
    """For each attribute in which these may be values: why."""


NOTHING_BLANKED = Blanked()


def blanked_by(candidate: GivenCandidate, audit: Audit, data: AuditData, readers: Mapping[str, Reader]) -> Blanked:
    """Count what is blanked by tokens that are declared for the original and for a release; no token is ever told.

    Some files declare values missing themselves; each of these counts as a token.
    """
    names = [attribute.name for attribute in data.attributes]
    sources = audit.original, candidate.source
    declared = [tokens_of(source) for source in sources]
    by_file = [_counts(declared_in(source, names, readers)) for source in sources]
    if not any(declared) and not any(by_file):
        return NOTHING_BLANKED
    tokens = list(dict.fromkeys(token for some in declared for token in some))
    counted = [_counted(source, names, tokens, readers) if tokens else {} for source in sources]
    notes, values = {}, {}
    for attribute in data.attributes:
        name = attribute.name
        first, second = (
            _with(found.get(name) if tokens else Counter(), of_file.get(name, Counter()))
            for found, of_file in zip(counted, by_file, strict=True)
        )
        known = [(*some, *of_file.get(name, ())) for some, of_file in zip(declared, by_file, strict=True)]
        counts = _Both(first, second, *known)
        if counts.used:
            notes[name] = counts.told()
        if why := _doubts(attribute, counts, data.pairer.original.columns[name]):
            values[name] = why
    return Blanked(notes, values)


def _with(counts: Counter[str] | None, more: Counter[str]) -> Counter[str] | None:
    """Add counts to others, where these are known."""
    return None if counts is None else counts + more


@dataclass(frozen=True, slots=True)
class _Both:
    """How many cells of one attribute are each of the tokens, in both files; None where that could not be counted."""

    original: Counter[str] | None
    release: Counter[str] | None
    of_original: Sequence[str]
    of_release: Sequence[str]

    @property
    def used(self) -> list[str]:
        """Return the tokens that blank a cell, or may do so."""
        return [
            token
            for token in dict.fromkeys([*self.of_original, *self.of_release])
            if (token in self.of_original and (self.original is None or self.original[token]))
            or (token in self.of_release and (self.release is None or self.release[token]))
        ]

    def told(self) -> str:
        """Say how many cells are blanked, and by how many tokens."""
        whole = _many(self.original, self.used, self.of_original), _many(self.release, self.used, self.of_release)
        many = len(self.used)
        verb = "declared token for missing values blanks" if many == 1 else "declared tokens for missing values blank"
        text = f"{many} {verb} {whole[0]} cells of the original and {whole[1]} of the release"
        if many == 1:
            return text
        each = ", ".join(
            f"{_many(self.original, [token], self.of_original)} + {_many(self.release, [token], self.of_release)}"
            for token in self.used[:_TOLD]
        )
        return f"{text}, {each}{', ...' if many > _TOLD else ''}"


def _many(counts: Counter[str] | None, tokens: Sequence[str], declared: Sequence[str]) -> str:
    """Write how many cells tokens blank that are declared."""
    return (
        "an unknown number of" if counts is None else str(sum(counts[token] for token in tokens if token in declared))
    )


def _doubts(attribute: Attribute, counts: _Both, original: EncodedColumn) -> str:
    """Say why blanked cells may be values; empty where nothing speaks for it."""
    if len(counts.used) > _MOST:
        return f"{len(counts.used)} different tokens are declared missing, which is more than ways to say nothing"
    for token in counts.used:
        if not _reads(attribute, token):
            continue
        if token not in counts.of_original:
            return "a token that is declared missing for the release only could be read as a value"
        if attribute.type in {"ordinal", "nominal", "boolean"}:
            return "a token that is declared missing is one of the categories of the attribute"
        if counts.original is None or counts.original[token] < _FEWEST or not _is_beyond(attribute, token, original):
            return "a token that is declared missing could be read as a value like those of the original"
    return ""


def tokens_of(source: Source) -> tuple[str, ...]:
    """Return the tokens that are declared for a source, in the order of the audit file."""
    if not isinstance(source, FileSource | QuerySource):
        return ()
    declared = getattr(source.options, "missing", ())
    is_list = isinstance(declared, list | tuple | set | frozenset)
    return tuple(dict.fromkeys(token for token in declared if isinstance(token, str) and token)) if is_list else ()


def _counted(source: Source, names: Sequence[str], tokens: Sequence[str], readers: Mapping[str, Reader]) -> Counts:
    """Count for each column the cells that are one of the tokens, as they are written; a column that cannot be read is left out."""
    try:
        return _counts(as_written(source, names, readers), tokens)
    except DataError:
        pass
    found: Counts = {}
    for name in names:  # a column of numbers and texts is a mistake only in some formats, and only of that column
        try:
            found |= _counts(as_written(source, [name], readers), tokens)
        except DataError:
            continue
    return found


def _counts(pieces: Iterator[pa.Table], tokens: Sequence[str] | None = None) -> Counts:
    """Count the tokens, or all texts, in the columns of a table that comes in pieces."""
    known = None if tokens is None else pa.array(tokens, pa.large_string())
    found: Counts = {}
    for piece in pieces:
        for name in piece.column_names:
            column = plain(piece[name])
            counts = found.setdefault(name, Counter())
            if not is_text(column.type):
                continue
            texts = column.cast(pa.large_string())
            chosen = texts.drop_null() if known is None else texts.filter(pc.is_in(texts, known))
            for one in chosen.value_counts().to_pylist():
                counts[one["values"]] += one["counts"]
    return found


def _reads(attribute: Attribute, token: str) -> bool:
    """Tell whether a token could be a value of the attribute in any notation, also a range or a set; `*` is none."""
    bare = token.strip()
    notations = dict.fromkeys(
        [bare, bare.replace(",", "."), bare.replace(",", ""), bare.replace(".", "").replace(",", ".")]
    )
    for example, text in product(_examples(attribute), notations):
        try:
            scale_of(attribute, _column(example)).encode(_column(text))
        except ColumnError:
            continue
        return True
    return False


def _examples(attribute: Attribute) -> tuple[str, ...]:
    """Return values with which a scale can be made to try a token on it."""
    match attribute.type:
        case "numeric":
            return ("0",)
        case "date":
            return ("2000-01-01",)
        case "datetime":
            return ("2000-01-01T00:00:00", "2000-01-01T00:00:00Z")
        case "boolean":
            return ("true",)
        case "ordinal":
            return attribute.order[:1]
        case "nominal":
            assert isinstance(attribute.taxonomy, Taxonomy)  # noqa: S101 - read with the data
            return attribute.taxonomy.names[-1:]


def _is_beyond(attribute: Attribute, token: str, original: EncodedColumn) -> bool:
    """Tell whether a token is a plain number or time that lies outside all values of the original."""
    try:
        (code,) = scale_of(attribute, _column(token)).original.codes.tolist()
    except ColumnError:
        return False
    there: Any = original.codes if original.missing is None else original.codes[~original.missing]
    return bool(there.size) and not bool(np.min(there) <= code <= np.max(there))


def _column(text: str) -> pa.ChunkedArray:
    """Write one cell as a column."""
    return pa.chunked_array([pa.array([text], pa.string())])
