"""Results of made candidates, kept by what they were made from: an interrupted sweep goes on where it stopped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from permaudit.outcome import CandidateResult

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Cache:
    """A directory of results; what cannot be read there counts as not there."""

    def __init__(self, directory: Path) -> None:
        """Take the directory, which is made when the first result is kept."""
        self._directory = directory

    def get(self, recipe: Mapping[str, Any]) -> CandidateResult | None:
        """Return the result of an earlier run with the same recipe."""
        from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - only those who find something pay for it

        try:
            content = self._path(recipe).read_bytes()
        except OSError:
            return None
        try:
            found = TypeAdapter(CandidateResult).validate_json(content)
        except ValidationError:
            return None
        return found if found.name == recipe["candidate"]["name"] else None

    def put(self, recipe: Mapping[str, Any], result: CandidateResult) -> None:
        """Keep a result, whole or not at all; a full disk is no reason to lose an audit."""
        with contextlib.suppress(OSError):
            self._directory.mkdir(mode=0o700, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._directory)
            try:
                with open(descriptor, "w", encoding="ascii") as stream:  # noqa: PTH123 - a descriptor, not a path
                    json.dump(asdict(result), stream, allow_nan=False)
                os.replace(name, self._path(recipe))  # noqa: PTH105
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)  # noqa: PTH108

    def _path(self, recipe: Mapping[str, Any]) -> Path:
        """Name the file of a result after its recipe."""
        text = json.dumps(recipe, sort_keys=True, default=str)
        return self._directory / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
