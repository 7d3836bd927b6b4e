"""What two audits were made from and with, where that is different, in words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.remarks import audit_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from permaudit.outcome import Outcome, PolicyRecord

_AUDIT_FILE = "the audit file"


def surroundings(before: Outcome, after: Outcome) -> list[str]:
    """Say what else is different: files, policy, waivers, seed, versions, plugins."""
    return [
        *_simple(before, after),
        *_policies(before.policy, after.policy),
        *_inputs(before, after),
        *_waivers(before, after),
        *_software(before, after),
    ]


def _simple(before: Outcome, after: Outcome) -> Iterator[str]:
    """Compare what is one value."""
    old, new = before.provenance, after.provenance
    if before.title != after.title:
        yield f"title: was '{shown(before.title)}', is '{shown(after.title)}'"
    if old.study != new.study:
        yield "a study now, with a known seed" if new.study else "not a study any more"
    if old.seed != new.seed:
        yield f"seed: was {old.seed}, is {new.seed}"
    if old.engine != new.engine:
        yield f"engine: was {shown(old.engine)}, is {shown(new.engine)}"


def _policies(old: PolicyRecord | None, new: PolicyRecord | None) -> Iterator[str]:
    """Compare the policies by content."""
    if old is None and new is not None:
        yield f"policy: there was none, now it is {shown(new.title)} (sha256 {new.sha256[:16]}...)"
    elif old is not None and new is None:
        yield f"policy: was {shown(old.title)}, now there is none"
    elif old is not None and new is not None and old.sha256 != new.sha256:
        yield f"policy: another content (sha256 was {old.sha256[:16]}..., is {new.sha256[:16]}...)"


def _inputs(before: Outcome, after: Outcome) -> Iterator[str]:
    """Compare the files that were read, by content."""
    old, new = _files(before), _files(after)
    for name in {**old, **new}:
        shown_name = shown(name, 200)
        if name not in new:
            yield f"{shown_name}: was read, is not any more"
        elif name not in old:
            yield f"{shown_name}: is read now"
        elif old[name] != new[name]:
            yield f"{shown_name}: another content{_lines(before, after) if name == _AUDIT_FILE else ''}"


def _files(outcome: Outcome) -> dict[str, str]:
    """Return the hashes by path; the audit file may stand elsewhere."""
    place = audit_place(outcome)
    own = None if place is None else place.file
    return {_AUDIT_FILE if file.path == own else file.path: file.sha256 for file in outcome.provenance.inputs}


def _lines(before: Outcome, after: Outcome) -> str:
    """Count the lines that were added to the audit file and taken out of it."""
    old, new = (Counter(_text(outcome).splitlines()) for outcome in (before, after))
    if not old or not new:
        return ""
    return f" (lines: {(new - old).total()} new, {(old - new).total()} gone)"


def _text(outcome: Outcome) -> str:
    """Return the text of the audit file, where the result has it."""
    place = audit_place(outcome)
    return "" if place is None else outcome.provenance.documents.get(place.file, "")


def _waivers(before: Outcome, after: Outcome) -> Iterator[str]:
    """Compare the waivers."""
    old, new = (
        {(one.rule, one.candidate, one.attribute or one.metric or ""): one.state for one in outcome.waivers}
        for outcome in (before, after)
    )
    for rule, candidate, what in {**old, **new}:
        was, now = old.get((rule, candidate, what)), new.get((rule, candidate, what))
        if was != now:
            of = f" ({shown(what)})" if what else ""
            yield f"waiver of {shown(rule)} for {shown(candidate)}{of}: was {was or 'none'}, is {now or 'none'}"


def _software(before: Outcome, after: Outcome) -> Iterator[str]:
    """Compare packages by version, and plugins by content too."""
    yield from _versions("", before.provenance.packages, after.provenance.packages)
    old, new = (
        {one.distribution: (one.version, one.sha256) for one in outcome.provenance.plugins}
        for outcome in (before, after)
    )
    known = before.provenance.packages.keys() & after.provenance.packages.keys()
    yield from _versions(
        "plugins of ",
        {name: version for name, (version, _) in old.items() if name not in known},
        {name: version for name, (version, _) in new.items() if name not in known},
    )
    for name in old.keys() & new.keys():
        (version, digest), (other, another) = old[name], new[name]
        if version == other and digest != another:
            yield f"{shown(name)} {shown(version)}: the same version, but other files"


def _versions(prefix: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Compare versions by name."""
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            was, now = shown(old.get(name, "none")), shown(new.get(name, "none"))
            yield f"{prefix}{shown(name)}: was {was}, is {now}"
