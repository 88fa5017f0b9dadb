"""The tangents of bodies with parts, such as nodes: sparse blocks of parts.

`form_tangent` forms a M + b D + c K of everything else, where a marker m on such a body counts as a body with
the marker's twist as velocities. With H_m over the velocities of its parts, those blocks are taken to the
parts, and the kinds add their own:

    A += H_mᵀ A_mn H_n  +  c K_own + b D_own  +  c Σ_m K_m        K_m = −∂(H_mᵀ w)/∂q, w held

At rest only: the change of H v with q is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled
from mbplugin.errors import PhysicsError, PluginError
from mbplugin.problem.part_differences import geometric_by_differences, own_by_differences
from mbplugin.problem.part_draft import Draft
from mbplugin.problem.part_pattern import LARGEST_BLOCK, PartBody, PartMarker, Pattern
from mbplugin.tables.groups import Bodies, Markers, PartTangents, State, TangentBlocks, Tangents
from mbplugin.tables.spec import Array


def part_tangents(problem: Any, twists: Mapping[int, int], closed_form: bool) -> PartTangentPlan | None:
    """Compile the functions of kinds with parts, and put their tables into the problem; None without such.

    twists: of each marker that elements read, its number among the bodies of `TangentBlocks`

    Raises PluginError.
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


class PartTangentPlan:
    """Functions that are called for the tangents of bodies with parts, and the pattern of the whole
    matrix.
    """

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
                    f'body "{problem.names.body(body.number)}" moves, and its stiffness is known at rest '
                    "only; remove its velocities",
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
                f"a force with a stiffness or damping acts on a mean of {len(marker.places)} velocities of "
                f'body "{problem.names.body(marker.body)}", which would make its matrix dense; take a '
                "marker on fewer nodes"
            )


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
            f'a wrench acts on a mean of {n} velocities of body "{problem.names.body(marker.body)}", which '
            "would make its matrix dense; take a marker on fewer nodes"
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
