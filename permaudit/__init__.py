"""Audit anonymized and synthetic microdata before they are released.

These are the public names: all that a plugin or a script may import. They are loaded when first used, so that
`import permaudit` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permaudit.api import audit as audit
    from permaudit.arrays import to_arrow as to_arrow
    from permaudit.arrays import to_numpy as to_numpy
    from permaudit.cards import AnonymizerCard as AnonymizerCard
    from permaudit.cards import EngineCard as EngineCard
    from permaudit.cards import EngineCost as EngineCost
    from permaudit.cards import MetricCard as MetricCard
    from permaudit.cards import Needs as Needs
    from permaudit.cards import ReaderCard as ReaderCard
    from permaudit.cards import RuleCard as RuleCard
    from permaudit.cards import TemplateCard as TemplateCard
    from permaudit.cards import ValidFor as ValidFor
    from permaudit.columns import Shelf as Shelf
    from permaudit.columns import Stored as Stored
    from permaudit.columns import StoredColumns as StoredColumns
    from permaudit.errors import AuditFileError as AuditFileError
    from permaudit.errors import DataError as DataError
    from permaudit.errors import Mistake as Mistake
    from permaudit.errors import NotApplicable as NotApplicable
    from permaudit.errors import OutputError as OutputError
    from permaudit.errors import PermauditError as PermauditError
    from permaudit.errors import PluginError as PluginError
    from permaudit.errors import ScratchError as ScratchError
    from permaudit.errors import shown as shown
    from permaudit.hookspecs import hookimpl as hookimpl
    from permaudit.model import Anonymizer as Anonymizer
    from permaudit.model import ApproximatingEngine as ApproximatingEngine
    from permaudit.model import Case as Case
    from permaudit.model import Comparison as Comparison
    from permaudit.model import Engine as Engine
    from permaudit.model import Extent as Extent
    from permaudit.model import GroupedReader as GroupedReader
    from permaudit.model import Made as Made
    from permaudit.model import Measured as Measured
    from permaudit.model import MeasuringReader as MeasuringReader
    from permaudit.model import Metric as Metric
    from permaudit.model import Moments as Moments
    from permaudit.model import Original as Original
    from permaudit.model import OwnMoments as OwnMoments
    from permaudit.model import PiecewiseReader as PiecewiseReader
    from permaudit.model import Reader as Reader
    from permaudit.model import References as References
    from permaudit.model import Rows as Rows
    from permaudit.model import Rule as Rule
    from permaudit.model import SpreadingEngine as SpreadingEngine
    from permaudit.model import TemplateSet as TemplateSet
    from permaudit.model import ThoroughReader as ThoroughReader
    from permaudit.outcome import Attribution as Attribution
    from permaudit.outcome import Baseline as Baseline
    from permaudit.outcome import CandidateResult as CandidateResult
    from permaudit.outcome import Finding as Finding
    from permaudit.outcome import MetricResult as MetricResult
    from permaudit.outcome import Outcome as Outcome
    from permaudit.outcome import Records as Records
    from permaudit.outcome import Section as Section
    from permaudit.parameters import Parameters as Parameters
    from permaudit.plan import Attribute as Attribute
    from permaudit.plan import Taxonomy as Taxonomy
    from permaudit.report.added import chart_section as chart_section
    from permaudit.report.charts import Chart as Chart
    from permaudit.report.charts import from_matplotlib as from_matplotlib
    from permaudit.report.charts import from_svg as from_svg
    from permaudit.sourced import Piece as Piece
    from permaudit.sourced import Sourced as Sourced

__version__ = "0.1.0"

_ROOMS = {
    "arrays": "to_arrow to_numpy",
    "api": "audit",
    "cards": "AnonymizerCard EngineCard EngineCost MetricCard Needs ReaderCard RuleCard TemplateCard ValidFor",
    "columns": "Shelf Stored StoredColumns",
    "errors": "AuditFileError DataError Mistake NotApplicable OutputError PermauditError PluginError ScratchError shown",
    "hookspecs": "hookimpl",
    "model": "Anonymizer ApproximatingEngine Case Comparison Engine Extent GroupedReader Made Measured MeasuringReader Metric Moments Original OwnMoments PiecewiseReader Reader References Rows Rule SpreadingEngine TemplateSet ThoroughReader",
    "parameters": "Parameters",
    "plan": "Attribute Taxonomy",
    "outcome": "Attribution Baseline CandidateResult Finding MetricResult Outcome Records Section",
    "report.added": "chart_section",
    "report.charts": "Chart from_matplotlib from_svg",
    "sourced": "Piece Sourced",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name from its room when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'permaudit' has no attribute '{name}'")
    return getattr(import_module(f"permaudit.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_HOME, "__version__"])
