"""Waivers and the policy."""

from __future__ import annotations

from .edit import edited, waived

WAIVERS = {
    # waivers and the policy
    "waivers a mapping": (edited("seed: 2", "waivers: {}\nseed: 2"), "21:10: waivers must be a list, not a mapping"),
    "waiver without a candidate": (
        waived(candidate=None),
        "22:5: waivers[0] needs the key 'candidate'",
    ),
    "waiver with an unknown key": (
        waived(until="2027-01-31"),
        "22:125: waivers[0].until is not a known key; known are approved-by, attribute, candidate, expires, metric, reason, rule, sha256",
    ),
    "waiver of an unknown rule": (
        waived(rule="no-identifier"),
        "22:12: waivers[0].rule: 'no-identifier' is not a known rule; did you mean 'no-identifiers'?",
    ),
    "waiver of the host's own rule": (
        waived(rule="judged-by-a-threshold"),
        "22:12: waivers[0].rule: 'judged-by-a-threshold' cannot be waived; it asks for a person's decision",
    ),
    "waiver for an unknown candidate": (
        waived(candidate="nosy"),
        "22:39: waivers[0].candidate: 'nosy' is not a known candidate; did you mean 'noisy'?",
    ),
    "waiver for every candidate": (
        waived(candidate="'*'"),
        "22:39: waivers[0].candidate: a waiver is for one candidate, by its name; give one for each",
    ),
    "waiver for every attribute": (
        waived(attribute="'*'"),
        "22:57: waivers[0].attribute: a waiver is for one attribute, by its name; give one for each",
    ),
    "waiver for an unknown attribute of a made release": (
        waived(attribute="AEG"),
        "22:57: waivers[0].attribute: 'AEG' is not a known attribute; did you mean 'AGE'?",
    ),
    "waiver for an unknown metric": (
        waived(metric="CM9"),
        "22:133: waivers[0].metric: 'CM9' is not a known metric; did you mean 'CM3'?",
    ),
    "waiver without a reason": (waived(reason="' '"), "22:70: waivers[0].reason must not be empty"),
    "waiver with one approver": (
        waived(approved_by="[Ada]"),
        "22:90: waivers[0].approved-by must name at least two different people, not only 'Ada'",
    ),
    "waiver with an approver in two spellings": (
        waived(approved_by="[Ada Byron, 'ada  byron.']"),
        "22:90: waivers[0].approved-by must name at least two different people, not only 'Ada Byron'",
    ),
    "waiver with an approver in another order": (
        waived(approved_by="[Ada Byron, 'Byron, Ada']"),
        "22:90: waivers[0].approved-by must name at least two different people, not only 'Ada Byron'",
    ),
    "waiver with an approver with a title": (
        waived(approved_by="[Ada Byron, 'Dr. Ada Byron <ada@example.org>']"),
        "22:90: waivers[0].approved-by must name at least two different people, not only 'Ada Byron'",
    ),
    "waiver with an approver in letters that look the same": (
        waived(approved_by="[Ada Byron, '\u0410da Byron']"),
        "22:90: waivers[0].approved-by: a word is written with letters of several alphabets",
    ),
    "waiver without approvers": (
        waived(approved_by="[]"),
        "22:90: waivers[0].approved-by must name at least two different people",
    ),
    "waiver approved by a text": (
        waived(approved_by="Ada and Grace"),
        "22:90: waivers[0].approved-by must be a list, not 'Ada and Grace'",
    ),
    "waiver that expires never": (
        waived(expires="never"),
        "22:113: waivers[0].expires must be a date such as 2027-01-31",
    ),
    "waiver that expires on a day that is none": (
        waived(expires="2027-02-30"),
        "22:113: waivers[0].expires must be a date such as 2027-01-31",
    ),
    "waiver that expires in other digits": (
        waived(expires="\uff12027-01-31"),
        "22:113: waivers[0].expires must be a date such as 2027-01-31",
    ),
    "waiver bound to half a hash": (
        waived(sha256="abc"),
        "22:133: waivers[0].sha256 must be 64 hexadecimal digits",
    ),
    "the same waiver twice": (
        waived() + waived().partition("waivers:\n")[2],
        "23:5: waivers[1] waives the same as waivers[0]; keep one",
    ),
    "policy nothing": (
        edited("seed: 2", "policy:\nseed: 2"),
        "21:8: policy must be a path, or a mapping with path and sha256",
    ),
    "policy by hash only": (
        edited("seed: 2", f"policy: {{sha256: {'ab' * 32}}}\nseed: 2"),
        "21:1: policy needs the key 'path'",
    ),
    "policy from the net": (
        edited("seed: 2", "policy: https://example.com/p.yaml\nseed: 2"),
        "21:9: policy must be a local file, not 'https:'; download it first (or put ./ before a name with a colon)",
    ),
    "policy that does not exist": (
        edited("seed: 2", "policy: {path: board.yaml}\nseed: 2"),
        "21:16: policy.path does not exist: 'board.yaml'",
    ),
    "policy that is the audit file": (
        edited("seed: 2", "policy: audit.yaml\nseed: 2"),
        "21:9: policy does not exist: 'audit.yaml'",
    ),
    "seed negative": (edited("20261118", "-1"), "21:7: seed must be at least 0, not -1"),
    "seed a fraction": (edited("20261118", "0.5"), "21:7: seed must be an integer, not the number 0.5"),
    "seed too large": (
        edited("20261118", "9223372036854775808"),
        "21:7: seed: 9223372036854775808 is too large for an integer; it must be below 2^63 (if text is meant, quote it)",
    ),
    "seed of 5000 digits": (
        edited("20261118", "9" * 5000),
        (
            "21:7: seed: 999999999999999999999... is too large for an integer; it must be below 2^63 "
            "(if text is meant, quote it)"
        ),
    ),
}
