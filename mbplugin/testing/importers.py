"""Checks of an importer: a valid scene of each example, the same each time; messages for what is none."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from mbplugin.compile import compile_system
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.imports.one_scene import import_scene, read
from mbplugin.model.reading import read_scene
from mbplugin.testing.report import Check, fact


def importer_checks(kind: Any, registry: Registry) -> list[Check]:
    """Every check of one importer; `registry` has it."""
    name = f'importer "{kind.name}"'
    facts: list[tuple[str, bool, str]] = [
        ("has an example", bool(kind.examples), "give `examples`: contents of small files that it reads")
    ]
    for number, content in enumerate(kind.examples):
        facts += facts_of(kind, content, f"example {number}", registry)
    facts += refusals(kind, registry)
    return [fact(name, what, holds, note) for what, holds, note in facts]


def facts_of(kind: Any, content: str, what: str, registry: Registry) -> list[tuple[str, bool, str]]:
    """(fact, whether it holds, note) of one example."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        source.mkdir()
        file = source / f"example{kind.suffixes[0]}"
        file.write_text(content, encoding="utf-8")
        folders = [Path(place) / f"scene_{k}" for k in range(2)]
        for folder in folders:
            import_scene(file, folder, registry, {})
        first, second = (contents(folder) for folder in folders)
        alone = contents(source) == {file.name: content.encode()}
        problem = compile_system(read_scene(folders[0], {}), registry)
    return [
        (f"makes the same scene of {what} twice", first == second, "the files differ"),
        (f"leaves {what} as it was", alone, "it was changed, or files were written beside it"),
        (f"makes a scene of {what} that moves", problem.nv > 0, "the scene has no velocity"),
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """Name -> content of all files in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusals(kind: Any, registry: Registry) -> list[tuple[str, bool, str]]:
    """(fact, whether it holds, note) for files that make no scene."""
    params = validated_keys(kind, {}, "the importer")
    facts = []
    for what, content in (("an empty file", b""), ("bytes that are no text", bytes(range(256)))):
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / f"example{kind.suffixes[0]}"
            file.write_bytes(content)
            note = "it raised nothing"
            try:
                read(kind, file, params, registry)
            except SceneError:
                note = ""
            except Exception as error:
                note = f"{type(error).__name__}: {error}"
        facts.append((f"refuses {what} by a SceneError", not note, note))
    return facts
