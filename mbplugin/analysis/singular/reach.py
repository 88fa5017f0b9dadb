"""Where motions lead out of a mechanism's reach: which drive meets its limit, and which joint moves that
limit, by how much.

At the limit some z has Gᵀ z = 0, with the rows of motions among G. A joint moved by δ and the drive's limit
moved by s keep zᵀ δΦ = 0:

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

#: part of the self-stress beside its largest below which a drive has no say
PART = 1e-3
#: components of a direction that come from the last position's distance to the limit
NEAR = 0.02


def limit(problem: Problem, t: float, q: Array) -> str:
    """In words, from the last position that was found; "" where no drive is at a limit there."""
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
        rows, gm = joint_rows(problem, joint)
        pull = z[rows] @ gm[:, :3]
        if joint.a.partition(".")[0] == "ground" and np.linalg.norm(pull) > 1.001 * np.linalg.norm(force):
            best, force = joint.name, pull
    if not best:
        return text
    strength = float(np.linalg.norm(force))
    axis = force / strength * np.sign(force[int(np.argmax(np.abs(force)))])
    along = "(" + ", ".join(f"{x + 0.0:.2g}" for x in np.where(np.abs(axis) < NEAR, 0.0, axis)) + ")"
    return f'{text}; moving joint "{best}" by 1 mm along {along} moves that by {1e-3 * strength / abs(z[drive.motion_row]):.3g} {drive.unit}'
