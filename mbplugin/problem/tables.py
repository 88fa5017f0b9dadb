"""The tables of one system behind one vector of addresses."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, Compiled
from mbplugin.kernels.view import FIRST, TABLES
from mbplugin.problem.names import Names
from mbplugin.tables.arena import Arena
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.spec import Array, specs


@functools.cache
def places_of(group: Any) -> tuple[int, ...]:
    """Indices of the addresses of a group's arrays in the vector."""
    return tuple(2 * (FIRST[group] + i) for i in range(len(specs(group))))


@functools.cache
def index_of_places(group: Any) -> Array:
    """Places as an index of numpy."""
    return np.array(places_of(group), np.int64)


class Tables:
    """Groups of arrays, such as `tables[State].q`.

    `addresses` (2 TABLES,): the argument of compiled functions
    """

    def __init__(self, groups: dict[type, Any], kernels: list[Compiled], names: Names) -> None:
        self.arena, self.kernels, self.names = Arena.of(groups), kernels, names
        #: those used so far, and all that `put` has replaced
        self.groups: dict[type, Any] = {}
        #: tangent functions, after `prepare_tangents`
        self.tangent_kernels: list[Compiled] = []
        self.addresses = np.zeros(2 * TABLES, np.int64)
        #: places of addresses in the arena
        self.inside = np.zeros(2 * TABLES, bool)
        entries = [
            (k, place.start, place.shape[0])
            for group, arrays in self.arena.places.items()
            for k, place in zip(places_of(group), arrays.values())
        ]
        k, start, length = np.array(entries, np.int64).T
        self.addresses[k], self.addresses[k + 1] = self.arena.address + start, length
        self.inside[k] = True

    def copy_tables(self, tables: Tables) -> None:
        """Take a copy of all tables of another problem of the same structure."""
        self.arena = tables.arena.copy()
        self.addresses, self.inside = tables.addresses.copy(), tables.inside.copy()
        self.addresses[self.inside] += self.arena.address - tables.arena.address
        self.groups = {}
        for group, arrays in tables.groups.items():
            if not self.inside[places_of(group)[0]]:
                self.put(group(*(array.copy() for array in arrays)))

    def put(self, arrays: Any) -> None:
        """Replace the group of tables of the type of `arrays`."""
        group: Any = type(arrays)
        places, before = places_of(group), self.groups.get(group, ())
        self.groups[group] = arrays
        self.inside[index_of_places(group)] = False
        addresses = self.addresses
        for k, array, old in zip_longest(places, arrays, before):
            if array is not old:
                addresses[k] = array.ctypes.data
                addresses[k + 1] = len(array)

    def enlarge(self, group: type, lengths: Mapping[str, int]) -> None:
        """Give arrays of a group these lengths; what they hold stays, new entries are zero."""
        arrays = self[group]
        longer = {}
        for name, length in lengths.items():
            old = getattr(arrays, name)
            longer[name] = np.zeros((length, *old.shape[1:]), old.dtype).view(type(old))
            longer[name][: len(old)] = old
        self.put(arrays._replace(**longer))

    def __getitem__(self, group: type) -> Any:
        arrays = self.groups.get(group)
        if arrays is None:
            arrays = self.groups[group] = self.arena.group(group)
        return arrays

    def array(self, group: type, name: str) -> Array:
        """One array of a group: faster than all of them where the group is not needed otherwise."""
        if group in self.groups:
            return np.asarray(getattr(self.groups[group], name))
        return self.arena.array(group, name)

    def call(self, address: int, first: int, second: int) -> int:
        """Call a compiled function by its address. Returns a status."""
        return int(CALLBACK(address)(first, second, self.addresses.ctypes.data))

    @property
    def time(self) -> float:
        """[s]"""
        return float(self[State].time[0])

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self[State].q)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self[State].v)

    @property
    def na(self) -> int:
        """Number of auxiliary states, including the two energies."""
        return len(self[State].aux)

    @property
    def nc(self) -> int:
        """Number of constraint rows."""
        return len(self[Rows].phi)

    @property
    def q(self) -> Array:
        """(nq,) present coordinates, a copy."""
        return self[State].q.copy()

    @property
    def v(self) -> Array:
        """(nv,) present velocities, a copy."""
        return self[State].v.copy()

    def set_state(self, t: float, q: Array, v: Array) -> None:
        """Set t [s], q (nq,) and v (nv,), without evaluation."""
        state = self[State]
        state.time[0], state.q[:], state.v[:] = t, q, v
