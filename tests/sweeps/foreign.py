"""A foreign anonymizer that leaves a trace of every call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = """
import os, pathlib, sys, time
import numpy as np
import pyarrow as pa
from pydantic import Field
from permaudit import AnonymizerCard, DataError, Made, Mistake, Parameters, hookimpl, to_numpy

permaudit_api = 1

class CountedParameters(Parameters):
    alpha: float = Field(gt=0)
    label: str = ""

class Counted:
    card = AnonymizerCard(id="counted", title="Counted", kind="masked", linked=True, reference="none", summary="none")
    parameters = CountedParameters

    def anonymize(self, original, params, rng):
        with open({calls!r}, "a") as stream:
            stream.write(f"{{params.alpha}} {{os.getppid()}} {{rng.random()}}\\n")
        {body}
        columns = dict(zip(original.table.column_names, map(to_numpy, original.table.columns)))
        return Made(pa.table({{
            name: values + rng.normal(0, params.alpha * values.std(), values.size) for name, values in columns.items()
        }}))

{more}

@hookimpl
def permaudit_anonymizers():
    return [Counted()]
"""


ENGINE = """
import multiprocessing, os
from permaudit import EngineCard, hookimpl
from permaudit_plugins.engines.memory import MemoryEngine

permaudit_api = 1

class Odd(MemoryEngine):
    card = EngineCard(id="odd", title="Odd", summary="none")

    def moments(self, original, release, *, mirrored=False):
        {body}
        return super().moments(original, release, mirrored=mirrored)

{more}

@hookimpl
def permaudit_engines():
    return [Odd()]
"""
"""Runs in the processes of the host, as every engine."""


def counted(calls: Path, body: str = "pass", more: str = "") -> dict[str, str]:
    """Return the module of the anonymizer, which writes a line for each call."""
    return {"counting": COUNTED.format(calls=str(calls), body=body, more=more)}


def lines(calls: Path) -> list[list[str]]:
    """Return the parameter, the process that watches over the plugin, and the first random number of each call.

    Each process of the host has one such of its own.
    """
    return [line.split() for line in calls.read_text("utf-8").splitlines()] if calls.exists() else []


def made(calls: Path) -> list[float]:
    """Return the parameter of each call."""
    return [float(alpha) for alpha, _, _ in lines(calls)]


def result(folder: Path) -> dict:
    """Read the result."""
    return json.loads((folder / "audit.json").read_bytes())
