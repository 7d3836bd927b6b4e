"""From bytes to values with positions: limits, encodings, and the parts of YAML that are refused."""

from __future__ import annotations

import os

import pytest

from permaudit.config import read_tree
from permaudit.config.tree import parse_tree
from permaudit.config.words import Problem
from permaudit.errors import AuditFileError

from .fakes import VALID, mistakes_in

pytestmark = pytest.mark.usefixtures("each_parser")


def parsed(data, tmp_path):
    return parse_tree(data if isinstance(data, bytes) else data.encode(), tmp_path / "audit.yaml", "audit.yaml")


def refusal(data, tmp_path):
    with pytest.raises(AuditFileError) as caught:
        parsed(data, tmp_path)
    return str(caught.value)


def test_values_and_keys_know_their_line_and_column(tmp_path):
    tree = parsed("a: 1\nb:\n  - x\n  - {c: 0.5, d: null}\n", tmp_path)
    assert tree.value == {"a": 1, "b": ["x", {"c": 0.5, "d": None}]}
    assert tree.values[("b", 1, "c")] == (4, 9)
    assert tree.keys[("b", 1, "c")] == (4, 6)
    assert tree.position(Problem(("b", 1, "d"), "")) == (4, 17)
    assert tree.position(Problem(("b", 1, "d"), "", "key")) == (4, 14)
    assert tree.position(Problem(("b", 1, "d", "not", "there"), "")) == (4, 14)


def test_keys_are_always_text(tmp_path):
    assert parsed("no: 1\n012: 2\n1.5: 3\n~: 4\n2024-01-01: 5\n", tmp_path).value == {
        "no": 1,
        "012": 2,
        "1.5": 3,
        "~": 4,
        "2024-01-01": 5,
    }


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n# at all\n", "---\n", "\ufeff", "~\n"])
def test_an_empty_file_is_called_empty(text, tmp_path):
    assert refusal(text, tmp_path).startswith("audit.yaml:1:1: is empty; write at least permaudit, title")


def test_a_second_document_is_refused_with_its_line(tmp_path):
    assert refusal("a: 1\n---\nb: 2\n", tmp_path) == (
        "audit.yaml:2:1: a second document starts here; an audit file holds one"
    )


@pytest.mark.parametrize(
    ("text", "place"), [("a:\n\tb: 1\n", "2:1"), ("a:\t1\n", "1:3"), ("a: 1 \t# comment\n", "1:6")]
)
def test_tabs_are_refused_where_they_stand(text, place, tmp_path):
    assert refusal(text, tmp_path) == f"audit.yaml:{place}: holds a tab; use spaces (inside double quotes, \\t)"


def test_a_tab_written_as_a_code_is_text(tmp_path):
    assert parsed('a: "x\\ty"\n', tmp_path).value == {"a": "x\ty"}


def test_a_syntax_error_has_its_line(tmp_path):
    assert refusal("a: 1\n b: 2\n", tmp_path).startswith("audit.yaml:2:3: is not valid YAML: mapping values are not")


def test_a_duplicate_key_is_refused_with_both_lines(folder):
    assert mistakes_in(VALID + "title: Another\n", folder) == [
        "audit.yaml:23:1: the key 'title' is there twice, first in line 2"
    ]


def test_what_stands_under_a_duplicate_key_does_not_replace_the_first(tmp_path):
    tree = parsed("a: {b: 1}\na: {b: {c: [2]}}\nd: 3\n", tmp_path)
    assert tree.value == {"a": {"b": 1}, "d": 3}
    assert tree.values[("a", "b")] == (1, 8)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("title: &x Income", "2:8: anchors (&x) are not allowed; write the value out where it is used"),
        ("title: *x", "2:8: aliases (*x) are not allowed; write the value out"),
        ("<<: {title: x}\ntitle: Income", "2:1: merge keys (<<) are not allowed; write the keys out"),
        ("title: !env HOME", "2:8: tags (!env) are not allowed"),
        ("title: !!binary aGVsbG8=", "2:8: tags (!!binary) are not allowed"),
        ("title: !!python/object:os.system x", "2:8: tags (!!python/object:os.system) are not allowed"),
        ("title: ! Income", "2:8: tags (!) are not allowed"),
    ],
)
def test_anchors_aliases_merge_keys_and_tags_are_refused(line, message, folder):
    [mistake] = mistakes_in(VALID.replace("title: Income microdata", line), folder)
    assert mistake.startswith(f"audit.yaml:{message}")


def test_a_set_is_refused(folder):
    lines = mistakes_in(VALID.replace("[NAME, SSN]", "!!set {NAME, SSN}"), folder)
    assert lines == [
        "audit.yaml:7:14: tags (!!set) are not allowed; write plain text, numbers, lists and mappings",
    ]


