"""Every body of a random system obeys Newton and Euler with the forces that the result reports, body by body,
in world axes.

    m a = Σ F,   (R I Rᵀ) α + ω × (R I Rᵀ) ω = Σ τ + (P − x) × F

On b a joint or a spring acts as reported at b's marker P; on a equal and opposite about that same point. A
motion's drive is a torque about the joint's axis.
"""

from __future__ import annotations

import numpy as np
from random_systems import GROUND, Scene, of_random_systems

from mbplugin.model.orientation import matrix


def acceleration_of_centre(frame, k):
    """That of the mass centre, from that of the origin of the frame."""
    r = frame["bodies/center_of_mass"][k] - frame["bodies/position"][k]
    w, alpha = frame["bodies/angular_velocity"][k], frame["bodies/angular_acceleration"][k]
    return frame["bodies/acceleration"][k] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))


def balances(scene: Scene, frame, start):
    """(n, 6) what is missing to each body's equations, and the size of the largest term."""
    n = len(scene.bodies)
    missing, size = np.zeros((n, 6)), 1e-3
    x = frame["bodies/center_of_mass"]
    R = [matrix(tuple(q)) for q in frame["bodies/orientation"]]
    before = [matrix(tuple(q)) for q in start["bodies/orientation"]]

    def add(body: int, wrench, place) -> None:
        nonlocal size
        if body == GROUND:
            return
        moment = wrench[3:] + np.cross(place - x[body], wrench[:3])
        missing[body] += np.concatenate([wrench[:3], moment])
        size = max(size, np.abs(missing[body]).max(), np.abs(wrench).max())

    for k, body in enumerate(scene.bodies):
        w, J = frame["bodies/angular_velocity"][k], R[k] @ body.inertia @ R[k].T
        inertial = np.concatenate(
            [
                body.mass * acceleration_of_centre(frame, k),
                J @ frame["bodies/angular_acceleration"][k] + np.cross(w, J @ w),
            ]
        )
        add(k, np.concatenate([body.mass * scene.gravity, np.zeros(3)]), x[k])
        add(k, -inertial, x[k])
    driven = 0
    for k, joint in enumerate(scene.joints):
        wrench, place = (
            np.concatenate([frame["joints/force"][k], frame["joints/torque"][k]]),
            frame["joints/position"][k],
        )
        if joint.motion:
            axis = (
                joint.axis
                if not scene.plane
                else np.array({"xy": (0, 0, 1.0), "xz": (0, -1.0, 0)}[scene.plane])
            )
            axis = axis if joint.a == GROUND else R[joint.a] @ before[joint.a].T @ axis
            coordinate = int(np.flatnonzero(frame["coordinates/drive"])[0])
            wrench = wrench + np.concatenate([np.zeros(3), frame["coordinates/drive"][coordinate] * axis])
            driven += 1
        add(joint.b, wrench, place)
        add(joint.a, -wrench, place)
    assert driven <= 1
    for k, force in enumerate(scene.forces):
        place = x[force.b] + R[force.b] @ (scene.bodies[force.b].eye - scene.bodies[force.b].centre)
        add(force.b, frame["forces/wrench"][k], place)
        if not force.law:
            add(force.a, -frame["forces/wrench"][k], place)
    return missing, size


@of_random_systems(40, 160)
def test_each_body_moves_as_the_reported_forces_say(system):
    scene, frames = system.scene, system.frames
    n = np.array({"xy": (0, 0, 1.0), "xz": (0, 1.0, 0), "": (0, 0, 0)}[scene.plane])
    for t in (0.0, 0.2):
        missing, size = balances(scene, frames[t], frames[0.0])
        if scene.plane:
            # nobody computes the forces along the normal and the torques in the plane that hold planar bodies
            # there
            missing[:, :3] -= np.outer(missing[:, :3] @ n, n)
            missing[:, 3:] = np.outer(missing[:, 3:] @ n, n)
        assert np.abs(missing).max() <= 1e-9 * size
