"""A proposal -> the text of an audit file, held against what it was meant to say."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from permaudit.config.tree import parse_tree
from permaudit.errors import AuditFileError, DataError, shown
from permaudit.init.columns import SAMPLE
from permaudit.init.page import Page
from permaudit.init.proposal import MISSING
from permaudit.init.scalars import block, entry, scalar, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.init.dialect import Found
    from permaudit.init.proposal import Proposal
    from permaudit.init.sorting import LeftOut, Undeclared

_IN = "  "
_SEED = 1
_LONGEST_MARK = 100
_NEEDS_DOT = re.compile(r"~|[A-Za-z][A-Za-z0-9+.\-]+:")
_FLAT_NAME = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of an audit file."""

    text: str
    confirms: int
    """How many things are marked for confirmation."""
    ready: bool
    """Does it run as it is?"""


def render(proposal: Proposal, target: Path) -> Rendered:
    """Write the audit file that will lie at the target; raise where it could not be read back as it was meant."""
    return _Writer(proposal, target).rendered()


class _Writer:
    """Writes the text, and beside it the values that a reader must find in it."""

    def __init__(self, proposal: Proposal, target: Path) -> None:
        self._proposal = proposal
        self._target = target
        self._page = Page()
        self._meant: dict[str, Any] = {}

    def rendered(self) -> Rendered:
        self._head()
        self._attributes()
        self._identifiers()
        self._left_out()
        self._missing()
        self._candidate()
        self._rules()
        self._unconfirmed()
        text = self._page.text()
        self._check(text)
        return Rendered(text, len(self._page.marks), bool(self._meant["attributes"]))

    # ----------------------------------------------------------------------- section by section

    def _head(self) -> None:
        proposal, page = self._proposal, self._page
        files = [_name(found) for found in (proposal.original, proposal.release) if found is not None]
        page.comment(f"Proposed by `permaudit init` from {' and '.join(files)}.")
        if proposal.columns.attributes:
            page.comment(
                "It runs as it is; what permaudit could not know is marked CONFIRM, and every line is yours to change."
            )
        self._put("permaudit", 1)
        self._put("title", f"Release of {_name(proposal.original)}")
        for doubt in proposal.original.doubts:
            page.confirm(doubt)
        entries = self._file(proposal.original)
        if len(entries) == 1:
            self._put("original", entries["path"])
        else:
            self._put_block("original", entries)

    def _attributes(self) -> None:
        columns, page = self._proposal.columns, self._page
        page.line()
        if self._proposal.original.loaded.records > SAMPLE:
            page.comment(
                f"Types were guessed from the first {SAMPLE:,} values of each column, and hold for all of them."
            )
        if not columns.attributes:
            page.confirm("no column can be audited before somebody declares one: this file does not run yet")
        page.line("attributes:")
        self._meant["attributes"] = {item.name: item.declared for item in columns.attributes} or None
        for item in columns.attributes:
            for doubt in item.doubts:
                page.confirm(f"{shown(item.name)}: {doubt}", _IN)
            for line in entry(item.name, item.declared):
                page.line(_IN + line)
        for column in columns.undeclared:
            self._undeclared(column)

    def _undeclared(self, column: Undeclared) -> None:
        page, known = self._page, column.categories
        blocks = "; the audit blocks until then, since it is in the release" if column.released else ""
        page.confirm(
            f"{shown(column.name)} is text with {column.distinct} different value{'s' * (column.distinct != 1)}. Declare "
            f"their order, or a taxonomy where there is none, to audit it{blocks}.",
            _IN,
        )
        if known.withheld:
            what = "1 value is" if known.withheld == 1 else f"{known.withheld} values are"
            page.comment(f"{what} not listed here, because few records have it: add what is missing.", _IN)
        declared = {"type": "ordinal", "order": list(known.common)}
        page.commented_out(f"{entry(column.name, declared)[-1]}  # from the lowest to the highest", _IN)
        nominal = {
            "type": "nominal",
            "taxonomy": f"{_FLAT_NAME.sub('-', column.name)[:50].strip('-') or 'taxonomy'}.yaml",
        }
        page.commented_out(f"{entry(column.name, nominal)[-1]}  # a file with the tree of categories", _IN)

    def _identifiers(self) -> None:
        found, page = self._proposal.columns.identifiers, self._page
        page.line()
        if not found:
            page.confirm("no column looks like an identifier; name here what must not be in any release.")
            page.commented_out("identifiers: [NAME]")
            return
        page.confirm("columns that must not be in any release; move to attributes what identifies nobody.")
        page.line("identifiers:")
        self._meant["identifiers"] = list(found)
        for name, why in found.items():
            page.line(f"{_IN}- {scalar(name)}  # {why}{self._released(name)}")

    def _released(self, name: str) -> str:
        """Say of an identifier that the release holds it."""
        release = self._proposal.release
        return "; it is in the release" if release is not None and name in release.loaded.column_names else ""

    def _left_out(self) -> None:
        columns, page = self._proposal.columns, self._page
        kept = [item for item in columns.left_out if not item.released]
        loose = [item for item in columns.left_out if item.released]
        if kept:
            page.line()
            page.comment("Left out:")
            _list(page, kept)
        if loose:
            page.line()
            page.confirm(
                "nobody audits these released columns, so the audit blocks. Declare each under attributes, remove it from the "
                "release, or list it under not-audited with the reason why it may go out as it is."
            )
            _list(page, loose)
            page.commented_out("not-audited:")
            for item in loose:
                page.commented_out(_IN + entry(item.name, "the reason why it may go out as it is")[-1])

    def _missing(self) -> None:
        gaps = []
        for item in self._proposal.columns.attributes:
            sides = [("the original", item.scale.original), ("the release", item.release)]
            counts = [
                f"{int(column.missing.sum()):,} in {side}"
                for side, column in sides
                if column is not None and column.missing is not None
            ]
            if counts:
                gaps.append(f"{shown(item.name)} ({', '.join(counts)})")
        if not gaps:
            return
        self._page.line()
        self._page.confirm(
            f"values are missing: {', '.join(gaps)}. lowest and highest rank them below or above all others; drop-records leaves "
            "the records out and bounds what that may hide; error refuses them. Each attribute may have its own choice."
        )
        self._put("missing", MISSING)

    def _candidate(self) -> None:
        proposal, page = self._proposal, self._page
        page.line()
        page.line("candidates:")
        if proposal.made is not None:
            made = proposal.made
            page.confirm(made.why, _IN)
            name, entries = (
                made.name,
                {"anonymizer": made.anonymizer, **({"params": dict(made.params)} if made.params else {})},
            )
        else:
            assert proposal.release is not None  # noqa: S101 - there is either
            assert proposal.linkage is not None  # noqa: S101 - as above
            for doubt in proposal.release.doubts:
                page.confirm(f"{_name(proposal.release)}: {doubt}", _IN)
            page.confirm(f"kind and linkage were guessed: {proposal.linkage.evidence}.", _IN)
            if proposal.linkage.is_by_key:
                page.comment(
                    "The audit blocks while the key is in the file that goes out. Remove it from there and keep it in a map, "
                    "one record for each released one in the same order: {key: COLUMN, map: FILE}. If it was put there for "
                    "the audit only, list it under not-audited with that reason, instead of identifiers.",
                    _IN,
                )
            page.comment(
                "kind: masked where the original's records were changed, synthetic where new ones were drawn from a model. "
                "linkage: row; {key: COLUMN}; {key: COLUMN, map: FILE} where the keys stand in a file that is never released; "
                "or none where nobody knows which record comes from which.",
                _IN,
            )
            entries = {
                **self._file(proposal.release),
                "kind": proposal.linkage.kind,
                "linkage": proposal.linkage.linkage,
            }
            name = "release"
        page.line(f"{_IN}{name}:")
        for line in block(entries, _IN * 2):
            page.line(line)
        self._meant["candidates"] = {name: entries}

    def _rules(self) -> None:
        linkage, page = self._proposal.linkage, self._page
        text = _resource("rules.yaml")
        if linkage is not None and linkage.kind == "masked" and not linkage.is_linked:
            text += _resource("rules-unlinked.yaml")
        page.line()
        page.take(text)
        self._meant |= yaml.safe_load(text)
        page.line()
        page.comment("Drives what the audit itself draws, such as samples; never what an anonymizer draws.")
        self._put("seed", _SEED)

    def _unconfirmed(self) -> None:
        page, marks = self._page, [shown(mark, _LONGEST_MARK) for mark in self._page.marks]
        page.line()
        page.comment(
            "Take away each line that you have confirmed, and this key with the last one. While one is left, the verdict is "
            "at best review."
        )
        self._meant["unconfirmed"] = marks
        page.line("unconfirmed:")
        for mark in marks:
            page.line(f"{_IN}- {value(mark)}")

    # ----------------------------------------------------------------------- tools

    def _put(self, key: str, thing: Any) -> None:
        """Write an entry of the file itself."""
        self._meant[key] = thing
        self._page.line(f"{key}: {value(thing)}")

    def _put_block(self, key: str, entries: dict[str, Any]) -> None:
        """Write an entry with entries of its own."""
        self._meant[key] = entries
        self._page.line(f"{key}:")
        for line in block(entries, _IN):
            self._page.line(line)

    def _file(self, found: Found) -> dict[str, Any]:
        """Return what the audit file says of a data file."""
        entries: dict[str, Any] = {"path": _relative(found, self._target.parent)}
        if found.source.format is not None:
            entries["format"] = found.source.format
        if found.options:
            entries["options"] = dict(found.options)
        return entries

    def _check(self, text: str) -> None:
        """Read the text back: nothing in a header may have become anything else than a name."""
        try:
            tree = parse_tree(text.encode(), self._target, shown(str(self._target), 200))
        except AuditFileError as error:
            raise DataError.one(
                self._proposal.original.loaded.shown,
                f"no audit file can be written for it: {error.mistakes[0].message}",
            ) from None
        if tree.doubts or tree.value != self._meant:
            raise RuntimeError("the audit file would not say what it was meant to say")


def _list(page: Page, items: Sequence[LeftOut]) -> None:
    """Write columns with the reason why they are left out."""
    for item in items:
        page.comment(f"- {shown(item.name)}: {item.reason}", hanging="  ")


def _name(found: Found) -> str:
    """Write the name of a file without its folders."""
    return shown(found.source.path.name)


def _relative(found: Found, folder: Path) -> str:
    """Return the way from the audit file's folder to a file, as the audit file can say it."""
    path = found.source.path
    # The folders are followed to their ends, or a `..` would leave a link by another door; the file may be a link itself.
    real = Path(os.path.realpath(path.parent)) / path.name
    text = os.path.relpath(real, os.path.realpath(folder))
    return f"./{text}" if _NEEDS_DOT.match(text) else text


def _resource(name: str) -> str:
    """Read a part of the audit file that is always the same."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
