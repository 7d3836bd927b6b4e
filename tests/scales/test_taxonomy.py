from __future__ import annotations

import hashlib

import pytest

from permaudit.data.scales import nested_taxonomy, read_taxonomy, scale_of
from permaudit.data.scales.taxonomy import MOST_CATEGORIES, MOST_LEVELS
from permaudit.errors import DataError
from permaudit.plan import Attribute, FileSource

from .columns import codes, column

NESTED = {"any": {"health": ["nurse", "surgeon"], "craft": [{"building": ["mason"]}, "baker"], "none": None}}

YAML = """\
any:
  health: [nurse, surgeon]
  craft:
    - building: [mason]
    - baker
  none:
"""

CSV = """\
parent,child
any,health
any,craft
health,nurse
health,surgeon
craft,building
building,mason
craft,baker
any,none
"""


def pairs(taxonomy):
    """Return each category with its parent."""
    return {
        name: None if parent < 0 else taxonomy.names[parent]
        for name, parent in zip(taxonomy.names, taxonomy.parents, strict=True)
    }


@pytest.fixture
def written(tmp_path):
    def write(content, name="tree.yaml", **declared):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return FileSource(path=path, shown=name, **declared)

    return write


def mistakes(source):
    with pytest.raises(DataError) as caught:
        read_taxonomy(source)
    return [str(mistake) for mistake in caught.value.mistakes]


def test_one_tree_is_read_from_all_its_notations(written):
    expected = {
        "any": None,
        **dict.fromkeys(("health", "craft", "none"), "any"),
        **dict.fromkeys(("nurse", "surgeon"), "health"),
        **dict.fromkeys(("building", "baker"), "craft"),
        "mason": "building",
    }

    assert pairs(nested_taxonomy(NESTED)) == expected
    assert pairs(read_taxonomy(written(YAML))) == expected
    assert pairs(read_taxonomy(written(CSV, "tree.csv"))) == expected
    assert pairs(read_taxonomy(written(CSV.replace("any,health", ",any\nany,health", 1), "tree.csv"))) == expected
    assert pairs(read_taxonomy(written(YAML, "tree.txt", format="yaml"))) == expected


def test_every_category_comes_after_its_parent(written):
    taxonomy = read_taxonomy(written("parent,child\nb,c\na,b\n", "tree.csv"))

    assert taxonomy.names == ("a", "b", "c")
    assert taxonomy.parents == (-1, 0, 1)


def test_words_are_text_as_they_stand(written):
    taxonomy = read_taxonomy(written('all: [no, 011, 1e3, 2001-01-01, "", "true", ~]\n'.replace('"", ', "")))

    assert taxonomy.names == ("all", "no", "011", "1e3", "2001-01-01", "true", "~")


def test_a_mark_at_the_beginning_is_no_part_of_a_name(written):
    assert read_taxonomy(written(b"\xef\xbb\xbf" + b"parent,child\na,b\n", "tree.csv")).names == ("a", "b")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "tree.yaml: is empty"),
        ("# nothing\n", "tree.yaml: is empty"),
        ("any", "tree.yaml:1: must be a mapping, with the root as its only key"),
        ("- any\n", "tree.yaml:1: must be a mapping, with the root as its only key"),
        ("a: [b]\nc: [d]\n", "tree.yaml:2: has 2 roots"),
        ("a:\n  b: [x]\n  c: [x]\n", "tree.yaml:3: category 'x' has two parents, first in line 2"),
        ("a:\n  - x\n  - x\n", "tree.yaml:3: category 'x' stands twice, first in line 2"),
        ("a:\n  b:\n    - a\n", "tree.yaml:3: category 'a' has two parents, first in line 1"),
        ("a:\n  - [b]\n", "tree.yaml:2: a list stands in a list"),
        ("a:\n  ? [b]\n  : c\n", "tree.yaml:2: a category must be text"),
        ('a: [b, ""]\n', "tree.yaml:1: a category has no name"),
        ("a: &x [b]\n", "tree.yaml:1: anchors and tags are not allowed"),
        ("a:\n  b: !!set {c}\n", "tree.yaml:2: anchors and tags are not allowed"),
        ("a: !!python/object/apply:os.system [b]\n", "tree.yaml:1: anchors and tags are not allowed"),
        ("a: [*b]\n", "tree.yaml:1: aliases are not allowed"),
        ("a: [b]\n---\nc: [d]\n", "tree.yaml:2: a second document starts here"),
        ("a: [b\n", "tree.yaml:2: is not valid YAML"),
        ("a:\n\t- b\n", "tree.yaml:2: is not valid YAML"),
        (b"a: [\xff]\n", "tree.yaml:1: is not UTF-8"),
        (b"a:\n- \x00\n", "tree.yaml:2: holds a NUL character"),
        ("a: " + "x" * 2000, "tree.yaml:1: a name is longer than 1000 characters"),
        ("a: " + "{b: " * 5000, "is nested too deeply"),
        ("a: " + "[" * 5000, "a list stands in a list"),
    ],
)
def test_a_yaml_file_that_is_no_tree_is_refused_with_the_line(written, content, said):
    assert said in mistakes(written(content))[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "tree.csv:1: must have the columns parent and child"),
        ("parent,child\n", "tree.csv: is empty"),
        ("child\nx\n", "tree.csv:1: must have the columns parent and child"),
        ("parent,child,note\na,b,c\n", "tree.csv:1: must have the columns parent and child, and no others"),
        ("parent,child\na,b\na,b,c\n", "tree.csv:3: has 3 fields where the header has 2"),
        ("parent,child\na,b\na,\n", "tree.csv:3: a category has no name"),
        ("parent,child\na,b\nc,b\n", "tree.csv:3: category 'b' has two parents, first in line 2"),
        ("parent,child\na,b\na,b\n", "tree.csv:3: category 'b' stands twice, first in line 2"),
        ("parent,child\na,b\nc,d\n", "tree.csv:2: has 2 roots"),
        ("parent,child\na,b\nb,a\n", "tree.csv:2: category 'b' is above itself"),
        ("parent,child\na,a\n", "tree.csv:2: category 'a' is above itself"),
        ("parent,child\nr,s\na,b\nb,c\nc,a\n", "tree.csv:3: category 'b' is above itself"),
        ('parent,child\n"a,b\n', "cannot be read as comma-separated text"),
    ],
)
def test_a_csv_file_that_is_no_tree_is_refused_with_the_line(written, content, said):
    assert said in mistakes(written(content, "tree.csv"))[0]


