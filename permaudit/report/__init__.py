"""Outcome -> files; every view is made from the outcome, and computes nothing."""

from permaudit.report.result import from_json, result_schema, to_json

__all__ = ["from_json", "result_schema", "to_json"]
