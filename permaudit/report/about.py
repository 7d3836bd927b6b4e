"""What a bundle is about, for its manifest: the verdict, and everything that it was made from and with, by content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.report.result import whole

if TYPE_CHECKING:
    from permaudit.outcome import Outcome


def about(outcome: Outcome) -> dict[str, Any]:
    """Return what the manifest says of an outcome besides the hashes of its files."""
    provenance, policy = outcome.provenance, outcome.policy
    by_distribution = {plugin.distribution: plugin for plugin in provenance.plugins}
    content = {
        "permaudit": provenance.packages.get("permaudit"),
        "verdict": outcome.verdict,
        "study": provenance.study,
        "inputs": [{"path": file.path, "sha256": file.sha256} for file in provenance.inputs],
        "policy": policy and {"path": policy.path, "sha256": policy.sha256},
        "plugins": {
            name: {"version": plugin.version, "sha256": plugin.sha256} for name, plugin in by_distribution.items()
        },
    }
    return dict(whole(content))
