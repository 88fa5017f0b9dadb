"""Joints and forces that would have to turn a body that does not rotate."""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.phrases import joint_key
from mbplugin.analysis.rank.rank import block_jacobian
from mbplugin.compile.points import THREE_NODES
from mbplugin.errors import SceneError
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Elements, Markers, Wrenches
from mbplugin.tables.purposes import FORCE

#: part of a row or wrench that turns, in mechanism sizes, that is rounding
ROUNDING_OF_ROTATION = 1e-9
POINT = "a point mass, which does not rotate"


def rotated_point(problem: Problem, system: System) -> SceneError | None:
    """The error for a joint or force that acts on the rotation of a point mass; the problem is evaluated."""
    names = problem.names
    points = still_markers(problem)
    if not points:
        return None
    for joint in names.joints:
        rotational = np.abs(block_jacobian(problem, joint)[..., 3:]).max(axis=(0, 2), initial=0.0)
        for marker, part in zip(joint.markers, rotational):
            if part > ROUNDING_OF_ROTATION * names.size and int(marker) in points:
                return refusal(joint_key(system, joint.name), joint.name, joint.type, points[int(marker)])
    elements, wrench = problem[Elements], problem[Wrenches]
    for batch in problem[Batches].index[problem[Batches].index.purpose == FORCE]:
        for record in range(batch.first, batch.first + batch.length):
            e, name = elements.index[record], names.elements[record]
            first = wrench.index[e.force].first_slot
            for slot in range(e.slots):
                number = int(elements.marker[e.first_slot + slot])
                torque = wrench.wrench[6 * (first + slot) + 3 : 6 * (first + slot) + 6]
                if number in points and np.abs(torque).max() > 0.0:
                    k = next(k for k, f in enumerate(system.forces) if f.name == name)
                    return refusal(f"force[{k}]", name, system.forces[k].type, points[number])
    return None


def still_markers(problem: Problem) -> dict[int, tuple[str, bool]]:
    """The markers that do not rotate: name of their body, and whether it is a point mass."""
    names, markers = problem.names, problem[Markers]
    found = {}
    for body, name in zip(names.body_index, names.bodies):
        kind = names.kinds[body]
        if kind.rotates and kind.turns is None:
            continue
        for number in np.flatnonzero(markers.index.body == body).tolist():
            record = markers.p[markers.index[number].first_parameter :]
            if not kind.rotates or not kind.turns(record):
                found[number] = (name, not kind.parts)
    return found


def refusal(key: str, name: str, kind: str, body: tuple[str, bool]) -> SceneError:
    what = f'type "{kind}" acts on the rotation of "{body[0]}"'
    if body[1]:
        mend = 'give the body an inertia and type = "spatial", or take another type here'
        return SceneError(key, name, f"{what}, {POINT}; {mend}")
    mend = f"{THREE_NODES}, or another type here"
    return SceneError(key, name, f"{what} at a marker without axes of its own; {mend}")
