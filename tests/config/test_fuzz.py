"""Whatever the bytes: an audit, or an error that names the mistakes; never a traceback, never a hang."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from permaudit.config import allowed_plugins, build_audit
from permaudit.config.tree import parse_tree
from permaudit.errors import AuditFileError
from permaudit.plan import Audit

from .fakes import CATALOGUE, VALID

SETTINGS = settings(
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
PIECES = st.sampled_from(
    [
        *("permaudit: 1", "title: x", "original: ", "attributes:", "candidates:", "rules:", "metrics: ", "seed: "),
        *(
            "- ",
            "  ",
            "\n",
            ": ",
            "? ",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "#",
            "|",
            ">",
            "&a ",
            "*a",
            "!!x ",
            "<<: ",
            "%YAML 1",
        ),
        *(
            "'",
            '"',
            "\\",
            "---",
            "...",
            "\t",
            "\0",
            "\r",
            "\x85",
            "\ufeff",
            "\u202e",
            "é",
            "😀",
            "\\ud800",
            "\\UFFFFFFFF",
        ),
        *("no", "012", "1e-3", ".nan", "9" * 30, "0x", "12:30:45", "~", "null", "threshold", "numeric", "income.csv"),
    ]
)
# Bytes that mean something to YAML, and some that cannot be decoded.
BYTES = st.one_of(st.sampled_from(list(b"\n :-[]{},#&*!|>'\"%@`?\\\t\r0123456789~.")), st.integers(0, 255))


def is_handled(content: bytes, folder) -> None:
    try:
        tree = parse_tree(content, folder / "audit.yaml", "audit.yaml")
    except AuditFileError as error:
        check(error)
        return
    for step in (allowed_plugins, lambda tree: build_audit(tree, CATALOGUE, folder)):
        try:
            result = step(tree)
        except AuditFileError as error:
            check(error)
        else:
            assert isinstance(result, Audit | tuple)


def check(error: AuditFileError) -> None:
    assert error.mistakes
    for mistake in error.mistakes:
        assert mistake.where == "audit.yaml"
        assert str(mistake).isprintable()
        assert not mistake.message.endswith(".") or mistake.message.endswith("...")
    places = [(mistake.line or 0, mistake.column or 0) for mistake in error.mistakes]
    assert places == sorted(places)


@settings(SETTINGS, max_examples=1000)
@given(st.binary(max_size=300))
def test_any_bytes_are_handled(folder, content):
    is_handled(content, folder)


@settings(SETTINGS, max_examples=1000)
@given(st.lists(PIECES, max_size=40))
@example(["%YAML 1", "9" * 30, "\n---\n"])
@example(["title: ", '"', "\\UFFFFFFFF", '"'])
def test_any_heap_of_pieces_of_yaml_is_handled(folder, pieces):
    is_handled("".join(pieces).encode(), folder)


@settings(SETTINGS, max_examples=1000)
@given(st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 3), st.lists(BYTES, max_size=4)), max_size=6))
def test_a_valid_file_with_some_bytes_changed_is_handled(folder, changes):
    content = bytearray(VALID.encode())
    for position, removed, added in changes:
        content[position : position + removed] = bytes(added)
    is_handled(bytes(content), folder)


@settings(SETTINGS, max_examples=400)
@given(st.permutations(VALID.splitlines()), st.integers(1, 30))
def test_a_valid_file_with_its_lines_shuffled_is_handled(folder, lines, kept):
    is_handled("\n".join(lines[:kept]).encode(), folder)
