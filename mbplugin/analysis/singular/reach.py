"""If motions lead out of the reach of a mechanism: which drive meets its limit, and which joint shifts this
limit, by how much.

At the limit there is a z with Gᵀ z = 0, where G includes the rows of motions. A joint moved by δ shifts the
limit of the drive by s, with zᵀ δΦ = 0:

    s = |force of z at the joint| δ / |z of the drive|
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.rank import joint_rows
from mbplugin.analysis.singular.singular import scaled
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Measures, Rows
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: relative part of the self-stress below which a drive is not involved
PART = 1e-3
#: components of a direction that are due to the distance of the last position from the limit
NEAR = 0.02


def limit(problem: Problem, t: float, q: Array) -> str:
    """Text of the limit near the last computed position; "" if no drive is at a limit there."""
    driven = [c for c in problem.names.coordinates if c.motion_row >= 0]
    problem.set_state(t, q, np.zeros(problem.nv))
    problem.check(entries.evaluate(problem.addresses))
    problem.check(entries.call_purpose(problem.addresses, COORDINATE))
    X, root = scaled(problem)
    active = np.flatnonzero(problem[Rows].active == 1)
    size = np.linalg.norm(problem.jacobian()[active] * root, axis=1)
    z = np.zeros(problem.nc)
    left, values, _ = np.linalg.svd(X, full_matrices=False)
    z[active[size > 0.0]] = left[:, int(np.argmin(values))] / size[size > 0.0]
    drive = max(driven, key=lambda c: abs(z[c.motion_row]), default=None)
    if drive is None or abs(z[drive.motion_row]) <= PART * np.abs(z).max():
        return ""
    value = float(problem[Measures].value[drive.measure])
    text = f"{drive.name} meets its limit near {value:.4g} {drive.unit}"
    best, force = "", np.zeros(3)
    for joint in problem.names.joints:
        rows, G_marker = joint_rows(problem, joint)
        pull = z[rows] @ G_marker[:, :3]
        if joint.a.partition(".")[0] == "ground" and np.linalg.norm(pull) > 1.001 * np.linalg.norm(force):
            best, force = joint.name, pull
    if not best:
        return text
    strength = float(np.linalg.norm(force))
    axis = force / strength * np.sign(force[int(np.argmax(np.abs(force)))])
    along = "(" + ", ".join(f"{x + 0.0:.2g}" for x in np.where(np.abs(axis) < NEAR, 0.0, axis)) + ")"
    shift = 1e-3 * strength / abs(z[drive.motion_row])
    return f'{text}; moving joint "{best}" by 1 mm along {along} moves that by {shift:.3g} {drive.unit}'
