"""The manifest: what belongs to a bundle, by content.

Only one text says a given thing: the keys in this order, two blanks of indentation, and at the end the hash of all that
stands before. So a single changed character is found, also one that no reader of JSON would care about. The hash of the
whole text is the bundle's id.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from permaudit.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "permaudit/manifest/1"
_SELF = "self"


def manifest_text(files: Mapping[str, bytes], about: Mapping[str, Any]) -> bytes:
    """Write the manifest of these files, and of what they were made from."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    return _sealed({"schema": SCHEMA, **about, "files": digests})


def parse_manifest(text: bytes) -> dict[str, Any]:
    """Read a manifest without its seal; raise where it is not, to the last character, what permaudit writes."""
    try:
        content = json.loads(text)
        content.pop(_SELF)
        untouched = content["schema"] == SCHEMA and isinstance(content["files"], dict) and _sealed(content) == text
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        untouched = False
    if not untouched:
        raise OutputError("is not, character for character, a manifest as permaudit writes it")
    return dict(content)


def bundle_id(text: bytes) -> str:
    """Return what a board can write down: the hash of the manifest's whole text."""
    return hashlib.sha256(text).hexdigest()


def _sealed(content: Mapping[str, Any]) -> bytes:
    """Write a manifest with the hash of itself."""
    seal = hashlib.sha256(_text(content)).hexdigest()
    return _text({**content, _SELF: seal})


def _text(content: Mapping[str, Any]) -> bytes:
    """Write JSON in the only way that counts."""
    return (json.dumps(content, indent=2, allow_nan=False) + "\n").encode("ascii")
