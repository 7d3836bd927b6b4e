"""Mistakes in the audit file: each with its place, what was expected, and the nearest valid name."""

from __future__ import annotations

import dataclasses

import pytest
from packaging.requirements import Requirement

from permaudit.allowed import Allowed
from permaudit.config import allowed_plugins, allowed_under, build_audit, limits_in
from permaudit.config.tree import parse_tree
from permaudit.errors import AuditFileError, PluginError
from permaudit.isolation.limits import Limits

from .fakes import CATALOGUE, VALID, Forgetful, mistakes_in

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


def tree_of(text, folder):
    return parse_tree(text.encode(), folder / "audit.yaml", "audit.yaml")


def test_the_valid_file_has_no_mistakes(folder):
    assert mistakes_in(VALID, folder) == []


ONE_MISTAKE = {
    # the top level
    "version 2": (
        edited("permaudit: 1", "permaudit: 2"),
        "1:12: permaudit is version 2 of the format; known is 1",
    ),
    "version missing": (
        edited("permaudit: 1\n", ""),
        "1:1: the audit file needs the key 'permaudit', the version of the format; known is 1",
    ),
    "version true": (edited("permaudit: 1", "permaudit: true"), "1:12: permaudit must be an integer, not true"),
    "version as text": (
        edited("permaudit: 1", "permaudit: '1'"),
        "1:12: permaudit must be an integer, not the text '1'; remove the quotes",
    ),
    "title missing": (edited("title: Income microdata\n", ""), "1:1: the audit file needs the key 'title'"),
    "title empty": (edited("Income microdata", "''"), "2:8: title must not be empty"),
    "title blank": (edited("Income microdata", "' '"), "2:8: title must not be empty"),
    "title a number": (
        edited("Income microdata", "2026"),
        "2:8: title must be text, not the number 2026; put it in quotes",
    ),
    "title nothing": (edited(" Income microdata", ""), "2:7: title must be text, not nothing"),
    "unknown key": (edited("seed:", "sead:"), "21:1: sead is not a known key; did you mean 'seed'?"),
    "unknown key like nothing": (
        edited("seed:", "xyzzy:"),
        (
            "21:1: xyzzy is not a known key; known are attributes, candidates, holdout, identifiers, metrics, missing, "
            "not-audited, original, permaudit, plugins, policy, report and 6 more"
        ),
    ),
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
    # columns
    "no attributes": (
        edited("attributes:\n  FICA: numeric\n  AGE: {type: numeric}\n", "attributes: {}\n"),
        "4:13: attributes must not be empty",
    ),
    "attributes a list": (
        edited("attributes:\n  FICA: numeric\n  AGE: {type: numeric}\n", "attributes: [FICA]\n"),
        "4:13: attributes must be a mapping, not a list",
    ),
    "attribute type misspelt": (
        edited("FICA: numeric", "FICA: numerc"),
        "5:9: attributes.FICA must be 'numeric', 'date', 'datetime' or 'boolean', not 'numerc'; did you mean 'numeric'?",
    ),
    "ordinal in one word": (
        edited("FICA: numeric", "FICA: ordinal"),
        "5:9: attributes.FICA must be written as {type: ordinal, order: [LOWEST, ..., HIGHEST]}",
    ),
    "nominal without a taxonomy": (
        edited("{type: numeric}", "{type: nominal}"),
        "6:3: attributes.AGE needs the key 'taxonomy'",
    ),
    "unknown type in a mapping": (
        edited("{type: numeric}", "{type: nominl}"),
        (
            "6:15: attributes.AGE.type must be 'numeric', 'date', 'datetime', 'boolean', 'ordinal' or 'nominal', "
            "not 'nominl'; did you mean 'nominal'?"
        ),
    ),
    "a key of another type": (
        edited("{type: numeric}", "{type: boolean, decimals: 2}"),
        "6:24: attributes.AGE.decimals does not go with the other keys here",
    ),
    "a tolerance below nothing": (
        edited("{type: numeric}", "{type: numeric, tolerance: -2}"),
        "6:35: attributes.AGE.tolerance must be at least 0.0, not -2",
    ),
    "a tolerance for truth values": (
        edited("{type: numeric}", "{type: boolean, tolerance: 1}"),
        "6:24: attributes.AGE.tolerance does not go with the other keys here",
    ),
    "a category twice in an order": (
        edited("{type: numeric}", "{type: ordinal, order: [low, high, low]}"),
        "6:43: attributes.AGE.order[2]: category 'low' is named twice",
    ),
    "an order of numbers": (
        edited("{type: numeric}", "{type: ordinal, order: [1]}"),
        "6:32: attributes.AGE.order[0] must be text, not the number 1; put it in quotes",
    ),
    "a taxonomy that is not there": (
        edited("{type: numeric}", "{type: nominal, taxonomy: nowhere.yaml}"),
        "6:34: attributes.AGE.taxonomy does not exist: 'nowhere.yaml'",
    ),
    "unknown policy for missing values": (
        edited("seed:", "missing: drop\nseed:"),
        "21:10: missing must be 'error', 'drop-records', 'lowest' or 'highest', not 'drop'",
    ),
    "a holdout that is not there": (
        edited("seed:", "holdout: nobody.csv\nseed:"),
        "21:10: holdout does not exist: 'nobody.csv'; did you mean 'income.csv'?",
    ),
    "bounds the wrong way round": (
        edited("{type: numeric}", "{type: numeric, bounds: [120, 0]}"),
        "6:32: attributes.AGE.bounds: the lower bound 120 is not below the upper one, 0",
    ),
    "three bounds": (
        edited("{type: numeric}", "{type: numeric, bounds: [0, 1, 2]}"),
        "6:32: attributes.AGE.bounds is wrong: list should have at most 2 items after validation, not 3",
    ),
    "a wrong value in a sweep": (
        SWEEP.format("alpha: [0.1, 3]"),
        "22:61: sweeps.noise.params.alpha[1] must be at most 1.0, not 3",
    ),
    "an unknown parameter in a sweep": (
        SWEEP.format("alpha: 0.1, alfa: [0.1]"),
        "22:60: sweeps.noise.params.alfa is not a known key; did you mean 'alpha'?",
    ),
    "a range that goes nowhere": (
        SWEEP.format("alpha: {from: 1, to: 0.1, step: 0.1}"),
        "22:55: sweeps.noise.params.alpha: from must be below to",
    ),
    "a range without a step": (
        SWEEP.format("alpha: {from: 0.1, to: 1}"),
        "22:55: sweeps.noise.params.alpha needs either step or points",
    ),
    "a range with a misspelt key": (
        SWEEP.format("alpha: {from: 0.1, to: 1, stepp: 0.1, points: 3}"),
        "22:74: sweeps.noise.params.alpha.stepp is not a known key; did you mean 'step'?",
    ),
    "a sweep of nothing": (
        SWEEP.format("alpha: []"),
        "22:55: sweeps.noise.params.alpha must not be empty",
    ),
    "an unknown anonymizer in a sweep": (
        SWEEP.format("alpha: 0.1").replace("noise: {anonymizer: additive-noise", "noise: {anonymizer: additive-nose"),
        "22:23: sweeps.noise.anonymizer: 'additive-nose' is not a known anonymizer; did you mean 'additive-noise'?",
    ),
    "options without a format": (
        edited("original: income.csv", "original: {path: income.csv, options: {}}"),
        "3:1: original needs the key 'format': whose options they are",
    ),
    "attribute without a type": (edited("{type: numeric}", "{}"), "6:3: attributes.AGE needs the key 'type'"),
    "attribute a number": (
        edited("FICA: numeric", "FICA: 3"),
        "5:9: attributes.FICA must be a type such as numeric, or a mapping such as {type: numeric}",
    ),
    "attribute without a name": (edited("FICA: numeric", "'': numeric"), "5:3: attributes[''] must not be empty"),
    "column twice": (
        edited("[NAME, SSN]", "[NAME, AGE]"),
        "7:21: identifiers[1]: column 'AGE' is named twice, first under attributes; keep one",
    ),
    "column twice in one list": (
        edited("[NAME, SSN]", "[NAME, NAME]"),
        "7:21: identifiers[1]: column 'NAME' is named twice, first under identifiers; keep one",
    ),
    "column audited and not": (
        edited("WEIGHT: public", "FICA: public"),
        "8:15: not-audited.FICA: column 'FICA' is named twice, first under attributes; keep one",
    ),
    "identifiers one text": (edited("[NAME, SSN]", "NAME"), "7:14: identifiers must be a list, not 'NAME'"),
    "identifier a number": (
        edited("[NAME, SSN]", "[NAME, 3]"),
        "7:21: identifiers[1] must be text, not the number 3; put it in quotes",
    ),
    "no reason": (edited("public design weight", ""), "8:23: not-audited.WEIGHT must be text, not nothing"),
    "blank reason": (edited("public design weight", "''"), "8:23: not-audited.WEIGHT must not be empty"),
    # candidates
    "kind misspelt": (
        edited(VENDOR, VENDOR.replace("masked", "maskd")),
        "10:42: candidates.vendor-file.kind must be 'masked' or 'synthetic', not 'maskd'; did you mean 'masked'?",
    ),
    "kind missing": (
        edited(VENDOR, VENDOR.replace(", kind: masked", "")),
        "10:3: candidates.vendor-file needs the key 'kind'",
    ),
    "candidate a path": (
        edited(VENDOR, "vendor-file: release.csv"),
        "10:16: candidates.vendor-file must be a mapping with path and kind, or with anonymizer and params",
    ),
    "candidate with an unknown key": (
        edited(VENDOR, VENDOR.replace("linkage", "linkge")),
        "10:50: candidates.vendor-file.linkge is not a known key; did you mean 'linkage'?",
    ),
    "linkage by an audited key": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: {key: [ID, AGE]}")),
        "10:70: candidates.vendor-file.linkage.key[1]: key column 'AGE' is an audited attribute, too; a key is never audited",
    ),
    "linkage by no key": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: {key: []}")),
        "10:65: candidates.vendor-file.linkage.key must not be empty",
    ),
    "linkage nothing": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: ")),
        "10:59: candidates.vendor-file.linkage must be 'row', 'none', {key: COLUMN} or {key: COLUMN, map: FILE}",
    ),
    "linkage by neither key nor map": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: {}")),
        "10:59: candidates.vendor-file.linkage needs the key 'key', or 'map'",
    ),
    "map that is not there": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: {key: ID, map: releases.csv}")),
        "10:74: candidates.vendor-file.linkage.map does not exist: 'releases.csv'; did you mean 'release.csv'?",
    ),
    "map read by options of nobody": (
        edited(VENDOR, VENDOR.replace("linkage: row", "linkage: {map: {path: income.csv, options: {}}}")),
        "10:60: candidates.vendor-file.linkage.map needs the key 'format': whose options they are",
    ),
    "map of a synthetic release": (
        edited("kind: synthetic}", "kind: synthetic, linkage: {map: income.csv}}"),
        "11:60: candidates.synthetic.linkage must be 'none': a synthetic release is never linked to the original",
    ),
    "a linked synthetic release": (
        edited("kind: synthetic}", "kind: synthetic, linkage: row}"),
        "11:60: candidates.synthetic.linkage must be 'none': a synthetic release is never linked to the original",
    ),
    "made and given": (
        edited("    replicates: 20\n", "    replicates: 20\n    kind: masked\n"),
        "16:5: candidates.noisy.kind does not go with the other keys here",
    ),
    "anonymizer misspelt": (
        edited("anonymizer: additive-noise", "anonymizer: aditive-noise"),
        "13:17: candidates.noisy.anonymizer: 'aditive-noise' is not a known anonymizer; did you mean 'additive-noise'?",
    ),
    "parameter out of range": (
        edited("alpha: 0.5", "alpha: 1.5"),
        "14:21: candidates.noisy.params.alpha must be at most 1.0, not 1.5",
    ),
    "parameter of nothing": (
        edited("alpha: 0.5", "alpha: 0"),
        "14:21: candidates.noisy.params.alpha must be greater than 0.0, not 0",
    ),
    "parameter misspelt": (
        edited("alpha: 0.5", "alpha: 0.5, alfa: 1"),
        "14:26: candidates.noisy.params.alfa is not a known key; did you mean 'alpha'?",
    ),
    "parameter missing": (edited("{alpha: 0.5}", "{}"), "14:5: candidates.noisy.params needs the key 'alpha'"),
    "parameters missing": (
        edited("    params: {alpha: 0.5}\n", ""),
        "12:3: candidates.noisy.params needs the key 'alpha'",
    ),
    "parameters a list": (edited("{alpha: 0.5}", "[]"), "14:13: candidates.noisy.params must be a mapping, not a list"),
    "no replicates": (edited("20\n", "0\n"), "15:17: candidates.noisy.replicates must be at least 1, not 0"),
    "name with a slash": (
        edited("vendor-file:", "a/b:"),
        "10:3: candidates['a/b'] is not a usable name; control characters, slashes, '.' and '..' are not allowed",
    ),
    "name of two dots": (edited("vendor-file:", "..:"), "10:3: candidates['..'] is not a usable name"),
    "name with a line feed": (edited("vendor-file:", '"a\\nb":'), "10:3: candidates['a\\nb'] is not a usable name"),
    "name too long": (
        edited("vendor-file:", "x" * 101 + ":"),
        f"10:3: candidates.{'x' * 57}... must have at most 100 characters",
    ),
    # files
    "sha256 too short": (
        edited("original: income.csv", "original: {path: income.csv, sha256: abc}"),
        "3:38: original.sha256 must be 64 hexadecimal digits",
    ),
    "format unknown": (
        edited("original: income.csv", "original: {path: income.csv, format: cvs}"),
        "3:38: original.format: 'cvs' is not a known format; did you mean 'csv'?",
    ),
    "original a list": (
        edited("original: income.csv", "original: [income.csv]"),
        "3:11: original must be a path, or a mapping with path, sha256, format and options",
    ),
    "original without a path": (
        edited("original: income.csv", "original: {format: csv}"),
        "3:1: original needs the key 'path'",
    ),
    # metrics and rules
    "metric misspelt": (
        edited("[UM, CM1, CM2, CM3]", "[UM, CM1, CM2, CM3, distnce]"),
        "16:30: metrics[4]: 'distnce' is not a known metric; did you mean 'distance'?",
    ),
    "metric in lower case": (
        edited("[UM, CM1, CM2, CM3]", "[UM, CM1, CM2, CM3, cm3]"),
        "16:30: metrics[4]: 'cm3' is not a known metric; did you mean 'CM3'?",
    ),
    "metric twice": (
        edited("[UM, CM1, CM2, CM3]", "[UM, CM1, CM2, CM3, UM]"),
        "16:30: metrics[4]: metric 'UM' is named twice",
    ),
    "no metrics": (edited("metrics: [UM, CM1, CM2, CM3]", "metrics: []"), "16:10: metrics must not be empty"),
    "metrics of nothing": (
        edited("metrics: [UM, CM1, CM2, CM3]", "metrics:"),
        "16:9: metrics must be a list, not nothing",
    ),
    "rule misspelt": (
        edited("{rule: no-identifiers}", "{rule: no-identifier}"),
        "20:12: rules[2].rule: 'no-identifier' is not a known rule; did you mean 'no-identifiers'?",
    ),
    "rule missing": (edited("{rule: no-identifiers}", "{}"), "20:5: rules[2] needs the key 'rule'"),
    "rule as text": (
        edited("{rule: no-identifiers}", "no-identifiers"),
        "20:5: rules[2] must be a mapping, not 'no-identifiers'",
    ),
    "rules a mapping": (
        VALID[: VALID.index("rules:")] + "rules: {rule: threshold}\n",
        "17:8: rules must be a list, not a mapping",
    ),
    "rule parameter misspelt": (
        edited("CM2, min: 0.05", "CM2, mn: 0.05"),
        "18:36: rules[0].mn is not a known key; did you mean 'min'?",
    ),
    "parameter for a rule without any": (
        edited("{rule: no-identifiers}", "{rule: no-identifiers, min: 1}"),
        "20:28: rules[2].min is not a known key; there are none",
    ),
    "limit as text": (
        edited("min: 0.05", "min: '0.05'"),
        "18:41: rules[0].min must be a number, not the text '0.05'; remove the quotes",
    ),
    "limit above the bounds": (
        edited("min: 0.05", "min: 1.4"),
        "18:41: rules[0].min must be between 0 and 1, the bounds of CM2, not 1.4",
    ),
    "limit below the bounds": (
        edited("min: 0.05", "min: -0.1"),
        "18:41: rules[0].min must be between 0 and 1, the bounds of CM2, not -0.1",
    ),
    "limit not a number": (
        edited("min: 0.05", "min: .nan"),
        "18:41: rules[0].min: .nan is not a number that can be used here; write a finite number",
    ),
    "limit infinite": (
        edited("min: 0.05", "max: .inf"),
        "18:41: rules[0].max: .inf is not a number that can be used here; write a finite number",
    ),
    "min above max": (
        edited("min: 0.05", "min: 0.5, max: 0.4"),
        "18:5: rules[0] is wrong: min is above max: nothing could pass",
    ),
    "limit on an unknown metric": (
        edited("metric: CM2", "metric: CM22"),
        "18:31: rules[0].metric: 'CM22' is not a known metric; did you mean 'CM2'?",
    ),
    "limit on a metric that is not computed": (
        edited("[UM, CM1, CM2, CM3]", "[UM, CM1, CM2]"),
        "19:31: rules[1].metric: 'CM3' is not among metrics; add it there, or leave metrics out",
    ),
    "rule that needs a metric nobody has": (
        edited("{rule: no-identifiers}", "{rule: needy}"),
        "20:5: rules[2]: 'not-installed' is not a known metric; known are CM1, CM2, CM3, UM, distance",
    ),
    "rule for an unknown candidate": (
        edited("{candidate: synthetic}", "{candidate: sinthetic}"),
        "19:64: rules[1].when.candidate: 'sinthetic' is not a known candidate; did you mean 'synthetic'?",
    ),
    "rule for an unknown kind": (
        edited("when: {kind: masked}", "when: {kind: mask}"),
        "18:60: rules[0].when.kind must be 'masked' or 'synthetic', not 'mask'; did you mean 'masked'?",
    ),
    "when misspelt": (
        edited("when: {kind: masked}", "when: {knd: masked}"),
        "18:54: rules[0].when.knd is not a known key; did you mean 'kind'?",
    ),
    "nested parameter out of range": (
        edited("{rule: no-identifiers}", "{rule: nested, steps: [{size: 1}, {size: 9}]}"),
        "20:46: rules[2].steps[1].size must be at most 5, not 9",
    ),
    "nested parameter misspelt": (
        edited("{rule: no-identifiers}", "{rule: nested, steps: [{size: 1, siz: 9}]}"),
        "20:38: rules[2].steps[0].siz is not a known key; did you mean 'size'?",
    ),
    "a date that does not exist": (
        edited("{rule: no-identifiers}", "{rule: nested, since: 2024-13-45}"),
        "20:27: rules[2].since must be a date such as 2027-01-31, not '2024-13-45'",
    ),
    "neither of two types": (
        edited("{rule: no-identifiers}", "{rule: nested, choice: []}"),
        "20:28: rules[2].choice must be an integer, not a list",
    ),
    "a plugin whose author forgot to refuse unknown keys": (
        edited("{rule: no-identifiers}", "{rule: forgetful, faktor: 2}"),
        "20:23: rules[2].faktor is not a known key; did you mean 'factor'?",
    ),
    # plugins
    "requirement with a URL": (
        edited("acme-anonymizers>=2", "'acme @ https://example.com/acme.whl'"),
        "22:19: plugins.allow[0] must be the name of a distribution and its versions, such as acme>=2",
    ),
    "requirement without a version": (
        edited("acme-anonymizers>=2", "acme>=x"),
        "22:19: plugins.allow[0]: 'acme>=x' is not a distribution with its versions, such as acme>=2",
    ),
    "distribution twice": (
        edited("acme-anonymizers>=2", "acme-x>=2, Acme_X"),
        "22:30: plugins.allow[1]: 'Acme_X' is named twice",
    ),
    "allow misspelt": (edited("allow:", "alow:"), "22:11: plugins.alow is not a known key; did you mean 'allow'?"),
}


