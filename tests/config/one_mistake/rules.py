"""Metrics and rules."""

from __future__ import annotations

from tests.config.fakes import VALID

from .edit import edited

RULES = {
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
}
