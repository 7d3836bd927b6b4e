"""The files of a new plugin, filled in and written."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined

from permaudit import __version__
from permaudit.errors import OutputError, shown
from permaudit.hookspecs import API

if TYPE_CHECKING:
    from pathlib import Path

    from permaudit.scaffold.names import Names

_COMMON = {
    "pyproject.toml": "pyproject.toml.j2",
    "README.md": "README.md.j2",
    ".github/workflows/test.yml": "test.yml.j2",
    ".gitignore": "gitignore.j2",
}


def write_plugin(names: Names, folder: Path) -> list[str]:
    """Write a complete distribution into a new folder, and return the paths of its files."""
    if folder.exists() or folder.is_symlink():
        raise OutputError(f"{shown(str(folder), 200)} exists already; remove it, or take another name")
    templates = _COMMON | {
        f"src/{names.package}/__init__.py": f"{names.kind}.py.j2",
        f"src/{names.package}/py.typed": "typed.j2",
        f"tests/test_{names.kind}.py": f"test_{names.kind}.py.j2",
    }
    written = {path: _filled(template, names) for path, template in templates.items()}
    try:
        for path, text in written.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"{shown(str(folder), 200)}: cannot be written: {error.strerror or 'unknown error'}"
        ) from error
    return sorted(written)


def _filled(template: str, names: Names) -> str:
    """Fill in one file."""
    # What comes out is Python, TOML and Markdown, with names that were checked: there is nothing to escape.
    environment = Environment(keep_trailing_newline=True, trim_blocks=True, undefined=StrictUndefined, autoescape=False)  # noqa: S701
    text = (files(__package__) / "files" / template).read_text(encoding="utf-8")
    return environment.from_string(text).render(names=names, api=API, version=__version__)
