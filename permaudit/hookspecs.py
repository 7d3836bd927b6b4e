"""Everything a plugin may do, on one page.

A plugin is a module that an entry point of the group `permaudit` names. It marks functions with these names by
`@permaudit.hookimpl`; each takes nothing and returns a list of objects, so that it can be tested without a host:

    from permaudit import hookimpl

    @hookimpl
    def permaudit_metrics():
        return [MyMetric()]

The host finds the objects through these hooks, once, at the start; the numbers never pass through a hook call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permaudit.model import Anonymizer, Engine, Metric, Reader, Rule, TemplateSet

PROJECT = "permaudit"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def permaudit_metrics() -> Iterable[Metric]:  # type: ignore[empty-body]
    """Return the metrics this plugin provides. Two metrics may not share an id."""


@hookspec
def permaudit_anonymizers() -> Iterable[Anonymizer]:  # type: ignore[empty-body]
    """Return the anonymizers this plugin provides. Two anonymizers may not share an id."""


@hookspec
def permaudit_rules() -> Iterable[Rule]:  # type: ignore[empty-body]
    """Return the rules this plugin provides. Two rules may not share an id."""


@hookspec
def permaudit_readers() -> Iterable[Reader]:  # type: ignore[empty-body]
    """Return the readers this plugin provides. Two readers may not share an id or a file suffix."""


@hookspec
def permaudit_engines() -> Iterable[Engine]:  # type: ignore[empty-body]
    """Return the engines this plugin provides. Two engines may not share an id."""


@hookspec
def permaudit_templates() -> Iterable[TemplateSet]:  # type: ignore[empty-body]
    """Return the template sets this plugin provides. Two template sets may not share an id."""