@pytest.mark.parametrize(("text", "message"), ONE_MISTAKE.values(), ids=ONE_MISTAKE)
def test_one_mistake_gives_one_line_that_says_where_and_what(text, message, folder):
    [line] = mistakes_in(text, folder)
    assert line.startswith(f"audit.yaml:{message}")
    if not message.endswith("usable name"):
        assert line == f"audit.yaml:{message}"


def test_eight_mistakes_give_eight_lines_in_the_order_of_the_file(folder):
    text = """\
permaudit: 1
title: 2026
original: incom.csv
attributes: {FICA: numeric}
identifiers: [FICA]
candidates:
  a: {path: release.csv, kind: maskt}
  b: {anonymizer: additive-noise, params: {alpha: 2}}
metrics: [UM, CM9]
rules:
  - {rule: threshold, metric: UM, mn: 0.5}
seed: no
"""
    assert mistakes_in(text, folder) == [
        "audit.yaml:2:8: title must be text, not the number 2026; put it in quotes",
        "audit.yaml:3:11: original does not exist: 'incom.csv'; did you mean 'income.csv'?",
        "audit.yaml:5:15: identifiers[0]: column 'FICA' is named twice, first under attributes; keep one",
        "audit.yaml:7:32: candidates.a.kind must be 'masked' or 'synthetic', not 'maskt'; did you mean 'masked'?",
        "audit.yaml:8:51: candidates.b.params.alpha must be at most 1.0, not 2",
        "audit.yaml:9:15: metrics[1]: 'CM9' is not a known metric; did you mean 'CM3'?",
        "audit.yaml:11:35: rules[0].mn is not a known key; did you mean 'min'?",
        (
            "audit.yaml:12:7: seed: no is false to some readers of YAML and text to others; "
            "write false, or quote it if text is meant: 'no'"
        ),
    ]


