"""The tables of one system behind one vector of addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, Compiled
from mbplugin.kernels.view import TABLES, place_of
from mbplugin.problem.names import Names
from mbplugin.tables.arena import pack
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.spec import Array, specs


class Tables:
    """Groups of arrays; `tables[State].q` is an array itself. addresses: (2 TABLES,) what compiled functions take."""

    def __init__(self, groups: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        self.groups, self.kernels, self.names = pack(groups), kernels, names
        self.addresses = np.zeros(2 * TABLES, np.int64)
        for arrays in self.groups.values():
            self.put(arrays)

    def put(self, arrays: Any) -> None:
        """Use these arrays as one group of tables."""
        group: Any = type(arrays)
        self.groups[group] = arrays
        for name in specs(group):
            array = getattr(arrays, name)
            place = place_of(group, name)
            self.addresses[place], self.addresses[place + 1] = array.ctypes.data, len(array)

    def __getitem__(self, group: type) -> Any:
        return self.groups[group]

    def call(self, address: int, first: int, second: int) -> int:
        """Call a compiled function of the tables by its address."""
        return int(CALLBACK(address)(first, second, self.addresses.ctypes.data))

    @property
    def time(self) -> float:
        """[s]"""
        return float(self[State].time[0])

    @property
    def nq(self) -> int:
        return len(self[State].q)

    @property
    def nv(self) -> int:
        return len(self[State].v)

    @property
    def na(self) -> int:
        """Auxiliary states, the two energies included."""
        return len(self[State].aux)

    @property
    def nc(self) -> int:
        return len(self[Rows].phi)

    @property
    def q(self) -> Array:
        """(nq,) coordinates at present, a copy."""
        return self[State].q.copy()

    @property
    def v(self) -> Array:
        """(nv,) velocities at present, a copy."""
        return self[State].v.copy()

    def set_state(self, t: float, q: Array, v: Array) -> None:
        state = self[State]
        state.time[0], state.q[:], state.v[:] = t, q, v
