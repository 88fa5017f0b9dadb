"""Provenance digests of a run: of the tables, meshes and plugins that it uses besides its scene, and of the
engine.

A run that is continued on something else would give a result that equals neither run.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mbplugin.compiler.reach import reachable
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.run.prepare import Prepared

#: version of what no distribution holds
UNKNOWN = "?"
ENGINE = Path(__file__).resolve().parents[1]


def sources(prepared: Prepared, registry: Registry, plugins: list[dict[str, str]]) -> dict[str, str]:
    """Name of each source -> its digest, with the version of a plugin in front.

    Only plugins count whose functions this run calls.
    """
    found = {f'file "{name}"': digest([path]) for name, path in files_of(prepared.system)}
    found["mbplugin"] = f"{version('mbplugin', plugins)} {code_digest(('mbplugin.run.loop',), True)}"
    homes = plugin_modules(registry)
    modules: dict[str, set[str]] = {}
    for module in modules_of(prepared):
        top = module.partition(".")[0]
        if top != "mbplugin":
            modules.setdefault(top, set()).add(module)
    for top in sorted(modules):
        name, distribution = homes.get(top, (top, ""))
        code = code_digest(tuple(sorted(modules[top])), False)
        found[f"plugin {name}"] = f"{version(distribution, plugins)} {code}"
    return found


def changed(stored: Mapping[str, str], present: Mapping[str, str]) -> list[str]:
    """One phrase for each source that is not what it was."""
    phrases = []
    for name in sorted(stored.keys() | present.keys()):
        before, now = stored.get(name), present.get(name)
        if before is None or now is None:
            phrases.append(f"{name} {'was not used' if before is None else 'is not used now'}")
            continue
        versions = [text.partition(" ")[0] for text in (before, now) if " " in text]
        other = len({*versions} - {UNKNOWN}) == 2
        if other or before.rpartition(" ")[2] != now.rpartition(" ")[2]:
            which = f" (version {versions[0]}, now {versions[1]})" if other else ""
            phrases.append(f"{name} has changed{which}")
    return phrases


def files_of(system: System) -> Iterator[tuple[str, Path]]:
    """Name and path of each file that the scene names by a key `file`, or in a key of a kind."""
    elements = [
        *system.bodies,
        *system.joints,
        *system.forces,
        *system.sensors,
        *system.drawings,
        *system.contacts,
    ]
    of_keys = {text for key, text in texts(system.tables()) if key == "file"}
    of_kinds = {text for one in (*elements, system.solver) for _, text in texts(one.raw) if Path(text).suffix}
    for name in sorted(of_keys | of_kinds):
        path = system.folder / name
        with suppress(OSError, ValueError):  # a text that can be no name of a file
            if path.is_file():
                yield name, path


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) of all texts in nested tables and lists."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from texts(one, name)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one, "")


def modules_of(prepared: Prepared) -> set[str]:
    """The modules of all kinds and functions that a run uses."""
    names = {f.__module__ for kernel in prepared.problem.kernels for f in kernel.given.values()}
    kinds = [prepared.solver.kind, prepared.solver.method]
    kinds += [table.kind for table in (*prepared.system.sensors, *prepared.system.drawings)]
    kinds += [joint.kind for joint in prepared.problem.names.joints]
    for kind in kinds:
        if kind is not None:
            names.add((kind if isinstance(kind, type) else type(kind)).__module__)
    return names - {"builtins"}


def plugin_modules(registry: Registry) -> dict[str, tuple[str, str]]:
    """Top-level module -> name and distribution of its plugin."""
    return {
        str(getattr(offer.thing, "__module__", "")).partition(".")[0]: (offer.plugin, offer.distribution)
        for by_name in registry.offers.values()
        for offers in by_name.values()
        for offer in offers
    }


def version(distribution: str, plugins: Iterable[Mapping[str, str]]) -> str:
    """The version of a distribution; UNKNOWN if no plugin is of it."""
    return next((p["version"] or UNKNOWN for p in plugins if p["distribution"] == distribution), UNKNOWN)


@functools.cache
def code_digest(modules: tuple[str, ...], engine: bool) -> str:
    """Digest of the source files that the modules reach by imports: the engine's, or all others."""
    return digest(path for path in reachable(modules) if path.is_relative_to(ENGINE) == engine)


def digest(paths: Iterable[Path]) -> str:
    """Hash of the names and contents of files."""
    found = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        found.update(f"{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()[:32]
