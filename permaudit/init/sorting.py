"""Give each column of both files the place where it belongs: audited, an identifier, to be declared, or left out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from permaudit.data.scales import ColumnError, scale_of
from permaudit.errors import shown
from permaudit.init.categories import categories_of
from permaudit.init.identifiers import sounds_like_identifier, why_identifier
from permaudit.init.scalars import can_be_named
from permaudit.plan import Attribute

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from permaudit.data.scales import EncodedColumn, Scale
    from permaudit.init.categories import Categories
    from permaudit.init.columns import Column
    from permaudit.plan import AttributeType

_FEW_NUMBERS = 10
_STARRED = frozenset({"numeric", "date", "datetime"})
"""The types for which an audit file can say what `*` means."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Audited:
    """A column that the audit can look at as it is."""

    attribute: Attribute
    doubts: tuple[str, ...] = ()
    scale: Scale
    release: EncodedColumn | None = None

    @property
    def name(self) -> str:
        """Return the name of the column."""
        return self.attribute.name

    @property
    def declared(self) -> str | dict[str, str]:
        """Return what the audit file says."""
        kind, star = self.attribute.type, self.attribute.star
        return kind if star is None else {"type": kind, "star": star}


@dataclass(frozen=True, slots=True, kw_only=True)
class Undeclared:
    """A text column that needs an order or a taxonomy before it can be audited."""

    name: str
    distinct: int
    categories: Categories
    released: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A column that nobody audits, and why."""

    name: str
    reason: str
    released: bool
    """Is it in the release? Then the audit blocks until somebody decides."""


class SortedOut:
    """All columns, sorted."""

    def __init__(self, columns: Sequence[Column], release: pa.Table | None) -> None:
        """Sort the columns of the original, and what the release has besides."""
        self.attributes: list[Audited] = []
        self.undeclared: list[Undeclared] = []
        self.identifiers: dict[str, str] = {}
        """Columns that seem to stand for one person or record, each with the reason."""
        self.left_out: list[LeftOut] = []
        self._release = release
        self._released = () if release is None else tuple(release.column_names)
        for column in columns:
            self._take(column)
        known = {column.name for column in columns}
        for name in self._released:
            if name not in known:
                self.leave_out(name, "it is not in the original")

    def leave_out(self, name: str, reason: str) -> None:
        """Note why nobody audits a column."""
        self.left_out.append(LeftOut(name=name, reason=reason, released=name in self._released))

    def drop(self, attribute: Audited, reason: str) -> None:
        """Leave out a column that could have been audited."""
        self.attributes.remove(attribute)
        self.leave_out(attribute.name, reason)

    def _take(self, column: Column) -> None:
        if not can_be_named(column.name):
            self.leave_out(column.name, "an audit file cannot hold such a name")
        elif column.is_constant:
            self.leave_out(column.name, "every record of the original has the same value")
        elif (why := why_identifier(column)) is not None:
            self.identifiers[column.name] = why
        elif self._release is not None and column.name not in self._released:
            self.leave_out(column.name, self._absent(column.name))
        elif column.type is not None and column.scale is not None:
            self._audit(column, column.type, column.scale)
        elif column.why_untyped:
            self.leave_out(column.name, column.why_untyped)
        else:
            self._declare(column)

    def _absent(self, name: str) -> str:
        """Say that a column is not released, or under which name it may be."""
        near = next((other for other in self._released if _folded(other) == _folded(name)), None)
        return "it is not in the release" + ("" if near is None else f", which has '{shown(near)}'")

    def _declare(self, column: Column) -> None:
        """Propose a declaration for text, or say that it has too many values for one."""
        categories = categories_of(column)
        if categories is None:
            what = f"it is text with {column.distinct:,} different values"
            self.leave_out(column.name, f"{what}; to audit it, declare it as nominal, with a taxonomy")
            return
        released = column.name in self._released
        self.undeclared.append(
            Undeclared(name=column.name, distinct=column.distinct, categories=categories, released=released)
        )

    def _audit(self, column: Column, kind: AttributeType, scale: Scale) -> None:
        """Audit a column of a type, if the release can be read on the same scale."""
        found = Audited(attribute=Attribute(name=column.name, type=kind), doubts=_doubts(column), scale=scale)
        if self._release is None:
            self.attributes.append(found)
            return
        cells = self._release[column.name]
        try:
            self.attributes.append(replace(found, release=scale.encode(cells)))
        except ColumnError as error:
            starred = _with_star(found, column, cells)
            if starred is None:
                self.leave_out(column.name, f"it is {kind} in the original, but in the release it {error}")
            else:
                self.attributes.append(starred)


def _with_star(found: Audited, column: Column, cells: pa.ChunkedArray) -> Audited | None:
    """Try again with a meaning for `*`, which a release may have for suppressed values."""
    if found.attribute.type not in _STARRED:
        return None
    attribute = replace(found.attribute, star="any")
    try:
        scale = scale_of(attribute, column.cells)
        release = scale.encode(cells)
    except ColumnError:
        return None
    doubt = "the release has *, which is taken for any value and ranks in the middle; or say star: missing"
    return replace(found, attribute=attribute, doubts=(*found.doubts, doubt), scale=scale, release=release)


def _doubts(column: Column) -> tuple[str, ...]:
    """Say what is doubtful about taking a column for an amount."""
    if column.whole_numbers() is None:
        return ()
    if sounds_like_identifier(column):
        return (f"its name sounds like an identifier, but it has only {column.distinct} different values",)
    if column.is_unique:
        return ("no value is there twice: if the numbers were given to people or records, it is an identifier",)
    if column.distinct <= _FEW_NUMBERS:
        what = f"it has only {column.distinct} different whole numbers"
        return (f"{what}: if they are codes of categories, and no amounts, declare it as ordinal or nominal",)
    return ()


def _folded(name: str) -> str:
    """Write a name without the differences that the eye does not see."""
    return unicodedata.normalize("NFKC", name).strip().casefold()
