"""The words and signs of verdicts and outcomes, the same in every view."""

from __future__ import annotations

VERDICT_WORDS = {
    "release": "nothing that was checked speaks against the release",
    "review": "a person must decide",
    "block": "this must not be released as it is",
}
VERDICT_SIGNS = {"release": "✔", "review": "▲", "block": "✖"}
