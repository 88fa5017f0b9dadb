"""Checks of a sensor: numbers at every frame, the same in a second run, and the motion as without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.api import without_files
from mbplugin.hooks.registry import Registry
from mbplugin.model import Sensor, System
from mbplugin.run.prepare import prepare
from mbplugin.testing.exporters import SCENE
from mbplugin.testing.report import Check


def sensor_checks(kind: Any, registry: Registry) -> list[Check]:
    """Every check of one sensor; `registry` has it."""
    name = f'sensor "{kind.name}"'
    checks = []
    examples: Sequence[Mapping[str, Any]] = kind.examples or ({},)
    for keys in examples:
        plain = run(kind, None, registry)
        first, second = (run(kind, keys, registry) for _ in range(2))
        numbers = [first.output(each) for each in first.outputs if each.startswith("sensor.tried")]
        again = [second.output(each) for each in second.outputs if each.startswith("sensor.tried")]
        positions = [np.array(result.raw["bodies/position"]) for result in (plain, first)]
        for fact, holds, note in (
            ("has numbers at every frame", len(numbers) == len(kind.outputs), "outputs are missing"),
            ("tells the same in a second run", np.array_equal(numbers, again), "they differ"),
            (
                "leaves the motion as it is",
                np.array_equal(positions[0], positions[1]),
                "positions have changed",
            ),
        ):
            checks.append(Check(name, fact, 0.0 if holds else np.inf, 0.0, "" if holds else note))
    return checks


def run(kind: Any, keys: Mapping[str, Any] | None, registry: Registry) -> Any:
    """The result of the kind's scene with a sensor of these keys; None: without."""
    system = System.from_text(kind.scene or SCENE)
    if keys is not None:
        system.add(Sensor(name="tried", type=kind.name, **keys))
    return without_files(prepare(system, registry), None)
