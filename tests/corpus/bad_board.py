"""Bad releases with a waiver that does not hold, or a policy that is not the board's."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from .case import BLOCK, REVIEW, WRONG, bad
from .desk import BOARD

if TYPE_CHECKING:
    import pandas as pd

    from .desk import Desk


def _waiver(**changes: Any) -> dict[str, Any]:
    """Write a waiver for the attribute that is bare."""
    given = {
        "rule": "no-unprotected-attribute",
        "candidate": "release",
        "reason": "in the public register already",
        "approved-by": ["Ada Byron", "Grace Hopper"],
        "expires": "2099-01-31",
    }
    return given | changes


def _one_bare(desk: Desk) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Leave one attribute as it is, the others under heavy noise."""
    original = desk.people()
    first = original.columns[0]
    return original, desk.noisy(original, 2).assign(**{first: original[first]}), first


@bad("expired waiver", "masked", codes={BLOCK})
def expired_waiver(desk: Desk) -> None:
    """One attribute is bare, and the waiver for it ended long ago."""
    original, release, bare = _one_bare(desk)
    desk.audit(original, release, waivers=[_waiver(attribute=bare, expires="2020-01-31")])


@bad("waiver for another file", "masked", codes={BLOCK})
def waiver_for_another_file(desk: Desk) -> None:
    """One attribute is bare, and the waiver was given for a release with other content."""
    original, release, bare = _one_bare(desk)
    desk.audit(original, release, waivers=[_waiver(attribute=bare, sha256="0" * 64)])


@bad("waiver of one person", "masked", codes={WRONG})
def waiver_of_one(desk: Desk) -> None:
    """One attribute is bare, and the same person approved it twice."""
    original, release, bare = _one_bare(desk)
    waiver = _waiver(attribute=bare, **{"approved-by": ["Ada Byron", "ada byron"]})
    desk.audit(original, release, waivers=[waiver])


def _policy(desk: Desk, rules: list[dict[str, Any]]) -> str:
    """Write a policy, and return the hash of its content."""
    path = desk.write("board.yaml", {"permaudit-policy": 1, "title": "The board", "rules": rules, "seed": desk.seed})
    return hashlib.sha256(path.read_bytes()).hexdigest()


@bad("tampered policy", codes={WRONG})
def tampered_policy(desk: Desk) -> None:
    """Somebody lowered the limits in the board's policy after its hash was written down."""
    known = _policy(desk, BOARD)
    _policy(desk, [{**rule, "min": 0.001} for rule in BOARD])
    original = desk.people()
    release = desk.ordered(desk.noisy(original, 0.1))
    desk.audit(original, release, rules=None, seed=None, policy={"path": "board.yaml", "sha256": known})


@bad("loosened policy", codes={BLOCK, REVIEW, WRONG})
def loosened_policy(desk: Desk) -> None:
    """The audit file sets lower limits beside the board's, which stay."""
    _policy(desk, BOARD)
    original = desk.people()
    release = desk.ordered(desk.noisy(original, 0.1))
    desk.audit(original, release, rules=[{**rule, "min": 0.001} for rule in BOARD], seed=None, policy="board.yaml")
