"""Runs in the other Python, where anonymeter is installed and permaudit is not."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

_MOST_ATTEMPTS = 10_000
_COLUMNS = 3
"""So many attributes a query that singles out looks at, as anonymeter has it by default."""


class WarnedOnlyError(Exception):
    """anonymeter went on after a failing query, or with fewer attacks than it was asked for."""


class _Strict(logging.Handler):
    """Make an error of what anonymeter only logs; the text stays here."""

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - it may quote data
        raise WarnedOnlyError


def be_strict() -> None:
    """Stop anonymeter where it would only log a warning."""
    logging.getLogger("anonymeter").addHandler(_Strict(logging.WARNING))


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Attack the release, and then a copy of the original in its place: what cannot see that one sees nothing."""
    import pandas as pd  # noqa: PLC0415 - only where it is installed

    be_strict()
    # It warns where its random baseline does as well, which has no part in the risk.
    warnings.simplefilter("ignore")
    original, release, holdout = (pd.DataFrame(question[side]) for side in ("original", "release", "holdout"))
    attack = {"singling out": _singled_out, "linkability": _linked, "inference": _inferred}[question["attack"]]
    turns = []
    for secret in question["secrets"]:
        asked = {**question, "secret": secret}
        read = {
            "release": attack(original, release, holdout, asked),
            "copy": attack(original, original, holdout, asked),
        }
        turns.append({"secret": secret, **read})
    return {"turns": turns, "version": version("anonymeter")}


def _singled_out(original: Any, release: Any, holdout: Any, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Try the same queries on original and holdout; None where too few can be made.

    anonymeter's own correction for a holdout of another size counts queries instead of their successes, so it is not used.
    """
    import numpy as np  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415
    from anonymeter.evaluators import singling_out_evaluator as module  # noqa: PLC0415
    from anonymeter.stats.confidence import EvaluationResults  # noqa: PLC0415

    columns, seed = min(_COLUMNS, release.shape[1]), asked["seed"]
    module.logger.disabled = True  # how many can be made is what is asked here
    queries = module.multivariate_singling_out_queries(
        pl.DataFrame(release).unique(maintain_order=True),
        n_queries=asked["attacks"],
        n_cols=columns,
        max_attempts=_MOST_ATTEMPTS,
        rng=np.random.default_rng(seed),
    )
    module.logger.disabled = False
    made = len(queries)
    if made < asked["fewest"]:
        return None

    def successes(target: Any) -> int:
        evaluator = module.SinglingOutEvaluator(
            ori=target, syn=release, n_attacks=made, n_cols=columns, max_attempts=_MOST_ATTEMPTS, seed=seed
        )
        return len(evaluator.evaluate(mode="multivariate").queries())

    success, control = successes(original), successes(holdout)
    return _told(EvaluationResults(n_attacks=made, n_success=success, n_baseline=0, n_control=control))


def _linked(original: Any, release: Any, holdout: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Find the halves of each record again by the released record that is nearest to both."""
    import numpy as np  # noqa: PLC0415
    from anonymeter.evaluators import LinkabilityEvaluator  # noqa: PLC0415

    names = list(original)
    np.random.seed(asked["seed"])  # noqa: NPY002 - what pandas draws from there
    evaluator = LinkabilityEvaluator(
        ori=original, syn=release, control=holdout, aux_cols=(names[::2], names[1::2]), n_attacks=asked["attacks"]
    )
    return _told(evaluator.evaluate(n_jobs=1).results())


def _inferred(original: Any, release: Any, holdout: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Guess one attribute from the released record that is nearest in all others."""
    import numpy as np  # noqa: PLC0415
    from anonymeter.evaluators import InferenceEvaluator  # noqa: PLC0415

    secret = asked["secret"]
    groups = asked["groups"][secret]
    known = [name for name in original if name != secret]
    with_copy = release is original
    original, holdout = original.assign(**{secret: groups["original"]}), holdout.assign(**{secret: groups["holdout"]})
    release = original if with_copy else release.assign(**{secret: groups["release"]})
    np.random.seed(asked["seed"])  # noqa: NPY002
    evaluator = InferenceEvaluator(
        ori=original,
        syn=release,
        control=holdout,
        aux_cols=known,
        secret=secret,
        regression=False,
        n_attacks=asked["attacks"],
    )
    return _told(evaluator.evaluate(n_jobs=1).results())


def _told(results: Any) -> dict[str, Any]:
    """Return the risk with its 95 % interval, and what it comes from."""
    risk = results.risk()
    return {
        "value": float(risk.value),
        "interval": [float(end) for end in risk.ci],
        "attacks": [int(results.n_attacks_ori), int(results.n_attacks_control)],
        "successes": [int(results.n_success), int(results.n_control)],
    }


def main(asked: Path, answered: Path) -> None:
    """Read the question, write the answer or the name of what was raised."""
    try:
        told = answer(json.loads(asked.read_text(encoding="utf-8")))
    except Exception as error:
        told = {"raised": type(error).__name__}
    answered.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
