"""Which day it is, the same for everybody."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


def utc_today() -> date:
    """Return today's date in UTC: whether a waiver has expired depends on no time zone."""
    return datetime.now(UTC).date()
