"""Mistakes in the audit file: each with its place, what was expected, and the nearest valid name."""

from __future__ import annotations

import dataclasses

import pytest
from packaging.requirements import Requirement

from permaudit.allowed import Allowed
from permaudit.config import allowed_plugins, allowed_under, build_audit, limits_in
from permaudit.config.tree import parse_tree
from permaudit.errors import AuditFileError, PluginError
from permaudit.isolation.limits import Limits

from .fakes import CATALOGUE, VALID, Forgetful, mistakes_in
from .one_mistake import ONE_MISTAKE
from .one_mistake.edit import edited


def tree_of(text, folder):
    return parse_tree(text.encode(), folder / "audit.yaml", "audit.yaml")


def test_the_valid_file_has_no_mistakes(folder):
    assert mistakes_in(VALID, folder) == []


@pytest.mark.parametrize(("text", "message"), ONE_MISTAKE.values(), ids=ONE_MISTAKE)
def test_one_mistake_gives_one_line_that_says_where_and_what(text, message, folder):
    [line] = mistakes_in(text, folder)
    assert line.startswith(f"audit.yaml:{message}")
    if not message.endswith("usable name"):
        assert line == f"audit.yaml:{message}"


def test_eight_mistakes_give_eight_lines_in_the_order_of_the_file(folder):
    text = """\
permaudit: 1
title: 2026
original: incom.csv
attributes: {FICA: numeric}
identifiers: [FICA]
candidates:
  a: {path: release.csv, kind: maskt}
  b: {anonymizer: additive-noise, params: {alpha: 2}}
metrics: [UM, CM9]
rules:
  - {rule: threshold, metric: UM, mn: 0.5}
seed: no
"""
    assert mistakes_in(text, folder) == [
        "audit.yaml:2:8: title must be text, not the number 2026; put it in quotes",
        "audit.yaml:3:11: original does not exist: 'incom.csv'; did you mean 'income.csv'?",
        "audit.yaml:5:15: identifiers[0]: column 'FICA' is named twice, first under attributes; keep one",
        "audit.yaml:7:32: candidates.a.kind must be 'masked' or 'synthetic', not 'maskt'; did you mean 'masked'?",
        "audit.yaml:8:51: candidates.b.params.alpha must be at most 1.0, not 2",
        "audit.yaml:9:15: metrics[1]: 'CM9' is not a known metric; did you mean 'CM3'?",
        "audit.yaml:11:35: rules[0].mn is not a known key; did you mean 'min'?",
        (
            "audit.yaml:12:7: seed: no is false to some readers of YAML and text to others; "
            "write false, or quote it if text is meant: 'no'"
        ),
    ]


def test_a_misspelt_anonymizer_key_is_named(folder):
    lines = mistakes_in(edited("anonymizer: additive", "anonymizr: additive"), folder)
    assert "audit.yaml:13:5: candidates.noisy.anonymizr is not a known key; did you mean 'anonymizer'?" in lines


@pytest.mark.parametrize("text", ["just text\n", "- a\n- b\n", "3\n"])
def test_a_file_that_is_no_mapping_says_so(text, folder):
    [line] = mistakes_in(text, folder)
    assert line.startswith("audit.yaml:1:1: the audit file must be a mapping, not ")


def test_names_from_the_file_are_shown_without_what_cannot_be_seen(folder):
    [line] = mistakes_in(edited("seed:", '"\\e[31m\\u202e::error::\\n":'), folder)
    assert line.startswith("audit.yaml:21:1: ['\\x1b[31m\\u202e\\x3a:error\\x3a:\\n'] is not a known key")


def test_very_many_mistakes_are_found_in_little_time(folder):
    text = VALID + "".join(f"sed{number}: 1\n" for number in range(4000))
    assert len(mistakes_in(text, folder)) == 4000


def test_the_allowed_plugins_are_read_before_the_rest(folder):
    tree = tree_of(edited("seed: 2", "nonsense: 2"), folder)
    assert allowed_plugins(tree) == (Allowed.reading("acme-anonymizers>=2"),)
    assert allowed_plugins(tree_of("title: x\n", folder)) == ()
    assert allowed_plugins(tree_of("- a list\n", folder)) == ()


@pytest.mark.parametrize(
    ("plugins", "limits"),
    [
        ("{}", Limits(seconds=60, memory=2 << 30)),
        ("{timeout: 5}", Limits(seconds=5, memory=2 << 30)),
        ("{timeout: 0.5, memory: 500MB}", Limits(seconds=0.5, memory=500 << 20)),
        ("{memory: 1.5 GB}", Limits(seconds=60, memory=3 << 29)),
    ],
)
def test_what_a_call_of_a_plugin_may_take_is_read_beside_what_may_be_imported(plugins, limits, folder):
    assert limits_in(tree_of(f"plugins: {plugins}\n", folder)) == limits


