"""A straight elastic beam without mass between two markers: Timoshenko's, at large displacements.

    s = |x_b − x_a|,  e₁ = (x_b − x_a)/s,  e₃ along e₁ × (y_A + y_B),  e₂ = e₃ × e₁      corotated frame E
    θ_a, θ_b: rotation vectors of the sections A, B at the ends relative to E, components in E
    V = ½ EA/L (s − L)² + ½ GJ/L (θ_bx − θ_ax)² + bending about z + bending about y
    bending: ½ k (θ_a² + θ_b²) + k' θ_a θ_b,   k, k' = (4 + Φ, 2 − Φ) EI/((1 + Φ) L),   Φ = 12 EI/(κ G A L²)

At rest its matrix is that of J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968), chapter 5. The
frame is that of M. A. Crisfield, Comput. Methods Appl. Mech. Eng. 81 (1990), 131; strains are small, while
displacements and rotations of the whole may be large. With β = `stiffness_damping` the rates of s and θ are
damped by β times the same stiffnesses.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, axis
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_forces.beam_keys import BeamParameters, completed
from mbplugin_forces.relative_rotation import g_of_cosine


class Beam(ForceKind):
    name = "beam"
    parameters = BeamParameters
    exerts_torque = True
    dissipates = True
    lines = ((0, 1),)
    #: in the corotated frame, on the end of b; moments also on that of a
    outputs = {
        "elongation": "m",
        "axial": "N",
        "shear_y": "N",
        "shear_z": "N",
        "torsion": "N m",
        "moment_y": "N m",
        "moment_z": "N m",
        "moment_y_a": "N m",
        "moment_z_a": "N m",
    }
    examples = (
        {"young": 30.0, "poisson": 0.3, "section": {"width": 0.4, "height": 0.7}, "stiffness_damping": 0.1},
    )

    @classmethod
    def look(cls, params):
        return "straight"

    @classmethod
    def defaults(cls, params, markers):
        return completed(params, markers)

    @staticmethod
    def potential(a, b, p):
        s, E, A, B = corotated(a, b, p)
        return energy(p, s - p.length, rotation(E, A), rotation(E, B))

    @staticmethod
    def dissipation(a, b, p):
        s, E, _, _ = corotated(a, b, p)
        v = sub(b.v, a.v)
        # angular velocity of e₁
        w = scale(1.0 / s, cross(E[0], v))
        rates = [[dot(e, sub(end.w, w)) for e in E] for end in (a, b)]
        return p.stiffness_damping * energy(p, dot(E[0], v), *rates)

    @staticmethod
    def output_values(a, b, p):
        s, E, A, B = corotated(a, b, p)
        ta, tb = rotation(E, A), rotation(E, B)
        moments = [
            -(same * one[k] + other * two[k])
            for one, two in ((tb, ta), (ta, tb))
            for k, same, other in ((1, p.same_y, p.other_y), (2, p.same_z, p.other_z))
        ]
        y, z, y_a, z_a = moments
        axial, torsion = -p.axial * (s - p.length), -p.torsion * (tb[0] - ta[0])
        return s - p.length, axial, -(z + z_a) / s, (y + y_a) / s, torsion, *moments


def corotated(a, b, p):
    """Distance of the ends, the axes of the corotated frame, and those of the sections at the ends."""
    d = sub(b.x, a.x)
    s = norm(d)
    e1 = scale(1.0 / s, d)
    A, B = section(a, p.section_a), section(b, p.section_b)
    e3 = cross(e1, add(A[1], B[1]))
    e3 = scale(1.0 / norm(e3), e3)
    return s, (e1, cross(e3, e1), e3), A, B


def section(marker, R):
    """Axes of a section, the columns of R (nine numbers) in those of a marker, in world axes."""
    of = lambda k, c: sum(R[3 * j + k] * axis(marker, j)[c] for j in range(3))
    return [tuple(of(k, c) for c in range(3)) for k in range(3)]


def rotation(E, A):
    """Rotation vector of axes A relative to axes E, components in both [rad]."""
    c = 0.5 * (dot(E[0], A[0]) + dot(E[1], A[1]) + dot(E[2], A[2]) - 1.0)
    f = 0.5 * g_of_cosine(c)
    return [f * (dot(E[(k + 2) % 3], A[(k + 1) % 3]) - dot(E[(k + 1) % 3], A[(k + 2) % 3])) for k in range(3)]


def energy(p, u, ta, tb):
    """½ of the products of elongation and rotations with their stiffnesses."""
    twist = tb[0] - ta[0]
    y = p.same_y * (ta[1] * ta[1] + tb[1] * tb[1]) + 2.0 * p.other_y * ta[1] * tb[1]
    z = p.same_z * (ta[2] * ta[2] + tb[2] * tb[2]) + 2.0 * p.other_z * ta[2] * tb[2]
    return 0.5 * (p.axial * u * u + p.torsion * twist * twist + y + z)
