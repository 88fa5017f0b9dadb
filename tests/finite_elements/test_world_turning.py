"""How increments of a mesh turn with the world: against derivatives of rigid rotations and of the motion."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, table, world

import mbplugin as mb
from mbplugin.analysis.equilibrium.steady import turning
from mbplugin.math.quat import load4, matrix
from mbplugin.tables.groups import Bodies

SPIN = np.array([0.7, -1.1, 2.3])
H = 1e-6


def block(**keys) -> str:
    """A rubber block that is turned by 0.4 rad; the nodes of its first face move as one."""
    mesh = {"shape": "beam", "length": 0.4, "section": [0.1, 0.1], "divisions": [2, 1, 1]}
    text = world(gravity=[0, 0, 0]) + table("material", name="rubber", density=1000, young=1e6, poisson=0.3)
    return text + body(
        "block",
        type="finite_element",
        material="rubber",
        mesh=mesh,
        marker=[{"name": "hub", "nodes": "x-", "coupling": "rbe2"}],
        **keys,
    )


def test_increments_of_nodes_and_of_sets_turn_with_the_world():
    problem = mb.System.from_text(block(orientation={"axis": [1, 2, 0], "angle": 0.4})).compile()
    kind, random = problem.names.kinds[0], np.random.default_rng(3)
    nv = problem.nv
    problem.move_to(problem.q, 0.02 * random.normal(size=nv))
    q, v = problem.q, random.normal(size=nv)
    problem.evaluate_at(q, v)
    S, C = turning(problem, SPIN)
    axes = problem[Bodies].p[problem[Bodies].index[0].first_parameter :][6:15].reshape(3, 3)
    spin, nodes = axes.T @ SPIN, nv - 6

    def moved(q, dq):
        q = q.copy()
        kind.retract(q, dq)
        return q

    def velocities(q, rates):
        """v of q̇."""
        columns = np.zeros((len(q), nv))
        for k in range(nv):
            kind.rate(q, np.eye(nv)[k], columns[:, k])
        return np.linalg.lstsq(columns, rates, rcond=None)[0]

    def rigid(q):
        """v of a rotation about the origin."""
        R = np.array(matrix(load4(q, nodes + 3))).reshape(3, 3)
        turned = np.cross(spin, q[: nodes + 3].reshape(-1, 3)).ravel()
        return np.concatenate([turned, R.T @ spin])

    def of_motion(dq):
        """v of the motion q(t) ⊕ δ with a constant δ."""
        rates = (moved(moved(q, H * v), dq) - moved(moved(q, -H * v), dq)) / (2 * H)
        return velocities(moved(q, dq), rates)

    for k in range(nv):
        dq = 1e-4 * np.eye(nv)[k]
        turned = (rigid(moved(q, dq)) - rigid(moved(q, -dq))) / 2e-4
        np.testing.assert_allclose(S[:, k], turned, atol=1e-6)
        np.testing.assert_allclose(C[:, k], (of_motion(dq) - of_motion(-dq)) / 2e-4, atol=1e-5)


def test_a_mesh_that_spins_freely_shifts_at_its_speed_in_its_frame():
    """Shifts across the axis are at rest in the world: they turn at Ω in the frame, twice."""
    spin = 3.5
    report = mb.System.from_text(block(angular_velocity=[spin, 0, 0])).analyze("eigen", about="motion")
    assert report.messages[1].endswith("[3.5, 0, 0] rad/s")
    found = np.array([mode.s for mode in report.modes])
    assert (np.abs(found - 1j * spin) < 1e-3).sum() == 2


@pytest.mark.parametrize("about", ["start", "motion"])
def test_modes_at_rest_are_those_of_a_motion_without_speed(about):
    system = mb.System.from_text(block())
    np.testing.assert_allclose(
        system.analyze("eigen", about=about).frequencies[-12:],
        np.sort(np.abs(system.linearize().poles))[-24::2],
        rtol=1e-6,
    )