def test_a_distribution_may_be_pinned_by_the_hash_of_its_files(folder):
    tree = tree_of("plugins: {allow: [{name: acme>=2, sha256: " + "AB" * 32 + "}]}\n", folder)
    assert allowed_plugins(tree) == (Allowed(Requirement("acme>=2"), ("ab" * 32,)),)


def test_under_a_policy_both_versions_and_both_hashes_must_hold(folder):
    one, other = "a" * 64, "b" * 64
    own = (Allowed(Requirement("acme<3"), (one,)), Allowed(Requirement("extra")))
    board = (Allowed(Requirement("Acme>=2"), (other,)), Allowed(Requirement("more"), (one,)))
    assert allowed_under(own, board) == (Allowed(Requirement("Acme<3,>=2"), (other, one)), board[1])


@pytest.mark.parametrize(
    ("plugins", "message"),
    [
        ("{allow: [acme>=x]}", "1:19: plugins.allow[0]: 'acme>=x' is not a distribution"),
        ("{allow: ['acme; python_version<\"3\"']}", "1:19: plugins.allow[0] must be the name of a distribution"),
        ("{allow: ['acme[extra]']}", "1:19: plugins.allow[0] must be the name of a distribution"),
        ("{allow: acme}", "1:18: plugins.allow must be a list, not 'acme'"),
        ("{allow: [no]}", "1:19: plugins.allow[0]: no is false to some readers"),
        ("[acme]", "1:10: plugins must be a mapping, not a list"),
        ("{allow: [{name: acme}]}", "1:19: plugins.allow[0] needs the key 'sha256'"),
        (
            "{allow: [{name: acme>=x, sha256: " + "0" * 64 + "}]}",
            "1:26: plugins.allow[0].name: 'acme>=x' is not a distr",
        ),
        ("{allow: [{name: acme, sha256: abc}]}", "1:40: plugins.allow[0].sha256 must be 64 hexadecimal digits"),
        ("{allow: [{name: acme, hash: abc}]}", "1:19: plugins.allow[0] needs the key 'sha256'"),
        ("{allow: [[acme]]}", "1:19: plugins.allow[0] must be the name of a distribution and its versions"),
        (
            "{allow: [acme, {name: Acme, sha256: " + "0" * 64 + "}]}",
            "1:32: plugins.allow[1].name: 'Acme' is named twice",
        ),
        ("{timeout: 0}", "1:20: plugins.timeout must be greater than 0"),
        ("{timeout: soon}", "1:20: plugins.timeout must be a number, not 'soon'"),
        ("{memory: 2}", "1:19: plugins.memory must be text, not the number 2"),
        ("{memory: 2TB}", "1:19: plugins.memory must be an amount of memory, such as 500MB or 2GB"),
        ("{memory: 0GB}", "1:19: plugins.memory must be an amount of memory, such as 500MB or 2GB"),
        ("{alow: [acme]}", "1:11: plugins.alow is not a known key; did you mean 'allow'?"),
        ("{}\nplugins: {allow: [acme]}", "2:1: the key 'plugins' is there twice, first in line 1"),
    ],
)
def test_no_plugin_is_allowed_by_a_section_in_doubt(plugins, message, folder):
    with pytest.raises(AuditFileError) as caught:
        allowed_plugins(tree_of(f"plugins: {plugins}\n", folder))
    assert str(caught.value).startswith(f"audit.yaml:{message}")


def test_a_plugin_that_fails_on_its_parameters_is_named_as_the_culprit(folder):
    with pytest.raises(PluginError, match="rule 'broken' fails on its own parameters: KeyError"):
        mistakes_in(edited("{rule: no-identifiers}", "{rule: broken}"), folder)


def test_a_plugin_that_cannot_say_its_metrics_is_named_as_the_culprit(folder):
    broken = dataclasses.replace(CATALOGUE.rules["no-identifiers"], needed=None)
    catalogue = dataclasses.replace(CATALOGUE, rules={**CATALOGUE.rules, "no-identifiers": broken})
    with pytest.raises(PluginError, match="rule 'no-identifiers' cannot say its metrics: TypeError"):
        build_audit(tree_of(VALID, folder), catalogue)


def test_parameters_are_of_the_class_that_the_plugin_declares(folder):
    text = edited("{rule: no-identifiers}", "{rule: forgetful, factor: 2}")
    assert type(build_audit(tree_of(text, folder), CATALOGUE).rules[2].params) is Forgetful
