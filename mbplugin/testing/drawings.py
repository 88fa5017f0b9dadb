"""Checks of a drawing: it can be drawn at every frame, and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.api import without_files
from mbplugin.export.drawings import Drawings, file_of
from mbplugin.hooks.registry import Registry
from mbplugin.model import Drawing, System
from mbplugin.run.prepare import prepare
from mbplugin.testing.exporters import SCENE
from mbplugin.testing.report import Check


def drawing_checks(kind: Any, registry: Registry) -> list[Check]:
    """Every check of one drawing; `registry` has it."""
    checks = []
    examples: Sequence[Mapping[str, Any]] = kind.examples or ({},)
    for keys in examples:
        first, second = (files(kind, keys, registry) for _ in range(2))
        error = 0.0 if first == second else np.inf
        note = "" if first == second else "the points or arrays differ"
        checks.append(Check(f'drawing "{kind.name}"', "draws the same of a frame again", error, 0.0, note))
    return checks


def files(kind: Any, keys: Mapping[str, Any], registry: Registry) -> list[bytes]:
    """The file of each frame of the kind's scene. Raises PluginError for a drawing that is none."""
    system = System.from_text(kind.scene or SCENE)
    system.add(Drawing(name="tried", type=kind.name, **keys))
    raw = without_files(prepare(system, registry), None).raw
    drawings = Drawings(system, raw.static())
    return [file_of(drawings.at(0, frame), float(frame["time"])) for frame in raw.each_frame()]
