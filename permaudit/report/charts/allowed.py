"""What may stand in a drawing that somebody else made."""

from __future__ import annotations

import re

LEAVES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
TEXTS = frozenset({"text", "tspan"})
RESOURCES = frozenset({"clipPath", "pattern", "linearGradient", "radialGradient"})
"""What others point to."""
KEPT = LEAVES | TEXTS | RESOURCES | {"g", "defs", "use", "image", "stop"}
UNWRAPPED = frozenset({"a"})
"""Left out themselves; what is within them stays."""

ATTRIBUTES = frozenset(
    [
        "d",
        "points",
        "x",
        "y",
        "x1",
        "y1",
        "x2",
        "y2",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
        "fx",
        "fy",
        "dx",
        "dy",
        "width",
        "height",
        "transform",
        "offset",
        "patternUnits",
        "patternTransform",
        "patternContentUnits",
        "clipPathUnits",
        "gradientUnits",
        "gradientTransform",
        "preserveAspectRatio",
        "viewBox",
        "textLength",
        "lengthAdjust",
    ]
)
PROPERTIES = frozenset(
    [
        "fill",
        "fill-opacity",
        "fill-rule",
        "stroke",
        "stroke-opacity",
        "stroke-width",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-miterlimit",
        "stroke-dasharray",
        "stroke-dashoffset",
        "opacity",
        "clip-path",
        "clip-rule",
        "stop-color",
        "stop-opacity",
        "color",
        "font-family",
        "font-size",
        "font-style",
        "font-weight",
        "text-anchor",
        "letter-spacing",
        "word-spacing",
        "dominant-baseline",
    ]
)
VALUE = re.compile(r"""^[A-Za-z0-9#.,%()\s'"+*_-]*$""")
"""No colon, no slash, no backslash: nothing that could point anywhere or begin another rule."""

IMAGES = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}
"""How images begin."""
