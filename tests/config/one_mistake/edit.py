"""The valid audit file with something changed in it."""

from __future__ import annotations

from tests.config.fakes import VALID

VENDOR = "vendor-file: {path: release.csv, kind: masked, linkage: row}"
SWEEP = (
    VALID.replace("{", "{{")
    .replace("}", "}}")
    .replace("seed: 20261118", "sweeps:\n  noise: {{anonymizer: additive-noise, params: {{{}}}}}")
)
FIRST = "{rule: threshold, metric: CM2, min: 0.05, when: {kind: masked}}"


def edited(old: str, new: str) -> str:
    assert VALID.count(old) == 1
    return VALID.replace(old, new)


WAIVER = {
    "rule": "no-identifiers",
    "candidate": "noisy",
    "attribute": "AGE",
    "reason": "known",
    "approved-by": "[Ada, Grace]",
    "expires": "2027-01-31",
}


def waived(**changes: str | None) -> str:
    """Return the valid file with one waiver, in which some keys are other ones; None leaves a key out."""
    entry = WAIVER | {name.replace("_", "-"): value for name, value in changes.items()}
    text = ", ".join(f"{name}: {value}" for name, value in entry.items() if value is not None)
    return edited("seed: 20261118\nplugins: {allow: [acme-anonymizers>=2]}\n", f"waivers:\n  - {{{text}}}\n")
