"""Checks of an exporter, on results of two bodies: it writes its file, the same each time, and no more."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.api import System
from mbplugin.export.one_file import export
from mbplugin.hooks.registry import Registry
from mbplugin.testing.report import Checks

#: two bodies, one without a shape, a shape of the ground, a joint and a spring
SCENE = """
[scene]
shape = [{ type = "box", size = [1, 1, 0.1] }]
[[body]]
name = "dörr 3-4"
density = 500.0
position = [0.4, 0, 1]
shape = [{ type = "box", size = [0.8, 0.05, 2] }, { type = "sphere", radius = 0.1, color = "red" }]
[[body]]
name = "bare"
mass = 2.0
inertia = [0.1, 0.2, 0.3]
position = [2, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "dörr 3-4"
at = [0, 0, 1]
axis = [0, 0, 1]
[[force]]
name = "spring"
type = "spring_damper"
a = "ground"
b = "bare"
stiffness = 50.0
length = 1.0
[output]
frames = 4
[solver]
end = 0.1
"""


@functools.cache
def samples() -> dict[str, Any]:
    """Results by what they are."""
    return {
        "a result": System.from_text(SCENE).run(files=False),
        "a result of two frames": System.from_text(SCENE, set={"output.frames": 1}).run(files=False),
    }


def exporter_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """Files of an exporter: written, the same each time, and the result as it was."""
    for what, result in samples().items():
        with tempfile.TemporaryDirectory() as place:
            files = [Path(place) / f"{k}{kind.suffix}" for k in range(2)]
            before = np.array(result.raw["bodies/position"])
            for file in files:
                export(result, registry, file, (), {})
            first, second = (file.read_bytes() for file in files)
            others = sorted({path.name for path in Path(place).iterdir()} - {file.name for file in files})
        same = np.array_equal(before, result.raw["bodies/position"])
        checks.fact(f"writes {what}", bool(first), "the file is empty")
        checks.fact(f"writes {what} twice to the same bytes", first == second, "the files differ")
        checks.fact(f"writes one file of {what}", not others, f"also {', '.join(others)}")
        checks.fact(f"leaves {what} as it was", same, "positions have changed")
