"""Accelerations of imported robots, against those that pin computes from the same files."""

import json
from pathlib import Path

import numpy as np
import pytest
from robot_references import Reference, differences

from mbplugin.api import plugins
from mbplugin.imports.one_scene import import_scene
from mbplugin.math.quat import matrix

FOLDER = Path(__file__).parent
REFERENCES = json.loads((FOLDER / "references.json").read_text())
FAST = ("kinova", "solo12", "ur5_robot")


def reference(name):
    table = REFERENCES[name]
    bodies = {}
    for body, numbers in table["bodies"].items():
        x, q, v, w = np.split(np.array(numbers), [3, 7, 10])
        bodies[body] = (x, np.reshape(matrix(tuple(q)), (3, 3)), v, w)
    free = {body: np.array(numbers) for body, numbers in table["free"].items()}
    return Reference(bodies, {c: tuple(numbers) for c, numbers in table["coordinates"].items()}, free)


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in REFERENCES]
)
def test_an_imported_robot_accelerates_as_in_pin(name, tmp_path):
    import_scene(
        FOLDER / "models" / f"{name}.urdf",
        tmp_path / "scene",
        plugins()[0],
        {"floating": REFERENCES[name]["floating"], "limits": False},
    )
    values, speeds, accelerations = differences(tmp_path / "scene", reference(name))
    assert values < 1e-12
    assert speeds < 1e-12
    assert accelerations < 1e-9  # rounding is about 1e-12
