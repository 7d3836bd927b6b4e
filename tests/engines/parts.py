"""A table in parts: directories of Parquet files, as clusters write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import yaml

from .files import noisy, people

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = pd.DataFrame(people(300, 3))
MASKED = pd.DataFrame(noisy(people(300, 3), 2.0))


def write_parts(folder: Path, **more: Any) -> Path:
    """Write an audit whose original and release are directories of three files each; return the audit file."""
    for name, frame in (("original", PEOPLE), ("release", MASKED)):
        (folder / name).mkdir()
        for part in range(3):
            frame[part * 100 : part * 100 + 100].to_parquet(folder / name / f"part-{part}.parquet", index=False)
    audit = {
        "permaudit": 1,
        "title": "in parts",
        "original": "original",
        "attributes": dict.fromkeys(PEOPLE.columns, "numeric"),
        "candidates": {"c": {"path": "release", "kind": "masked"}},
        "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}],
        "seed": 1,
        **more,
    }
    path = folder / "audit.yaml"
    path.write_text(yaml.safe_dump(audit, sort_keys=False), encoding="utf-8")
    return path


def damage(folder: Path) -> str:
    """Make a part unreadable; return what is to be said of it."""
    (folder / "release" / "part-1.parquet").write_bytes(b"PAR1" + bytes(100))
    return "release/part-1.parquet: "


def blank_a_page(folder: Path) -> str:
    """Write zeros over numbers that have a checksum, where they would be numbers, too; return what is to be said of them."""
    path = folder / "release" / "part-1.parquet"
    as_it_is = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    MASKED[100:200].to_parquet(path, index=False, **as_it_is)
    content = path.read_bytes()
    numbers = MASKED["a2"][150:160].to_numpy().tobytes()
    assert content.count(numbers) == 1
    path.write_bytes(content.replace(numbers, bytes(len(numbers))))
    return "release/part-1.parquet: is not a Parquet file, or it is damaged"


def cut_a_column(folder: Path) -> str:
    """Leave a column out of one part; return what is to be said of it."""
    PEOPLE[200:].drop(columns="a1").to_parquet(folder / "original" / "part-2.parquet", index=False)
    return "original/part-2.parquet: has no column 'a1'"


def mix_types(folder: Path) -> str:
    """Write one part with another type; return what is to be said of it."""
    MASKED[100:200].astype({"a2": str}).to_parquet(folder / "release" / "part-1.parquet", index=False)
    return "release/part-1.parquet: column 'a2' is of type"


SPOILT = {
    "a part that is damaged": damage,
    "numbers that are not what their checksum says": blank_a_page,
    "a column that one part lacks": cut_a_column,
    "a column of another type in one part": mix_types,
}
