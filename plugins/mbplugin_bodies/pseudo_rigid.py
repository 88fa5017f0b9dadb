"""A pseudo-rigid body, which deforms homogeneously:  x = x_c + F X,  X from the mass centre, principal axes.

    q = (x_c, F row by row),  v = q̇                 twelve velocities
    m ẍ_c = f,   F̈_ij E_j = (f Xᵀ + R ĝ)_ij − V P_ij
    E = ∫ ρ X Xᵀ dV = ½ tr(J) 1 − J                 Euler's moments, from the inertia J about the mass centre
    P = ∂W/∂F + β F (C : ½ d(FᵀF)/dt)               stress, `elasticity.py`;  V: volume [m³], β: damping [s]

f is a force at the material point X, τ a torque. The axes of a marker turn with R of F = R U (`polar.py`);
with ax(A) = (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂) and ĝ the matrix of the cross product with g

    Y g = Rᵀτ,  Y = tr(U) 1 − U

and ω is that of R (`polar.spin_of`). The mass matrix is constant and diagonal.

The name is that of H. Cohen, R. G. Muncaster, The Theory of Pseudo-rigid Bodies (1988). The equations are
derived here; the conformance kit checks the motion of markers by differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import (
    Array,
    BodyKind,
    BodyPlan,
    Elasticity,
    Material,
    NonNegative,
    Parameters,
    Poisson,
    Positive,
    Vector,
)
from mbplugin.math.elasticity import (
    LAWS,
    cauchy_stress,
    damping_change,
    damping_stress,
    energy_density,
    lame,
    stress,
    stress_change,
)
from mbplugin.math.polar import (
    axial,
    crossed_with,
    hat,
    inverse_transposed,
    polar,
    polar_change,
    spin_of,
    turning_inverse,
    turning_matrix,
    unit_matrix,
    weighted,
)
from mbplugin.math.vec3 import (
    ZERO,
    ZERO_MATRIX,
    add,
    cross,
    load3,
    load9,
    product,
    product_back,
    rotate,
    rotate_back,
    store3,
    store9,
    sub,
)
from mbplugin_bodies.spatial import crossed, principal

#: places in the scratch: R, Y⁻¹, U (nine numbers each), ω, its bias (three each)
ROTATION, INVERSE, STRETCH, SPIN, BIAS = 0, 9, 18, 27, 30
#: smallest of Euler's moments, as a part of the largest principal moment of inertia
THINNEST = 1e-9


class PseudoRigidParameters(Parameters):
    young: Positive | None = None
    """Young's modulus [Pa]; default that of the body's `[[material]]`."""
    poisson: Poisson | None = None
    """Poisson's ratio, more than -1 and less than 0.5; default that of the material."""
    elasticity: Elasticity | None = None
    """Elastic law; all are Hooke's law at small strains and any rotation. Default that of the material, or
    "linear".
    """
    damping: NonNegative = 0.0
    """Damping of the material: stress by the rate of strain over the stress by strain [s]."""
    volume: Positive | None = None
    """Volume [m³]; leave it out if density and shapes give the mass, which give it too."""
    stretch_rate: Vector = (0.0, 0.0, 0.0)
    """Rates of stretch along the axes of the body frame at t = 0 [1/s]."""


