"""A scene folder from a file of another program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from mbplugin.errors import PluginError, SceneError, StoreError
from mbplugin.hooks.blame import errors_of_plugins
from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.hooks.settings import settings_kept
from mbplugin.imports.choice import importer_of
from mbplugin.interface import Imported
from mbplugin.model.reading import read_scene, value_of
from mbplugin.model.shape import Mesh
from mbplugin.model.system import System
from mbplugin.model.toml import document


def import_scene(file: Path, folder: Path, registry: Registry, keys: Mapping[str, Any]) -> System:
    """Write the scene folder `folder`, which must be new or empty, from `file`; returns the system that it
    holds.

    keys: parameters of the importer; a value is a text in TOML, or the value itself.

    Raises SceneError, StoreError, PluginError, MissingLibraryError. A failure leaves no folder.
    """
    if not file.is_file():
        raise SceneError("import", str(file), "there is no such file")
    kind = importer_of(file, registry)
    check_folder(folder)
    params = validated_keys(kind, nested(keys), f"the importer {kind.name}")
    imported = read(kind, file, params, registry)
    part = folder.with_name(f".{folder.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        write(imported, part, kind.name)
        system = read_scene(part, {})
        for body in system.bodies:
            body.mass_properties()
        make_parts(system)
        if folder.exists():
            folder.rmdir()
        os.replace(part, folder)
        for owner in (*system.bodies, system.scene):
            for shape in owner.shapes:
                shape._folder = folder
    except SceneError as error:
        mend = f"{error.mend} (in the scene made of it)"
        raise SceneError(error.key, error.value, mend, file=str(file)) from None
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return system


def make_parts(system: System) -> None:
    """Write the files of convex parts of meshes. Raises SceneError, MissingLibraryError."""
    for owner in (*system.bodies, system.scene):
        for shape in owner.shapes:
            if isinstance(shape, Mesh):
                shape.parts  # noqa: B018  read or made, and kept


def check_folder(folder: Path) -> None:
    """Raises SceneError if a scene cannot be written there."""
    if folder.name in ("", ".", "..") or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise SceneError("-o", str(folder), "exists already; choose another folder, or empty this one")


def nested(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of keys from keys with dots, with the values that their texts stand for. Raises SceneError."""
    tables: dict[str, Any] = {}
    for key, value in keys.items():
        name, dot, inner = key.partition(".")
        value = value_of(value) if isinstance(value, str) else value
        if not dot:
            tables[name] = value
            continue
        table = tables.setdefault(name, {})
        if not isinstance(table, dict):
            raise SceneError(key, value, f"`{name}` is given as a value as well; keep one of them")
        table[inner] = value
    return tables


def read(kind: Any, file: Path, params: Any, registry: Registry) -> Imported:
    """Scene that the importer makes of `file`. Raises SceneError, StoreError, PluginError,
    MissingLibraryError.
    """
    try:
        with settings_kept(f'importer "{kind.name}"'), errors_of_plugins(registry, (Exception, SystemExit)):
            imported = kind.read(file, params)
    except SceneError as error:
        error.file = error.file or str(file)
        raise
    except OSError as error:
        raise StoreError(f"{error.filename or file}: cannot be read: {error.strerror or error}") from None
    if not isinstance(imported, Imported):
        what = type(imported).__name__
        raise PluginError(f'importer "{kind.name}": read returns a {what} where an Imported is needed')
    return imported


def write(imported: Imported, folder: Path, importer: str) -> None:
    """Write the scene file and the files beside it. Raises SceneError, PluginError, OSError."""
    tables = dict(imported.tables)
    scene = dict(tables.pop("scene", {}))
    if imported.left_out:
        scene["left_out"] = list(imported.left_out)
    text = document({"scene": scene, **tables} if scene else tables)
    (folder / "scene.toml").write_text(text, encoding="utf-8")
    for name, content in imported.files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or name == "scene.toml":
            raise PluginError(f'importer "{importer}": "{name}" is no name of a file beside the scene')
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            shutil.copyfile(content, target)
