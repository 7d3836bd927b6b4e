"""What `import permaudit` offers, and what it costs."""

from __future__ import annotations

import ast
import re
from importlib import import_module, metadata
from pathlib import Path

import pytest

import permaudit
from permaudit import hookspecs
from permaudit.plugins import RESERVED, load_plugins

SOURCE = Path(permaudit.__file__).parent
HOOKS = [name for name in vars(hookspecs) if name.startswith(f"{hookspecs.PROJECT}_")]
ROOMS = permaudit._ROOMS  # noqa: SLF001 - the table that this test holds against the imports for type checkers


def test_the_names_for_type_checkers_are_those_at_run_time():
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {(node.module, alias.name, alias.asname) for node in block.body for alias in node.names}
    assert typed == {(f"permaudit.{room}", name, name) for room, names in ROOMS.items() for name in names.split()}


@pytest.mark.parametrize("name", sorted(name for names in ROOMS.values() for name in names.split()))
def test_every_public_name_is_there(name):
    assert getattr(getattr(permaudit, name), "__name__", "hookimpl") == name
    assert name in dir(permaudit)


def test_a_name_that_is_not_public_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'load_plugins'"):
        permaudit.load_plugins  # noqa: B018


def test_the_version_is_that_of_the_distribution():
    assert permaudit.__version__ == metadata.version("permaudit")


def test_importing_permaudit_imports_nothing_that_costs_time(child):
    code = "import sys, permaudit; print(sorted({'numpy', 'pandas', 'pydantic', 'pyarrow', 'rich'} & set(sys.modules)))"
    assert child(code, python=("-c",)).stdout == "[]\n"


# --------------------------------------------------------------------------- the host knows nobody by name


def test_the_host_mentions_no_metric_by_name():
    """Apart from the reserved ids; the mathematics and the demonstration may."""
    excused = {"permutation", "demo", "census_like.py"}
    named = re.compile(r"\b(?:UM|CM[123])\b", re.IGNORECASE)
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in excused
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if named.search(line) and not line.startswith("RESERVED = ")
    ]
    assert found == []


def test_every_built_in_comes_through_the_entry_points():
    host = load_plugins()
    points = {
        (point.name, point.value)
        for point in metadata.entry_points(group="permaudit")
        if point.dist.name == "permaudit"
    }
    assert {(plugin.name, plugin.module) for plugin in host.plugins} == points
    assert {plugin.origin for plugin in host.plugins} == {f"permaudit {permaudit.__version__}"}
    assert {name.casefold() for name in host.catalogue.metrics} >= RESERVED


def test_every_object_stands_in_the_catalogue_under_its_own_id():
    host = load_plugins()
    shelves = [getattr(host.catalogue, name) for name in host.catalogue.__slots__]
    assert sum(map(len, shelves)) == len(host.provided)
    assert all(thing.card.id == name for shelf in shelves for name, thing in shelf.items())


@pytest.mark.parametrize("name", ["no-identifiers", "no-unaudited-columns", "no-unprotected-attribute"])
def test_the_rules_of_the_contract_are_always_on(name):
    assert load_plugins().catalogue.rules[name].card.always_on


def test_every_built_in_hook_can_be_called_without_a_host():
    for plugin in load_plugins().plugins:
        module = import_module(plugin.module)
        hooks = [getattr(module, name) for name in HOOKS if hasattr(module, name)]
        assert hooks
        assert all(list(hook()) for hook in hooks)


def test_every_built_in_declares_the_api_for_which_it_is_made():
    assert {import_module(plugin.module).permaudit_api for plugin in load_plugins().plugins} == {hookspecs.API}


def test_every_hook_says_on_the_one_page_what_it_returns_and_every_kind_of_object_has_one():
    kinds = {"metrics", "anonymizers", "rules", "readers", "engines", "templates"}
    assert {name.removeprefix("permaudit_") for name in HOOKS} == kinds
    for name in HOOKS:
        hook = getattr(hookspecs, name)
        assert hook.__doc__.startswith("Return the ")
        assert hook.__annotations__["return"].startswith("Iterable[")
