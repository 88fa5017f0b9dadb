"""Traction on faces: a dead load per undeformed area, with fixed directions in the world.

f_a = t ∫ N_a dA        of the faces at t = 0
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array, FaceRule, ForceKind, Function, Parameters


class TractionParameters(Parameters):
    traction_x: Function = 0.0  # type: ignore[assignment]
    traction_y: Function = 0.0  # type: ignore[assignment]
    traction_z: Function = 0.0  # type: ignore[assignment]
    """Force per undeformed area along the world axes [Pa], functions of `time`."""


class Traction(ForceKind):
    name = "traction"
    parameters = TractionParameters
    on_faces = True
    markers = None
    examples = ({"traction_x": "0.4*sin(3*time)", "traction_z": 0.7},)

    @classmethod
    def face_numbers(cls, params: TractionParameters, points: Array, rule: FaceRule) -> dict[str, Array]:
        area = np.linalg.norm(np.cross(rule.N_xi @ points, rule.N_eta @ points), axis=1)
        return {"area": (rule.weights * area) @ rule.N}

    @staticmethod
    def kernel(m, p, u, wrench):
        t = (u.traction_x[0], u.traction_y[0], u.traction_z[0])
        for a in range(len(m)):
            for k in range(3):
                wrench[a, k], wrench[a, 3 + k] = p.area[a] * t[k], 0.0

    @staticmethod
    def tangent(K):
        """The force does not depend on positions: K = 0."""
