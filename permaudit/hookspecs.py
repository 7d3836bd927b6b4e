"""Everything a plugin may do, on one page.

A plugin is a module that an entry point of the group `permaudit` names. It says for which plugin API it is made, and marks
functions with the names below by `@permaudit.hookimpl`; each takes nothing and returns a list of objects, so that it can
be tested without a host:

    from permaudit import hookimpl

    permaudit_api = 1

    @hookimpl
    def permaudit_metrics():
        return [MyMetric()]

The host finds the objects through these hooks, once, at the start; the numbers never pass through a hook call. What the
objects must be able to do is written in the protocols that the hooks name, in `permaudit.model`: each has a `card`, on which
it says what it is (`permaudit.cards`). Sections of the report have no hook of their own: a metric hands them over with its value
(`Measured.section`), so that they come with the number that they explain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permaudit.model import Anonymizer, Engine, Metric, Reader, Rule, TemplateSet

PROJECT = "permaudit"

API: Final = 1
"""The version of this page, of the protocols and cards that it names, and of the public names.

It grows when a plugin could break, not when something is added. A plugin writes down the number for which it was made and
tested (`permaudit_api = 1`), never this constant, which would be right by definition.
"""
OLDEST_API: Final = 1
"""The oldest version whose plugins still work."""
API_NAME: Final = "permaudit_api"
"""Under this name a plugin's module declares it."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def permaudit_metrics() -> Iterable[Metric]:  # type: ignore[empty-body]
    """Return the metrics this plugin provides: a number, with its parts, for an original beside a release.

    Two metrics may not share an id. Those of others run in a process of their own.
    """


@hookspec
def permaudit_anonymizers() -> Iterable[Anonymizer]:  # type: ignore[empty-body]
    """Return the anonymizers this plugin provides: ways to make a release from an original.

    Two anonymizers may not share an id. Those of others run in a process of their own.
    """


@hookspec
def permaudit_rules() -> Iterable[Rule]:  # type: ignore[empty-body]
    """Return the rules this plugin provides: conditions on the metrics and on the release itself.

    Two rules may not share an id. One whose card says `always_on` judges every candidate of an audit that lists the plugin.
    Those of others run in a process of their own.
    """


@hookspec
def permaudit_readers() -> Iterable[Reader]:  # type: ignore[empty-body]
    """Return the readers this plugin provides: file formats.

    Two readers may not share an id or a file suffix. Those of others run in a process of their own.
    """


@hookspec
def permaudit_engines() -> Iterable[Engine]:  # type: ignore[empty-body]
    """Return the engines this plugin provides: ways from columns to moments.

    Two engines may not share an id. They work in the host, whatever they prepare being their own.
    """


@hookspec
def permaudit_templates() -> Iterable[TemplateSet]:  # type: ignore[empty-body]
    """Return the template sets this plugin provides: folders that change files of the report's own set.

    Two template sets may not share an id.
    """
