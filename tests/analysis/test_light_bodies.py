"""Bodies of next to no mass or inertia beside heavy ones: where an equilibrium is, whether it is stable and
how a weight swings and bounces do not depend on them. Truth: springs in a row, a pendulum of their length.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, spring, world
from small import problem_of
from tiers import slow

from mbplugin.analysis.equilibrium.bordered import Constrained, Factor
from mbplugin.analysis.equilibrium.eigen import eigen
from mbplugin.analysis.equilibrium.static import static

WEIGHT, STIFFNESS, LENGTH, BEADS, G = 3.0, 4e3, 0.25, 7, 10.0


def line(mass: float, direction: list[float], damping: float = 0.0) -> str:
    """Beads of that mass in a row, on springs without load and dampers, and a weight on a ball joint at the
    last one.
    """
    text, before = world(gravity=[0, 0, -G]), "ground"
    at = LENGTH * np.outer(np.arange(1, BEADS + 1), direction)
    for k, x in enumerate(at):
        text += body(f"bead{k}", mass=mass, inertia=[1e-4 * mass] * 3, position=x)
        text += spring(before, f"bead{k}", stiffness=STIFFNESS, damping=damping, length=LENGTH)
        before = f"bead{k}"
    text += body("weight", mass=WEIGHT, inertia=[1e-9] * 3, position=at[-1])
    return text + joint("hook", "ball", before, "weight", at=at[-1])


def lengths(mass: float) -> np.ndarray:
    """Of the beads and the weight below the ground, at rest."""
    carried = G * (WEIGHT + mass * np.arange(BEADS, 0, -1))
    below = LENGTH * np.arange(1, BEADS + 1) + np.cumsum(carried) / STIFFNESS
    return np.append(below, below[-1])


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("direction", [[0, 0, -1], [0.8, 0, -0.6]], ids=["upright", "aslant"])
@pytest.mark.parametrize("mass", [1e-3, slow(1e-6), 1e-9, slow(1e-12), 1e-15])
def test_a_weight_on_light_beads_hangs_below_without_a_stiffness_of_its_spin(mass, direction, sparse):
    rest = static(problem_of(line(mass, direction)), sparse=sparse)
    np.testing.assert_allclose(rest.position, -np.outer(lengths(mass), [0, 0, 1]), atol=1e-9)
    assert len(rest.steps) <= 30
    assert not rest.stable and not rest.unstable


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("mass", "damping"), [slow(1e-6, 0.0), slow(1e-9, 0.0), (1e-12, 0.0), slow(1e-6, 10.0), (1e-9, 10.0)]
)
def test_a_weight_on_light_beads_swings_and_bounces_and_all_bodies_spin_freely(mass, damping, sparse):
    """g / l and k / (n m); a damper of each spring damps by ζ = c ω / 2 k."""
    problem = problem_of(line(mass, [0, 0, -1], damping))
    static(problem, sparse=sparse)
    modes = eigen(problem, 60, sparse=sparse).modes
    free = 3 * (BEADS + 1)
    assert [mode.kind for mode in modes[: free + 1]] == ["free"] * free + ["oscillatory"]
    swing, other, bounce = (mode.omega for mode in modes[free : free + 3])
    assert [swing, other] == pytest.approx([np.sqrt(G / lengths(mass)[-1])] * 2, rel=1e-6)
    assert bounce == pytest.approx(np.sqrt(STIFFNESS / BEADS / WEIGHT), rel=1e-5)
    assert modes[free + 2].zeta == pytest.approx(damping * bounce / (2.0 * STIFFNESS), rel=1e-5)


def test_forces_that_rows_carry_alone_move_nothing():
    """b = Gᵀ μ has the solution x = 0, μ: there the residual of G x = 0 is not relative to x."""
    problem = problem_of(line(1e-3, [0, 0, -1]))
    c = Constrained(problem)
    factor = Factor(c, c.M)
    for mu in np.random.default_rng(4).standard_normal((20, c.G.shape[0])):
        b = c.G.T @ mu
        x, found = factor.solve(b)
        assert np.abs(x).max() < 1e-12
        np.testing.assert_allclose(c.G.T @ found, b, atol=1e-12 * np.abs(b).max())
