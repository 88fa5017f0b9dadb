"""Find plugins by entry point, load them and collect their offers.

pluggy's loader stops at the first failure. Here each plugin is loaded separately; one that raises, exits or
misspells a hook is skipped with a warning. With `--strict-plugins` (MBPLUGIN_STRICT=1) that is an error.
"""

from __future__ import annotations

import difflib
import os
import signal
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any

import pluggy

from mbplugin.errors import PluginError, one_line
from mbplugin.hooks.offered import check_offer
from mbplugin.hooks.registry import Registry
from mbplugin.hooks.settings import SEEDS, SETTINGS, settings_kept
from mbplugin.hooks.specs import HOOKS, SPECIFICATIONS

GROUP = "mbplugin"  # of entry points
OURS = "mbplugin"  # the distribution of the core and the first-party plugins


@dataclass
class Plugin:
    """A plugin and the result of loading it."""

    name: str  # of the entry point
    value: str  # module or object that the entry point names
    distribution: str  # name of the distribution
    version: str  # of the distribution
    entry: EntryPoint | None = None  # None: passed in by the caller
    state: str = "found"  # found, loaded, disabled or broken
    problem: str = ""  # why it is broken
    trace: str = ""  # traceback of the failure
    offers: dict[str, list[str]] = field(default_factory=dict)  # category -> names

    def title(self) -> str:
        """Name and distribution, for messages."""
        return f"{self.name} (distribution {self.distribution})"


def loaded_plugins(plugins: Iterable[Plugin]) -> list[dict[str, str]]:
    """Name, distribution and version of the loaded ones, as stored in results."""
    return [
        {"name": plugin.name, "distribution": plugin.distribution, "version": plugin.version}
        for plugin in plugins
        if plugin.state == "loaded"
    ]


def find_plugins() -> list[Plugin]:
    """All installed plugins, sorted by name and not imported; a distribution found twice counts once."""
    plugins: dict[tuple[str, str], Plugin] = {}
    for distribution in distributions():
        entries = entry_points_of(distribution)
        name, version = name_and_version(distribution) if entries else ("", "")
        for entry in entries:
            plugins.setdefault((entry.name, name), Plugin(entry.name, entry.value, name, version, entry))
    return sorted(plugins.values(), key=lambda plugin: (plugin.name, plugin.distribution))


def entry_points_of(distribution: Distribution) -> list[EntryPoint]:
    """The entry points of our group; none if the distribution's metadata is damaged."""
    try:
        return [entry for entry in distribution.entry_points if entry.group == GROUP]
    except Exception:
        return []


def name_and_version(distribution: Distribution) -> tuple[str, str]:
    """Name and version; from the folder name if the metadata is damaged, "?" if unknown."""
    folder = str(getattr(getattr(distribution, "_path", None), "stem", "?")).partition("-")
    try:
        metadata = distribution.metadata  # is parsed each time that it is asked for
        return str(metadata["Name"] or folder[0]), str(metadata["Version"] or folder[2] or "?")
    except Exception:
        return folder[0], folder[2] or "?"


