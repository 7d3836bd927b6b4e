"""A section of the report from a chart, for the authors of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.outcome import Section

if TYPE_CHECKING:
    from permaudit.report.charts import Chart


def chart_section(chart: Chart, text: str = "") -> Section:
    """Return a section with a chart of `from_matplotlib` or `from_svg`: give it to `Measured(value, section=...)`.

    The table of the chart must hold aggregates and never a record. Sections are for internal readers only: nobody can check a
    picture for what it discloses.
    """
    return Section(
        title=chart.title,
        text=text,
        figure=str(chart.svg),
        alt=chart.alt,
        header=list(chart.table.header),
        rows=[list(row) for row in chart.table.rows],
    )
