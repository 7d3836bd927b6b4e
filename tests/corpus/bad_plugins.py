"""Bad releases whose audit relies on a plugin that is missing, broken or blind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .case import BLOCK, WRONG, bad
from .desk import BOARD
from .run import SITE

if TYPE_CHECKING:
    from .desk import Desk

_MODULE = """
import os, sys
from permaudit import Measured, MetricCard, Needs, hookimpl

permaudit_api = 1

class Acme:
    card = MetricCard(
        id="ACME", title="A metric of somebody else", measures="confidentiality", better="higher", bounds=(0, 1),
        needs=Needs(rows=True), reference="none", summary="none", low="bad", high="good", blind_spots="unknown",
    )

    def compute(self, pair, rng):
        {body}

@hookimpl
def permaudit_metrics():
    return [Acme()]
"""

_SEES_COPIES = "bare = all((pair.rows.original[n][:50] == pair.rows.release[n][:50]).all() for n in pair.rows.release)"
"""Enough to tell a verbatim copy in place from anything else."""


def _with_metric(desk: Desk, body: str, *, allow: str = "acme-metrics", version: str = "1.0") -> None:
    """Write a protected release, and an audit that limits a foreign metric besides what the board demands."""
    site = desk.folder / SITE
    info = site / f"acme_metrics-{version}.dist-info"
    info.mkdir(parents=True)
    (site / "acme_metrics.py").write_text(_MODULE.format(body=body), encoding="utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-metrics\nVersion: {version}\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[permaudit]\nacme = acme_metrics\n", encoding="utf-8")
    original = desk.people()
    rules = [*BOARD, {"rule": "threshold", "metric": "ACME", "min": 0.5}]
    desk.audit(original, desk.protected(original), rules=rules, plugins={"allow": [allow]})


@bad("metric raises", "masked", codes={BLOCK})
def metric_raises(desk: Desk) -> None:
    """A metric that a rule limits raises."""
    _with_metric(desk, "raise ValueError('no')")


@bad("metric returns NaN", "masked", codes={BLOCK})
def metric_nan(desk: Desk) -> None:
    """A metric that a rule limits returns what is no number."""
    _with_metric(desk, "return Measured(float('nan'))")


@bad("metric returns 1.7", "masked", codes={BLOCK})
def metric_out_of_bounds(desk: Desk) -> None:
    """A metric that a rule limits returns more than its bounds allow."""
    _with_metric(desk, "return Measured(1.7)")


@bad("metric ends the process with success", "masked", codes={BLOCK}, child=True)
def metric_exits(desk: Desk) -> None:
    """A metric ends the process with exit code 0, which would read as a release."""
    _with_metric(desk, "os._exit(0)")


@bad("metric exits with success", "masked", codes={BLOCK})
def metric_leaves(desk: Desk) -> None:
    """A metric raises SystemExit with code 0."""
    _with_metric(desk, "sys.exit(0)")


@bad("metric that rates a copy as safe", codes={BLOCK})
def metric_is_blind(desk: Desk) -> None:
    """A metric that finds everything safe may not decide, whatever it says of this release."""
    _with_metric(desk, "return Measured(0.9)")


@bad("metric that prefers copies", "masked", codes={BLOCK})
def metric_is_upside_down(desk: Desk) -> None:
    """A metric that declares the wrong direction: a copy reads as the safest release of all."""
    _with_metric(desk, f"{_SEES_COPIES}; return Measured(1.0 if bare else 0.6)")


@bad("metric changes what it is given", "masked", codes={BLOCK})
def metric_spoils(desk: Desk) -> None:
    """A metric writes to the released columns, by accident or not."""
    _with_metric(desk, "next(iter(pair.rows.release.values()))[:] = 0; return Measured(0.9)")


@bad("plugin missing", codes={WRONG})
def plugin_missing(desk: Desk) -> None:
    """The audit file requires a plugin that is not installed."""
    _with_metric(desk, "return Measured(0.9)", allow="other-metrics>=2")


@bad("plugin not allowed", "masked", codes={WRONG})
def plugin_not_allowed(desk: Desk) -> None:
    """A rule limits a metric whose distribution the audit file does not allow."""
    _with_metric(desk, "return Measured(0.9)")
    path = desk.folder / "audit.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("plugins:")], encoding="utf-8")


@bad("plugin of another version", "masked", codes={WRONG})
def plugin_version(desk: Desk) -> None:
    """The audit file requires version 2, and version 1.0 is installed."""
    _with_metric(desk, "return Measured(0.9)", allow="acme-metrics>=2")


@bad("plugin that cannot be imported", "masked", codes={WRONG})
def plugin_broken(desk: Desk) -> None:
    """The plugin's module raises while it is imported."""
    _with_metric(desk, "return Measured(0.9)")
    (desk.folder / SITE / "acme_metrics.py").write_text("raise RuntimeError\n", encoding="utf-8")


@bad("plugin that takes a reserved name", "masked", codes={WRONG})
def plugin_takes_cm2(desk: Desk) -> None:
    """A foreign plugin provides its own CM2."""
    _with_metric(desk, "return Measured(0.9)")
    path = desk.folder / SITE / "acme_metrics.py"
    path.write_text(path.read_text(encoding="utf-8").replace('"ACME"', '"CM2"'), encoding="utf-8")
