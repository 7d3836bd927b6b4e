"""Categories without an order: their number is their marginality in a taxonomy."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.scales.base import (
    ColumnError,
    EncodedColumn,
    category_texts,
    differ,
    either,
    many,
    near_misses,
    refuse,
    refuse_empty,
    some,
)
from permaudit.data.scales.generalized import STAR, set_members
from permaudit.data.scales.marginality import Marginality
from permaudit.data.scales.named import Naming, named_in
from permaudit.data.scales.released import refuse_star
from permaudit.data.scales.taxonomy import read_taxonomy
from permaudit.plan import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from permaudit.data.scales.base import Distinct
    from permaudit.plan import Attribute

_ROOT = 0
_STEP = 2.0**-50
_SETS = 2**20
"""So many places there are for sets; two of them share one by a rare chance."""


class NominalScale:
    """The marginalities that the original's records give to the categories of a taxonomy."""

    def __init__(self, attribute: Attribute, original: pa.ChunkedArray) -> None:
        """Read the taxonomy and the original; raise `DataError` where the taxonomy's file is wrong."""
        if attribute.taxonomy is None:
            raise ColumnError(
                "is nominal: say which categories are near each other, as in taxonomy: categories.yaml, or declare "
                "type: ordinal and an order"
            )
        known = attribute.taxonomy
        taxonomy = known if isinstance(known, Taxonomy) else read_taxonomy(known)
        self._star = attribute.star
        self._nodes = {name: node for node, name in enumerate(taxonomy.names)}
        self._inner = frozenset(taxonomy.parents)
        texts = category_texts(original)
        self._refuse_unknown(texts)
        self._refuse_inner(texts)
        nodes = self._plain_nodes(texts)
        counts = np.zeros(len(taxonomy.names), np.int64)
        np.add.at(counts, nodes, np.bincount(texts.index[texts.index >= 0], minlength=len(nodes)))
        self._marginality = Marginality(taxonomy, counts)
        codes = self._marginality.of(nodes)
        hides = len(codes) > 1 and not differ(codes)
        kinds = texts.spread(_kept_apart(codes, texts.texts, self._nodes))
        self.original = refuse_empty(
            EncodedColumn(texts.spread(codes), texts.missing, _tied(codes), hides, kinds=kinds)
        )
        self._used = frozenset(texts.texts)

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column on the original's scale."""
        texts = category_texts(column)
        if not released:
            self._refuse_unknown(texts)
            self._refuse_inner(texts)
            codes = self._marginality.of(self._plain_nodes(texts))
            hides, kinds = len(codes) > 1 and not differ(codes), _kept_apart(codes, texts.texts, self._nodes)
            return EncodedColumn(texts.spread(codes), texts.missing, _tied(codes), hides, kinds=texts.spread(kinds))
        stars = texts.count({STAR}) if STAR not in self._nodes else 0
        if stars:
            refuse_star(texts, self._star)
        members = [self._members(text) for text in texts.texts]
        self._refuse_unknown(texts, {text for text, found in zip(texts.texts, members, strict=True) if not found})
        sets = {text for text, found in zip(texts.texts, members, strict=True) if len(found) > 1}
        codes = self._means(members)
        missing = texts.marks({STAR}) if stars and self._star == "missing" else None
        said = self._said(texts, sets, stars)
        plain = np.array([text in self._nodes for text in texts.texts], bool)
        said = (*_tied(codes[plain]), *said)
        hides = len(codes) > 1 and not differ(codes)
        named = named_in(texts, self._namings(texts, sets), ordered=False)
        kinds = texts.spread(_kept_apart(codes, texts.texts, self._nodes))
        missing = some(either(texts.missing, missing))
        return EncodedColumn(
            texts.spread(codes), missing, said, hides, named, kinds=kinds, unused=self._unused(texts, codes)
        )

    def _members(self, text: str) -> tuple[int, ...]:
        """Return the categories that a released text means, or none."""
        if text in self._nodes:
            return (self._nodes[text],)
        if text == STAR:
            return (_ROOT,)
        members = set_members(text)
        if members is None or not all(member in self._nodes for member in members):
            return ()
        return tuple(sorted({self._nodes[member] for member in members}))

    def _means(self, members: list[tuple[int, ...]]) -> NDArray[np.float64]:
        """Return the mean marginality of each set of categories."""
        used = sorted({node for nodes in members for node in nodes})
        codes = dict(zip(used, self._marginality.of(np.array(used, np.intp)).tolist(), strict=True))
        return np.array([sum(codes[node] for node in nodes) / len(nodes) for nodes in members], np.float64)

    def _namings(self, texts: Distinct, sets: set[str]) -> dict[str, Naming]:
        """Return the members of each set as they are written; an inner category names no value, and `*` none at all."""
        found = {}
        for text in sets:
            nodes = [self._nodes[member] for member in dict.fromkeys(set_members(text) or ())]
            found[text] = Naming(tuple(self._marginality.of(np.array(nodes, np.intp)).tolist()), is_set=True)
        if STAR in texts.texts and STAR not in self._nodes and self._star == "any":
            found[STAR] = Naming((), is_set=False)
        return found

    def _unused(self, texts: Distinct, codes: NDArray[np.float64]) -> int:
        """Count the cells with categories without parts that the original does not use, several of which tie."""
        strange = [
            text in self._nodes and self._nodes[text] not in self._inner and text not in self._used
            for text in texts.texts
        ]
        places = np.flatnonzero(np.array(strange, bool))
        _, group, sizes = np.unique(codes[places], return_inverse=True, return_counts=True)
        return texts.count({texts.texts[place] for place in places[sizes[group] > 1].tolist()})

    def _plain_nodes(self, texts: Distinct) -> NDArray[np.intp]:
        """Return the category of each text."""
        return np.array([self._nodes[text] for text in texts.texts], np.intp)

    def _refuse_unknown(self, texts: Distinct, unknown: set[str] | None = None) -> None:
        """Refuse categories that the taxonomy does not have."""
        wrong = {text for text in texts.texts if text not in self._nodes} if unknown is None else unknown
        hint = near_misses(sorted(wrong), list(self._nodes)) if wrong else ""
        if unknown is None and any(text.strip() == STAR or set_members(text) is not None for text in wrong):
            hint = "; sets and * may stand in a release only"
        nouns = ("value that is not in the taxonomy", "values that are not in the taxonomy")
        refuse(texts.marks(wrong), nouns[0], hint, nouns[1])

    def _refuse_inner(self, texts: Distinct) -> None:
        """Refuse categories that have parts, where only a release may be so vague."""
        wrong = {text for text in texts.texts if self._nodes[text] in self._inner}
        nouns = ("value that is a category with parts", "values that are categories with parts")
        hint = "; these may stand in a release only: give the unspecified ones a part of their own in the taxonomy"
        refuse(texts.marks(wrong), nouns[0], hint, nouns[1])

    def _said(self, texts: Distinct, sets: set[str], stars: int) -> tuple[str, ...]:
        """Say how the generalized values of a release were ranked."""
        said = []
        if inner := texts.count({text for text in texts.texts if self._nodes.get(text) in self._inner}):
            what = "1 released value stands" if inner == 1 else f"{inner} released values stand"
            said.append(f"{what} for a category with parts, and the marginality of that category decides")
        if count := texts.count(sets):
            said.append(f"{many(count, 'released set')} of categories: the mean marginality of the members decides")
        if stars and self._star == "any":
            said.append(f"{stars} released * {'ranks' if stars == 1 else 'rank'} as the root of the taxonomy")
        return tuple(said)


def _tied(codes: NDArray[np.float64]) -> tuple[str, ...]:
    """Say how many categories share their marginality with another one."""
    _, sizes = np.unique(codes, return_counts=True)
    tied = int(sizes[sizes > 1].sum())
    return (f"{tied} of {len(codes)} categories tie: each has the same marginality as another",) if tied else ()


def _kept_apart(codes: NDArray[np.float64], texts: Sequence[str], nodes: Mapping[str, int]) -> NDArray[np.float64]:
    """Move each code up by next to nothing, by as much for the same category in every file, so that none tie."""
    places = [
        nodes[text] + 1 if text in nodes else len(nodes) + 1 + zlib.crc32(text.encode()) % _SETS for text in texts
    ]
    return codes + np.maximum(np.abs(codes), 1.0) * np.array(places, np.float64) * _STEP
