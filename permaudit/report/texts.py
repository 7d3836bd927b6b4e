"""The report's own words, in one language; texts that come from plugins stay as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from permaudit.errors import PermauditError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_LANGUAGE = re.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", re.ASCII)
"""As pages name theirs; nothing that could lead out of the folder of texts."""
FALLBACK = "en"
"""The language of texts that a catalogue does not have, and of all that plugins say."""


class Texts:
    """A catalogue of texts by dotted name."""

    def __init__(self, language: str, entries: Mapping[str, str]) -> None:
        """Take the texts; what stands in braces is filled in."""
        self.language = language
        self.entries = entries

    def __call__(self, name: str, /, **values: object) -> str:
        """Return a text with its values filled in."""
        try:
            return self.entries[name].format(**values)
        except (LookupError, ValueError, AttributeError) as error:
            raise PermauditError(
                f"the text {name} of the report ({self.language}) is missing, or asks for what it is not given"
            ) from error

    def count(self, name: str, number: int, /, **values: object) -> str:
        """Return the text for one or for many, with the number as `n`."""
        return self(f"{name}.{'one' if number == 1 else 'many'}", n=number, **values)

    def known(self, group: str, name: str) -> str:
        """Return the word for a fixed name, such as a verdict; a name that nobody knows stands as it is."""
        return self.entries.get(f"{group}.{name.replace(' ', '-')}", shown(name))

    def below(self, group: str) -> dict[str, str]:
        """Return all texts of a group, by the rest of their names."""
        start = f"{group}."
        return {name.removeprefix(start): text for name, text in self.entries.items() if name.startswith(start)}


def read_texts(folders: Sequence[Path], language: str) -> Texts:
    """Read a language from the folders of template sets, of which the first one counts most."""
    entries: dict[str, str] = {}
    found = False
    if not _LANGUAGE.fullmatch(language):
        raise PermauditError(f"the report has no texts for the language '{shown(language)}'")
    for spoken in dict.fromkeys((FALLBACK, language)):
        for folder in reversed(folders):
            path = folder / "texts" / f"{spoken}.yaml"
            if path.is_file():
                entries |= dict(flat(_content(path)))
                found |= spoken == language
    if not found:
        raise PermauditError(f"the report has no texts for the language '{shown(language)}'")
    return Texts(language, entries)


def _content(path: Path) -> Any:
    """Read one file of texts."""
    try:
        content = from_yaml(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise PermauditError(f"{path.name}: the texts of the report cannot be read") from error
    if not isinstance(content, dict):
        raise PermauditError(f"{path.name}: the texts of the report must be a mapping from names to texts")
    return content


def from_yaml(text: str) -> Any:
    """Read YAML, by libyaml where it is there: these catalogues are long."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe


def flat(value: Any, start: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts of nested mappings by dotted name."""
    for name, item in value.items():
        if isinstance(item, dict):
            yield from flat(item, f"{start}{name}.")
        else:
            yield f"{start}{name}", str(item)
