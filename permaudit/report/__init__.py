"""Outcome -> files; every view is made from the outcome, and computes nothing."""

from permaudit.earlier import from_json
from permaudit.report.result import result_schema, to_json

__all__ = ["from_json", "result_schema", "to_json"]
