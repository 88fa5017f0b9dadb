"""The tangents of bodies with parts, such as nodes: sparse blocks of parts.

`form_tangent` forms a M + b D + c K of everything else, where a marker m on such a body counts as a body with the
marker's twist as velocities. With H_m over the velocities of its parts, those blocks are taken to the parts, and
the kinds add their own:

    A += H_mᵀ A_mn H_n  +  c K_own + b D_own  +  c Σ_m K_m        K_m = −∂(H_mᵀ w)/∂q, w held

At rest only: the change of H v with q is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, body_kernel, compile_kernels
from mbplugin.errors import PhysicsError, PluginError
from mbplugin.interface.tangent import tangent_of
from mbplugin.problem.part_differences import geometric_by_differences, own_by_differences
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Markers,
    PartTangents,
    State,
    TangentBlocks,
    TangentPlan,
    Tangents,
)
from mbplugin.tables.spec import Array

#: numbers of a dense block over the parts of points up to which it is formed: 2,000 velocities
LARGEST_BLOCK = 4_000_000
#: velocities of a body up to which its own tangents may be differences
DIFFERENCED = 600


@dataclass(frozen=True)
class PartBody:
    """A body with parts.

    own: (entries, 2) row and column of each number of its K and D; tangent: the kernel, None: differences
    """

    number: int
    own: Array
    tangent: Compiled | None


@dataclass(frozen=True)
class PartMarker:
    """A marker on such a body.

    places: (moved,) velocities of its parts; geometric: the kernel, None: differences; loaded: whether a wrench
    there may change K
    """

    number: int
    body: int
    places: Array
    jacobian: Compiled
    geometric: Compiled | None
    loaded: bool
    straight: bool


def part_tangents(problem: Any, twists: Mapping[int, int], closed_form: bool) -> PartTangentPlan | None:
    """Compile the functions of kinds with parts, and put their tables into the problem; None without such bodies.

    twists: of each marker that elements read, its number among the bodies of `TangentBlocks`. Raises PluginError.
    """
    kinds, bodies, markers = problem.names.kinds, problem[Bodies].index, problem[Markers].index
    if not any(kind.parts for kind in kinds):
        return None
    draft = Draft(problem, closed_form)
    loaded = draft.loaded_markers()
    for number, kind in enumerate(kinds):
        if kind.parts:
            draft.add_body(number, kind)
    for marker in sorted(loaded | set(twists)):
        if markers.body[marker] >= 0 and kinds[markers.body[marker]].parts:
            draft.add_marker(marker, marker in loaded)
    draft.put(len(bodies))
    return PartTangentPlan(problem, draft.bodies, draft.markers, dict(twists))


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
                f'body kind "{kind.name}": gives no `tangent`, and differences are taken of up to {DIFFERENCED} '
                f'velocities; "{self.problem.names.body(number)}" has {n}'
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


class PartTangentPlan:
    """What is called for the tangents of bodies with parts, and the pattern of the whole matrix."""

    def __init__(
        self, problem: Any, bodies: list[PartBody], markers: list[PartMarker], twists: dict[int, int]
    ) -> None:
        self.bodies, self.markers = bodies, markers
        self.by_number = {marker.number: marker for marker in markers}
        self.marker_of = {number: marker for marker, number in twists.items()}
        self.pattern: Pattern | None = None

    def refuse_motion(self, problem: Any) -> None:
        """Raises PhysicsError where a body with parts moves."""
        for body in self.bodies:
            record = problem[Bodies].index[body.number]
            if problem[State].v[record.first_v : record.first_v + record.kind_v].any():
                raise PhysicsError(
                    f'body "{problem.names.body(body.number)}" moves, and its stiffness is known at rest only; '
                    "remove its velocities",
                    time=problem.time,
                )

    def form(self, problem: Any) -> None:
        """The matrix at the present state, after the blocks of everything else."""
        if self.pattern is None:
            self.pattern = Pattern(problem, self)
        blocks, tables = problem[TangentBlocks], problem[PartTangents]
        _, b, c = blocks.weight[:3].tolist()
        H = {}
        for marker in self.markers:
            call(problem, marker.jacobian, marker.number)
            k, n = marker.number, len(marker.places)
            H[k] = tables.H[tables.jacobian[k] : tables.jacobian[k] + 6 * n].reshape(6, n)
        values = [blocks.value[self.pattern.plain]]
        for record, left, right in self.pattern.pairs:
            block = blocks.value[record.first : record.first + record.rows * record.columns]
            block = block.reshape(record.rows, record.columns)
            left_H, right_H = (None if m is None else H[m.number] for m in (left, right))
            if not self.pattern.is_formed(record, left, right):
                self.refuse_large(problem, block, left or right)
                continue
            block = block if left_H is None else left_H.T @ block
            values.append((block if right_H is None else block @ right_H).ravel())
        for body in self.bodies:
            values.append(own_values(problem, body, b, c))
        for marker in self.markers:
            if marker.loaded:
                values.append(c * geometric_values(problem, marker, c).ravel())
        problem.cache["tangent of parts"] = self.pattern.matrix(np.concatenate(values))

    def refuse_large(self, problem: Any, block: Array, marker: Any) -> None:
        """Raises PhysicsError if a block that is too large to be formed is not zero."""
        if block.any():
            raise PhysicsError(
                f"a force with a stiffness or damping acts on a mean of {len(marker.places)} velocities of body "
                f'"{problem.names.body(marker.body)}", which would make its matrix dense; take a marker on fewer nodes'
            )


class Pattern:
    """Where the values of the blocks, the bodies and the geometric terms are in one sparse matrix (CSC)."""

    def __init__(self, problem: Any, plan: PartTangentPlan) -> None:
        index, bodies = problem[TangentBlocks].index, problem[Bodies].index
        last = len(bodies)
        ordinary = index[(index.row < last) & (index.column < last)]
        size = ordinary.rows * ordinary.columns
        block = np.repeat(np.arange(len(ordinary)), size)
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        #: places in `TangentBlocks.value` of blocks that are no marker's
        self.plain = ordinary.first[block] + within
        width = np.maximum(ordinary.columns[block], 1)
        rows = [bodies.first_v[ordinary.row[block]] + within // width]
        columns = [bodies.first_v[ordinary.column[block]] + within % width]
        #: the other blocks, and their markers, None for a body
        self.pairs: list[tuple[Any, PartMarker | None, PartMarker | None]] = []
        for record in index[(index.row >= last) | (index.column >= last)]:
            sides = [
                plan.by_number[plan.marker_of[int(k)]] if k >= last else None
                for k in (record.row, record.column)
            ]
            self.pairs.append((record, *sides))
            if self.is_formed(record, *sides):
                places = [
                    bodies.first_v[k] + np.arange(bodies.nv[k]) if side is None else side.places
                    for side, k in zip(sides, (record.row, record.column))
                ]
                rows.append(np.repeat(places[0], len(places[1])))
                columns.append(np.tile(places[1], len(places[0])))
        for body in plan.bodies:
            rows.append(body.own[:, 0])
            columns.append(body.own[:, 1])
        for marker in plan.markers:
            if marker.loaded:
                rows.append(np.repeat(marker.places, len(marker.places)))
                columns.append(np.tile(marker.places, len(marker.places)))
        self.nv = problem.nv
        entry = np.concatenate(columns) * self.nv + np.concatenate(rows)
        self.entry, self.place = np.unique(entry, return_inverse=True)
        start = np.searchsorted(self.entry // self.nv, np.arange(self.nv + 1))
        self.indices, self.indptr = self.entry % self.nv, start

    def is_formed(self, record: Any, left: PartMarker | None, right: PartMarker | None) -> bool:
        """Whether a block is not too large."""
        rows = record.rows if left is None else len(left.places)
        return int(rows) * int(record.columns if right is None else len(right.places)) <= LARGEST_BLOCK

    def matrix(self, values: Array) -> Any:
        """(nv, nv) sum of the values."""
        from scipy.sparse import csc_array

        data = np.bincount(self.place, values, len(self.entry))
        return csc_array((data, self.indices, self.indptr), shape=(self.nv, self.nv))


def own_values(problem: Any, body: PartBody, b: float, c: float) -> Array:
    """b D + c K of the own forces of a body. Raises PhysicsError if they are not finite."""
    if not len(body.own) or (b == 0.0 and c == 0.0):
        return np.zeros(len(body.own))
    if body.tangent is None:
        K, D = own_by_differences(problem, body.number)
    else:
        tables = problem[PartTangents]
        first, n = int(tables.own[body.number]), len(body.own)
        tables.value[first : first + 2 * n] = 0.0
        call(problem, body.tangent, body.number)
        K, D = tables.value[first : first + n], tables.value[first + n : first + 2 * n]
    values = b * D.ravel() + c * K.ravel()
    if not np.isfinite(values).all():
        why = problem.names.kinds[body.number].undefined or "has a stiffness that is not finite"
        raise PhysicsError(f'body "{problem.names.body(body.number)}" {why}', time=problem.time)
    return values


def geometric_values(problem: Any, marker: PartMarker, c: float) -> Array:
    """K_m of a marker, (moved, moved), under the present wrench."""
    n = len(marker.places)
    wrench = problem[Tangents].wrench[marker.number]
    if c == 0.0 or not wrench.any() or (marker.straight and not wrench[3:].any()):
        return np.zeros((n, n))
    if n * n > LARGEST_BLOCK:
        raise PhysicsError(
            f'a wrench acts on a mean of {n} velocities of body "{problem.names.body(marker.body)}", which would '
            "make its matrix dense; take a marker on fewer nodes"
        )
    if marker.geometric is None:
        return geometric_by_differences(problem, marker)
    tables = problem[PartTangents]
    first = int(tables.geometric[marker.number])
    tables.value[first : first + n * n] = 0.0
    call(problem, marker.geometric, marker.number)
    return np.asarray(tables.value[first : first + n * n].reshape(n, n))


def call(problem: Any, kernel: Compiled, number: int) -> None:
    """Call a kernel for one record. Raises PluginError."""
    if kernel.call(number, 1, problem.addresses) != 0:
        raise PluginError(f"{kernel.owner}: its {kernel.role} function failed: {kernel.error}")
