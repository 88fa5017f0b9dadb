"""Which bodies, joints and forces have a part in the end of a run that stops by an error.

Those that its message names, and those of the largest acceleration, constraint load and force, if these have
grown over the last steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import FrameValues, Rows
from mbplugin.tables.records import POSITION_LEVEL
from mbplugin.tables.spec import Array

#: growth over the last steps from which the largest one has a part in the end
GROWN = 10.0
QUOTED = re.compile(r'"([^"]+)"')


class Loads(NamedTuple):
    """What bodies and constraint rows bear at the end of a step."""

    accelerations: Array  # (bodies,) sizes of those of the mass centres [m/s²]
    rows: Array  # (rows,) |λ| [N, N·m]
    residuals: Array  # (rows,) |Φ| [size of the mechanism, rad]
    forces: Array  # (forces,) sizes of the forces on b [N]


def loads_of(problem: Problem, frame: Mapping[str, Array]) -> Loads:
    """Those in the tables, of which `frame` has been read."""
    rows, names = problem[Rows], problem.names
    held = (rows.active == 1) & (rows.level == POSITION_LEVEL)
    residuals = np.abs(rows.phi) / np.where(rows.radians == 1, 1.0, names.size)
    return Loads(
        np.linalg.norm(problem[FrameValues].v_dot[names.body_marker], axis=1),
        np.abs(rows.lam),
        np.where(held, residuals, 0.0),
        np.linalg.norm(frame["forces/wrench"][:, :3], axis=1),
    )


def culprits(problem: Problem, message: str, steps: Sequence[Loads]) -> dict[str, list[bool]]:
    """ "bodies/culprit", "joints/culprit", "forces/culprit": whether each of them has a part in the end.

    message: of the error; steps: the last ones, in order
    """
    names = problem.names
    found = {*QUOTED.findall(message), *grown(problem, steps[0], steps[-1])}
    found |= {names.joints[c.joint].name for c in names.coordinates if c.name in found}
    return {
        "bodies/culprit": [name in found for name in names.bodies],
        "joints/culprit": [joint.name in found for joint in names.joints],
        "forces/culprit": [name in found for name, _ in names.scene_forces],
    }


def grown(problem: Problem, first: Loads, last: Loads) -> Iterator[str]:
    """Names of the body of the largest acceleration, the joint or coordinate of the largest load, and the
    largest force at the end, if these have grown.
    """
    of = problem.names
    for names, before, after in (
        (of.bodies, first.accelerations, last.accelerations),
        ([row.owner for row in of.rows], first.rows, last.rows),
        ([name for name, _ in of.scene_forces], first.forces, last.forces),
    ):
        k = int(np.argmax(after)) if names else 0
        if names and not after[k] <= GROWN * before[k]:  # NaN too
            yield names[k]


def line(problem: Problem, loads: Loads) -> str:
    """What bears the most, in one line."""
    names, parts = problem.names, []
    if names.bodies:
        k = int(np.argmax(loads.accelerations))
        parts.append(f'acceleration {loads.accelerations[k]:.3g} m/s² of "{names.bodies[k]}"')
    load, residual = {"m": "N", "rad": "N·m"}, {"m": "of the size", "rad": "rad"}
    for what, values, units in (("load", loads.rows, load), ("residual", loads.residuals, residual)):
        if names.rows:
            k = int(np.argmax(values))
            row = names.rows[k]
            parts.append(f'{what} {values[k]:.3g} {units[row.unit]} in "{row.owner}", {row.label}')
    if names.scene_forces:
        k = int(np.argmax(loads.forces))
        parts.append(f'force {loads.forces[k]:.3g} N of "{names.scene_forces[k][0]}"')
    return "largest " + "; ".join(parts) if parts else "there are no bodies"
