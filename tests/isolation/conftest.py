"""A foreign metric and a foreign anonymizer whose bodies each test writes."""

from __future__ import annotations

import locale
import os
import random
import resource
import signal
import sys
import warnings
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest

from permaudit.allowed import Allowed
from permaudit.cards import Needs
from permaudit.isolation.limits import Limits
from permaudit.known import STRANGERS, known_case
from permaudit.measure import measure
from permaudit.plugins import load_plugins

MODULE = """
import ctypes, decimal, fractions, os, pathlib, random, signal, subprocess, sys, threading, time, warnings
import numpy as np
import pyarrow as pa
from permaudit import AnonymizerCard, DataError, Made, Measured, MetricCard, Mistake, Needs, NotApplicable, Parameters
from permaudit import PermauditError, hookimpl, to_numpy

permaudit_api = 1
{top}

class Odd:
    card = MetricCard(
        id="odd", title="Odd", measures="confidentiality", better="higher", bounds=(0, 1), needs=Needs(rows=True),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
{metric}

class OddAnonymizer:
    card = AnonymizerCard(id="odd", title="Odd", kind="masked", linked=True, reference="none", summary="none")
    parameters = Parameters

    def anonymize(self, original, params, rng):
{anonymizer}

@hookimpl
def permaudit_metrics():
    return [Odd()]

@hookimpl
def permaudit_anonymizers():
    return [OddAnonymizer()]
"""


PRINTED = (
    "printed to standard output, and what is printed may hold records: "
    "it must return its result and print nothing, and use logging or standard error for notes"
)


@pytest.fixture
def foreign(install):
    """Return a function that installs the plugins and loads them."""

    def load(metric="return Measured(0.5)", anonymizer="return Made(original.table)", *, top="", limits=None):
        bodies = {"metric": indent(metric, " " * 8), "anonymizer": indent(anonymizer, " " * 8)}
        install("acme", {"acme": MODULE.format(top=top, **bodies)})
        return load_plugins([Allowed.reading("acme")], limits or Limits())

    return load


@pytest.fixture(scope="session")
def compared():
    """Return a comparison with rows."""
    engine = load_plugins().catalogue.engines["memory"]
    return known_case(STRANGERS, engine, Needs(rows=True), linked=True)


@pytest.fixture
def measured(foreign, compared):
    """Return a function that installs the metric and gives what the host makes of it."""

    def run(body, *, top="", limits=None):
        metric = foreign(body, top=top, limits=limits).catalogue.metrics["odd"]
        return measure(metric, compared, np.random.default_rng(1))

    return run


def is_running(number):
    """Tell whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def surroundings():
    """Return all that a careless plugin can change in its process."""
    return (
        Path.cwd(),
        dict(os.environ),
        np.geterr(),
        random.getstate(),
        np.random.get_state()[1].tolist(),  # noqa: NPY002 - what others may use
        list(warnings.filters),
        [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)],
        os.umask(os.umask(0o022)),
        os.nice(0),
        sys.getrecursionlimit(),
        locale.setlocale(locale.LC_ALL),
        signal.getitimer(signal.ITIMER_REAL),
        [resource.getrlimit(kind) for kind in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE)],
    )
