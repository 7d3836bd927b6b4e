"""For plugin authors: checks that a metric, an anonymizer, a rule, a reader, an engine or a template set keeps the contract.

Each check looks at everything and raises one `ConformanceError`, an `AssertionError` that says all that is wrong in plain
words. The built-ins pass the same checks.

    from permaudit.testing import check_metric

    def test_my_metric_keeps_the_contract():
        check_metric(MyMetric())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permaudit.testing.anonymizer import check_anonymizer as check_anonymizer
    from permaudit.testing.engine import check_engine as check_engine
    from permaudit.testing.failures import ConformanceError as ConformanceError
    from permaudit.testing.failures import Failure as Failure
    from permaudit.testing.material import case_of as case_of
    from permaudit.testing.material import comparison_of as comparison_of
    from permaudit.testing.material import original_of as original_of
    from permaudit.testing.metric import check_metric as check_metric
    from permaudit.testing.reader import check_reader as check_reader
    from permaudit.testing.rule import check_rule as check_rule
    from permaudit.testing.templates import check_templates as check_templates

_ROOMS = {
    "anonymizer": "check_anonymizer",
    "engine": "check_engine",
    "failures": "ConformanceError Failure",
    "material": "case_of comparison_of original_of",
    "metric": "check_metric",
    "reader": "check_reader",
    "rule": "check_rule",
    "templates": "check_templates",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name from its room when it is first used: the workers that checks start need one of them only."""
    if name not in _HOME:
        raise AttributeError(f"module 'permaudit.testing' has no attribute '{name}'")
    return getattr(import_module(f"permaudit.testing.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """List the names."""
    return sorted(_HOME)
