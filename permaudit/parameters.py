"""The base of every plugin's parameters in the audit file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Parameters(BaseModel):
    """Parameters of a rule or an anonymizer: typed, validated, no unknown name, fixed once read.

    On its own it stands for "no parameters".
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
