"""What results say, in the language of the report as far as its catalogue goes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.coarse import WITHHELD
from permaudit.report.context import Said
from permaudit.report.sentences import retold
from permaudit.report.texts import FALLBACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.report.sentences import Kind, Sentence
    from permaudit.report.texts import Texts

GROUP = "said"
_FEW = re.compile(r"fewer than (\d+)")
_MORE = re.compile(r" and (\d+) more\Z")
_TWO = re.compile(r"([^\s,]+) and ([^\s,]+)")


class Speech:
    """Says what a result says in another language, and tells where it cannot."""

    def __init__(self, texts: Texts) -> None:
        """Take the catalogue; where it has none of the sentences, everything stays as it was written."""
        self._texts = texts
        self._entries = texts.below(GROUP)
        self._retold = lru_cache(maxsize=4096)(lambda text: retold(text, self._tell, self._fill))

    def __call__(self, text: str, limit: int) -> Said:
        """Return a text, with its language where that is not the report's."""
        told = self._retold(text) if self._entries else None
        foreign = FALLBACK if told is None and text and self._texts.language != FALLBACK else ""
        return Said(text=shown(text if told is None else told, limit), language=foreign)

    def _tell(self, sentence: Sentence, values: Mapping[str, str]) -> str:
        name = f"{GROUP}.{sentence.name}"
        return self._texts(name, **values) if name in self._texts.entries else sentence.text.format(**values)

    def _fill(self, kind: Kind, given: str) -> str:
        """Say what is filled in: names stay, and the words between them do not."""
        if given == WITHHELD:
            return self._texts(f"{GROUP}.withheld")
        if kind == "count" and (few := _FEW.fullmatch(given)):
            return self._texts(f"{GROUP}.number.few", limit=few[1])
        if kind == "names" and (two := _TWO.fullmatch(given)):
            return self._texts("more.and", first=two[1], second=two[2])
        if kind == "names" and (more := _MORE.search(given)):
            return f"{given[: more.start()]} {self._texts.count('more.names', int(more[1]))}"
        return given
