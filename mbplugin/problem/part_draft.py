"""Which functions of kinds with parts give tangents, and of which bodies and markers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, body_kernel, compile_kernels
from mbplugin.errors import PluginError
from mbplugin.interface.tangent import tangent_of
from mbplugin.problem.part_pattern import LARGEST_BLOCK, PartBody, PartMarker
from mbplugin.tables.groups import Blocks, Bodies, Markers, PartTangents, TangentPlan
from mbplugin.tables.spec import Array

#: velocities of a body up to which its own tangents may be differences
DIFFERENCED = 600


@dataclass
class Draft:
    """Growing lists of the tables."""

    problem: Any
    closed_form: bool
    bodies: list[PartBody] = field(default_factory=list)
    markers: list[PartMarker] = field(default_factory=list)
    kernels: list[Compiled] = field(default_factory=list)

    def loaded_markers(self) -> set[int]:
        """Markers at which forces or rows act."""
        blocks = self.problem[Blocks]
        return {int(p) for p in self.problem[TangentPlan].force_marker} | {int(p) for p in blocks.marker}

    def kernel(self, role: str, function: Any, kind: Any) -> Compiled:
        made = body_kernel(role, function, kind)
        self.kernels.append(made)
        return made

    def add_body(self, number: int, kind: Any) -> None:
        index, plan = self.problem[Bodies].index, self.problem.names.plans[number]
        body = index[number]
        function = tangent_of(kind, "tangent", "prepare", "internal", "retract") if self.closed_form else None
        n, first = int(body.kind_v), int(body.first_v)
        if function is not None and kind.coupled is None:
            raise PluginError(
                f'body kind "{kind.name}": has `tangent`, but not `coupled`, which says what it writes'
            )
        if function is not None:
            nv = np.asarray(plan.parts, np.int64)
            own = first + entries_of(np.asarray(kind.coupled(plan), np.int64).reshape(-1, 2), nv)
            self.bodies.append(PartBody(number, own, self.kernel("own_tangent", function, kind)))
            return
        if kind.internal is None:
            self.bodies.append(PartBody(number, np.zeros((0, 2), np.int64), None))
            return
        if n > DIFFERENCED:
            raise PluginError(
                f'body kind "{kind.name}": gives no `tangent`, and differences are taken of up to '
                f'{DIFFERENCED} velocities; "{self.problem.names.body(number)}" has {n}'
            )
        own = first + np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), -1).reshape(-1, 2)
        self.bodies.append(PartBody(number, own, None))

    def add_marker(self, marker: int, loaded: bool) -> None:
        problem = self.problem
        markers, index = problem[Markers], problem[Bodies].index
        number = int(markers.index[marker].body)
        body, kind = index[number], problem.names.kinds[number]
        r = markers.p[markers.index[marker].first_parameter :]
        parts = index[body.first_part + r[1 : 1 + int(r[0])].astype(int)]
        places = np.concatenate([np.zeros(0, int), *(np.arange(p.first_v, p.first_v + p.nv) for p in parts)])
        geometric = tangent_of(kind, "geometric", "prepare", "locate", "to_generalized_force", "retract")
        straight = kind.shifted is not None and bool(kind.shifted(r))
        small = len(places) ** 2 <= LARGEST_BLOCK
        found = None
        if geometric is not None and self.closed_form and loaded and small:
            found = self.kernel("geometric", geometric, kind)
        jacobian = self.kernel("jacobian", kind.to_generalized_force, kind)
        loaded &= bool(len(places)) and not (straight and not small)
        self.markers.append(PartMarker(marker, number, places.astype(int), jacobian, found, loaded, straight))

    def put(self, bodies: int) -> None:
        """Compile what is missing, and put the tables into the problem."""
        compile_kernels(list(dict.fromkeys(self.kernels)), [])
        n = len(self.problem[Markers].index)
        jacobian, moved, geometric = (np.zeros(n, np.int64) for _ in range(3))
        own, entries = (np.zeros(bodies, np.int64) for _ in range(2))
        H = value = 0
        for marker in self.markers:
            k = marker.number
            jacobian[k], moved[k] = H, len(marker.places)
            H += 6 * int(moved[k])
            if marker.geometric is not None:
                geometric[k] = value
                value += int(moved[k]) ** 2
        for body in self.bodies:
            own[body.number], entries[body.number] = value, len(body.own)
            value += 2 * len(body.own)
        self.problem.put(PartTangents(jacobian, moved, geometric, own, entries, np.zeros(H), np.zeros(value)))


def entries_of(pairs: Array, nv: Array) -> Array:
    """(entries, 2) row and column of each number of blocks of parts, one after another, each row by row.

    pairs: (m, 2) parts of each block; nv: velocities of each part
    """
    first = np.cumsum(nv) - nv
    rows, columns = nv[pairs[:, 0]], nv[pairs[:, 1]]
    size = rows * columns
    block = np.repeat(np.arange(len(pairs)), size)
    within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    width = np.maximum(columns[block], 1)
    return np.column_stack(
        [first[pairs[block, 0]] + within // width, first[pairs[block, 1]] + within % width]
    )
