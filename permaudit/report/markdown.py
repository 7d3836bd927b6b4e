"""`summary.md`: the outcome for a pull request or a mail, through the template set."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import jinja2

from permaudit.errors import shown
from permaudit.report.words import (
    OUTCOME_SIGNS,
    STUDY,
    VERDICT_SIGNS,
    VERDICT_WORDS,
    digits_for,
    distinct,
    interval,
    number,
    waived_words,
    waiver_words,
    yardsticks,
)

if TYPE_CHECKING:
    from permaudit.model import TemplateSet
    from permaudit.outcome import Outcome

_LONGEST = 400

_MARKUP = re.compile(
    r"""[\\`*\[\]<|~]             # wherever they stand
      | (?<![A-Za-z0-9])_ | _(?![A-Za-z0-9])   # inside a word it means nothing
      | &(?=[#A-Za-z])            # a named or numbered character
      | \A(?:[>\#]|[-+=](?=[-+=\ ])|\d+(?=[.)]\ ))  # at the beginning: a list, a heading, a quotation
    """,
    re.VERBOSE,
)
_OBEYED = re.compile(r"@|://|\bwww\.|:[\w+-]+:|#\d|\$", re.IGNORECASE)
"""What platforms make links, mentions, pictures or formulas of, and no backslash prevents it; in code it is left alone."""
_NOT_IN_CODE = re.compile(r"[\\`|]")


def to_markdown(outcome: Outcome, templates: TemplateSet) -> bytes:
    """Render the summary; every value is escaped, so that a name cannot become markup, a link or a table cell."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates.directory),
        autoescape=False,  # noqa: S701 - HTML escaping would be wrong here; `finalize` escapes for Markdown
        finalize=escaped,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # it is rendered once: that takes longer
    )
    template = environment.get_template("summary.md.j2")
    digits = digits_for(outcome.presentation.audience)
    own = [candidate.name for candidate in outcome.candidates]
    text = template.render(
        outcome=outcome,
        names=dict(zip(own, distinct(own, _LONGEST - 10), strict=True)),
        points={point.candidate for sweep in outcome.sweeps for point in sweep.points},
        study=STUDY,
        symbols=VERDICT_SIGNS,
        outcome_symbols=OUTCOME_SIGNS,
        verdict_words=VERDICT_WORDS,
        number=partial(number, digits=digits),
        interval=partial(interval, digits=digits),
        yardsticks=partial(yardsticks, digits=digits),
        waiver_words=waiver_words,
        waived_words=waived_words,
    )
    return re.sub(r"\n{3,}", "\n\n", text).encode("utf-8")


def escaped(value: Any) -> str:
    """Write a value as plain text in Markdown, with as few signs of that as possible."""
    text = shown(str(value), _LONGEST)
    if not _OBEYED.search(text):
        return _MARKUP.sub(_with_backslash, text)
    return " ".join(_word(word) for word in text.split(" "))


def _word(word: str) -> str:
    """Write a word as code where a platform would obey it; where it cannot be code, write its signs as their codes."""
    if not _OBEYED.search(word):
        return _MARKUP.sub(_with_backslash, word)
    if not _NOT_IN_CODE.search(word):
        return f"`{word}`"
    spelt = _OBEYED.sub(lambda found: f"\\x{ord(found[0][0]):x}{found[0][1:]}", word)
    return _MARKUP.sub(_with_backslash, spelt)


def _with_backslash(found: re.Match[str]) -> str:
    """Put a backslash before a sign; before a number's full stop it stands behind the digits."""
    sign = found[0]
    return f"{sign}\\" if sign[0].isdigit() else f"\\{sign}"
