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
from mbplugin.testing.report import Checks


def importer_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """Scenes of an importer: valid, the same each time, the file as it was; what is no file is refused."""
    checks.fact(
        "has an example", bool(kind.examples), "give `examples`: contents of small files that it reads"
    )
    for number, content in enumerate(kind.examples):
        check_example(checks, kind, content, f"example {number}", registry)
    for what, content in (("an empty file", b""), ("bytes that are no text", bytes(range(256)))):
        note = refusal_missing(kind, content, registry)
        checks.fact(f"refuses {what} by a SceneError", not note, note)


def check_example(checks: Checks, kind: Any, content: str, what: str, registry: Registry) -> None:
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
    checks.fact(f"makes the same scene of {what} twice", first == second, "the files differ")
    checks.fact(f"leaves {what} as it was", alone, "it was changed, or files were written beside it")
    checks.fact(f"makes a scene of {what} that moves", problem.nv > 0, "the scene has no velocity")


def contents(folder: Path) -> dict[str, bytes]:
    """Name -> content of all files in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal_missing(kind: Any, content: bytes, registry: Registry) -> str:
    """Outcome for a file that makes no scene, instead of a SceneError; "" if that is raised."""
    params = validated_keys(kind, {}, "the importer")
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / f"example{kind.suffixes[0]}"
        file.write_bytes(content)
        try:
            read(kind, file, params, registry)
        except SceneError:
            return ""
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "it raised nothing"
