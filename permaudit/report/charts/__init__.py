"""The charts of the report: SVG that looks the same in HTML and PDF, with words and a table for every drawing.

Charts compute nothing about the data; they only find places on paper for numbers that the outcome holds.
"""

from permaudit.report.charts.badge import outcome_sign, verdict_badge, verdict_sign
from permaudit.report.charts.chart import Axis, Chart, CurvePoint, Limit, MapPoint, Panel, Series, Table
from permaudit.report.charts.figure import from_matplotlib
from permaudit.report.charts.foreign import from_svg
from permaudit.report.charts.key_bars import key_bars
from permaudit.report.charts.metric_scale import metric_scale
from permaudit.report.charts.numbers import number, parameter
from permaudit.report.charts.palette import BACKGROUNDS
from permaudit.report.charts.rank_density import rank_density
from permaudit.report.charts.risk_utility_map import risk_utility_map
from permaudit.report.charts.spectra import spectra
from permaudit.report.charts.sweep_curves import sweep_curves
from permaudit.report.charts.words import ENGLISH, Words
from permaudit.report.charts.worked_picture import worked_picture
from permaudit.report.digits import DIGITS

__all__ = [
    "BACKGROUNDS",
    "DIGITS",
    "ENGLISH",
    "Axis",
    "Chart",
    "CurvePoint",
    "Limit",
    "MapPoint",
    "Panel",
    "Series",
    "Table",
    "Words",
    "from_matplotlib",
    "from_svg",
    "key_bars",
    "metric_scale",
    "number",
    "outcome_sign",
    "parameter",
    "rank_density",
    "risk_utility_map",
    "spectra",
    "sweep_curves",
    "verdict_badge",
    "verdict_sign",
    "worked_picture",
]
