"""Columns, and what is said of them."""

from __future__ import annotations

from .edit import SWEEP, edited

COLUMNS = {
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
}
