"""Data files to begin with, and the way from them to the audit file that `permaudit init` writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from permaudit.census_like import census_like
from permaudit.config import build_audit, read_tree
from permaudit.data import check_columns
from permaudit.init import propose, render
from permaudit.plugins import load_plugins

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Begun:
    """What `init` made of some files."""

    path: Path
    text: str
    value: dict[str, Any]
    confirms: int
    ready: bool

    @property
    def attributes(self) -> dict[str, Any]:
        return self.value["attributes"] or {}

    @property
    def identifiers(self) -> list[str]:
        return self.value.get("identifiers", [])

    @property
    def release(self) -> dict[str, Any]:
        return self.value["candidates"]["release"]

    @property
    def words(self) -> str:
        """The text as if its comments had not been wrapped."""
        return " ".join(self.text.replace("#", " ").split())


@pytest.fixture(scope="session")
def catalogue():
    return load_plugins([]).catalogue


@pytest.fixture
def put(tmp_path):
    """Return a function that writes a data file: a frame, text or bytes."""

    def write(name: str, content: pd.DataFrame | dict | str | bytes, **how: Any) -> Path:
        path = tmp_path / name
        if isinstance(content, dict):
            content = pd.DataFrame(content)
        if isinstance(content, pd.DataFrame):
            content.to_csv(path, index=False, **how)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def begin(put, catalogue, tmp_path):
    """Return a function that proposes an audit file for some data, and checks it as `permaudit check` would."""

    def start(original: Any, release: Any = None, **how: Any) -> Begun:
        paths = [
            content if hasattr(content, "open") or content is None else put(name, content, **how)
            for name, content in (("original.csv", original), ("release.csv", release))
        ]
        target = tmp_path / "audit.yaml"
        rendered = render(propose(*paths, catalogue), target)
        target.write_text(rendered.text, encoding="utf-8")
        tree = read_tree(target)
        if rendered.ready:
            check_columns(build_audit(tree, catalogue), catalogue.readers)
        return Begun(target, rendered.text, tree.value, rendered.confirms, rendered.ready)

    return start


@pytest.fixture(scope="session")
def census() -> pd.DataFrame:
    """Return made-up people with four amounts."""
    return pd.DataFrame(census_like(records=400))


@pytest.fixture(scope="session")
def noisy(census) -> pd.DataFrame:
    """Return the same people under noise."""
    rng = np.random.default_rng(11)
    return (census + rng.normal(0, census.std().to_numpy(), census.shape)).round(2)


@pytest.fixture(scope="session")
def mixed() -> pd.DataFrame:
    """Return people with columns of every type, with identifiers and with gaps."""
    rng = np.random.default_rng(5)
    size = 300
    frame = pd.DataFrame(census_like(records=size)).drop(columns="POTHVAL")
    frame.insert(0, "PERSON_NR", rng.permutation(size) + 100_000)
    frame.insert(1, "Full Name", [f"N{place} Surname{place * 7}" for place in range(size)])
    frame["mail"] = [f"p{place}@example.org" for place in range(size)]
    frame["EDUCATION"] = rng.choice(["none", "primary", "secondary"], size)
    frame["SEX"] = rng.integers(1, 3, size)
    frame["BORN"] = (pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 20_000, size), unit="D")).strftime(
        "%Y-%m-%d"
    )
    frame["SEEN"] = frame["BORN"] + "T08:30:00"
    frame["OWNER"] = rng.choice(["true", "false"], size)
    frame["REGION"] = [f"{place:03d}" for place in rng.integers(1, 9, size)]
    frame["YEAR"] = 2024
    frame["RENT"] = np.where(rng.random(size) < 0.1, np.nan, rng.normal(700, 90, size).round(2))
    return frame
