"""The lines of an audit file: entries, and comments that cannot break out of their line."""

from __future__ import annotations

import textwrap

_WIDTH = 118
_ASKED = "# CONFIRM: "


class Page:
    """Lines that are written one after the other."""

    def __init__(self) -> None:
        """Start empty."""
        self._lines: list[str] = []
        self.marks: list[str] = []
        """What a person is asked to confirm."""

    def line(self, text: str = "") -> None:
        """Write a line of YAML as it is."""
        self._lines.append(text)

    def comment(self, text: str, indent: str = "", hanging: str = "") -> None:
        """Write words as comment lines; names in them must have been made visible."""
        start = f"{indent}# "
        self._lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=start,
            subsequent_indent=start + hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def confirm(self, text: str, indent: str = "") -> None:
        """Ask a person to confirm something."""
        self.marks.append(text)
        self.comment(f"{_ASKED.removeprefix('# ')}{text}", indent)

    def commented_out(self, text: str, indent: str = "") -> None:
        """Write a line of YAML that counts once its # is taken away."""
        self._lines.append(f"{indent}# {text}")

    def take(self, text: str) -> None:
        """Write ready-made lines, which may ask for confirmation, too."""
        lines = text.splitlines()
        asked = (line.lstrip().removeprefix(_ASKED) for line in lines if line.lstrip().startswith(_ASKED))
        self.marks += asked
        self._lines += lines

    def text(self) -> str:
        """Return the whole."""
        return "\n".join(self._lines) + "\n"
