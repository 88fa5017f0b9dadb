"""Which of the engine's large functions a system needs, and their addresses."""

from __future__ import annotations

import numpy as np

from mbplugin.codegen.units import Unit
from mbplugin.kernels import large
from mbplugin.math.jit import cache_folder
from mbplugin.tables.groups import Core
from mbplugin.tables.spec import table

#: what every system calls
ALWAYS = ("evaluate_eom", "factor", "solve_rows")


def core_units(implicit: bool, enforced: bool) -> list[Unit]:
    """The units of a system with implicit variables, and with rows that an enforcement holds."""
    names = [*ALWAYS, *(["solve_implicit"] if implicit else []), *(["iterate_loads"] if enforced else [])]
    return [Unit(large.__name__, name, str(cache_folder(large.__name__))) for name in names]


def core_table(units: list[Unit]) -> Core:
    """Their addresses; those of the other functions, of methods and of solvers are 0."""
    return table(Core, 1, **{unit.name: np.array([unit.make()[0].address], np.int64) for unit in units})