def test_every_mistake_is_reported_at_once(written):
    found = mistakes(written("parent,child\na,b\nc,b\na,\na,d\na,d\n", "tree.csv"))

    assert [text.split(":")[1] for text in found] == ["4", "3", "6"]


def test_a_flood_of_mistakes_is_cut_short(written):
    found = mistakes(written("parent,child\n" + "a,b\n" * 100, "tree.csv"))

    assert len(found) == 21
    assert found[-1] == "tree.csv: 79 more mistakes were found"


def test_a_tree_that_is_too_deep_or_too_large_is_refused_quickly(written):
    chain = "parent,child\n" + "".join(f"{level},{level + 1}\n" for level in range(MOST_LEVELS))
    assert f"at most {MOST_LEVELS} levels" in mistakes(written(chain, "tree.csv"))[0]
    wide = "a:\n" + "- b\n" * (MOST_CATEGORIES + 5)
    assert "has too many categories" in mistakes(written(wide))[0]
    assert "is too large" in mistakes(written(b"a: " + b"x" * 10_000_001))[0]


def test_the_deepest_and_a_large_tree_are_read(written):
    chain = "parent,child\n" + "".join(f"{level},{level + 1}\n" for level in range(MOST_LEVELS - 1))
    assert len(read_taxonomy(written(chain, "tree.csv")).names) == MOST_LEVELS
    wide = "parent,child\n" + "".join(f"root,{number}\n" for number in range(20_000))
    assert len(read_taxonomy(written(wide, "wide.csv")).names) == 20_001


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path):
    assert "cannot be read" in mistakes(FileSource(path=tmp_path / "none.csv", shown="none.csv"))[0]
    assert "is not a regular file" in mistakes(FileSource(path=tmp_path, shown="here"))[0]


def test_a_file_of_another_format_or_content_is_refused(written):
    assert "'xml' files are not known" in mistakes(written("<a/>", "tree.xml"))[0]
    assert "not the one that the audit file declares" in mistakes(written(YAML, sha256="0" * 64))[0]
    assert read_taxonomy(written(YAML, sha256=hashlib.sha256(YAML.encode()).hexdigest().upper()))


def test_names_are_shown_without_what_cannot_be_seen(written):
    found = mistakes(written("parent,child\na,b\u202e\x1b[31m\nc,b\u202e\x1b[31m\n", "tree.csv"))[0]

    assert found.isprintable()


def test_an_attribute_may_name_the_file(written):
    attribute = Attribute(name="A", type="nominal", taxonomy=written(YAML))

    assert len(set(codes(scale_of(attribute, column("nurse", "mason", "baker")).original))) == 3
    with pytest.raises(DataError):
        scale_of(Attribute(name="A", type="nominal", taxonomy=written("a: [b, b]")), column("b"))
