"""`form_tangent` against differences of the whole system, as an implicit integrator uses it: with weights,
and over increments of a step.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import SCENES
from whole_system import whole_system

import mbplugin as mb
from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.kernels import entries
from mbplugin.kernels.form_tangent import form_step_tangent
from mbplugin.kernels.increments import increment_tangents, rows_by_increments
from mbplugin.math.jit import jit
from mbplugin.tables.groups import Blocks, Bodies, Elements, Rates, Rows, State

FORM_BY_INCREMENTS = jit(lambda tables, a, b, c, s: form_step_tangent(tables, a, b, c, s, 1))
INCREMENT = jit(lambda tables, dq: increment_tangents(tables, dq))
ROWS = jit(lambda tables, G_T: rows_by_increments(tables, G_T))


def moving(scene: str):
    """A bundled scene off its start, with velocities and multipliers, and the random numbers behind it."""
    problem = mb.System.from_file(SCENES / scene).compile()
    random = np.random.default_rng(5)
    problem.move_to(problem.q, 0.05 * random.normal(size=problem.nv))
    problem[State].v[:] = random.normal(size=problem.nv)
    for row, element in problem.names.compliances.items():
        # laws have no numbers before a run
        first = int(problem[Elements].index[element].first_parameter)
        problem[Elements].p[first : first + 2] = 300.0 + row, 4.0 + row
    problem.check(entries.evaluate(problem.addresses))
    problem[Rows].lam[:] = random.normal(size=problem.nc)
    problem.prepare_tangents()
    return problem, random


SCENES_OF_MOTION = ["double_pendulum_modes", "door_with_penalty_hinge", "atwood"]


@pytest.mark.parametrize("closed_form", [True, False])
@pytest.mark.parametrize("scene", SCENES_OF_MOTION)
def test_weights_combine_mass_damping_and_stiffness(scene, closed_form):
    problem, _ = moving(scene)
    problem.prepare_tangents(closed_form)
    K, D = whole_system(problem, problem[Rows].lam)
    problem.check(entries.evaluate(problem.addresses))
    groups = (State, Rates, Rows, Bodies, Blocks)
    before = [(g, name, np.copy(x)) for g in groups for name, x in problem[g]._asdict().items()]
    problem.form_tangent(2.0, 0.7, 0.3)
    # at once: the mass matrix evaluates the system again
    for group, name, array in before:
        # rows that are differenced leave γ without the markers' own accelerations
        if closed_form or name != "gamma":
            np.testing.assert_array_equal(getattr(problem[group], name), array, name)
    truth = 2.0 * problem.mass(problem.q) + 0.7 * D + 0.3 * K
    np.testing.assert_allclose(problem.tangent().toarray(), truth, atol=1e-10 * np.abs(truth).max())


@pytest.mark.parametrize("scene", SCENES_OF_MOTION)
def test_over_the_increment_of_a_step_the_matrix_is_the_derivative_of_the_residual(scene):
    """The unknown is dq from q₀: forces are those at q₀ ⊕ dq, and v changes in proportion to dq."""
    problem, random = moving(scene)
    q0, v, lam, c, b = problem.q, problem.v, problem[Rows].lam * problem.on, 0.3, 0.7
    dq = 0.4 * random.normal(size=problem.nv)

    def residual(change: np.ndarray) -> np.ndarray:
        problem.move_to(q0, dq + c * change)
        problem[State].v[:] = v + b * change
        problem.check(entries.evaluate(problem.addresses))
        force = problem[Bodies].h + problem.sparse_jacobian().T @ lam
        return np.concatenate([-force, problem[Rows].phi * (problem[Rows].level == 0)])

    unit = np.eye(problem.nv)
    slope = np.column_stack([derivative(lambda s, e=e: residual(s * e), 0.1) for e in unit])
    residual(0.0 * dq)
    assert INCREMENT(problem.addresses, dq) == 0
    assert FORM_BY_INCREMENTS(problem.addresses, 0.0, b, c, 0.0) == 0
    truth = slope[: problem.nv]
    np.testing.assert_allclose(problem.tangent().toarray(), truth, atol=1e-9 * np.abs(truth).max())
    G = problem[Blocks].G.copy()
    G_T = np.zeros_like(G)
    ROWS(problem.addresses, G_T)
    problem[Blocks].G[:] = G_T
    found = c * problem.jacobian()
    problem[Blocks].G[:] = G
    held = problem[Rows].level == 0
    np.testing.assert_allclose(found[held], slope[problem.nv :][held], atol=1e-9)


@pytest.mark.parametrize("scene", [*SCENES_OF_MOTION, "cardan_shaft", "spring_mass_chain", "double_wishbone"])
def test_differences_of_every_part_are_its_tangent(scene):
    problem, _ = moving(scene)
    both = []
    for closed_form in (True, False):
        problem.prepare_tangents(closed_form)
        problem.form_tangent(0.0, 0.7, 0.3)
        both.append(problem.tangent().toarray())
    np.testing.assert_allclose(*both, atol=1e-10 * np.abs(both[0]).max())


def test_bodies_that_nothing_couples_have_no_block():
    problem, _ = moving("spring_mass_chain")
    problem.form_tangent(0.0, 0.0, 1.0)
    assert problem.tangent().nnz < problem.nv**2
