"""Energy of random systems: ½ vᵀ M v = T, the power of all forces is dE/dt, joints do no work."""

from __future__ import annotations

import numpy as np
from random_systems import Joint, Scene, of_random_systems
from scipy.linalg import null_space

from mbplugin.kernels import entries
from mbplugin.model.orientation import matrix
from mbplugin.tables.groups import Markers, Rates, State, Wrenches
from mbplugin.tables.purposes import RETRACT


def turned(frame, k: int):
    """(3, 3) axes of body k; of the ground for −1."""
    return matrix(tuple(frame["bodies/orientation"][k])) if k >= 0 else np.eye(3)


def motion_of(frame, k: int, point):
    """Velocity of a point of body k and its angular velocity, from those of its mass centre."""
    if k < 0:
        return np.zeros(3), np.zeros(3)
    w = frame["bodies/angular_velocity"][k]
    return frame["bodies/center_of_mass_velocity"][k] + np.cross(
        w, point - frame["bodies/center_of_mass"][k]
    ), w


@of_random_systems(30, 90)
def test_half_v_M_v_is_the_kinetic_energy_of_the_bodies(system):
    """T = Σ ½ m v² + ½ ω·(R I Rᵀ) ω with what the scene says of the bodies and the frame of their motion."""
    (shown,) = system.show()
    frame, T = shown.frame, 0.0
    for k, body in enumerate(system.scene.bodies):
        R, v, w = (
            turned(frame, k),
            frame["bodies/center_of_mass_velocity"][k],
            frame["bodies/angular_velocity"][k],
        )
        T += 0.5 * body.mass * (v @ v) + 0.5 * w @ R @ body.inertia @ R.T @ w
        # and they move as they were told to
        np.testing.assert_allclose(
            frame["bodies/center_of_mass"][k], body.x + body.R @ body.centre, atol=1e-12
        )
        np.testing.assert_allclose(v, body.v + np.cross(body.w, body.R @ body.centre), atol=1e-9)
        np.testing.assert_allclose(w, body.w, atol=1e-9)
    problem = shown.problem
    q, v = problem[State].q.copy(), problem[State].v.copy()
    assert abs(0.5 * v @ problem.mass(q) @ v - T) <= 1e-12 * (T + 1e-3)
    assert abs(float(frame["energy/kinetic"]) - T) <= 1e-12 * (T + 1e-3)


@of_random_systems(30, 90)
def test_power_is_the_rate_of_energy(system):
    """v·M v̇ = dT/dt (M is constant for rigid bodies) against the work put in, what dampers take, and −dV/dt
    along the motion, by differences.
    """
    (shown,) = system.show()
    problem = shown.problem
    state, rates = problem[State], problem[Rates]
    v, q = state.v.copy(), state.q.copy()
    work, dissipated = rates.aux_dot[:2]
    v_dot = rates.v_dot.copy()
    V = []
    for eps in (1e-4, -1e-4, 2e-4, -2e-4):
        state.q[:], rates.v_dot[:] = q, eps * v
        entries.call_purpose(problem.addresses, RETRACT)
        entries.evaluate(problem.addresses)
        V.append(problem[Wrenches].energy.sum())
    V_dot = (8 * (V[0] - V[1]) - (V[2] - V[3])) / 12e-4
    M = problem.mass(q)
    scale = np.abs(v) @ np.abs(M) @ np.abs(v_dot) + abs(V_dot) + abs(work) + abs(dissipated) + 0.1
    assert dissipated >= 0.0
    assert abs(v @ M @ v_dot - (work - dissipated - V_dot)) <= 1e-8 * scale


@of_random_systems(40, 120)
def test_energy_is_initial_energy_plus_work_minus_dissipation(system):
    for frame in (system.frames[t] for t in (0.1, 0.3)):
        scale = (
            abs(frame["energy/kinetic"]) + abs(frame["energy/potential"]) + abs(frame["energy/work"]) + 1.0
        )
        assert abs(frame["energy/balance"]) <= 1e-8 * scale
        assert frame["constraints/drift_position"] <= 1e-12
        assert frame["constraints/drift_velocity"] <= 1e-10 * (1.0 + np.abs(frame["bodies/velocity"]).max())


def works(scene: Scene) -> bool:
    """Whether joints may do work: one is driven, or there is none."""
    return not scene.joints or any(joint.motion for joint in scene.joints)


@of_random_systems(30, 90, but=works)
def test_joints_do_no_work(system):
    """F·(v_b − v_a) + τ·(ω_b − ω_a) = 0 with the reported reaction, at the joint's place, and each body's
    velocity there from its own motion.
    """
    for frame in (system.frames[t] for t in (0.0, 0.2)):
        for k, joint in enumerate(system.scene.joints):
            power, size = power_of(joint, frame, k)
            assert abs(power) <= 1e-10 * size


@of_random_systems(15, 60, but=works)
def test_joints_do_no_work_in_any_motion_that_they_admit(system):
    """Virtual work: the reported reactions against every δq with G δq = 0, not only against the motion that
    is.
    """
    (shown,) = system.show((0.1,))
    problem = shown.problem
    state, markers = problem[State], problem[Markers]
    for admitted in null_space(problem.jacobian(), rcond=1e-9).T:
        state.v[:] = admitted
        problem.check(entries.evaluate(problem.addresses))
        centres = problem.names.body_marker
        virtual = shown.frame | {
            "bodies/center_of_mass_velocity": markers.v[centres],
            "bodies/angular_velocity": markers.w[centres],
        }
        for k, joint in enumerate(system.scene.joints):
            work, size = power_of(joint, virtual, k)
            assert abs(work) <= 1e-12 * size


def power_of(joint: Joint, frame, k: int) -> tuple[float, float]:
    force, torque, place = frame["joints/force"][k], frame["joints/torque"][k], frame["joints/position"][k]
    va, wa = motion_of(frame, joint.a, place)
    vb, wb = motion_of(frame, joint.b, place)
    size = np.linalg.norm(force) * (1.0 + np.linalg.norm(va) + np.linalg.norm(vb)) + np.linalg.norm(
        torque
    ) * (1.0 + np.linalg.norm(wa) + np.linalg.norm(wb))
    return force @ (vb - va) + torque @ (wb - wa), size + 1e-300
