"""A beam in a floating frame, with any number n of bending modes: q = (x, quaternion, η), v = (ẋ, ω, η̇).

A point r of the beam along x of the body frame is at x_P = x + R s, s = r + Σ φ_k(r) η_k, and its axes are
turned by Σ ψ_k η_k about z. The modes are those of the free uniform beam in the plane xy, of unit modal mass,

    φ_k = (−y Y_k', Y_k, 0),  ψ_k = Y_k',   Y_k = (cosh + cos − σ (sinh + sin))(β_k (x/L + ½)) / √m,
    cosh β cos β = 1,   Ω_k = (β_k/L)² √(E I L/m),

orthogonal to the translation and the rotation of the beam and to each other, so that the frame is that of the
mean axes and M has no coupling:

    T = ½ m ẋ² + ½ ω·J ω + ½ η̇²,  J = J₀ + η² P,  P = diag(1, 0, 1),   V = ½ Σ Ω_k² η_k²
    J ω̇ = τ − ω × J ω − 2 (η·η̇) P ω,    η̈_k = f_k − Ω_k² η_k + (ω_x² + ω_z²) η_k
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import BodyKind, BodyPlan, Count, Number, Parameters, Positive, jit, quaternion_of
from mbplugin.math.patch import add_cross, add_cross_cross
from mbplugin.math.quat import add_right_jacobian, exponential, matrix, multiply, normalised
from mbplugin.math.vec3 import add, cross, dot, load9, product, rotate, rotate_back

#: numbers in the parameters before those of the modes: J₀
FIRST = 9


class BeamParameters(Parameters):
    modes: Count
    """n."""
    length: Positive
    """L [m]."""
    bending: Positive
    """E I [N·m²]."""
    deflection: Number = 0.0
    """η of every mode at t = 0 [√kg·m]."""


class Beam(BodyKind):
    name = "foreign_beam"
    parameters = BeamParameters
    nq = nv = scratch = record = None
    examples = ({"modes": 3, "length": 1.6, "bending": 4.0, "deflection": 0.05},)

    @staticmethod
    def plan(params, mass, plane) -> BodyPlan:
        n, m = params.modes, mass.mass
        beta = roots(n)
        frequency = (beta / params.length) ** 2 * np.sqrt(params.bending * params.length / m)
        start = np.full(n, params.deflection)
        shape = np.concatenate([[params.length, m], beta])
        return BodyPlan(
            mass=None,
            parameters=np.concatenate(
                [np.asarray(mass.inertia, float).ravel(), frequency**2, [m], start, shape]
            ),
            origin=np.asarray(mass.center_of_mass, float),
            nq=7 + n,
            nv=6 + n,
            scratch=9 + n,
            record=12 + 6 * n,
        )

    @staticmethod
    def coordinates(position, R, velocity, w, plan, plane):
        n = plan.nv - 6
        arm = R @ plan.origin
        start = plan.parameters[FIRST + n + 1 :][:n]
        return np.concatenate([position + arm, quaternion_of(R), start]), np.concatenate(
            [velocity + np.cross(w, arm), R.T @ w, np.zeros(n)]
        )

    @staticmethod
    def point(position, axes, plan):
        """r, the axes, then φ and ψ of each mode."""
        n = plan.nv - 6
        length, m, *beta = plan.parameters[FIRST + 2 * n + 1 :]
        r = position - plan.origin
        shapes = []
        for b in beta:
            Y, slope = shape(b, r[0] / length)
            Y, slope = Y / np.sqrt(m), slope / np.sqrt(m) / length
            shapes += [-r[1] * slope, Y, 0.0, 0.0, 0.0, slope]
        return np.concatenate([r, axes.ravel(), shapes])

    @staticmethod
    def centre(plan):
        """The origin of the floating frame, which bending does not move."""
        return np.concatenate([np.zeros(3), np.eye(3).ravel(), np.zeros(plan.record - 12)])

    @staticmethod
    def prepare(q, p, c):
        R = matrix((q[3], q[4], q[5], q[6]))
        for k in range(9):
            c[k] = R[k]
        for k in range(len(q) - 7):
            c[9 + k] = p[FIRST + k] * q[7 + k]

    @staticmethod
    def inertia(q, p, M):
        n = len(q) - 1
        square = 0.0
        for k in range(7, len(q)):
            square += q[k] * q[k]
        for i in range(n * n):
            M[i] = 0.0
        for i in range(3):
            M[i * n + i] = p[n + 3]
            for j in range(3):
                M[(3 + i) * n + 3 + j] = p[3 * i + j]
        M[3 * n + 3] += square
        M[5 * n + 5] += square
        for i in range(6, n):
            M[i * n + i] = 1.0

    @staticmethod
    def locate(q, v, c, r):
        R, w = load9(c, 0), (v[3], v[4], v[5])
        s, bent, angle, turned = (r[0], r[1], r[2]), (0.0, 0.0, 0.0), 0.0, 0.0
        for k in range(len(v) - 6):
            phi = (r[12 + 6 * k], r[13 + 6 * k], r[14 + 6 * k])
            x, u = q[7 + k], v[6 + k]
            s = (s[0] + phi[0] * x, s[1] + phi[1] * x, s[2] + phi[2] * x)
            bent = (bent[0] + phi[0] * u, bent[1] + phi[1] * u, bent[2] + phi[2] * u)
            angle += r[17 + 6 * k] * x
            turned += r[17 + 6 * k] * u
        at, swing, spin = rotate(R, s), cross(w, s), add(w, (0.0, 0.0, turned))
        moved = rotate(R, add(swing, bent))
        coriolis = add(cross(w, swing), twice(cross(w, bent)))
        return (
            (q[0] + at[0], q[1] + at[1], q[2] + at[2]),
            product(product(R, matrix(exponential((0.0, 0.0, angle)))), load9(r, 3)),
            (v[0] + moved[0], v[1] + moved[1], v[2] + moved[2]),
            rotate(R, spin),
            rotate(R, coriolis),
            rotate(R, cross(w, spin)),
        )

    @staticmethod
    def to_generalized_force(q, c, r, force, torque, out):
        R = load9(c, 0)
        f, t = rotate_back(R, force), rotate_back(R, torque)
        s = bent_arm(q, r)
        turn = add(t, cross(s, f))
        out[0], out[1], out[2] = force
        out[3], out[4], out[5] = turn
        for k in range(len(q) - 7):
            out[6 + k] = dot((r[12 + 6 * k], r[13 + 6 * k], r[14 + 6 * k]), f) + r[17 + 6 * k] * t[2]

    @staticmethod
    def geometric(q, v, c, r, force, torque, K, E):
        """A rotation θ in body axes changes f and t, in these axes, to f + f × θ and t + t × θ."""
        R, w = load9(c, 0), (v[3], v[4], v[5])
        f, t = rotate_back(R, force), rotate_back(R, torque)
        s = bent_arm(q, r)
        add_cross(K, 3, 3, -1.0, t)
        add_cross_cross(K, 3, 3, -1.0, s, f)
        moved, turned = cross(w, s), 0.0
        for k in range(len(q) - 7):
            phi, psi = (r[12 + 6 * k], r[13 + 6 * k], r[14 + 6 * k]), (0.0, 0.0, r[17 + 6 * k])
            on_turn = cross(phi, f)
            on_mode = add(on_turn, cross(psi, t))
            on_v = rotate(R, cross(w, phi))
            for i in range(3):
                K[3 + i, 6 + k] = -on_turn[i]
                K[6 + k, 3 + i] = -on_mode[i]
                E[i, 6 + k] = on_v[i]
            moved = add(moved, (phi[0] * v[6 + k], phi[1] * v[6 + k], phi[2] * v[6 + k]))
            turned += psi[2] * v[6 + k]
        for k in range(3):
            e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            on_v, on_w = rotate(R, cross(e, moved)), rotate(R, cross(e, (w[0], w[1], w[2] + turned)))
            for i in range(3):
                E[i, 3 + k], E[3 + i, 3 + k] = on_v[i], on_w[i]

    @staticmethod
    def rate(q, v, q_dot):
        q_dot[0], q_dot[1], q_dot[2] = v[0], v[1], v[2]
        turn = multiply((q[3], q[4], q[5], q[6]), (0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]))
        q_dot[3], q_dot[4], q_dot[5], q_dot[6] = turn
        for k in range(6, len(v)):
            q_dot[1 + k] = v[k]

    @staticmethod
    def retract(q, dq):
        for k in range(3):
            q[k] += dq[k]
        turned = multiply((q[3], q[4], q[5], q[6]), exponential((dq[3], dq[4], dq[5])))
        q[3], q[4], q[5], q[6] = turned
        for k in range(6, len(dq)):
            q[1 + k] += dq[k]

    @staticmethod
    def retract_tangent(dq, T):
        add_right_jacobian(T, 3, 3, (dq[3], dq[4], dq[5]))

    @staticmethod
    def normalise(q):
        unit = normalised((q[3], q[4], q[5], q[6]))
        q[3], q[4], q[5], q[6] = unit

    @staticmethod
    def internal(q, v, p, c, h):
        w = (v[3], v[4], v[5])
        square, product_of = squares(q, v)
        spin = rotate(load9(p, 0), w)
        spin = (spin[0] + square * w[0], spin[1], spin[2] + square * w[2])
        t = cross(w, spin)
        h[3] = -t[0] - 2 * product_of * w[0]
        h[4] = -t[1]
        h[5] = -t[2] - 2 * product_of * w[2]
        for k in range(len(v) - 6):
            h[6 + k] = (w[0] * w[0] + w[2] * w[2]) * q[7 + k] - c[9 + k]

    @staticmethod
    def tangent(q, v, p, K, D):
        w = (v[3], v[4], v[5])
        square, product_of = squares(q, v)
        J = load9(p, 0)
        J = (J[0] + square, J[1], J[2], J[3], J[4], J[5], J[6], J[7], J[8] + square)
        for j in range(3):
            e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            a, b = cross(e, rotate(J, w)), cross(w, rotate(J, e))
            for i in range(3):
                D[3 + i, 3 + j] = a[i] + b[i]
        D[3, 3] += 2 * product_of
        D[5, 5] += 2 * product_of
        P = (w[0], 0.0, w[2])
        gyro = cross(w, P)
        for k in range(len(v) - 6):
            x, u = q[7 + k], v[6 + k]
            for i in range(3):
                K[3 + i, 6 + k] = 2 * x * gyro[i] + 2 * u * P[i]
                D[3 + i, 6 + k] = 2 * x * P[i]
                D[6 + k, 3 + i] = -2 * x * P[i]
            K[6 + k, 6 + k] = p[FIRST + k] - w[0] * w[0] - w[2] * w[2]

    @staticmethod
    def elastic(q, p, energy):
        energy[0] = 0.0
        for k in range(len(q) - 7):
            energy[0] += 0.5 * p[FIRST + k] * q[7 + k] * q[7 + k]


@jit
def twice(a):
    return (2.0 * a[0], 2.0 * a[1], 2.0 * a[2])


@jit
def bent_arm(q, r):
    """s = r + Σ φ_k η_k."""
    s = (r[0], r[1], r[2])
    for k in range(len(q) - 7):
        x = q[7 + k]
        s = (s[0] + r[12 + 6 * k] * x, s[1] + r[13 + 6 * k] * x, s[2] + r[14 + 6 * k] * x)
    return s


@jit
def squares(q, v):
    """η² and η·η̇."""
    square, product_of = 0.0, 0.0
    for k in range(len(v) - 6):
        square += q[7 + k] * q[7 + k]
        product_of += q[7 + k] * v[6 + k]
    return square, product_of


def roots(n):
    """The first n solutions β of cosh β cos β = 1, by Newton's method."""
    found = []
    for k in range(1, n + 1):
        b = (k + 0.5) * np.pi
        for _ in range(20):
            b -= (np.cos(b) - 1 / np.cosh(b)) / (-np.sin(b) + np.tanh(b) / np.cosh(b))
        found.append(b)
    return np.array(found)


def shape(b, x):
    """Y √m and its derivative by x/L, at x/L from the middle; beyond the ends of the beam straight on.

    cosh − σ sinh = ½ ((1 − σ) e^z + (1 + σ) e^−z), 1 − σ = 2 (sin β − cos β + e^−β) / (...), without
    cancellation.
    """
    inside = min(max(x, -0.5), 0.5)
    z = b * (inside + 0.5)
    below = np.sinh(b) - np.sin(b)
    sigma, rest = (np.cosh(b) - np.cos(b)) / below, (np.cos(b) - np.sin(b) - np.exp(-b)) / below
    rising, falling = 0.5 * rest * np.exp(z), 0.5 * (1 + sigma) * np.exp(-z)
    Y = rising + falling + np.cos(z) - sigma * np.sin(z)
    slope = b * (rising - falling - np.sin(z) - sigma * np.cos(z))
    return Y + slope * (x - inside), slope