def load_plugins(
    disabled: Iterable[str] = (), strict: bool | None = None, extra: Iterable[tuple[str, Any]] = ()
) -> tuple[Registry, list[Plugin]]:
    """Import all plugins that are not disabled and collect their offers. Raises PluginError if strict.

    `extra` are further plugins as (name, module or object).
    """
    strict = os.environ.get("MBPLUGIN_STRICT") == "1" if strict is None else strict
    disabled = {*disabled, *filter(None, os.environ.get("MBPLUGIN_DISABLE", "").split(","))}
    registry = Registry()
    plugins = find_plugins()
    modules = dict(extra)
    for name, module in modules.items():
        value = getattr(module, "__name__", type(module).__name__)
        plugins.append(Plugin(name, value, "(given by the program)", ""))
    for plugin in plugins:
        if plugin.name in disabled or plugin.distribution in disabled:
            plugin.state = "disabled"
            continue
        try:
            ours = plugin.distribution == OURS
            with nullcontext() if ours else settings_kept(f"plugin {plugin.title()}", (*SETTINGS, *SEEDS)):
                module = modules[plugin.name] if plugin.entry is None else plugin.entry.load()
                _collect(module, plugin, registry)
            plugin.state = "loaded"
        except BaseException as error:  # including SystemExit and BaseExceptions of the plugin
            if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is (
                signal.default_int_handler
            ):
                raise  # Ctrl-C; the command line has its own handler, which raises nothing
            plugin.state = "broken"
            plugin.problem = one_line(f"{type(error).__name__}: {error}").rstrip(":")
            plugin.trace = traceback.format_exc()
            place = f"distribution {plugin.distribution}, {plugin.value}"
            message = f"plugin {plugin.name} ({place}) is not loaded: {plugin.problem}"
            if strict:
                mend = f"fix it, uninstall it, or disable it with --no-plugin {plugin.name}"
                raise PluginError(f"{message}; {mend}") from error
            registry.problems[plugin.name] = f"{plugin.problem} (distribution {plugin.distribution})"
            warnings.warn(message, stacklevel=2)
        if plugin.distribution != OURS:
            registry.homes[_top_module(module if plugin.entry is None else None, plugin)] = plugin.title()
        plugin.offers = registry.of_plugin(plugin.name, plugin.distribution)
    for clash in registry.clashes():
        if strict:
            raise PluginError(clash)
        warnings.warn(clash, stacklevel=2)
    return registry, plugins


def _top_module(module: Any, plugin: Plugin) -> str:
    """Name of the top-level module of a plugin's code; `module` is None for an entry point."""
    name = plugin.value
    if module is not None:
        name = getattr(module, "__name__", None) or type(module).__module__
    return str(name).partition(":")[0].partition(".")[0]


def _collect(module: Any, plugin: Plugin, registry: Registry) -> None:
    """Check the hooks of one plugin, call them and add its offers. Raises PluginError."""
    manager = pluggy.PluginManager("mbplugin")  # one per plugin, so that failures stay separate
    manager.add_hookspecs(SPECIFICATIONS)
    manager.register(module, plugin.name)
    _check_hooks(module)
    offered = Registry()  # of this plugin alone, so that a failure half way adds nothing
    for name, hook in HOOKS.items():
        getattr(manager.hook, name)(register=_collector(offered, hook.category, plugin))
    if not any(offered.offers.values()) and not any(
        is_optional(getattr(module, name, None)) for name in dir(module)
    ):
        raise PluginError(
            f"{plugin.value} offers nothing: it has no hook, such as mbplugin_force_elements, that registers "
            "something; does the entry point name the module with the hooks, and is that the one imported?"
        )
    for category, names in offered.offers.items():
        for name, offers in names.items():
            registry.offers[category].setdefault(name, []).extend(offers)


def _check_hooks(module: Any) -> None:
    """Check that hooks are spelled correctly and marked with @hookimpl. Raises PluginError."""
    for name in dir(module):
        function = getattr(module, name, None)
        if is_optional(function):
            continue  # of a version that has it
        marked = getattr(function, "mbplugin_impl", None) is not None
        intended = (marked or name.startswith("mbplugin_")) and callable(getattr(module, name))
        if intended and name not in HOOKS:
            similar = difflib.get_close_matches(name, HOOKS, 1)
            hint = f'did you mean "{similar[0]}"?' if similar else f"known: {', '.join(HOOKS)}"
            raise PluginError(f'there is no hook "{name}"; {hint}')
        if name in HOOKS and not marked:
            raise PluginError(f"{name} lacks the decorator @hookimpl")


def is_optional(function: Any) -> bool:
    """Whether a hook is for the versions that have it: `@hookimpl(optionalhook=True)`."""
    return bool((getattr(function, "mbplugin_impl", None) or {}).get("optionalhook"))


def _collector(registry: Registry, category: str, plugin: Plugin) -> Callable[..., None]:
    """The function `register` that a hook of this category gets."""

    def register(first: Any, second: Any = None) -> None:
        name, thing = (first, second) if isinstance(first, str) else (getattr(first, "name", None), first)
        if not isinstance(name, str) or thing is None:
            raise PluginError(f"a {category} is registered without a name: {first!r}")
        check_offer(category, name, thing)
        registry.add(category, name, thing, plugin.name, plugin.distribution)

    return register