def test_a_misspelt_anonymizer_key_is_named(folder):
    lines = mistakes_in(edited("anonymizer: additive", "anonymizr: additive"), folder)
    assert "audit.yaml:13:5: candidates.noisy.anonymizr is not a known key; did you mean 'anonymizer'?" in lines


@pytest.mark.parametrize("text", ["just text\n", "- a\n- b\n", "3\n"])
def test_a_file_that_is_no_mapping_says_so(text, folder):
    [line] = mistakes_in(text, folder)
    assert line.startswith("audit.yaml:1:1: the audit file must be a mapping, not ")


def test_names_from_the_file_are_shown_without_what_cannot_be_seen(folder):
    [line] = mistakes_in(edited("seed:", '"\\e[31m\\u202e::error::\\n":'), folder)
    assert line.startswith("audit.yaml:21:1: ['\\x1b[31m\\u202e\\x3a:error\\x3a:\\n'] is not a known key")


def test_very_many_mistakes_are_found_in_little_time(folder):
    text = VALID + "".join(f"sed{number}: 1\n" for number in range(4000))
    assert len(mistakes_in(text, folder)) == 4000


def test_the_allowed_plugins_are_read_before_the_rest(folder):
    tree = tree_of(edited("seed: 2", "nonsense: 2"), folder)
    assert allowed_plugins(tree) == (Allowed.reading("acme-anonymizers>=2"),)
    assert allowed_plugins(tree_of("title: x\n", folder)) == ()
    assert allowed_plugins(tree_of("- a list\n", folder)) == ()


