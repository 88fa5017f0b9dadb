"""Springs whose law is an array or a table of the scene.

on a coordinate s:      f = −F(s),    V = ∫ F ds       F: cubic spline through the points of a table
between two markers:    f = −K d,     V = ½ d·K d      d: displacement of b, in axes of a, K: (3, 3)
about an axis:          τ = Σ aₖ sin(k s)              aₖ: as many as the scene has
"""

from __future__ import annotations

from math import sin
from typing import Annotated

import numpy as np

from mbplugin.interface import (
    COORDINATE,
    Columns,
    Entries,
    ForceKind,
    Numbers,
    Parameters,
    SplineTable,
    spline,
    spline_integral,
)
from mbplugin.math.vec3 import cross, dot, rotate, rotate_back, scale, sub


class TableSpringParameters(Parameters):
    force: Annotated[SplineTable, Columns("m", "N")]
    """Force over the elongation."""


class TableSpring(ForceKind):
    name = "foreign_table_spring"
    parameters = TableSpringParameters
    measures = (COORDINATE,)
    examples = (
        {
            "force": {"x": [-4.0, -1.0, 0.0, 2.0, 4.0], "y": [-9.0, -1.0, 0.5, 2.0, 11.0]},
            "joint": {"type": "translational"},
        },
    )

    @staticmethod
    def kernel(p, s, J, wrench, energy):
        f = -spline(p.force, s[0])[0]
        for m in range(2):
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k]
        energy[0] = spline_integral(p.force, s[0])


class MatrixSpringParameters(Parameters):
    stiffness: Annotated[Numbers, Entries("N/m", 3, 3)]
    """Symmetric, in axes of a."""
    rest: Annotated[Numbers, Entries("m", 3)] | None = None
    """Place of b from a where there is no force, in axes of a; default that at t = 0."""


class MatrixSpring(ForceKind):
    name = "foreign_matrix_spring"
    parameters = MatrixSpringParameters
    examples = ({"stiffness": [[5.0, 1.0, 0.2], [1.0, 3.0, 0.4], [0.2, 0.4, 2.0]], "rest": [0.1, 0.2, 0.3]},)

    @classmethod
    def defaults(cls, params, markers):
        if params.rest is not None:
            return params
        (x_a, R_a), (x_b, _) = markers
        return params.model_copy(update={"rest": R_a.T @ (np.asarray(x_b) - x_a)})

    @staticmethod
    def kernel(a, b, p, wrench, energy):
        d, K, rest = sub(b.x, a.x), p.stiffness, p.rest
        u = sub(rotate_back(a.R, d), (rest[0], rest[1], rest[2]))
        Ku = (
            K[0, 0] * u[0] + K[0, 1] * u[1] + K[0, 2] * u[2],
            K[1, 0] * u[0] + K[1, 1] * u[1] + K[1, 2] * u[2],
            K[2, 0] * u[0] + K[2, 1] * u[1] + K[2, 2] * u[2],
        )
        energy[0] = 0.5 * dot(u, Ku)
        f = scale(-1.0, rotate(a.R, Ku))
        torque = cross(d, f)
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = -f[k], -torque[k]
            wrench[1, k], wrench[1, 3 + k] = f[k], 0.0


class CoggingParameters(Parameters):
    amplitudes: Annotated[Numbers, Entries("N m")]
    """Of the harmonics 1, 2, ... of the angle."""


class Cogging(ForceKind):
    name = "foreign_cogging"
    parameters = CoggingParameters
    measures = (COORDINATE,)

    @staticmethod
    def kernel(p, s, J, wrench):
        torque = 0.0
        for k in range(len(p.amplitudes)):
            torque += p.amplitudes[k] * sin((k + 1) * s[0])
        for m in range(2):
            for k in range(6):
                wrench[m, k] = torque * J[6 * m + k]
