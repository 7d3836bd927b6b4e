"""Annotations for GitHub Actions: one workflow command for each remark, which the runner shows at the file's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.remarks import remarks

if TYPE_CHECKING:
    from permaudit.outcome import Outcome
    from permaudit.report.remarks import Remark

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def to_github(outcome: Outcome) -> bytes:
    """Write the commands, one on a line; the runner obeys them only when they are printed to its log."""
    return "".join(f"{_command(remark)}\n" for remark in remarks(outcome)).encode()


def _command(remark: Remark) -> str:
    """Write one command, with the escapes of GitHub's own toolkit."""
    properties = {"title": ": ".join(filter(None, ["permaudit", remark.candidate, remark.rule]))}
    if remark.place is not None:
        place = remark.place
        properties = {"file": shown(place.file, 1000), "line": str(place.line), "col": str(place.column), **properties}
    fix = f"\nto fix: {remark.fix}" if remark.fix else ""
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[remark.level]} {written}::{_data(remark.message + fix)}"


def _data(text: str) -> str:
    """Escape a message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property, which ends at a comma or a colon."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
