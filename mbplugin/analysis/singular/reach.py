"""If motions lead out of the reach of a mechanism: which drive meets its limit, and which joint shifts this
limit, by how much.

At the limit there is a z with Gᵀ z = 0, where G includes the rows of motions. A joint moved by δ shifts the
limit of the drive by s, with zᵀ δΦ = 0:

    s = |force of z at the joint| δ / |z of the drive|
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.singular.branches import most_loaded_joint, pointing
from mbplugin.analysis.singular.singular import scaled
from mbplugin.model.names import GROUND
from mbplugin.problem import Problem
from mbplugin.tables.groups import Measures
from mbplugin.tables.purposes import COORDINATE
from mbplugin.tables.spec import Array

#: relative part of the self-stress below which a drive is not involved
PART = 1e-3
#: components of a direction that are due to the distance of the last position from the limit
NEAR_LIMIT = 0.02


def limit(problem: Problem, t: float, q: Array) -> str:
    """Text of the limit near the last computed position; "" if no drive is at a limit there."""
    driven = [c for c in problem.names.coordinates if c.motion_rows]
    problem.evaluate(t, q, np.zeros(problem.nv))
    problem.call_purpose(COORDINATE)
    X, _, length = scaled(problem)
    z = np.zeros(problem.nc)
    left, values, _ = np.linalg.svd(X, full_matrices=False)
    z[length > 0.0] = left[:, int(np.argmin(values))] / length[length > 0.0]
    stress = {c.name: float(np.abs(z[c.motion_rows]).max()) for c in driven}
    drive = max(driven, key=lambda c: stress[c.name], default=None)
    if drive is None or stress[drive.name] <= PART * np.abs(z).max():
        return ""
    value = float(problem[Measures].value[drive.measure])
    text = f"{drive.name} meets its limit near {value:.6g} {drive.unit}"
    on_ground = [joint for joint in problem.names.joints if joint.a.partition(".")[0] == GROUND]
    best, force = most_loaded_joint(problem, z, on_ground)
    if not best:
        return text
    along = vector_text(pointing(force), 2, NEAR_LIMIT)
    shift = 1e-3 * float(np.linalg.norm(force)) / stress[drive.name]
    return f'{text}; moving joint "{best}" by 1 mm along {along} moves that by {shift:.3g} {drive.unit}'
