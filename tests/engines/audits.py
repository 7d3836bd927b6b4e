"""Whole audits in which engines could go wrong, and how alike two results are."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml

from permaudit.report import to_json

from .files import noisy, people

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULES = [
    {"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "masked"}},
    {"rule": "threshold", "metric": "CM3", "min": 0.30, "when": {"kind": "synthetic"}},
]
WORDS = np.array(["none", "primary", "secondary", "tertiary"])
TOWNS = {"all": {"north": ["a", "b"], "south": ["c", "d"]}}
"""Categories that are equally near to all others where they are equally frequent: they tie."""
MISSING = {"a1": {"type": "numeric", "missing": "lowest", "tolerance": 0.2}, "born": {"type": "date", "tolerance": 30}}


def mixed(records: int, seed: int) -> pd.DataFrame:
    """Draw people with numbers, a date, an ordinal attribute and a number to link by."""
    columns = people(records, seed=seed)
    frame = pd.DataFrame(columns)
    frame["born"] = (np.datetime64("1970-01-01") + (frame["a0"] * 1000).astype(int).to_numpy()).astype(str)
    frame["school"] = WORDS[np.clip(frame["a2"] + 2, 0, 3).astype(int)]
    frame.insert(0, "id", np.random.default_rng(seed + 100).permutation(records) + 1000)
    return frame


def masked(frame: pd.DataFrame) -> pd.DataFrame:
    """Move the numbers of people, and leave words and dates to others."""
    numbers = {name: frame[name].to_numpy() for name in frame if name.startswith("a")}
    others = frame[["born", "school"]].sample(frac=1, random_state=3).reset_index(drop=True)
    return pd.concat([frame[["id"]], pd.DataFrame(noisy(numbers, 2.0)), others], axis=1)


def gaps(frame: pd.DataFrame, columns: list[str], seed: int) -> pd.DataFrame:
    """Take some values away."""
    rng = np.random.default_rng(seed)
    frame = frame.astype(dict.fromkeys(columns, float))
    for name in columns:
        frame.loc[rng.random(len(frame)) < 0.05, name] = np.nan
    return frame


def blanked(frame: pd.DataFrame) -> pd.DataFrame:
    """Take every third date away."""
    return frame.assign(born=frame["born"].where(np.arange(len(frame)) % 3 != 0))


def with_towns(frame: pd.DataFrame) -> pd.DataFrame:
    """Give people who can hardly be told apart a town; two towns are small, and two are large."""
    places = np.argsort(np.argsort(frame["a3"].to_numpy(), kind="stable")) % 6
    return frame[["a0", "a1"]].round(1).assign(town=np.array(["a", "b", "c", "c", "d", "d"])[places])


def cases(*, numeric_only: bool = False) -> dict[str, tuple[dict[str, pd.DataFrame], dict[str, Any]]]:
    """Return files and what the audit file says, by name."""
    original = mixed(600, 0)
    release = masked(original)
    others = mixed(500, 1)
    attributes: dict[str, Any] = {name: "numeric" for name in original if name.startswith("a")}
    if not numeric_only:
        attributes |= {"born": "date", "school": {"type": "ordinal", "order": WORDS.tolist()}}
    kept = [*attributes]

    def audit(candidate: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"attributes": attributes, "candidates": {"c": candidate}, **more}

    some = release.sample(450, random_state=5).reset_index(drop=True)
    first, second = gaps(original, ["a1", "a2"], 1), gaps(release, ["a1", "a2"], 2)
    whole = {"original": original[kept], "c": release[kept]}
    settled = [with_towns(frame[kept]) for frame in (original, mixed(600, 4), others)]
    return {
        "categories that tie, some copied, with a holdout": (
            {
                "original": settled[0],
                "c": pd.concat([settled[0][:60], settled[1][60:]]),
                "holdout": settled[2],
            },
            {
                **audit({"kind": "synthetic"}),
                "attributes": {"a0": "numeric", "a1": "numeric", "town": {"type": "nominal", "taxonomy": "towns.yaml"}},
            },
        ),
        "linked by row": (whole, audit({"kind": "masked"})),
        "copied": ({"original": original[kept], "c": original[kept]}, audit({"kind": "masked"})),
        "copied in another order": (
            {"original": original[kept], "c": original[kept].sample(frac=1, random_state=1)},
            audit({"kind": "synthetic"}),
        ),
        "linked by key, with fewer records": (
            {"original": original, "c": some},
            audit({"kind": "masked", "linkage": {"key": "id"}}, identifiers=["id"]),
        ),
        "linked by a map, with fewer records": (
            {"original": original, "c": some[kept], "map": some[["id"]]},
            audit({"kind": "masked", "linkage": {"key": "id"}}, identifiers=["id"]),
        ),
        "unlinked, with fewer records": (
            {"original": original[kept], "c": others[kept]},
            audit({"kind": "synthetic"}),
        ),
        "unlinked, with more records": ({"original": others[kept], "c": original[kept]}, audit({"kind": "synthetic"})),
        "with a holdout": (
            {"original": original[kept], "c": mixed(600, 4)[kept], "holdout": others[kept]},
            audit({"kind": "synthetic"}),
        ),
        "pairs with gaps left out": (
            {"original": first[kept], "c": second[kept]},
            audit({"kind": "masked"}, missing="drop-records"),
        ),
        "records with gaps left out, unlinked": (
            {"original": first[kept], "c": gaps(others, ["a0", "a1"], 3)[kept]},
            audit({"kind": "synthetic"}, missing="drop-records"),
        ),
        "linked by key, with fewer records, ties and gaps left out": (
            {"original": first, "c": gaps(some, ["a1", "a2"], 4)},
            audit({"kind": "masked", "linkage": {"key": "id"}}, identifiers=["id"], missing="drop-records"),
        ),
        "copies with gaps, unlinked": (
            {"original": original[kept], "c": blanked(gaps(original, ["a1", "a2"], 1))[kept]},
            audit({"kind": "synthetic"}, missing="lowest"),
        ),
        "linked by a map, in another order and with gaps": (
            {"original": original, "c": blanked(gaps(some, ["a1", "a2"], 4))[kept], "map": some[["id"]]},
            audit({"kind": "masked", "linkage": {"key": "id"}}, identifiers=["id"], missing="highest"),
        ),
        "gaps as lowest and highest values": (
            {"original": first[kept], "c": second[kept]},
            {**audit({"kind": "masked"}, missing="highest"), "attributes": attributes | MISSING},
        ),
    }


def written(folder: Path, case: tuple[dict[str, pd.DataFrame], dict[str, Any]], suffix: str) -> dict[str, Any]:
    """Write the files of a case, and return what the audit file says."""
    frames, said = case
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "towns.yaml").write_text(yaml.safe_dump(TOWNS), encoding="utf-8")
    for name, frame in frames.items():
        if suffix == "csv":
            frame.to_csv(folder / f"{name}.csv", index=False)
        else:
            frame.to_parquet(folder / f"{name}.parquet", index=False, row_group_size=170)
    content = {"permaudit": 1, "title": "t", "original": f"original.{suffix}", "rules": RULES, "seed": 5, **said}
    content["candidates"] = {"c": {"path": f"c.{suffix}", **said["candidates"]["c"]}}
    if "map" in frames:
        content["candidates"]["c"]["linkage"] = {**said["candidates"]["c"]["linkage"], "map": f"map.{suffix}"}
    if "holdout" in frames:
        content["holdout"] = f"holdout.{suffix}"
    return content


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Name the places where two results differ, numbers by more than 1e-9."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{where}: {one} and {other}"
    elif one != other:
        yield f"{where}: {one} and {other}"


def plain(outcome: Any) -> Any:
    """Return a result as plain data, without what says which engine made it."""
    result = json.loads(to_json(outcome))
    del result["provenance"]["engine"]
    return result