class PseudoRigid(BodyKind):
    name = "pseudo_rigid"
    nq, nv, scratch, record = 12, 12, 33, 12
    stretches = True
    parameters = PseudoRigidParameters
    material_keys = ("young", "poisson", "elasticity")
    examples = (
        {"young": 40.0, "poisson": 0.3, "volume": 0.5, "damping": 0.01, "stretch_rate": (0.2, -0.3, 0.1)},
    )
    undefined = (
        "is turned inside out (det F is not positive): its strain is too large for its elastic law; make it "
        "stiffer, load it less, or try another `elasticity`"
    )

    @staticmethod
    def plan(params, mass, plane, volume, material) -> BodyPlan:
        """volume: that of the shapes that give the mass [m³], None without these; material: of the body, or
        None. Raises SceneError.
        """
        moments, axes = principal(mass.inertia)
        second = 0.5 * moments.sum() - moments
        check_thickness(second, moments, volume is not None)
        young, poisson, elasticity = (of_material(params, material, key) for key in PseudoRigid.material_keys)
        whole = body_volume(params.volume, volume)
        lam, mu = (whole * one for one in lame(young, poisson))
        law = float(LAWS.index(elasticity))
        frequency = highest_frequency(lam, mu, second)
        return BodyPlan(
            mass=np.concatenate([np.full(3, mass.mass), np.tile(second, 3)]),
            parameters=np.array([lam, mu, law, params.damping, *params.stretch_rate, whole]),
            origin=np.asarray(mass.center_of_mass, float),
            axes=axes,
            frequency=frequency,
            damping=params.damping,
        )

    @staticmethod
    def coordinates(
        position: Array, R: Array, velocity: Array, w: Array, plan: BodyPlan, plane
    ) -> tuple[Array, Array]:
        """q (12,), v (12,): undeformed, from the pose, the velocities and the rates of stretch of the body
        frame.
        """
        arm, F = R @ plan.origin, R @ plan.axes
        gradient = crossed(w) + R @ np.diag(plan.parameters[4:7]) @ R.T
        q = np.concatenate([position + arm, F.ravel()])
        return q, np.concatenate([velocity + gradient @ arm, (gradient @ F).ravel()])

    @staticmethod
    def point(position: Array, axes: Array, plan: BodyPlan) -> Array:
        """Point record (12,) of a marker: X [m] and its axes, in principal axes."""
        return np.concatenate([plan.axes.T @ (position - plan.origin), (plan.axes.T @ axes).ravel()])

    @staticmethod
    def prepare(q, v, c):
        """c = R, Y⁻¹, U, ω and its bias; NaN if the body is turned inside out."""
        R, U = polar(load9(q, 3))
        inverse = turning_inverse(U)
        spin, bias = spin_of(R, U, inverse, load9(v, 3), ZERO_MATRIX)
        store9(c, ROTATION, R)
        store9(c, INVERSE, inverse)
        store9(c, STRETCH, U)
        store3(c, SPIN, spin)
        store3(c, BIAS, bias)

    @staticmethod
    def locate(q, v, c, r):
        X = load3(r, 0)
        x, u = add(load3(q, 0), rotate(load9(q, 3), X)), add(load3(v, 0), rotate(load9(v, 3), X))
        axes = product(load9(c, ROTATION), load9(r, 3))
        return x, axes, u, load3(c, SPIN), ZERO, load3(c, BIAS)

    @staticmethod
    def point_at(q, c, x, R, r):
        store3(r, 0, rotate_back(inverse_transposed(load9(q, 3)), sub(x, load3(q, 0))))
        store9(r, 3, product_back(load9(c, ROTATION), R))

    @staticmethod
    def to_generalized_force(c, r, force, torque, out):
        R = load9(c, ROTATION)
        g = rotate(load9(c, INVERSE), rotate_back(R, torque))
        for i in range(3):
            out[i] = force[i]
            # R ĝ
            out[3 + 3 * i] = force[i] * r[0] + R[3 * i + 1] * g[2] - R[3 * i + 2] * g[1]
            out[4 + 3 * i] = force[i] * r[1] + R[3 * i + 2] * g[0] - R[3 * i] * g[2]
            out[5 + 3 * i] = force[i] * r[2] + R[3 * i] * g[1] - R[3 * i + 1] * g[0]

    @staticmethod
    def geometric(v, c, torque, K, E):
        """dR = R ρ̂ and dU of a change dF by `polar_change`. A force is f and f Xᵀ, whatever F is; of a torque

        d(R ĝ) = R (ρ̂ ĝ + dĝ),   Y dg = −ρ̂ Rᵀτ − dY g
        dω = R (ρ × ω_b + dω_b),  Y dω_b = −ax(ρ̂ L) − dY ω_b,   dY = tr(dU) 1 − dU
        """
        R, inverse, U = load9(c, ROTATION), load9(c, INVERSE), load9(c, STRETCH)
        L, w = product_back(R, load9(v, 3)), rotate_back(R, load3(c, SPIN))
        local = rotate_back(R, torque)
        g = rotate(inverse, local)
        for k in range(9):
            turn, dU = polar_change(R, inverse, U, unit_matrix(k))
            dY = turning_matrix(dU)
            moved = add(axial(crossed_with(turn, L)), rotate(dY, w))
            dw = rotate(R, sub(cross(turn, w), rotate(inverse, moved)))
            dg = rotate(inverse, add(cross(turn, local), rotate(dY, g)))
            change = product(R, weighted(1.0, crossed_with(turn, hat(g)), -1.0, hat(dg)))
            for i in range(3):
                E[3 + i, 3 + k] = dw[i]
            for i in range(9):
                K[3 + i, 3 + k] = -change[i]

    @staticmethod
    def tangent(q, v, p, c, K, D):
        """V ∂P/∂F and V ∂P/∂Ḟ."""
        law, lam, mu, damping = int(p[2]), p[0], p[1], p[3]
        F, F_dot = load9(q, 3), load9(v, 3)
        R, inverse, U = load9(c, ROTATION), load9(c, INVERSE), load9(c, STRETCH)
        for k in range(9):
            dF = unit_matrix(k)
            turn, dU = polar_change(R, inverse, U, dF)
            change = stress_change(law, lam, mu, F, R, U, dF, turn, dU)
            if damping > 0.0:
                by_F, by_rate = damping_change(damping * lam, damping * mu, F, F_dot, dF)
                change = weighted(1.0, change, 1.0, by_F)
                for i in range(9):
                    D[3 + i, 3 + k] = by_rate[i]
            for i in range(9):
                K[3 + i, 3 + k] = change[i]

    @staticmethod
    def turning(q: Array, v: Array, p: Array, spin: Array) -> tuple[Array, Array]:
        """The increments of x_c and of the columns of F rotate with the world."""
        S, turned = np.zeros((12, 12)), crossed(spin)
        S[:3, :3], S[3:, 3:] = turned, np.kron(turned, np.eye(3))
        return S, np.zeros((12, 12))

    @staticmethod
    def stretch_stress(F: Array, F_dot: Array, p: Array) -> Array:
        """P Fᵀ/det F, for isotropic laws in any axes of the body: (n, 3, 3)."""
        return cauchy_stress(int(p[2]), p[0] / p[7], p[1] / p[7], p[3], F, F_dot)

    @staticmethod
    def rate(v, q_dot):
        for k in range(12):
            q_dot[k] = v[k]

    @staticmethod
    def retract(q, dq):
        for k in range(12):
            q[k] += dq[k]

    @staticmethod
    def internal(q, v, p, c, h, power):
        """−V P, with the damping of the material."""
        P = stress(int(p[2]), p[0], p[1], load9(q, 3), load9(c, ROTATION), load9(c, STRETCH))
        power[0] = 0.0
        if p[3] > 0.0:
            damping, dissipated = damping_stress(p[3] * p[0], p[3] * p[1], load9(q, 3), load9(v, 3))
            P, power[0] = weighted(1.0, P, 1.0, damping), -dissipated
        for k in range(9):
            h[3 + k] = -P[k]

    @staticmethod
    def elastic(q, p, c, energy):
        energy[0] = energy_density(int(p[2]), p[0], p[1], load9(q, 3), load9(c, STRETCH))


