"""`--allow`: plugins that a command may import without an audit file that lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permaudit.allowed import Allowed


def distributions_in(
    context: click.Context,  # noqa: ARG001
    option: click.Parameter,  # noqa: ARG001
    value: tuple[str, ...],
) -> tuple[Allowed, ...]:
    """Read the names of distributions with their versions."""
    from packaging.requirements import InvalidRequirement

    from permaudit.allowed import Allowed

    try:
        return tuple(Allowed.reading(text) for text in value)
    except InvalidRequirement:
        raise click.BadParameter("must be the name of a distribution and its versions, such as acme>=2") from None
