"""Hostile names of columns, categories and files: data, never YAML."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyarrow import feather

from permaudit.config import build_audit
from permaudit.config.tree import parse_tree
from permaudit.init import propose, render
from permaudit.init.scalars import entry, scalar, value

HOSTILE = [
    "no", "on", "y", "null", "~", "true", "1e3", "0x1F", "012", "12:30:45", "2001-12-31", ".inf", "<<", "=", "-", "- a",
    "a: b", "a:", ": a", "a #b", "# CONFIRM: x", "{{7*7}}", "{a: b}", "[a]", "&a", "*a", "!a", "!!python/object:os.system x",
    "|", ">", "%YAML 1.1", "---", "...", "@a", "`a`", "?", "? a", "'", '"', '"\'"', "\\", "\\n", "a\nb: c", "a\r\nidentifiers: []",
    "\nrules: []", "\t", "a\tb", " a", "a ", "  ", "\x85", "\u2028x", "\u2029x", "\ufeffx", "\x1b[31m", "\x07", "\u202eevil", "\u200b",
    "\u3164", "::error::x", "=cmd", "<script>", "%0A", "a" * 1100, "\U0001f600", "\u00e9", "e\u0301", "x,y", "a" * 9999, "\x7f",
]  # fmt: skip

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=40)
VALUES = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    | st.integers(-(2**62), 2**62)
    | st.booleans()
    | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)


def parsed(text):
    tree = parse_tree(text.encode(), Path("audit.yaml"), "audit.yaml")
    assert tree.doubts == ()
    return tree.value


@given(NAMES)
@example("")
def test_a_scalar_is_one_line_and_reads_back_as_the_same_text_for_every_reader(text):
    written = scalar(text)
    assert written.isprintable()
    assert parsed(f"a: {written}\n") == {"a": text}
    assert parsed(f"{written}: 1\n") == {text: 1}
    assert yaml.safe_load(f"[{written}, {{x: {written}, {written}: 1}}]")[0] == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_reads_back_as_the_same_text(text):
    assert parsed("\n".join(entry(text, text)) + "\n") == {text: text}


@given(VALUES)
def test_a_value_reads_back_as_the_same_value(thing):
    assert parsed(f"a: {value(thing)}\n") == {"a": thing}


def test_plain_words_stay_plain():
    for text in ("FICA", "rank-swap", "Größe", "../data/income.csv", "two words", "no-one"):
        assert scalar(text) == text


def began(folder, names, catalogue, size=30):
    """Propose an audit of a file with such names, without a release and with one."""
    rng = np.random.default_rng(1)
    path, target = folder / "original.feather", folder / "audit.yaml"
    feather.write_feather(pa.table([rng.normal(size=size) for _ in names], names=names), path)
    for release in (None, path):
        rendered = render(propose(path, release, catalogue), target)
        yield rendered, build_audit(parse_tree(rendered.text.encode(), target, "audit.yaml"), catalogue)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique=True))
@example(names=["# CONFIRM: x", "a\nrules: []"])
def test_whatever_the_columns_are_called_the_file_says_it(names, catalogue, tmp_path):
    usable = [name for name in names if name.strip()]
    for rendered, audit in began(tmp_path, ["A", *(name for name in names if name != "A")], catalogue):
        assert [attribute.name for attribute in audit.attributes] == ["A", *(name for name in usable if name != "A")]
        assert rendered.text.replace("\n", "").isprintable()


def test_hostile_names_of_columns_are_names(catalogue, tmp_path):
    for _, audit in began(tmp_path, ["A", *HOSTILE], catalogue, size=300):
        assert [attribute.name for attribute in audit.attributes] == ["A", *(name for name in HOSTILE if name.strip())]


@pytest.mark.parametrize("name", ["   ", "a" * 10_001])
def test_a_name_that_no_audit_file_can_hold_is_left_out_and_said(name, catalogue, tmp_path):
    for rendered, audit in began(tmp_path, ["A", name], catalogue):
        assert [attribute.name for attribute in audit.attributes] == ["A"]
        assert "an audit file cannot hold such a name" in rendered.text


def test_more_columns_than_an_audit_file_can_hold_are_an_error(permaudit, tmp_path, monkeypatch):
    monkeypatch.setattr("permaudit.config.tree.MAX_BYTES", 5000)
    path = tmp_path / "wide.feather"
    feather.write_feather(pa.table({f"column {place}": [0.5, 1.5, 2.5, 3.5] for place in range(100)}), path)
    ran = permaudit("init", path, "-o", tmp_path / "audit.yaml")
    assert ran.code == 2
    assert "no audit file can be written for it" in ran.err
    assert not (tmp_path / "audit.yaml").exists()


def test_hostile_names_of_text_columns_identifiers_and_categories_stay_names(begin, tmp_path):
    names = [name for name in HOSTILE if name.strip() and len(name) < 60]
    size = 20 * len(names)
    columns = {
        "A": pa.array(np.sqrt(np.arange(size))),
        **{f"{name}-2": pa.array(["x0", "x1"] * (size // 2)) for name in names},
        **{f"{name}-3": pa.array([f"x{place}" for place in range(size)]) for name in names},
    }
    for number, group in enumerate((names[: len(names) // 2], names[len(names) // 2 :])):
        columns[f"T{number}"] = pa.array((group * size)[:size])
    path = tmp_path / "original.feather"
    feather.write_feather(pa.table(columns), path)
    begun = begin(path)
    assert begun.identifiers == [f"{name}-3" for name in names]
    for name in names:
        assert f"# {scalar(f'{name}-2')}: {{type: ordinal, order: [x0, x1]}}  # from" in begun.text
    lists = [line for line in begun.text.splitlines() if re.match(r"  # T\d: {type: ordinal", line)]
    listed = [name for line in lists for name in parsed(line.replace("# ", "", 1))[line[4:6]]["order"]]
    assert sorted(listed) == sorted(names)


@pytest.mark.parametrize("name", ["a b.csv", "data:x.csv", "~x.csv", "no", "'\".csv", "a\nb.csv", "é#.csv", "-x.csv"])
def test_hostile_names_of_files_lead_to_the_file(begin, put, name):
    assert begin(put(name, "A,B\n" + "".join(f"{place}.5,{place * 7 % 11}.5\n" for place in range(40)))).ready


def test_a_file_name_that_is_no_text_is_refused(permaudit, tmp_path):
    path = Path(str(tmp_path / "x") + "\udcff.csv")
    path.write_text("A\n" + "".join(f"{place}.5\n" for place in range(9)), encoding="utf-8")
    ran = permaudit("init", path, "-o", tmp_path / "audit.yaml")
    assert ran.code == 2
    assert "is not UTF-8, so that no audit file can say it" in ran.err


def test_hostile_names_in_the_header_of_delimited_text_are_names(begin):
    names = [name for name in HOSTILE if name.strip()]
    rng = np.random.default_rng(1)
    begun = begin(pd.DataFrame(rng.normal(size=(300, len(names) + 1)), columns=["A", *names]))
    assert list(begun.attributes) == ["A", *names]
