"""The top level, files and plugins."""

from __future__ import annotations

from .edit import edited

TOP = {
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
