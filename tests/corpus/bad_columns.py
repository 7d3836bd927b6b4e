"""Bad releases with columns that should not be there."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .case import BLOCK, REVIEW, bad

if TYPE_CHECKING:
    from .desk import Desk


def _named(desk: Desk) -> tuple[pd.DataFrame, dict[str, str]]:
    """Draw people with a number each, and the types of all but the number."""
    original = desk.people()
    numbers = desk.rng.permutation(900_000)[: len(original)] + 100_000
    return original.assign(SSN=numbers), dict.fromkeys(original.columns, "numeric")


@bad("identifier left in", codes={BLOCK})
def identifier_left_in(desk: Desk) -> None:
    """Everybody's number is beside the protected values."""
    original, attributes = _named(desk)
    release = desk.protected(original[list(attributes)]).assign(SSN=original["SSN"])
    desk.audit(original, release, attributes=attributes, identifiers=["SSN"])


@bad("identifier left in, spelt differently", codes={BLOCK})
def identifier_spelt_differently(desk: Desk) -> None:
    """Everybody's number is there, in a column whose name differs by case and a blank."""
    original, attributes = _named(desk)
    release = desk.protected(original[list(attributes)]).assign(**{"ssn ": original["SSN"]})
    desk.audit(original, release, attributes=attributes, identifiers=["SSN"])


@bad("identifier as a column that is not audited", codes={BLOCK, REVIEW})
def identifier_not_audited(desk: Desk) -> None:
    """Everybody's number is there under another name, with a reason why nobody need look."""
    original, attributes = _named(desk)
    release = desk.protected(original[list(attributes)]).assign(SERIAL=original["SSN"])
    changes = {"identifiers": ["SSN"], "not_audited": {"SERIAL": "a serial number"}}
    desk.audit(original, release, attributes=attributes, **changes)


@bad("identifier inside a text that is not audited", codes={BLOCK, REVIEW})
def identifier_inside_text(desk: Desk) -> None:
    """Everybody's number stands in a remark that nobody need look at."""
    original, attributes = _named(desk)
    remarks = "case " + original["SSN"].astype(str) + ", closed"
    release = desk.protected(original[list(attributes)]).assign(REMARK=desk.rng.permutation(remarks))
    changes = {"identifiers": ["SSN"], "not_audited": {"REMARK": "a remark"}}
    desk.audit(original, release, attributes=attributes, **changes)


@bad("originals beside the protected columns, shuffled", codes={BLOCK, REVIEW})
def shuffled_with_a_reason(desk: Desk) -> None:
    """Whole records stand in another order beside the protected columns, under other names and with a reason."""
    original = desk.people()
    copy = desk.shuffled(original).add_prefix("W_")
    release = pd.concat([desk.protected(original), copy], axis=1)
    desk.audit(original, release, not_audited=dict.fromkeys(copy.columns, "public design weight"))


@bad("un-audited column", codes={BLOCK})
def unaudited_column(desk: Desk) -> None:
    """A released column that the audit file does not mention."""
    original = desk.people()
    desk.audit(original, desk.protected(original).assign(NOTE=original.iloc[:, 0]))


@bad("originals beside the protected columns, with a reason", codes={BLOCK, REVIEW})
def renamed_with_a_reason(desk: Desk) -> None:
    """The protected columns are audited; the verbatim ones stand beside them under other names, with a reason."""
    original = desk.people()
    copy = original.add_prefix("W_")
    release = pd.concat([desk.protected(original), copy], axis=1)
    desk.audit(original, release, not_audited=dict.fromkeys(copy.columns, "public design weight"))


@bad("one original beside the protected columns, in other units", codes={BLOCK, REVIEW})
def one_renamed_with_a_reason(desk: Desk) -> None:
    """One verbatim column stands beside the protected ones, in other units and with a reason."""
    original = desk.people()
    release = desk.protected(original).assign(WEIGHT=original.iloc[:, 0] * 1.3 + 5)
    desk.audit(original, release, not_audited={"WEIGHT": "public design weight"})


