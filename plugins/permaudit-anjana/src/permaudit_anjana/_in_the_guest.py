"""Runs in the other Python, where anjana is installed and permaudit is not."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Let anjana generalize the quasi-identifiers; the row number goes along as a column that it leaves alone."""
    import pandas as pd  # noqa: PLC0415 - only where they are installed
    from anjana.anonymity import k_anonymity  # noqa: PLC0415
    from pycanon.anonymity import k_anonymity as k_of  # noqa: PLC0415

    levels = {name: dict(enumerate(several)) for name, several in question["levels"].items()}
    quasi = list(levels)
    frame = pd.DataFrame({name: several[0] for name, several in levels.items()})
    frame["row"] = range(len(frame))
    made = k_anonymity(frame, [], quasi, question["k"], question["suppression"], levels)
    if not len(made):  # its word for: impossible
        return {"rows": [], "cells": {}, "k": 0, "version": version("anjana")}
    cells = {name: [str(cell) for cell in made[name]] for name in quasi}
    return {"rows": made["row"].tolist(), "cells": cells, "k": int(k_of(made, quasi)), "version": version("anjana")}


def main(asked: Path, answered: Path) -> None:
    """Read the question, write the answer or the name of what was raised."""
    try:
        told = answer(json.loads(asked.read_text(encoding="utf-8")))
    except Exception as error:
        told = {"raised": type(error).__name__}
    answered.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
