"""Find plugins by entry point and ask them what they offer.

pluggy's own loader stops at the first plugin that fails; here each plugin is loaded by itself, and one that
raises, exits or misspells a hook is left out and named, with the reason. `--strict-plugins`
(MBPLUGIN_STRICT=1) makes that an error.
"""

from __future__ import annotations

import difflib
import inspect
import os
import traceback
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

import pluggy

from mbplugin.errors import PluginError
from mbplugin.hooks import specs
from mbplugin.hooks.offered import check_offer
from mbplugin.hooks.registry import Registry
from mbplugin.hooks.specs import OFFERS

GROUP = "mbplugin"
OURS = "mbplugin"  # the distribution of the core and the first-party plugins


@dataclass
class Found:
    """A plugin as its entry point names it; listing imports nothing."""

    name: str
    value: str
    distribution: str
    version: str
    entry: EntryPoint | None = None
    state: str = "found"  # loaded | disabled | broken
    problem: str = ""
    trace: str = ""
    offers: dict[str, list[str]] = field(default_factory=dict)


def find_plugins() -> list[Found]:
    """All entry points of the group, by name; imports none. A distribution seen twice on the path counts
    once.
    """
    found: dict[tuple[str, str], Found] = {}
    for distribution in distributions():
        for entry in entries(distribution):
            name, version = title(distribution)
            found.setdefault((entry.name, name), Found(entry.name, entry.value, name, version, entry))
    return sorted(found.values(), key=lambda f: (f.name, f.distribution))


def entries(distribution: Distribution) -> list[EntryPoint]:
    """The entry points of our group; none where a distribution's list is no such."""
    try:
        return [entry for entry in distribution.entry_points if entry.group == GROUP]
    except Exception:
        return []


def title(distribution: Distribution) -> tuple[str, str]:
    """Name and version, as far as an installation that may be half removed tells them."""
    folder = str(getattr(getattr(distribution, "_path", None), "stem", "?")).partition("-")
    try:
        return str(distribution.metadata["Name"] or folder[0]), str(distribution.version or folder[2] or "?")
    except Exception:
        return folder[0], folder[2] or "?"


def load_plugins(
    disabled: Iterable[str] = (), strict: bool | None = None, extra: Iterable[tuple[str, Any]] = ()
) -> tuple[Registry, list[Found]]:
    """Import every plugin that is not disabled and collect its offers. `extra`: (name, module or object)
    given by the caller.
    """
    strict = os.environ.get("MBPLUGIN_STRICT") == "1" if strict is None else strict
    disabled = {*disabled, *filter(None, os.environ.get("MBPLUGIN_DISABLE", "").split(","))}
    registry = Registry()
    plugins = find_plugins()
    for name, thing in extra:
        plugins.append(
            Found(name, getattr(thing, "__name__", type(thing).__name__), "(given by the program)", "")
        )
        plugins[-1].trace = ""
    given = dict(extra)
    for plugin in plugins:
        if plugin.name in disabled or plugin.distribution in disabled:
            plugin.state = "disabled"
            continue
        try:
            thing = given[plugin.name] if plugin.entry is None else plugin.entry.load()
            _ask(thing, plugin, registry)
            plugin.state = "loaded"
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also sys.exit, and what is made to slip through
            plugin.state = "broken"
            plugin.problem = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")
            plugin.trace = traceback.format_exc()
            message = f"plugin {plugin.name} (distribution {plugin.distribution}, {plugin.value}) is left out: {plugin.problem}"
            if strict:
                raise PluginError(
                    f"{message}; mend it, uninstall it, or disable it with --no-plugin {plugin.name}"
                ) from error
            registry.problems[plugin.name] = f"{plugin.problem} (distribution {plugin.distribution})"
            warnings.warn(message, stacklevel=2)
        if plugin.distribution != OURS:
            registry.homes[_home(thing if plugin.entry is None else None, plugin)] = (
                f"{plugin.name} (distribution {plugin.distribution})"
            )
        plugin.offers = registry.of_plugin(plugin.name, plugin.distribution)
    for clash in registry.clashes():
        if strict:
            raise PluginError(clash)
        warnings.warn(clash, stacklevel=2)
    return registry, plugins


def _home(thing: Any, plugin: Found) -> str:
    """Top-level module of a plugin's code."""
    module = plugin.value if thing is None else getattr(thing, "__name__", None) or type(thing).__module__
    return str(module).partition(":")[0].partition(".")[0]


def _ask(thing: Any, plugin: Found, registry: Registry) -> None:
    """Register one plugin with a manager of its own, check the names of its hooks, and call them."""
    manager = pluggy.PluginManager("mbplugin")
    manager.add_hookspecs(specs)
    manager.register(thing, plugin.name)
    known = [
        name
        for name, value in inspect.getmembers(specs, inspect.isfunction)
        if getattr(value, "mbplugin_spec", None) is not None
    ]
    for name in dir(thing):
        marked = getattr(getattr(thing, name, None), "mbplugin_impl", None)
        if (
            (marked is not None or name.startswith("mbplugin_"))
            and callable(getattr(thing, name))
            and name not in known
        ):
            near = difflib.get_close_matches(name, known, 1)
            hint = f'did you mean "{near[0]}"?' if near else f"known: {', '.join(known)}"
            raise PluginError(f'it implements the hook "{name}", which does not exist; {hint}')
        if name in known and marked is None:
            raise PluginError(f"{name} lacks the decorator @hookimpl")
    draft = Registry()
    for hook, category in OFFERS.items():
        getattr(manager.hook, hook)(register=_collector(draft, category, plugin))
    for category, names in draft.offers.items():
        for offers in names.values():
            for offer in offers:
                registry.offers[category].setdefault(offer.name, []).append(offer)


def _collector(registry: Registry, category: str, plugin: Found) -> Callable[..., None]:
    def register(first: Any, second: Any = None) -> None:
        name, thing = (first, second) if isinstance(first, str) else (getattr(first, "name", None), first)
        if not isinstance(name, str) or thing is None:
            raise PluginError(f"it registers a {category} without a name: {first!r}")
        check_offer(category, name, thing)
        registry.add(category, name, thing, plugin.name, plugin.distribution)

    return register