@pytest.mark.parametrize(
    ("plugins", "limits"),
    [
        ("{}", Limits(seconds=60, memory=2 << 30)),
        ("{timeout: 5}", Limits(seconds=5, memory=2 << 30)),
        ("{timeout: 0.5, memory: 500MB}", Limits(seconds=0.5, memory=500 << 20)),
        ("{memory: 1.5 GB}", Limits(seconds=60, memory=3 << 29)),
    ],
)
def test_what_a_call_of_a_plugin_may_take_is_read_beside_what_may_be_imported(plugins, limits, folder):
    assert limits_in(tree_of(f"plugins: {plugins}\n", folder)) == limits


def test_a_distribution_may_be_pinned_by_the_hash_of_its_files(folder):
    tree = tree_of("plugins: {allow: [{name: acme>=2, sha256: " + "AB" * 32 + "}]}\n", folder)
    assert allowed_plugins(tree) == (Allowed(Requirement("acme>=2"), ("ab" * 32,)),)


def test_under_a_policy_both_versions_and_both_hashes_must_hold(folder):
    one, other = "a" * 64, "b" * 64
    own = (Allowed(Requirement("acme<3"), (one,)), Allowed(Requirement("extra")))
    board = (Allowed(Requirement("Acme>=2"), (other,)), Allowed(Requirement("more"), (one,)))
    assert allowed_under(own, board) == (Allowed(Requirement("Acme<3,>=2"), (other, one)), board[1])


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ("{allow: [acme>=x]}", "1:19: plugins.allow[0]: 'acme>=x' is not a distribution"),
        ("{allow: ['acme; python_version<\"3\"']}", "1:19: plugins.allow[0] must be the name of a distribution"),
        ("{allow: ['acme[extra]']}", "1:19: plugins.allow[0] must be the name of a distribution"),
        ("{allow: acme}", "1:18: plugins.allow must be a list, not 'acme'"),
        ("{allow: [no]}", "1:19: plugins.allow[0]: no is false to some readers"),
        ("[acme]", "1:10: plugins must be a mapping, not a list"),
        ("{allow: [{name: acme}]}", "1:19: plugins.allow[0] needs the key 'sha256'"),
        (
            "{allow: [{name: acme>=x, sha256: " + "0" * 64 + "}]}",
            "1:26: plugins.allow[0].name: 'acme>=x' is not a distr",
        ),
        ("{allow: [{name: acme, sha256: abc}]}", "1:40: plugins.allow[0].sha256 must be 64 hexadecimal digits"),
        ("{allow: [{name: acme, hash: abc}]}", "1:19: plugins.allow[0] needs the key 'sha256'"),
        ("{allow: [[acme]]}", "1:19: plugins.allow[0] must be the name of a distribution and its versions"),
        (
            "{allow: [acme, {name: Acme, sha256: " + "0" * 64 + "}]}",
            "1:32: plugins.allow[1].name: 'Acme' is named twice",
        ),
        ("{timeout: 0}", "1:20: plugins.timeout must be greater than 0"),
        ("{timeout: soon}", "1:20: plugins.timeout must be a number, not 'soon'"),
        ("{memory: 2}", "1:19: plugins.memory must be text, not the number 2"),
        ("{memory: 2TB}", "1:19: plugins.memory must be an amount of memory, such as 500MB or 2GB"),
        ("{memory: 0GB}", "1:19: plugins.memory must be an amount of memory, such as 500MB or 2GB"),
        ("{alow: [acme]}", "1:11: plugins.alow is not a known key; did you mean 'allow'?"),
        ("{}\nplugins: {allow: [acme]}", "2:1: the key 'plugins' is there twice, first in line 1"),
    ],
)
def test_no_plugin_is_allowed_by_a_section_in_doubt(plugins, message, folder):
    with pytest.raises(AuditFileError) as caught:
        allowed_plugins(tree_of(f"plugins: {plugins}\n", folder))
    assert str(caught.value).startswith(f"audit.yaml:{message}")


def test_a_plugin_that_fails_on_its_parameters_is_named_as_the_culprit(folder):
    with pytest.raises(PluginError, match="rule 'broken' fails on its own parameters: KeyError"):
        mistakes_in(edited("{rule: no-identifiers}", "{rule: broken}"), folder)


def test_a_plugin_that_cannot_say_its_metrics_is_named_as_the_culprit(folder):
    broken = dataclasses.replace(CATALOGUE.rules["no-identifiers"], needed=None)
    catalogue = dataclasses.replace(CATALOGUE, rules={**CATALOGUE.rules, "no-identifiers": broken})
    with pytest.raises(PluginError, match="rule 'no-identifiers' cannot say its metrics: TypeError"):
        build_audit(tree_of(VALID, folder), catalogue)


def test_parameters_are_of_the_class_that_the_plugin_declares(folder):
    text = edited("{rule: no-identifiers}", "{rule: forgetful, factor: 2}")
    assert type(build_audit(tree_of(text, folder), CATALOGUE).rules[2].params) is Forgetful
