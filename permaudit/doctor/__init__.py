"""Is this installation fit to judge? Its surroundings, its plugins, and what its metrics say of cases with known answers."""

from permaudit.doctor.answers import CaseAnswer, MetricAnswers
from permaudit.doctor.checks import Check
from permaudit.doctor.diagnosis import Diagnosis, examine

__all__ = ["CaseAnswer", "Check", "Diagnosis", "MetricAnswers", "examine"]
