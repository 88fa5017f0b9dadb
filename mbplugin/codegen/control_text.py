"""Source text of the wrapper of a compiled control law.

An exception in it would vanish: at the end of a callback nobody receives it. It becomes a status.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from mbplugin.errors import PluginError, listed
from mbplugin.kernels.joint_space import BIAS, COORDINATES, GRAVITY, MASS_MATRIX

#: argument -> what it is made of in the wrapper, and the part of the joint space that it needs
ARGUMENTS: dict[str, tuple[str, int]] = {
    "time": ("view(tables, Step).record[0].t1", 0),
    "positions": ("controls.positions", COORDINATES),
    "velocities": ("controls.velocities", COORDINATES),
    "mass_matrix": ("square(controls.mass_matrix, controls.velocities.shape[0])", COORDINATES | MASS_MATRIX),
    "bias_forces": ("controls.bias_forces", COORDINATES | BIAS),
    "gravity_forces": ("controls.gravity_forces", COORDINATES | GRAVITY),
    "inputs": ("view(tables, Inputs).value", 0),
    "memory": ("controls.memory", 0),
    "parameters": ("controls.parameters", 0),
}

TEXT = '''"""Written by mbplugin; private."""
from mbplugin.math.jit import compiled, internal
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.math.emitters.arrays import square
from mbplugin.tables.groups import Controls, Inputs, Step
from mbplugin.tables.status import CONTROL_RAISED

jit = lambda law: compiled(getattr(law, "py_func", law))
{imports}

@internal
def call(address):
    tables = table_at(address, 2 * TABLES)
    controls = view(tables, Controls)
    author(ARGUMENTS)
    return 0


def batch(first, count, address):
    try:
        return call(address)
    except Exception:
        return CONTROL_RAISED
'''


def asked(function: Callable[..., Any], owner: str) -> list[str]:
    """Names of the arguments of a control law. Raises PluginError for one that there is not."""
    names = list(signature(function).parameters)
    if unknown := [name for name in names if name not in ARGUMENTS]:
        mend = f"there is no {unknown[0]!r} for a control law; there are {listed(list(ARGUMENTS), 20)}"
        raise PluginError(f"{owner}: {mend}")
    return names


def control_text(names: list[str]) -> str:
    """Source text of the wrapper of a control law with these arguments."""
    return TEXT.replace("ARGUMENTS", ", ".join(ARGUMENTS[name][0] for name in names))


def parts_of(names: list[str]) -> int:
    """The parts of the joint space that these arguments need, as a sum."""
    parts = 0
    for name in names:
        parts |= ARGUMENTS[name][1]
    return parts
