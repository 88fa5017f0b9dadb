"""Checks of a watcher: a run of the kit has the same frames with it and without."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.api import System, without_files
from mbplugin.hooks.registry import Registry
from mbplugin.run.prepare import prepare
from mbplugin.testing.exporters import SCENE
from mbplugin.testing.report import Check


def watcher_checks(kind: Any, registry: Registry, without: Registry) -> list[Check]:
    """Every check of one watcher. registry: has it; without: has not, or has it too if it is installed."""
    positions = []
    for each in (registry, bare(without)):
        result = without_files(prepare(System.from_text(SCENE), each), None)
        positions.append(np.array(result.raw["bodies/position"]))
    same = np.array_equal(positions[0], positions[1])
    fact = "leaves a run that is not its own as it is"
    note = "" if same else "the frames differ"
    return [Check(f'watcher "{kind.name}"', fact, 0.0 if same else np.inf, 0.0, note)]


def bare(registry: Registry) -> Registry:
    """The registry without watchers."""
    offers = {name: {} if name == "watcher" else things for name, things in registry.offers.items()}
    return Registry(offers, registry.problems, registry.homes)
