"""For plugin authors: checks that a metric, an anonymizer, a rule, a reader, an engine or a template set keeps the contract.

Each check looks at everything and raises one `ConformanceError`, an `AssertionError` that says all that is wrong in plain
words. The built-ins pass the same checks.

    from permaudit.testing import check_metric

    def test_my_metric_keeps_the_contract():
        check_metric(MyMetric())
"""

from permaudit.testing.anonymizer import check_anonymizer
from permaudit.testing.engine import check_engine
from permaudit.testing.failures import ConformanceError, Failure
from permaudit.testing.material import case_of, comparison_of, original_of
from permaudit.testing.metric import check_metric
from permaudit.testing.reader import check_reader
from permaudit.testing.rule import check_rule
from permaudit.testing.templates import check_templates

__all__ = [
    "ConformanceError",
    "Failure",
    "case_of",
    "check_anonymizer",
    "check_engine",
    "check_metric",
    "check_reader",
    "check_rule",
    "check_templates",
    "comparison_of",
    "original_of",
]
