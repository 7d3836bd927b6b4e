"""Candidates and sweeps."""

from __future__ import annotations

from .edit import VENDOR, edited

CANDIDATES = {
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
}
