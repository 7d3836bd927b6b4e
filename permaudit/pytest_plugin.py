"""The pytest plugin: `pytest --permaudit DISTRIBUTION` holds all that a distribution provides against the contract.

It imports nothing of permaudit until it is asked for something, so that it costs nothing where permaudit is merely
installed.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("permaudit", "conformance of permaudit plugins")
    group.addoption(
        "--permaudit",
        action="append",
        default=[],
        metavar="DISTRIBUTION",
        help="hold everything that this installed distribution provides against permaudit's contract",
    )
    group.addoption(
        "--permaudit-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a small file that a reader of the distribution can read, which is found by its suffix",
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test for each object of the distributions that were asked for."""
    for distribution in config.getoption("--permaudit"):
        items.extend(_items(session, distribution))


def _items(session: pytest.Session, distribution: str) -> Iterator[pytest.Item]:
    """Return the tests of one distribution."""
    from packaging.requirements import InvalidRequirement  # noqa: PLC0415 - only where it is asked for

    from permaudit.allowed import Allowed  # noqa: PLC0415
    from permaudit.errors import PluginError  # noqa: PLC0415
    from permaudit.plugins import load_plugins  # noqa: PLC0415
    from permaudit.testing import (  # noqa: PLC0415
        check_anonymizer,
        check_engine,
        check_metric,
        check_rule,
        check_templates,
    )

    files = [Path(name) for name in session.config.getoption("--permaudit-file")]
    checks: dict[str, Callable[[Any], None]] = {
        "metric": check_metric,
        "anonymizer": check_anonymizer,
        "rule": check_rule,
        "reader": partial(_check_reader, files=files),
        "engine": check_engine,
        "template set": check_templates,
    }
    try:
        wanted = Allowed.reading(distribution)
        provided = load_plugins([wanted], isolate=False).provided
    except (InvalidRequirement, PluginError) as error:
        raise pytest.UsageError(f"--permaudit {distribution}: {error}") from error
    for thing in provided:
        if thing.plugin.distribution == wanted.name:
            name = f"{thing.noun} {thing.id} keeps the contract"
            yield _Conformance.from_parent(session, name=name, check=checks[thing.noun], thing=thing.object)


def _check_reader(reader: Any, files: Sequence[Path]) -> None:
    """Check a reader on a file that it can read; without one there is nothing to look at, and that is said."""
    from permaudit.testing import check_reader  # noqa: PLC0415

    own = [file for file in files if file.name.lower().endswith(tuple(reader.card.suffixes))]
    if not own:
        pytest.skip(
            f"no file for it: give a small one that ends in {' or '.join(reader.card.suffixes)} with --permaudit-file"
            if reader.card.local
            else "it reads no files: call permaudit.testing.check_reader with options that name what it reads"
        )
    for file in own:
        check_reader(reader, file)


class _Conformance(pytest.Item):
    """One object of a distribution, held against the contract."""

    def __init__(self, *, check: Callable[[Any], None], thing: Any, **others: Any) -> None:
        super().__init__(**others)
        self._check, self._thing = check, thing

    def runtest(self) -> None:
        """Check the object."""
        self._check(self._thing)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong without a traceback, which would lead into the kit."""
        from permaudit.testing import ConformanceError  # noqa: PLC0415

        if isinstance(excinfo.value, ConformanceError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Say what is tested."""
        return self.path, None, self.name
