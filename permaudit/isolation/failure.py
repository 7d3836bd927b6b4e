"""How a call that did not come back with an answer is told."""

from __future__ import annotations


class CallFailedError(Exception):
    """A foreign object gave no answer; the text says what it did, as in "the metric raised ValueError"."""
