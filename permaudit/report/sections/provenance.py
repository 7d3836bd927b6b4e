"""What the numbers were made from, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Document, Fact, Provenance, Row
from permaudit.report.desk import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.report.context import Grid
    from permaudit.report.desk import Desk

_PATH = 200
_WIDEST_LINE = 400


def provenance(desk: Desk, digest: str) -> Provenance:
    """Say where everything comes from."""
    outcome, t = desk.outcome, desk.texts
    inputs = [Row(cells=(shown(one.path, _PATH), desk.told(one.sha256, 64))) for one in outcome.provenance.inputs]
    packages = [
        Row(cells=(shown(name, NAME), shown(version, NAME))) for name, version in outcome.provenance.packages.items()
    ]
    return Provenance(
        facts=tuple(_facts(desk, digest)),
        differences=tuple(map(desk.said, outcome.policy.differences if outcome.policy else ())),
        inputs=desk.grid(t("provenance.inputs"), (t("provenance.file"), t("provenance.sha256")), inputs),
        plugins=_plugins(desk),
        packages=desk.grid(t("provenance.packages"), (t("provenance.package"), t("provenance.version")), packages),
        documents=tuple(_documents(desk)),
    )


def _facts(desk: Desk, digest: str) -> Iterator[Fact]:
    outcome, t = desk.outcome, desk.texts
    yield Fact(label=t("provenance.result"), value=digest, code=True)
    if outcome.policy is not None:
        policy = f"{shown(outcome.policy.title, NAME)} ({desk.told(outcome.policy.path, _PATH)})"
        yield Fact(label=t("provenance.policy"), value=policy)
        yield Fact(label=t("provenance.policy-hash"), value=shown(outcome.policy.sha256, 64), code=True)
        yield Fact(label=t("provenance.pinned"), value=t("word.yes" if outcome.policy.pinned else "word.no"))
    yield Fact(label=t("provenance.seed"), value=str(outcome.provenance.seed))
    yield Fact(label=t("provenance.engine"), value=shown(outcome.provenance.engine, NAME))
    yield Fact(label=t("provenance.study"), value=t("word.yes" if outcome.provenance.study else "word.no"))


def _plugins(desk: Desk) -> Grid:
    """Return the plugins, those of one distribution in one row."""
    t = desk.texts
    found: dict[tuple[str, str, str], list[str]] = {}
    for plugin in desk.outcome.provenance.plugins:
        found.setdefault((plugin.distribution, plugin.version, plugin.sha256 or ""), []).append(plugin.name)
    rows = [
        Row(
            cells=(
                shown(distribution, NAME),
                shown(version, NAME),
                shown(digest, 64) or t("provenance.no-files"),
                ", ".join(shown(name, NAME) for name in names[:200]),
            )
        )
        for (distribution, version, digest), names in found.items()
    ]
    header = tuple(t(f"provenance.{name}") for name in ("package", "version", "installed", "provides"))
    return desk.grid(t("provenance.plugins"), header, rows)


def _documents(desk: Desk) -> Iterator[Document]:
    """Return the audit as it was run; on the screen also the files as they were written, which are long."""
    found = desk.outcome.provenance
    if found.resolved:
        yield _document(desk.texts("provenance.resolved"), found.resolved, desk)
    if desk.room.files or not found.resolved:
        for name, text in found.documents.items():
            yield _document(desk.texts("provenance.written", name=shown(name, _PATH)), text, desk)


def _document(name: str, text: str, desk: Desk) -> Document:
    """Return the text of a file, line by line."""
    lines = text.splitlines()
    left = len(lines) - desk.room.lines
    return Document(
        name=name,
        lines=tuple(shown(line, _WIDEST_LINE) for line in lines[: desk.room.lines]),
        more=desk.texts.count("more.lines", left) if left > 0 else "",
    )
