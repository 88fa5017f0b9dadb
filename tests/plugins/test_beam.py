"""A beam whose number of bending modes is a parameter: nq, nv, scratch and point records from its plan."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.beam import Beam, roots
from headless import finish
from scene_text import NO_GRAVITY, body, joint, solver, world
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from whole_system import whole_system

from mbplugin.analysis.tangent.stiffness import damping, stiffness
from mbplugin.codegen.compiled import compilations
from mbplugin.kernels import entries
from mbplugin.tables.groups import Bodies, State
from mbplugin.testing import check_body

LENGTH, MASS, BENDING = 1.6, 1.3, 4.0
INERTIA = np.array([0.02, 0.3, 0.31])


def beam(name="beam", modes=3, **keys):
    given = {
        "type": "foreign_beam",
        "mass": MASS,
        "inertia": INERTIA,
        "modes": modes,
        "length": LENGTH,
        "bending": BENDING,
    }
    return body(name, **(given | keys))


def frequencies(n, bending=BENDING):
    return (roots(n) / LENGTH) ** 2 * np.sqrt(bending * LENGTH / MASS)


def test_the_first_roots_are_those_of_the_tables():
    """L. Meirovitch, Analytical Methods in Vibrations (1967), § 5-10."""
    np.testing.assert_allclose(roots(3), [4.7300407, 7.8532046, 10.9956078], atol=1e-7)


def test_every_mode_vibrates_freely_at_its_frequency(runs):
    prepared = runs.prepare(NO_GRAVITY + beam(modes=4, deflection=0.1) + solver(tolerance=1e-11, end=0.7))
    finish(prepared.start(0.7), 0.7)
    q = prepared.problem[State].q
    np.testing.assert_allclose(q[7:], 0.1 * np.cos(frequencies(4) * 0.7), atol=1e-8)
    np.testing.assert_allclose(q[:7], [0, 0, 0, 1, 0, 0, 0], atol=1e-12)


def momenta(problem):
    """Linear and angular momentum about the origin, from the positions and velocities of many points of the
    beam: midpoint rule over the mass on its axis, and what its inertia has beside that of a line.
    """
    from mbplugin.model.orientation import matrix

    state = problem[State]
    total, spin = np.zeros(3), np.zeros(3)
    for row, kind in zip(problem[Bodies].index, problem.names.kinds):
        q = state.q[row.first_q : row.first_q + row.nq]
        v = state.v[row.first_v : row.first_v + row.nv]
        R, w, eta, u = np.array(matrix(tuple(q[3:7]))), v[3:6], q[7:], v[6:]
        plan = kind.plan(Params(row.nv - 6), Mass, None)
        points = 2000
        for x in (np.arange(points) + 0.5) / points - 0.5:
            r = kind.point(np.array([x * LENGTH, 0, 0]), np.eye(3), plan)
            phi = r[12:].reshape(-1, 6)[:, :3]
            s = r[:3] + eta @ phi
            moved = v[:3] + R @ (np.cross(w, s) + u @ phi)
            total += MASS / points * moved
            spin += MASS / points * np.cross(q[:3] + R @ s, moved)
        line = MASS * LENGTH**2 / 12
        spin += R @ ((INERTIA - [0.0, line, line]) * w)
    return total, spin


class Params:
    length, bending, deflection = LENGTH, BENDING, 0.0

    def __init__(self, modes):
        self.modes = int(modes)


class Mass:
    mass, inertia, center_of_mass = MASS, np.diag(INERTIA), np.zeros(3)


SPIN = {"angular_velocity": [1.0, 2.0, 6.0], "velocity": [0.3, -0.1, 0.2], "deflection": 0.04}


def test_in_free_flight_energy_and_momenta_stay(runs):
    """Beams of one and of four modes in one scene."""
    text = NO_GRAVITY + beam("one", 1, **SPIN) + beam("four", 4, position=[0, 3, 0], **SPIN)
    prepared = runs.prepare(text + solver(tolerance=1e-11, end=1.0))
    assert prepared.problem[Bodies].index.nv.tolist() == [7, 10]
    before = momenta(prepared.problem)
    first = float(prepared.recorder.frame()["energy/kinetic"])
    finish(prepared.start(1.0), 1.0)
    after = momenta(prepared.problem)
    for one, other in zip(before, after):
        np.testing.assert_allclose(other, one, atol=1e-5)
    frame = prepared.recorder.frame()
    assert abs(float(frame["energy/balance"])) < 1e-8
    assert abs(float(frame["energy/kinetic"]) - first) > 0.1


def test_it_moves_as_lagranges_equations_say(runs):
    """The same motion from T and V alone, in other coordinates: Euler angles x-y-z, the derivatives of M by
    complex steps.
    """
    n = 2
    squares = frequencies(n) ** 2

    def spins(a):
        """ω in body axes = B(a) ȧ."""
        _, y, z = a
        c, s = np.cos, np.sin
        return np.array([[c(y) * c(z), s(z), 0], [-c(y) * s(z), c(z), 0], [s(y), 0, 1]])

    def mass(y):
        """T = ½ ẏᵀ M(y) ẏ"""
        M = np.eye(3 + n, dtype=y.dtype)
        B, J = spins(y[:3]), INERTIA + (y[3:] @ y[3:]) * np.array([1, 0, 1])
        M[:3, :3] = B.T @ np.diag(J) @ B
        return M

    def rates(t, state):
        y, y_dot = state[: 3 + n], state[3 + n :]
        dM = np.array([mass(y + d).imag / 1e-30 for d in 1e-30j * np.eye(3 + n)])
        h = 0.5 * np.einsum("kij,i,j->k", dM, y_dot, y_dot) - np.einsum("kij,k,j->i", dM, y_dot, y_dot)
        h[3:] -= squares * y[3:]
        return np.concatenate([y_dot, np.linalg.solve(mass(y), h)])

    w, start, end = np.array([1.0, 2.0, 6.0]), 0.2, 0.6
    state = np.concatenate(
        [np.zeros(3), np.full(n, start), np.linalg.solve(spins(np.zeros(3)), w), np.zeros(n)]
    )
    truth = solve_ivp(rates, (0, end), state, rtol=1e-9, atol=1e-10, method="DOP853").y[:, -1]
    text = NO_GRAVITY + beam(modes=n, angular_velocity=w, deflection=start)
    prepared = runs.prepare(text + solver(tolerance=1e-10, end=end))
    finish(prepared.start(end), end)
    q = prepared.problem[State].q
    from mbplugin.model.orientation import matrix

    np.testing.assert_allclose(q[7:], truth[3 : 3 + n], atol=1e-6)
    turned = Rotation.from_euler("XYZ", truth[:3]).as_matrix()
    np.testing.assert_allclose(np.array(matrix(tuple(q[3:7]))).reshape(3, 3), turned, atol=1e-6)


def test_with_stiff_modes_it_moves_as_a_rigid_body(runs):
    """A pendulum held at one end: the deflections are of the size of the load over Ω²."""
    pivot = joint("pivot", "ball", "ground", "beam.end")
    keys = {
        "position": [0.8, 0, 0],
        "velocity": [0, 0.8, 0],
        "angular_velocity": [0.5, 0, 1],
        "marker": [{"name": "end", "position": [-0.8, 0, 0]}],
    }
    gravity = world(gravity=[0, -9.81, 0])
    ends = []
    for text in (beam(modes=3, bending=4e6, **keys), body("beam", mass=MASS, inertia=INERTIA, **keys)):
        keys_of = {"type": "galpha", "tolerance": 1e-6}
        prepared = runs.prepare(gravity + text + pivot + solver(end=0.5, **keys_of))
        finish(prepared.start(0.5), 0.5)
        ends.append(prepared.recorder.frame()["bodies/position"][0].copy())
    assert np.linalg.norm(ends[1] - [0.8, 0, 0]) > 0.4
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-5)


def test_gravity_bends_no_free_beam(runs):
    prepared = runs.prepare(world(gravity=[0, -9.81, 0]) + beam(modes=2) + solver(end=0.5))
    finish(prepared.start(0.5), 0.5)
    q = prepared.problem[State].q
    np.testing.assert_allclose(q[:3], [0, -0.5 * 9.81 * 0.25, 0], atol=1e-9)
    np.testing.assert_allclose(q[7:], 0.0, atol=1e-12)


def test_one_compilation_serves_any_number_of_modes(runs):
    """The generated text does not know the number, so nothing is compiled for another one."""
    first = runs.prepare(beam("one", 1) + beam("four", 4) + solver(end=0.1)).problem
    first.prepare_tangents()
    counted = compilations[0]
    second = runs.prepare(beam("two", 2) + beam("six", 6) + solver(end=0.1)).problem
    second.prepare_tangents()
    assert compilations[0] == counted
    texts = lambda problem: {k.text for k in [*problem.kernels, *problem.tangent_kernels]}
    assert texts(first) == texts(second)


@pytest.mark.parametrize("closed_form", [True, False])
def test_its_tangents_are_those_of_the_whole_system(runs, closed_form):
    """Beams with different numbers of modes, joined to each other and to a rigid body."""
    mark = {"marker": [{"name": "end", "position": [0.8, 0.1, 0]}]}
    text = (
        beam("one", 1, deflection=0.1, **mark)
        + beam("three", 3, position=[1.6, 0.2, 0], deflection=-0.1, **mark)
        + body("rigid", mass=1.0, inertia=[0.1, 0.2, 0.25], position=[2.4, 0.3, 0])
        + joint("a", "revolute", "one", "three", at=[0.8, 0.1, 0], axis=[0, 0.2, 1])
        + joint("b", "ball", "three.end", "rigid")
    )
    problem = runs.prepare(text + solver(end=1.0)).problem
    random = np.random.default_rng(2)
    problem[State].v[:] = random.normal(size=problem.nv)
    problem.check(entries.evaluate(problem.addresses))
    lam = random.normal(size=problem.nc)
    problem.prepare_tangents(closed_form=closed_form)
    K, D = whole_system(problem, lam)
    np.testing.assert_allclose(stiffness(problem, lam), K, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(damping(problem), D, atol=1e-10 * np.abs(D).max())


@pytest.mark.parametrize("modes", [1, 3])
def test_the_kit_finds_no_fault(modes):
    report = check_body(Beam, {"modes": modes, "length": 1.6, "bending": 4.0, "deflection": 0.05})
    assert report.ok, f"\n{report}"
