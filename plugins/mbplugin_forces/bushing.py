"""A bushing between two markers, with stiffnesses and dampings in the axes of marker a.

    d = R_aᵀ (x_b − x_a) − d₀,   R_aᵀ R_b R₀ᵀ = exp [θ]×                deformation, in axes of a
    V = ½ sᵀ K s − f₀·s + Σ ∫ f_k ds_k,   s = (d, θ)                   f₀: preload, f_k: a curve
    R = ½ ṡᵀ C ṡ,   ṡ = R_aᵀ (ḋ_w − ω_a × d_w, ω_b − ω_a),   d_w = x_b − x_a

On b act the force −R_a ∂V/∂d and the torque −R_a J⁻ᵀ ∂V/∂θ, J⁻ᵀ of `relative_rotation`; on a their opposites,
the force with the arm d_w. The energy is that of a rotation vector, so that large rotations of the mount and
of b relative to it are exact. With u = R_aᵀ (δd_w − δφ_a × d_w), w = R_aᵀ (δφ_b − δφ_a) and H = V'',

    δ(∂V/∂d) = H_dd u + H_dθ J⁻¹ w,   δ(J⁻ᵀ m) = J⁻ᵀ (H_θd u + H_θθ J⁻¹ w) + ∂(J⁻ᵀ m)/∂θ J⁻¹ w,   m = ∂V/∂θ

Kernel and tangent are by hand: those derived from V and R take 2.2 and 8 times as long and 13 s to compile.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, jit
from mbplugin.math.vec3 import (
    ZERO_MATRIX,
    add,
    cross,
    dot,
    load9,
    product,
    product_back,
    rotate,
    rotate_back,
    sub,
)
from mbplugin_forces.between_frames import (
    diagonal_in_world,
    in_world,
    minus,
    minus_cross,
    plus,
    put_arm,
    put_forces,
    put_torques,
    times_cross,
    times_diagonal,
    transposed,
)
from mbplugin_forces.bushing_keys import BushingParameters, completed
from mbplugin_forces.laws import curve_energy, curve_forces, curve_slopes
from mbplugin_forces.relative_rotation import (
    coefficients,
    inverse_jacobian,
    rotation_vector,
    torque_of,
    torque_slope,
)

#: 1 − cos of the rotation of b relative to a from which on half a turn is near: 170 degrees
NEAR_HALF_TURN = 1.985
#: matrix of the examples
FULL = [[9.0 if i == j else 2.0 / (1 + abs(i - j)) for j in range(6)] for i in range(6)]
OUTPUTS = (("deformation", "m"), ("rotation", "rad"), ("force", "N"), ("torque", "N m"))


class Bushing(ForceKind):
    name = "bushing"
    parameters = BushingParameters
    exerts_torque = True
    dissipates = True
    lines = ((0, 1),)
    #: in axes of a; force and torque on b
    outputs = {f"{name}_{axis}": unit for name, unit in OUTPUTS for axis in "xyz"}
    #: largest 1 − cos of its rotation so far, and the time at which half a turn was near [s], or 0
    memory = 2
    examples = (
        {
            "stiffness": [
                40.0,
                25.0,
                {"x": [-3.0, -1.0, 0.0, 1.5, 4.0], "y": [-60.0, -9.0, 0.0, 20.0, 90.0]},
            ],
            "angular_stiffness": [3.0, 2.0, 5.0],
            "damping": [0.7, {"x": [-20.0, -1.0, 0.0, 1.5, 20.0], "y": [-3.0, -1.0, 0.0, 2.0, 4.0]}, 0.3],
            "angular_damping": [0.2, 0.1, 0.3],
            "preload": [1.0, -2.0, 0.5],
            "offset": [0.1, 0.2, -0.1],
            "rotation": [0.3, -0.2, 0.4],
        },
        {"stiffness_matrix": FULL, "damping_matrix": FULL, "preload_torque": [0.1, 0.2, -0.3]},
    )

    @classmethod
    def look(cls, params):
        return "rings"

    @classmethod
    def defaults(cls, params, markers):
        return completed(params, markers)

    @staticmethod
    def kernel(
        a, b, p, wrench, energy, power,
        deformation_x, deformation_y, deformation_z, rotation_x, rotation_y, rotation_z,
        force_x, force_y, force_z, torque_x, torque_y, torque_z,
    ):  # fmt: skip
        d_world, d, theta, h, g = deformation(a, b, p)
        V, f, m = elastic(p, d, theta)
        beta, _ = coefficients(theta, h, g)
        t = torque_of(theta, beta, m)
        loss = 0.0
        if p.damped:
            v, w = rates(a, b, d_world)
            v, w = rotate_back(a.R, v), rotate_back(a.R, w)
            f_viscous, t_viscous = viscous(p, v, w)
            loss = dot(f_viscous, v) + dot(t_viscous, w)
            f, t = add(f, f_viscous), add(t, t_viscous)
        force, torque = rotate(a.R, f), rotate(a.R, t)
        on_a = add(torque, cross(d_world, force))
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = force[k], on_a[k]
            wrench[1, k], wrench[1, 3 + k] = -force[k], -torque[k]
        energy[0], power[0] = V, -loss
        deformation_x[0], deformation_y[0], deformation_z[0] = d
        rotation_x[0], rotation_y[0], rotation_z[0] = theta
        force_x[0], force_y[0], force_z[0] = -f[0], -f[1], -f[2]
        torque_x[0], torque_y[0], torque_z[0] = -t[0], -t[1], -t[2]

    @staticmethod
    def tangent(a, b, p, K, D):
        d_world, d, theta, h, g = deformation(a, b, p)
        _, f, m = elastic(p, d, theta)
        beta, gamma = coefficients(theta, h, g)
        inverse = inverse_jacobian(theta, beta)
        t = torque_of(theta, beta, m)
        k, k_theta = p.k, p.k_theta
        if p.curved:
            k = add(k, curve_slopes(p.curves, 0, d))
            k_theta = add(k_theta, curve_slopes(p.curves, 3, theta))
        # J⁻ᵀ H_θθ + ∂(J⁻ᵀ m)/∂θ
        slope = plus(times_diagonal(transposed(inverse), k_theta), torque_slope(theta, beta, gamma, m))
        X, Z = diagonal_in_world(a.R, k), ZERO_MATRIX
        if p.full:
            slope = plus(slope, product_back(inverse, load9(p.matrices, 27)))
            X = plus(X, in_world(a.R, load9(p.matrices, 0)))
            # H_dθ J⁻¹, whose transpose is J⁻ᵀ H_θd
            Z = in_world(a.R, product(load9(p.matrices, 9), inverse))
        X_torque, Z_torque = transposed(Z), in_world(a.R, product(slope, inverse))
        Y, Y_torque = minus(times_cross(X, d_world), Z), minus(times_cross(X_torque, d_world), Z_torque)
        if p.damped:
            v_world, w_world = rates(a, b, d_world)
            v, w = rotate_back(a.R, v_world), rotate_back(a.R, w_world)
            f_viscous, t_viscous = viscous(p, v, w)
            f, t = add(f, f_viscous), add(t, t_viscous)
            c, c_theta = p.c, p.c_theta
            if p.curved:
                c = add(c, curve_slopes(p.curves, 6, v))
                c_theta = add(c_theta, curve_slopes(p.curves, 9, w))
            C, C_theta, C_mixed = diagonal_in_world(a.R, c), diagonal_in_world(a.R, c_theta), ZERO_MATRIX
            if p.full:
                C = plus(C, in_world(a.R, load9(p.matrices, 36)))
                C_mixed = in_world(a.R, load9(p.matrices, 45))
                C_theta = plus(C_theta, in_world(a.R, load9(p.matrices, 63)))
            C_back = transposed(C_mixed)
            X, X_torque = minus(X, times_cross(C, a.w)), minus(X_torque, times_cross(C_back, a.w))
            Y = plus(Y, plus(times_cross(C, v_world), times_cross(C_mixed, w_world)))
            Y_torque = plus(Y_torque, plus(times_cross(C_back, v_world), times_cross(C_theta, w_world)))
            put_torques(D, C_back, minus(times_cross(C_back, d_world), C_theta), C_theta)
            put_forces(D, d_world, C, minus(times_cross(C, d_world), C_mixed), C_mixed)
        force, torque = rotate(a.R, f), rotate(a.R, t)
        put_torques(K, X_torque, minus_cross(Y_torque, torque), Z_torque)
        put_forces(K, d_world, X, minus_cross(Y, force), Z)
        put_arm(K, force)

    @staticmethod
    def accept(a, b, p, t, mem, mem_new):
        R = product(product_back(a.R, b.R), p.back)
        h = 1.5 - 0.5 * (R[0] + R[4] + R[8])
        mem_new[1] = t if mem[0] <= NEAR_HALF_TURN < h else mem[1]
        mem_new[0] = max(mem[0], h)

    @classmethod
    def warning(cls, params, memory):
        if memory[0] <= NEAR_HALF_TURN:
            return None
        text = (
            "b has turned by more than 170 degrees relative to a: beyond half a turn the torque changes its "
            "sign at once; use a torsion_spring_damper, which counts turns, about an axis that turns as far"
        )
        return memory[1], text


@jit
def deformation(a, b, p):
    """x_b − x_a in world axes [m], d [m], θ [rad], and h and g of its rotation."""
    d_world = sub(b.x, a.x)
    R = product(product_back(a.R, b.R), p.back)
    theta, h, g = rotation_vector(R)
    return d_world, sub(rotate_back(a.R, d_world), p.offset), theta, h, g


@jit
def elastic(p, d, theta):
    """V [J], ∂V/∂d [N] and ∂V/∂θ [N·m]."""
    f, m = each(p.k, d), each(p.k_theta, theta)
    if p.full:
        more_f, more_m = times(p.matrices, 0, d, theta)
        f, m = add(f, more_f), add(m, more_m)
    V = 0.5 * (dot(f, d) + dot(m, theta)) - dot(p.preload, d) - dot(p.preload_torque, theta)
    f, m = sub(f, p.preload), sub(m, p.preload_torque)
    if p.curved:
        V += curve_energy(p.curves, 0, d) + curve_energy(p.curves, 3, theta)
        f, m = add(f, curve_forces(p.curves, 0, d)), add(m, curve_forces(p.curves, 3, theta))
    return V, f, m


@jit
def viscous(p, v, w):
    """Force [N] and torque [N·m] that resist the rates v [m/s] and w [rad/s], axes of a."""
    f, t = each(p.c, v), each(p.c_theta, w)
    if p.full:
        more_f, more_t = times(p.matrices, 36, v, w)
        f, t = add(f, more_f), add(t, more_t)
    if p.curved:
        f, t = add(f, curve_forces(p.curves, 6, v)), add(t, curve_forces(p.curves, 9, w))
    return f, t


@jit
def each(k, s):
    """Products of the components of two vectors."""
    return (k[0] * s[0], k[1] * s[1], k[2] * s[2])


@jit
def times(numbers, first, v, w):
    """A (v, w) of the symmetric matrix (6, 6) from number `first`: by blocks."""
    mixed = load9(numbers, first + 9)
    f = add(rotate(load9(numbers, first), v), rotate(mixed, w))
    return f, add(rotate_back(mixed, v), rotate(load9(numbers, first + 27), w))


@jit
def rates(a, b, d_world):
    """Velocity [m/s] of b relative to a, as a sees it, and relative angular velocity [rad/s], world axes."""
    return sub(sub(b.v, a.v), cross(a.w, d_world)), sub(b.w, a.w)