@bad("bits of the original with a reason", codes={BLOCK, REVIEW})
def bits_with_a_reason(desk: Desk) -> None:
    """The ranks of one attribute stand beside the protected columns as ten harmless flags."""
    original = desk.people()
    ranks = original.iloc[:, 0].rank(method="first").astype(int)
    flags = pd.DataFrame({f"FLAG{bit}": (ranks // 2**bit) % 2 for bit in range(10)})
    release = pd.concat([desk.protected(original), flags], axis=1)
    desk.audit(original, release, not_audited=dict.fromkeys(flags.columns, "processing flag"))


@bad("key left in", "masked", codes={BLOCK, REVIEW})
def key_left_in(desk: Desk) -> None:
    """The column by which the audit links the records is still in the release."""
    original, attributes = _named(desk)
    release = desk.noisy(original[list(attributes)], 2).assign(SSN=original["SSN"])
    changes = {"not_audited": {"SSN": "linkage key"}, "candidate": {"linkage": {"key": "SSN"}}}
    desk.audit(original, release, attributes=attributes, **changes)


def _beside(desk: Desk, columns: pd.DataFrame, released: pd.DataFrame, **changes: object) -> None:
    """Release columns beside the protected ones that nobody audits; the original has columns of its own."""
    original = desk.people()
    release = pd.concat([desk.protected(original), desk.ordered(released).reset_index(drop=True)], axis=1)
    changes = {"not_audited": dict.fromkeys(released.columns, "everybody knows it")} | changes
    attributes = dict.fromkeys(original.columns, "numeric")
    desk.audit(pd.concat([original, columns], axis=1), release, attributes=attributes, **changes)


def _cards(desk: Desk) -> pd.DataFrame:
    """Draw a card number for everybody."""
    numbers = desk.rng.permutation(900_000)[: desk.records] + 100_000
    return pd.DataFrame({"CARD": [f"K{number}-{number % 97:02}" for number in numbers]})


@bad("names that nobody declared, not audited", codes={BLOCK, REVIEW})
def names_not_audited(desk: Desk) -> None:
    """Everybody's name is there, left out of the audit with a reason and not declared as an identifier."""
    names = pd.DataFrame({"NAME": [f"Kim {letters}" for letters in desk.rng.permutation(900_000)[: desk.records]]})
    _beside(desk, names, names)


@bad("names that nobody declared, under another name", codes={BLOCK, REVIEW})
def names_renamed(desk: Desk) -> None:
    """The same in capital letters, in a column that the original does not have."""
    names = pd.DataFrame({"NAME": [f"Kim {letters}" for letters in desk.rng.permutation(900_000)[: desk.records]]})
    _beside(desk, names, pd.DataFrame({"LABEL": names["NAME"].str.upper()}))


@bad("town, birthday and sex, not audited", codes={BLOCK, REVIEW})
def identified_together(desk: Desk) -> None:
    """No column tells people apart, and all three together nearly everybody."""
    columns = pd.DataFrame(
        {
            "TOWN": desk.rng.integers(0, 40, desk.records),
            "BORN": np.datetime64("1950-01-01") + desk.rng.integers(0, 365, desk.records),
            "SEX": desk.rng.integers(0, 2, desk.records),
        }
    )
    _beside(desk, columns, columns)


@bad("identifier without its signs, not audited", codes={BLOCK, REVIEW})
def identifier_respelt(desk: Desk) -> None:
    """Everybody's card number is there, in small letters and without the dash."""
    cards = _cards(desk)
    _beside(desk, cards, pd.DataFrame({"NOTE": cards["CARD"].str.lower().str.replace("-", "")}), identifiers=["CARD"])


@bad("identifier backwards, not audited", codes={BLOCK, REVIEW})
def identifier_reversed(desk: Desk) -> None:
    """Everybody's card number is there, to be read from right to left."""
    cards = _cards(desk)
    _beside(desk, cards, pd.DataFrame({"NOTE": cards["CARD"].str[::-1]}), identifiers=["CARD"])


@bad("identifier hashed, not audited", codes={BLOCK, REVIEW})
def identifier_hashed(desk: Desk) -> None:
    """Everybody's card number is hashed, and whoever knows one can hash it too."""
    cards = _cards(desk)
    hashed = [hashlib.sha256(card.encode()).hexdigest()[:12] for card in cards["CARD"]]
    _beside(desk, cards, pd.DataFrame({"NOTE": hashed}), identifiers=["CARD"])


@bad("pseudonyms, not audited", "masked", codes={BLOCK, REVIEW})
def pseudonyms(desk: Desk) -> None:
    """Everybody has a pseudonym, and whoever has the secret knows whose it is."""
    cards = _cards(desk)
    keyed = [hmac.new(b"secret", card.encode(), "sha256").hexdigest() for card in cards["CARD"]]
    _beside(desk, cards, pd.DataFrame({"NOTE": keyed}), identifiers=["CARD"])