def test_a_recursive_alias_is_refused(tmp_path):
    tree = parsed("a: &x [*x]\n", tmp_path)
    assert [doubt.mistake.message.split(" are")[0] for doubt in tree.doubts] == ["anchors (&x)", "aliases (*x)"]


def test_billion_laughs_are_refused_without_a_laugh(tmp_path):
    bomb = 'a: &a ["lol"]\n' + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert len(parsed(bomb, tmp_path).doubts) == 9 + 8 * 9


@pytest.mark.parametrize("text", ["? [a, b]\n: c\n", "{a: b}: c\n", "? {a: b}\n: c\n"])
def test_a_key_must_be_text(text, tmp_path):
    assert "a key must be text, not a list or a mapping" in refusal(text, tmp_path)


@pytest.mark.parametrize("directive", ["%YAML 1.1", "%TAG ! tag:example.com,2026:"])
def test_directives_are_refused(directive, tmp_path):
    assert "starts with a % directive" in refusal(f"{directive}\n---\na: 1\n", tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("nested lists", b"[" * 5000, "is nested too deeply; at most 20 levels are allowed"),
        ("nested lists in blocks", b"- " * 5000 + b"x", "is nested too deeply"),
        ("nested mappings", b"{a: " * 5000, "is nested too deeply"),
        ("many keys", b"".join(b"k%d:\n" % i for i in range(50_000)), "has too many values; an audit file holds"),
        ("many items", b"[" + b"1," * 240_000 + b"]", "has too many values"),
        ("a long word", b"a: " + b"x" * 490_000, "is too long; a value has at most 10,000 characters"),
        ("a long key", b"? " + b"x" * 490_000 + b"\n: 1\n", "is too long"),
        ("a long quoted text", b'a: "' + b"x " * 240_000 + b'"', "is too long"),
        ("20 MB", b"a: " + b"x" * 20_000_000, "is too large; an audit file has at most 500,000 bytes"),
        ("many comments", b"#\n" * 249_000, "is empty"),
        ("many dashes", b"---\n" * 120_000, "a second document starts here"),
        ("many anchors", b"- &a x\n" * 70_000, "has too many values"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_bombs_are_refused(name, data, message, tmp_path):
    path = tmp_path / "audit.yaml"
    path.write_bytes(data)
    with pytest.raises(AuditFileError, match=message):
        read_tree(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a: 1\nb: é\n".encode("latin-1"), "2:4: is not UTF-8 (byte 0xe9); save it as UTF-8"),
        ("a: 1\n".encode("utf-16"), "1:1: is UTF-16 or UTF-32; save it as UTF-8"),
        ("a: 1\n".encode("utf-16-be"), "1:1: holds a NUL character"),
        (b"a: 1\nb: x\0y\n", "2:5: holds a NUL character; save it as plain UTF-8 text"),
        (b"a: \x1b[31m\n", "1:4: holds the character \\x1b, which cannot be seen"),
        ("a: x\u2028b: 1\n".encode(), "1:5: holds the character \\u2028"),
        ("a: x\x85b: 1\n".encode(), "1:5: holds the character \\x85"),
        ("a: 1\n\ufeffb: 1\n".encode(), "2:1: holds the character \\ufeff"),
    ],
)
def test_other_encodings_and_invisible_characters_are_refused(data, message, tmp_path):
    assert refusal(data, tmp_path).startswith(f"audit.yaml:{message}")


def test_a_byte_order_mark_is_no_part_of_the_file(folder):
    assert mistakes_in(b"\xef\xbb\xbf" + VALID.encode(), folder) == []


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_all_line_ends_count(end, folder):
    text = VALID.replace("seed: 20261118", "seed: -1").replace("\n", end)
    assert mistakes_in(text, folder) == ["audit.yaml:21:7: seed must be at least 0, not -1"]


def test_half_a_surrogate_pair_is_refused(folder):
    text = VALID.replace("Income microdata", '"a\\ud800b"')
    try:
        [mistake] = mistakes_in(text, folder)
    except AuditFileError as error:  # the parser in C knows that this is no character
        mistake = str(error)
    assert mistake.startswith("audit.yaml:2:")


def test_a_missing_file_a_directory_and_a_pipe_are_no_audit_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "none.yaml", "does not exist"),
        (tmp_path, "is a directory; an audit file was expected"),
        (tmp_path / "pipe", "is not a regular file; an audit file was expected"),
        (tmp_path / ("x" * 300), "cannot be read: file name too long"),
        (tmp_path / "a\0b", "cannot be read: a file name cannot hold a NUL character"),
    ):
        with pytest.raises(AuditFileError) as caught:
            read_tree(path, "here")
        assert str(caught.value) == f"here: {message}"


def test_an_unreadable_file_says_so(tmp_path, monkeypatch):
    path = tmp_path / "audit.yaml"
    path.write_text(VALID)

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(AuditFileError, match=r"audit\.yaml: cannot be read: permission denied"):
        read_tree(path)
