"""Values that one person alone has, in that person's own linked record.

Whoever knows such a value looks it up in the release: where those who are found there are mostly the right ones, it tells
whose record that is, however well the others are hidden. Values that only changed places are found with the wrong people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permaudit_plugins.metrics._files import File


def own_cells(original: File, release: File, names: tuple[str, ...], whole: File) -> dict[str, Any] | None:
    """Find the attribute in which most values that one person of the whole original alone has stand in their own record.

    One that was left as it is needs no such look.
    """
    found: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        released = release.codes[place]
        if (released == original.codes[place]).all():
            continue
        alone = whole.few[place][released] == 1
        own = alone & (released == original.codes[place])
        found.append({"found": int(own.sum()), "of": int(alone.sum()), "column": name})
    return max(found, key=lambda one: 2 * one["found"] - one["of"], default=None)
