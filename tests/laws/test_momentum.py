"""Joints and springs inside a random free system change neither its linear nor its angular momentum."""

from __future__ import annotations

import numpy as np
from random_systems import Scene, of_random_systems

from mbplugin.model.orientation import matrix


def momenta(scene: Scene, frame):
    """P = Σ m v, L = Σ x × m v + R I Rᵀ ω about the origin, and their sizes."""
    P, L, p, l = np.zeros(3), np.zeros(3), 1e-3, 1e-3
    for k, body in enumerate(scene.bodies):
        R, x, v = (
            matrix(tuple(frame["bodies/orientation"][k])),
            frame["bodies/center_of_mass"][k],
            body.mass * frame["bodies/center_of_mass_velocity"][k],
        )
        spin = R @ body.inertia @ R.T @ frame["bodies/angular_velocity"][k]
        P, L = P + v, L + np.cross(x, v) + spin
        p, l = p + np.linalg.norm(v), l + np.linalg.norm(x) * np.linalg.norm(v) + np.linalg.norm(spin)
    return P, L, p, l


@of_random_systems(25, 100, free=True)
def test_the_momentum_of_a_free_system_is_conserved(system):
    shown = system.show((0.0, 0.2, 0.5))
    P0, L0, p, l = momenta(system.scene, shown[0].frame)
    for s in shown[1:]:
        P, L, _, _ = momenta(system.scene, s.frame)
        assert np.abs(P - P0).max() <= 1e-8 * p
        assert np.abs(L - L0).max() <= 1e-8 * l
