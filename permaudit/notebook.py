"""How an outcome shows itself in a notebook: one small table, everything escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from permaudit.errors import shown

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult, Outcome


def to_notebook_html(outcome: Outcome) -> str:
    """Return the verdict, the metrics and what speaks against each candidate as HTML."""
    names = list(outcome.glossary)
    head = "".join(
        f"<th>{_text(name)}<br><small>{_text(outcome.glossary[name].direction)}</small></th>" for name in names
    )
    body = "".join(_row(candidate, names) for candidate in outcome.candidates)
    return (
        f"<p><b>{_text(outcome.title)}: {_text(outcome.verdict)}</b></p>"
        f"<table><thead><tr><th>candidate</th>{head}<th>verdict</th><th>findings</th></tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _row(candidate: CandidateResult, names: list[str]) -> str:
    """Return the row of one candidate."""
    cells = []
    for name in names:
        metric = candidate.metrics.get(name)
        if metric is None or metric.value is None:
            cells.append(f"<td>{_text(metric.status if metric else 'not asked for')}</td>")
        else:
            note = "" if metric.status == "ok" else f" <small>{_text(metric.status)}</small>"
            cells.append(f"<td>{metric.value:.4f}{note}</td>")
    told = [rule for rule in candidate.rules if rule.outcome not in {"pass", "not-applicable"}]
    findings = "<br>".join(f"{_text(rule.outcome)}: {_text(rule.message)}" for rule in told)
    return f"<tr><th>{_text(candidate.name)}</th>{''.join(cells)}<td>{_text(candidate.verdict)}</td><td>{findings}</td></tr>"


def _text(value: str) -> str:
    """Escape a text for HTML."""
    return escape(shown(value, 200))
