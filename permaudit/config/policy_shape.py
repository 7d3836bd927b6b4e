"""The shape of a policy: what the review board demands of every audit, and what audits under it may do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from permaudit.config.shape import PolicyPluginsShape
from permaudit.config.values import (
    SEED_END,
    VERSIONS,
    Closed,
    Either,
    KindName,
    Text,
    Version,
    text_or_list,
)

AnyOrNames = Annotated[
    Annotated[Literal["any"], Tag("<short>")] | Annotated[list[Text], Tag("<long>")],
    Discriminator(
        text_or_list, custom_error_type="form", custom_error_message="must be a list of names, or the word any"
    ),
    Either({"type": "string"}),
]


class PolicyWhenShape(Closed):
    """To which releases a rule applies; by default to all. Names of candidates are up to the audit file."""

    kind: KindName = Field(default="masked")


class PolicyRuleShape(Closed):
    """A rule, with its own parameters beside its name."""

    model_config = ConfigDict(extra="allow")

    rule: str
    when: PolicyWhenShape = PolicyWhenShape()


class PolicyWaiversShape(Closed):
    """Which rules an audit may waive, and for how long."""

    allow: AnyOrNames = Field(default=[], description="the rules that may be waived: a list of ids, or any")
    most_days: int = Field(
        default=1, ge=1, le=36_500, alias="most-days", description="for how many days from today at most"
    )


class PolicyShape(Closed):
    """What the review board demands of every audit; what it does not allow, no audit under it may do."""

    model_config = ConfigDict(title="permaudit policy")

    version: Annotated[int, Version(VERSIONS)] = Field(
        alias="permaudit-policy", description="the version of this format"
    )
    title: Text = Field(description="what the reports call this policy")
    rules: list[PolicyRuleShape] = Field(min_length=1, description="what is demanded of every release")
    seed: int = Field(default=0, ge=0, lt=SEED_END, description="the seed that every audit uses")
    holdout: Literal["required", "allowed"] = Field(
        default="allowed", description="must, or may, an audit bring a holdout; by default it may not"
    )
    not_audited: AnyOrNames = Field(
        default=[],
        alias="not-audited",
        description="the released columns that an audit may leave out: a list, or any; by default none",
    )
    decimals: AnyOrNames = Field(
        default=[],
        description="the attributes that an audit may round before they are ranked: a list, or any; by default none",
    )
    waivers: PolicyWaiversShape = PolicyWaiversShape()
    plugins: PolicyPluginsShape = PolicyPluginsShape()
