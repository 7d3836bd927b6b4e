"""Everything that the doctor looks at, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permaudit.doctor.answers import answers_of
from permaudit.doctor.checks import Check
from permaudit.doctor.machine import check_machine
from permaudit.doctor.packages import check_packages
from permaudit.doctor.paper import check_paper
from permaudit.errors import PluginError
from permaudit.plugins import load_plugins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.allowed import Allowed
    from permaudit.doctor.answers import MetricAnswers
    from permaudit.plugins import Host, Plugin

_ENGINE = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found."""

    checks: tuple[Check, ...]
    plugins: tuple[Plugin, ...]
    """Those that load."""
    refused: tuple[Plugin, ...]
    """Those that are installed and were not allowed."""
    metrics: tuple[MetricAnswers, ...]

    @property
    def is_wrong(self) -> bool:
        """Tell whether audits cannot run here, or cannot be trusted."""
        return any(check.state == "wrong" for check in self.checks)

    @property
    def unfit(self) -> tuple[MetricAnswers, ...]:
        """Return the metrics by which no release may pass."""
        return tuple(metric for metric in self.metrics if metric.unfit is not None)


def examine(allow: Sequence[Allowed] = ()) -> Diagnosis:
    """Look at the surroundings, load the plugins, and put the known cases to every metric."""
    checks = [*check_packages(), *check_machine(), check_paper()]
    try:
        host = load_plugins(allow)
    except PluginError as error:
        advice = "mend or uninstall it; nothing can be audited until then"
        broken = Check(name="plugins", state="wrong", found=str(error), advice=advice)
        return Diagnosis(checks=(*checks, broken), plugins=(), refused=(), metrics=())
    sources = len({plugin.distribution for plugin in host.plugins})
    found = f"{len(host.plugins)} load, from {sources} distribution{'s' * (sources != 1)}"
    checks.append(Check(name="plugins", state="ok", found=found))
    return Diagnosis(checks=tuple(checks), plugins=host.plugins, refused=host.refused, metrics=_metrics(host))


def _metrics(host: Host) -> tuple[MetricAnswers, ...]:
    """Put the known cases to every metric that was loaded."""
    engine = host.catalogue.engines[_ENGINE]
    return tuple(
        answers_of(provided.object, provided.plugin, engine) for provided in host.provided if provided.noun == "metric"
    )
