"""What is installed, by content: one hash for all files of a distribution.

The hash is that of the text that `sha256sum` prints for the files, sorted by path: it can be repeated by hand, and is the
same for an installed wheel and for a checkout that is installed in place.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import PurePosixPath

    from permaudit.plugins import Plugin

_HOST = __name__.partition(".")[0]

_LEFT_OUT = {"__pycache__"}
"""What an interpreter made on this machine. A compiled module elsewhere came with its distribution, and so did a path file."""
_PIECE = 1 << 16
"""So many bytes are read at once: more would be asked of the system, and cleared, for each of hundreds of small files."""


def installed_hashes(plugins: Iterable[Plugin]) -> dict[str, str | None]:
    """Return the hash of each distribution from which plugins come; that of permaudit holds the host too."""
    modules: dict[str, set[str]] = {}
    for plugin in plugins:
        modules.setdefault(plugin.distribution, {_HOST} & {plugin.distribution}).add(plugin.module)
    return {name: distribution_hash(name, points) for name, points in modules.items()}


def distribution_hash(name: str, modules: Iterable[str]) -> str | None:
    """Return the hash of a distribution's files; None where they cannot be found.

    `modules` are its entry points: where the installer kept no list of files, or only a link to a checkout, the
    packages that hold these are taken whole.
    """
    roots = {module.partition(":")[0].partition(".")[0] for module in modules}
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    try:
        files = _listed(found, roots)
        files = files | _in_packages(roots, alone=True) if files else _in_packages(roots)
        lines = [f"{_hash(path)}  {shown}\n" for shown, path in sorted(files.items())]
    except (OSError, ValueError):
        return None
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest() if lines else None


def _listed(found: metadata.Distribution, roots: set[str]) -> dict[str, Path]:
    """Return the files that the installer listed, by their path; none where these are not the packages themselves."""
    paths = [path for path in found.files or () if _is_shipped(path)]
    named = {path.parts[0].partition(".")[0] for path in paths}
    return {path.as_posix(): Path(str(path.locate())) for path in paths} if roots <= named else {}


def _is_shipped(path: PurePosixPath) -> bool:
    """Tell whether a file came with the distribution: code and data, not what an installer wrote beside them."""
    if ".." in path.parts or path.is_absolute() or _LEFT_OUT & set(path.parts):
        return False
    return not path.parts[0].endswith((".dist-info", ".egg-info", ".data"))


def _in_packages(roots: set[str], *, alone: bool = False) -> dict[str, Path]:
    """Return the files of packages and modules that would be imported, wherever they lie, without importing them.

    With `alone`, only of what cannot be shared with others: whoever laid a file there changes what is imported.
    """
    files: dict[str, Path] = {}
    for root in roots:
        spec = find_spec(root)  # of a top-level name: imports nothing
        if spec is None:
            return {}
        if alone and spec.origin is None:
            continue
        if spec.submodule_search_locations is None:
            path = Path(spec.origin or root)
            files[path.name] = path
        for folder in spec.submodule_search_locations or ():
            files |= _below(Path(folder), root)
    return files


def _below(folder: Path, root: str) -> dict[str, Path]:
    """Return the files below a folder, by their path from the package on."""
    files: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        inner = "/".join((root, *Path(place).relative_to(folder).parts))
        files |= {f"{inner}/{name}": Path(place, name) for name in names}
    return files


def _hash(path: Path) -> str:
    """Return the hash of one file."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as stream:
        while part := stream.read(_PIECE):
            digest.update(part)
    return digest.hexdigest()