def of_material(params: PseudoRigidParameters, material: Material | None, key: str) -> Any:
    """The value of a key, which either the body or its material gives; "linear" is the default of
    `elasticity`. Raises SceneError.
    """
    own = getattr(params, key)
    by_material = material is not None and key in material.model_fields_set
    if own is not None and by_material:
        assert material is not None
        mend = f'the material "{material.name}" gives it as well; leave out one of the two'
        raise SceneError(key, own, mend)
    value = own if own is not None or material is None else getattr(material, key)
    if value is None and key != "elasticity":
        raise SceneError(key, mend="is missing; give it, or a `material` that has it")
    return "linear" if value is None else value


def body_volume(given: float | None, of_shapes: float | None) -> float:
    """The volume [m³], which either the key or the shapes give. Raises SceneError."""
    if of_shapes is not None:
        if given is not None:
            raise SceneError("volume", given, "already defined by density and shapes; leave it out")
        return of_shapes
    if given is None:
        mend = "a pseudo-rigid body needs it beside `mass` and `inertia`; or give `density` and shapes"
        raise SceneError("volume", mend=mend)
    return given


def highest_frequency(lam: float, mu: float, second: Array) -> float:
    """Highest frequency of a body at rest [rad/s], from Lamé's constants times the volume [J] and Euler's
    moments (3,): the largest ω of  (λ tr(∇u) 1 + μ (∇u + ∇uᵀ))_ij = ω² E_j ∇u_ij.
    """
    I = np.eye(3)
    K = lam * np.einsum("ij,kl->ijkl", I, I)
    K += mu * (np.einsum("ik,jl->ijkl", I, I) + np.einsum("il,jk->ijkl", I, I))
    root = np.tile(1.0 / np.sqrt(second), 3)
    return float(np.sqrt(np.linalg.eigvalsh(K.reshape(9, 9) * np.outer(root, root)).max()))


def check_thickness(second: Array, moments: Array, by_shapes: bool) -> None:
    """Check that the mass has an extent along every principal axis. Raises SceneError.

    second: (3,) Euler's moments, moments: (3,) principal moments of inertia [kg·m²]
    """
    k = int(np.argmin(second))
    if second[k] > THINNEST * moments.max():
        return
    one, other = (moments[i] for i in range(3) if i != k)
    mend = (
        f"a pseudo-rigid body has an extent along each of its axes, so that each principal moment of inertia "
        f"is less than the sum of the others; {moments[k]:.6g} kg·m² is not less than {one:.6g} + {other:.6g}"
    )
    raise SceneError("density" if by_shapes else "inertia", mend=mend)
