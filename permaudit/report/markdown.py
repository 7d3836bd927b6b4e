"""`summary.md`: the outcome for a pull request or a mail, through the template set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jinja2

from permaudit.errors import shown
from permaudit.report.words import VERDICT_SIGNS, VERDICT_WORDS, distinct

if TYPE_CHECKING:
    from permaudit.model import TemplateSet
    from permaudit.outcome import Outcome

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@$^=:])")
_ADDRESS = re.compile(r"\b(www)\.", re.IGNORECASE)
"""What some readers turn into a link without any markup; `://` and `@` are escaped anyway."""
_LONGEST = 400


def to_markdown(outcome: Outcome, templates: TemplateSet) -> bytes:
    """Render the summary; every value is escaped, so that a name cannot become markup, a link or a table cell."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates.directory),
        autoescape=False,  # noqa: S701 - HTML escaping would be wrong here; `finalize` escapes for Markdown
        finalize=_escaped,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("summary.md.j2")
    own = [candidate.name for candidate in outcome.candidates]
    text = template.render(
        outcome=outcome,
        names=dict(zip(own, distinct(own, _LONGEST - 10), strict=True)),
        points={point.candidate for sweep in outcome.sweeps for point in sweep.points},
        symbols=VERDICT_SIGNS,
        verdict_words=VERDICT_WORDS,
    )
    return re.sub(r"\n{3,}", "\n\n", text).encode("utf-8")


def _escaped(value: Any) -> str:
    """Write a value as plain text in Markdown."""
    return _ADDRESS.sub(r"\1\\.", _SPECIAL.sub(r"\\\1", shown(str(value), _LONGEST)))
