"""Entry points -> loaded plugins, each with its distribution and version.

Loading is the host's own, one plugin at a time: pluggy's bulk loader imports what nobody listed, lets a stranger take
the name of a built-in, and accepts misspelt hooks.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import astuple, dataclass, replace
from functools import cache
from importlib import metadata
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import pluggy

from permaudit import __version__, hookspecs
from permaudit.cards import AnonymizerCard, EngineCard, MetricCard, ReaderCard, RuleCard, TemplateCard
from permaudit.errors import PluginError, shown
from permaudit.installed import installed_hashes
from permaudit.isolation.guard import kept_as_it_was
from permaudit.isolation.limits import Limits
from permaudit.model import HOST_RULES, Catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import ModuleType

    from pluggy import HookimplOpts

    from permaudit.allowed import Allowed
    from permaudit.cards import Card
    from permaudit.isolation.nursery import Nursery

RESERVED = frozenset({"um", "cm1", "cm2", "cm3"})
"""The metrics of the paper, in lower case: only permaudit itself may provide them."""

_CLAIMED = ", by its own word"
"""Said of a distribution that calls itself something else than it is installed as: no list can name it, so it is never imported.

Or it could pass for permaudit itself, or for one that somebody listed and pinned."""

_FUNCTIONS = (FunctionType, MethodType, classmethod, staticmethod)

_RESERVED = {"metric": RESERVED, "rule": HOST_RULES}


@dataclass(frozen=True, slots=True)
class _Shelf:
    """One kind of object: its hook, its place in the catalogue, its card, and what it must be able to do."""

    hook: str
    name: str
    noun: str
    card: type[Card]
    has: tuple[str, ...]


_SHELVES = (
    _Shelf("permaudit_metrics", "metrics", "metric", MetricCard, ("compute",)),
    _Shelf("permaudit_anonymizers", "anonymizers", "anonymizer", AnonymizerCard, ("anonymize", "parameters")),
    _Shelf("permaudit_rules", "rules", "rule", RuleCard, ("judge", "limits", "metrics", "parameters")),
    _Shelf("permaudit_readers", "readers", "reader", ReaderCard, ("columns", "parameters", "read")),
    _Shelf("permaudit_engines", "engines", "engine", EngineCard, ("prepare", "moments")),
    _Shelf("permaudit_templates", "templates", "template set", TemplateCard, ("directory",)),
)


class _Hooks(pluggy.PluginManager):
    """What pluggy knows of hooks; it looks for them among functions only, not in every name of a module, which is slow."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> HookimplOpts | None:
        """Return how a function is marked as a hook."""
        return super().parse_hookimpl_opts(plugin, name) if isinstance(vars(plugin).get(name), _FUNCTIONS) else None


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin, by its entry point."""

    name: str
    distribution: str
    version: str
    module: str

    @property
    def is_foreign(self) -> bool:
        """Tell whether somebody else than permaudit provides it."""
        return self.distribution != hookspecs.PROJECT

    @property
    def origin(self) -> str:
        """Name the distribution and its version."""
        return f"{shown(self.distribution)} {shown(self.version)}"

    def __str__(self) -> str:
        """Name the plugin and where it comes from."""
        return f"plugin '{shown(self.name)}' of {self.origin}"


@dataclass(frozen=True, slots=True, eq=False)
class Provided:
    """An object that a plugin provides."""

    plugin: Plugin
    noun: str
    id: str
    object: Any


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """All that was loaded, and what was left alone."""

    catalogue: Catalogue
    provided: tuple[Provided, ...]
    refused: tuple[Plugin, ...]
    """Installed, but not listed in `plugins.allow`: never imported."""

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """Return the plugins that were loaded."""
        return tuple(dict.fromkeys(provided.plugin for provided in self.provided))


def load_plugins(
    allow: Sequence[Allowed] = (), limits: Limits | None = None, *, isolate: bool = True, own: str | None = None
) -> Host:
    """Load the built-in plugins and those of the allowed distributions, and nothing else.

    What is foreign is imported in a process of its own first: one that ends or hangs there is refused, and never gets here.
    Only authors who check what they wrote want it in this process (`isolate=False`). Who needs one module of permaudit's own
    only names it (`own`), and waits for no other.
    """
    wanted, refused = _split(installed_plugins(), allow)
    wanted = [plugin for plugin in wanted if own is None or plugin.is_foreign or plugin.module == own]
    if not isolate:
        provided = read_plugins(wanted)
        return Host(_catalogue(provided), tuple(provided), tuple(refused))
    nurseries = _nurseries(wanted, limits or Limits())
    provided = read_plugins([plugin for plugin in wanted if not plugin.is_foreign])
    if nurseries:
        with kept_as_it_was():
            foreign = read_plugins([plugin for plugin in wanted if plugin.is_foreign])
        provided += [_placed(thing, nurseries[thing.plugin.distribution]) for thing in foreign]
    return Host(_catalogue(provided), tuple(provided), tuple(refused))


def read_plugins(plugins: Sequence[Plugin]) -> list[Provided]:
    """Import plugins into this process and return what they provide."""
    manager = _Hooks(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return [thing for plugin in plugins for thing in _load(manager, plugin)]


def _nurseries(plugins: Sequence[Plugin], limits: Limits) -> dict[str, Nursery]:
    """Import the plugins of each foreign distribution in a process of its own."""
    families: dict[str, list[tuple[str, str, str, str]]] = {}
    for plugin in plugins:
        if plugin.is_foreign:
            families.setdefault(plugin.distribution, []).append(astuple(plugin))
    if not families:
        return {}
    from permaudit.isolation.nursery import Family, nursery_of  # noqa: PLC0415 - other processes, for foreign plugins only

    found = {name: nursery_of(Family(tuple(members), limits, tuple(sys.path))) for name, members in families.items()}
    for nursery in found.values():
        nursery.open()
    return found


def _placed(thing: Provided, nursery: Nursery) -> Provided:
    """Put what stands for a foreign object in its place."""
    from permaudit.isolation.proxies import isolated  # noqa: PLC0415 - most commands have none, and need no numpy

    return replace(thing, object=isolated(thing.noun, thing.object, nursery))


def installed_plugins() -> list[Plugin]:
    """Return every entry point of the group, without importing anything."""
    found, known, named = set(), cache(_points_of), cache(_name_and_version)
    for point in metadata.entry_points(group=hookspecs.PROJECT):
        about = None if point.dist is None else named(point.dist)
        if about is not None:
            name, version = about
            is_true = (version, point.name, point.value) in known(name)
            found.add(Plugin(point.name, name if is_true else name + _CLAIMED, version, point.value))
    return sorted(found, key=lambda plugin: (plugin.is_foreign, plugin.distribution, plugin.name))


def _name_and_version(found: metadata.Distribution) -> tuple[str, str] | None:
    """Return what a distribution calls itself; what an uninstallation left behind may have no name, and then nobody can list it."""
    about = found.metadata
    if "Name" not in about or "Version" not in about:
        return None
    if about["Name"] == hookspecs.PROJECT:
        return hookspecs.PROJECT, about["Version"]
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - most runs see no name but permaudit's own

    return canonicalize_name(about["Name"]), about["Version"]


def _points_of(name: str) -> set[tuple[str, str, str]]:
    """Return the entry points of the distribution that is installed under a name, each with its version, name and value."""
    try:
        owner = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return set()
    version = owner.version
    return {(version, point.name, point.value) for point in owner.entry_points.select(group=hookspecs.PROJECT)}


def _split(installed: list[Plugin], allow: Sequence[Allowed]) -> tuple[list[Plugin], list[Plugin]]:
    """Part the allowed plugins from the others, and refuse to go on without one that is required."""
    required: dict[str, list[Allowed]] = {}
    for allowed in allow:
        required.setdefault(allowed.name, []).append(allowed)
    wanted, refused, seen = [], [], dict[str, Plugin]()
    for plugin in installed:
        if plugin.is_foreign and plugin.distribution not in required:
            refused.append(plugin)
            continue
        for allowed in required.get(plugin.distribution, ()):
            if not allowed.fits(plugin.version):
                raise PluginError(f"plugins.allow asks for '{allowed}', but {plugin.origin} is installed")
        if plugin.name in seen:
            both = f"{seen[plugin.name].origin} and {plugin.origin}"
            raise PluginError(f"plugin '{plugin.name}' is provided by both {both}; uninstall one")
        seen[plugin.name] = plugin
        wanted.append(plugin)
    present = {plugin.distribution for plugin in wanted}
    for name, several in required.items():
        if name not in present:
            raise PluginError(f"plugins.allow asks for '{several[0]}', but no such plugin is installed")
    _check_content(wanted, required)
    return wanted, refused


def _check_content(plugins: Sequence[Plugin], required: Mapping[str, Sequence[Allowed]]) -> None:
    """Refuse a distribution whose files are not those that somebody looked at."""
    pinned = {name: {digest for one in several for digest in one.sha256} for name, several in required.items()}
    found = installed_hashes(plugin for plugin in plugins if pinned.get(plugin.distribution))
    for plugin in plugins:
        for digest in sorted(pinned.get(plugin.distribution, ())):
            if found[plugin.distribution] != digest:
                have = found[plugin.distribution] or "nothing, since they cannot be found"
                raise PluginError(
                    f"plugins.allow asks for the files of {plugin.origin} with sha256 {digest}, "
                    f"but those that are installed hash to {have}"
                )


def _load(manager: pluggy.PluginManager, plugin: Plugin) -> Iterable[Provided]:
    """Import one plugin, hold it against the hook specifications, and take what it provides."""
    try:
        module = importlib.import_module(plugin.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise PluginError(f"{plugin} cannot be imported: {type(error).__name__}: {error}{_hint(error)}") from error
    _check_api(plugin, module)
    _check_hooks(manager, plugin, module)
    for shelf in _SHELVES:
        hook = getattr(module, shelf.hook, None)
        if hook is None:
            continue
        try:
            things = list(hook())
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise PluginError(f"{plugin}: {shelf.hook} raised {type(error).__name__}: {error}") from error
        for thing in things:
            yield Provided(plugin, shelf.noun, _checked_id(plugin, shelf, thing), thing)


def _hint(error: BaseException) -> str:
    """Say what may be wrong where a plugin asks for something that permaudit does not have."""
    if not isinstance(error, ImportError) or (error.name or "").partition(".")[0] != hookspecs.PROJECT:
        return ""
    return f"; it may be made for another version than permaudit {__version__}, which has plugin API {hookspecs.API}"


def _check_api(plugin: Plugin, module: ModuleType) -> None:
    """Refuse a plugin that was made for another contract than the one that this host keeps."""
    declared = getattr(module, hookspecs.API_NAME, None)
    has = f"permaudit {__version__} has plugin API {hookspecs.API}"
    if declared is None:
        raise PluginError(
            f"{plugin} does not say for which plugin API it is made; {has}: once it is made for that, write "
            f"{hookspecs.API_NAME} = {hookspecs.API} into module {plugin.module}"
        )
    if not isinstance(declared, int) or isinstance(declared, bool):
        raise PluginError(f"{plugin}: {hookspecs.API_NAME} must be a whole number, such as {hookspecs.API}")
    if declared > hookspecs.API:
        raise PluginError(
            f"{plugin} is made for plugin API {declared}, which is newer: {has}; "
            f"upgrade permaudit, or install an older {shown(plugin.distribution)}"
        )
    if declared < hookspecs.OLDEST_API:
        raise PluginError(
            f"{plugin} is made for plugin API {declared}, which is older than any that still works "
            f"({hookspecs.OLDEST_API}): {has}; upgrade {shown(plugin.distribution)}, or install an older permaudit"
        )


def _check_hooks(manager: pluggy.PluginManager, plugin: Plugin, module: ModuleType) -> None:
    """Refuse a misspelt hook, an unmarked one, one with arguments, and a module without any."""
    known = {shelf.hook for shelf in _SHELVES}
    named = {name for name in vars(module) if name.startswith("permaudit_") and callable(getattr(module, name))}
    marked = {name for name in vars(module) if manager.parse_hookimpl_opts(module, name) is not None}
    for name in sorted((named | marked) - known):
        raise PluginError(f"{plugin}: '{name}' is not a hook of permaudit; the hooks are {', '.join(sorted(known))}")
    for name in sorted(named - marked):
        raise PluginError(f"{plugin}: '{name}' is not marked with @permaudit.hookimpl")
    if not marked:
        raise PluginError(f"{plugin}: module {plugin.module} provides no hook of permaudit")
    try:
        manager.register(module, name=plugin.name)
    except (ValueError, pluggy.PluginValidationError) as error:
        raise PluginError(f"{plugin}: {error}") from error


def _checked_id(plugin: Plugin, shelf: _Shelf, thing: Any) -> str:
    """Return the object's id, after holding the object against its protocol."""
    card: Any = getattr(thing, "card", None)
    if not isinstance(card, shelf.card):
        raise PluginError(f"{plugin}: {shelf.hook} returned {type(thing).__name__} without a {shelf.card.__name__}")
    if not isinstance(card.id, str) or not card.id.strip() or not card.id.isprintable():
        raise PluginError(f"{plugin}: {shelf.hook} returned {type(thing).__name__} with an id that is no name")
    missing = [name for name in shelf.has if not hasattr(thing, name)]
    if missing:
        raise PluginError(f"{plugin}: {shelf.noun} '{card.id}' has no {', no '.join(missing)}")
    if card.id.casefold() in _RESERVED.get(shelf.noun, ()) and plugin.is_foreign:
        raise PluginError(f"{plugin}: {shelf.noun} id '{card.id}' is reserved for permaudit itself")
    return str(card.id)


