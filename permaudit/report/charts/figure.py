"""Figures of matplotlib, for plugin authors; matplotlib itself is theirs, and is not needed here."""

from __future__ import annotations

from base64 import b64encode
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from permaudit.errors import PluginError
from permaudit.report.charts.foreign import from_svg
from permaudit.report.charts.reading import MOST_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.report.charts.chart import Chart

_DOTS = 150


def from_matplotlib(  # noqa: PLR0913
    figure: Any,
    *,
    prefix: str = "figure",
    title: str,
    alt: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    image: Literal["svg", "png"] = "svg",
) -> Chart:
    """Turn a figure of matplotlib into a chart: as a drawing without anything harmful, or as an image.

    A figure of many thousand marks is smaller as `png`. Title, text alternative and table are demanded, as everywhere.
    """
    if not any(base.__module__.startswith("matplotlib.") for base in type(figure).__mro__):
        raise PluginError("from_matplotlib takes a matplotlib figure")
    content = BytesIO()
    texts = {"svg.fonttype": "none", "svg.hashsalt": "permaudit"}
    with import_module("matplotlib").rc_context(texts):
        if image == "png":
            figure.savefig(content, format="png", dpi=_DOTS, metadata={"Software": None})
        else:
            figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    text = _framed(figure, content.getvalue()) if image == "png" else content.getvalue().decode("utf-8")
    return from_svg(text, prefix=prefix, title=title, alt=alt, header=header, rows=rows)


def _framed(figure: Any, content: bytes) -> str:
    """Put an image into a drawing of the figure's size."""
    if len(content) > MOST_CHARACTERS // 2:
        raise PluginError("the figure is too large as an image; draw it smaller")
    width, height = (72 * inches for inches in figure.get_size_inches())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">'
        f'<image width="{width:g}" height="{height:g}" href="data:image/png;base64,{b64encode(content).decode("ascii")}"/>'
        "</svg>"
    )
