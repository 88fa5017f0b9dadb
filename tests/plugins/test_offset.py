"""A full mass matrix that turns with the body: a chain of such bodies moves as the same chain of our own,
whatever finds the accelerations.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, spring


def offset_chain(kind):
    """Text of three bodies of a kind in a row, whose mass centres are not where their frames are."""

    def link(i):
        centre = [0.2, 0.1 * i, -0.15]
        return body(
            f"b{i}",
            type=kind,
            mass=1 + 0.3 * i,
            inertia=[[0.1, 0.02, 0.01], [0.02, 0.2, -0.03], [0.01, -0.03, 0.25]],
            center_of_mass=centre,
            position=[i + 0.3, 0.2 * i, 0.1],
            orientation={"axis": [1, 2, i], "angle_deg": 40},
            marker=[{"name": "centre", "position": centre}, {"name": "eye", "position": [0.3, 0, 0.2]}],
        ) + joint(
            f"j{i}",
            "ball" if i == 1 else "revolute",
            f"b{i - 1}" if i else "ground",
            f"b{i}",
            at=[i, 0.2 * i, 0],
            axis=[0.2, 1, 0.3],
            start=None if i == 1 else {"speed": 2.0},
        )

    return "".join(map(link, range(3)))


ENERGIES = ("energy/kinetic", "energy/potential", "energy/dissipated")
SPRING = spring("ground", "b2.eye", stiffness=30.0, damping=0.5, length=1.0)


@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_bodies_told_by_another_point_move_as_before(runs, method):
    more = SPRING + solver(method=method, tolerance=1e-10, end=0.6)
    times = [0.0, 0.3, 0.6]
    for ours, other in zip(
        runs.frames(offset_chain("spatial") + more, times),
        runs.frames(offset_chain("foreign_offset") + more, times),
    ):
        assert abs(float(other["energy/balance"])) < 1e-7
        for key in (
            "bodies/position",
            "bodies/velocity",
            "bodies/orientation",
            "bodies/angular_velocity",
            "coordinates/value",
            *ENERGIES,
        ):
            np.testing.assert_allclose(other[key], ours[key], atol=1e-7, err_msg=key)
        for key in ("joints/force", "joints/torque", "bodies/acceleration", "bodies/angular_acceleration"):
            np.testing.assert_allclose(
                other[key], ours[key], atol=1e-6 * np.abs(ours[key]).max(), err_msg=key
            )
    assert np.abs(ours["bodies/angular_velocity"]).max() > 1.0


def test_the_kinetic_energy_is_that_of_the_equations(runs):
    problem = runs.prepare(offset_chain("foreign_offset") + solver(end=1)).problem
    from mbplugin.tables.groups import State

    M = problem.mass(problem[State].q.copy())
    np.testing.assert_allclose(M, M.T, atol=1e-14)
    assert np.linalg.eigvalsh(M).min() > 0.0 and np.abs(M[0, 3:6]).max() > 0.05


def test_the_work_of_an_impulse_counts_for_full_mass_matrices_too(runs):
    """A motor whose speed jumps: ΔT is the work that is told, to rounding."""
    more = motion("j2", angle_velocity="2 - 5*step(time - 0.2)") + solver(tolerance=1e-10, end=0.3)
    for ours, other in zip(
        runs.frames(offset_chain("spatial") + more, [0.1, 0.3]),
        runs.frames(offset_chain("foreign_offset") + more, [0.1, 0.3]),
    ):
        assert abs(float(other["energy/balance"])) < 1e-7
        for key in ("bodies/position", "bodies/velocity", "energy/work"):
            np.testing.assert_allclose(other[key], ours[key], atol=1e-7, err_msg=key)
    assert float(other["energy/work"]) > 0.1
