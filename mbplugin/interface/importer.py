"""Importers: scenes that are made from files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar


@dataclass
class Imported:
    """A scene that an importer has read.

    tables:   those of a scene file: {"body": [{"name": "rod", "mass": 1.0}, ...], "joint": [...]}
    files:    name in the scene's folder -> a file to copy, or its content
    left_out: what the file has and the scene has not, a line each
    """

    tables: dict[str, Any]
    files: dict[str, Path | bytes] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


class Importer:
    """Base of importers: `mbplugin import robot.urdf -o scene`.

    name:       as messages name it
    suffixes:   of its files, with the dot: (".urdf",)
    root:       for XML files that share a suffix: the root element by which it knows its own, or None
    examples:   contents of small files that it reads, for the conformance kit
    parameters: pydantic class of its keys, or None: `--set floating=true`; a dot makes a table of keys,
                `--set packages.talos=/opt/talos`

    `read(file, params)` returns the scene as tables, the files that belong to it, and what it has left out.
    It writes nothing: the engine checks the tables, writes the folder, and keeps the list for `mbplugin
    check`. It raises SceneError for a file that makes no scene, with what to change; any other exception is
    reported with the name of the plugin.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    root: ClassVar[str | None] = None
    examples: ClassVar[Sequence[str]] = ()
    parameters: ClassVar[Any] = None

    @classmethod
    def read(cls, file: Path, params: Any) -> Imported:
        """The scene of `file`, which exists. params: validated."""
        raise NotImplementedError
