"""Building blocks of solvers against the same quantities by numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import bundled

from mbplugin.kernels.projection import refactor
from mbplugin.math.jit import internal, jit
from mbplugin.stepping import Step, energies
from mbplugin.stepping.energy import apply_impulse
from mbplugin.tables.groups import State


def in_process(function):
    """A building block that Python can call."""
    return jit(lambda tables: function(tables))


@pytest.fixture(scope="module")
def crank(runs):
    prepared = runs.prepare(bundled("piston_crank"))
    integrator = prepared.start(1.0)
    integrator.show(0.0)
    assert prepared.problem[Step].record[0].steps == 0
    return prepared


def test_energies_are_those_of_the_recorder(crank):
    status, kinetic, potential = in_process(energies)(crank.problem.addresses)
    frame = crank.recorder.frame()
    assert status == 0
    assert kinetic == pytest.approx(float(frame["energy/kinetic"]), rel=1e-14)
    assert potential == pytest.approx(float(frame["energy/potential"]), rel=1e-14)


@internal
def impulse(tables):
    """After an evaluation at the present state."""
    status = refactor(tables)
    return apply_impulse(tables) if status == 0 else status


def test_an_impulse_closes_the_rows_with_the_least_change_and_its_work_is_the_change_of_energy(crank):
    problem = crank.problem
    q, before = problem.q, problem.v
    M, (G, _) = problem.mass(q), problem.constraints(problem.time, q, before)
    rate = problem.residuals(problem.time, q, 0.0 * before)[1]
    disturbed = before + 0.1 * np.random.default_rng(0).normal(size=problem.nv)
    problem.set_state(problem.time, q, disturbed)
    work_before = float(problem[State].aux[0])
    status = in_process(impulse)(problem.addresses)
    work = float(problem[State].aux[0]) - work_before
    change = (
        np.linalg.solve(M, G.T)
        @ np.linalg.lstsq(G @ np.linalg.solve(M, G.T), -rate - G @ disturbed, rcond=1e-12)[0]
    )
    assert status == 0
    np.testing.assert_allclose(problem.v, disturbed + change, atol=1e-9 * np.abs(change).max())
    assert work == pytest.approx(0.5 * (problem.v @ M @ problem.v - disturbed @ M @ disturbed), rel=1e-9)
