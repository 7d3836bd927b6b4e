"""What things are called in a new plugin."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from packaging.utils import canonicalize_name

from permaudit.errors import PluginError, shown
from permaudit.plugins import load_plugins

Kind: TypeAlias = Literal["metric", "anonymizer", "rule", "reader"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_OURS = frozenset({"permaudit", "permaudit_plugins", "permaudit_templates"})
_NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a distribution and of what it provides."""

    kind: Kind
    distribution: str

    @classmethod
    def of(cls, name: str, kind: Kind) -> Names:
        """Make the names from one; raise `PluginError` where that is not possible."""
        if not _NAME.fullmatch(name):
            raise PluginError(
                f"'{shown(name)}' is no name of a distribution: letters, digits and - . _, a letter first"
            )
        names = cls(kind, canonicalize_name(name))
        if keyword.iskeyword(names.package) or names.package in sys.stdlib_module_names:
            raise PluginError(f"'{names.package}' is a name of Python itself; take another one, such as 'acme-{name}'")
        if names.package in _OURS:
            raise PluginError(f"'{names.package}' is permaudit itself; take another name")
        if any(thing.noun == kind and thing.id.casefold() == names.id.casefold() for thing in load_plugins().provided):
            raise PluginError(f"{kind} id '{names.id}' is reserved for permaudit itself; take another name")
        return names

    @property
    def package(self) -> str:
        """Return the name to import."""
        return self.distribution.replace("-", "_")

    @property
    def id(self) -> str:
        """Return the id by which an audit file calls the object; metrics are written in capitals."""
        return self.distribution.upper() if self.kind == "metric" else self.distribution

    @property
    def type(self) -> str:
        """Return the name of the class."""
        return "".join(word.capitalize() for word in self.distribution.split("-"))