def _catalogue(provided: Sequence[Provided]) -> Catalogue:
    """Sort the objects by kind and id; two providers of one id, or of one file suffix, are an error."""
    shelves: dict[str, dict[str, Any]] = {shelf.noun: {} for shelf in _SHELVES}
    owners: dict[str, Plugin] = {}
    for thing in provided:
        _claim(owners, thing.plugin, f"{thing.noun} '{thing.id}'", f"{thing.noun} id '{thing.id}'")
        for suffix in thing.object.card.suffixes if thing.noun == "reader" else ():
            _claim(owners, thing.plugin, f"reader for '{suffix.casefold()}'", f"file suffix '{suffix.casefold()}'")
        shelves[thing.noun][thing.id] = thing.object
    return Catalogue(**{shelf.name: shelves[shelf.noun] for shelf in _SHELVES})


def _claim(owners: dict[str, Plugin], plugin: Plugin, what: str, name: str) -> None:
    """Note whose something is; what permaudit itself provides is reserved, and nothing has two providers."""
    owner = owners.get(what.casefold())
    if owner is not None and plugin.is_foreign and not owner.is_foreign:
        raise PluginError(f"{plugin}: {name} is reserved for permaudit itself")
    if owner is not None:
        raise PluginError(f"{what} is provided by both {owner.origin} and {plugin.origin}; uninstall one")
    owners[what.casefold()] = plugin
