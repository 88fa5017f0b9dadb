"""Modes: closed forms of pendulums, chains and damped oscillators, and the series of a drawn mode."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from child import inside
from refusals import stopped
from scene_text import NO_GRAVITY, PLANAR_GRAVITY, body, joint, pin, spring, world
from small import hanging_chain, planar_rod, system
from small_systems import pendulum
from snapshots import same_message

from mbplugin.errors import PhysicsError
from mbplugin.results import RawResult


def two_masses_on_massless_rods() -> str:
    text = world(gravity=[0, -9.81, 0], marker=[{"name": "nail", "position": [0, 0, 0]}])
    for name, place in (("first", [0, -1.0]), ("second", [0.6, -1.8])):
        centre = [{"name": "centre", "position": [0, 0]}]
        text += body(name, type="planar", mass=1.3, inertia=0.2, position=place, marker=centre)
    text += joint("upper", "rod", "ground.nail", "first.centre")
    return text + joint("lower", "rod", "first.centre", "second.centre")


def test_double_pendulum_of_point_masses():
    """ω² = (2 ∓ √2) g / l; the masses turn freely about themselves: two modes of frequency 0."""
    report = system(two_masses_on_massless_rods()).analyze("eigen")
    exact = np.sqrt((2 + np.array([-1, 1]) * np.sqrt(2)) * 9.81)
    assert [m.kind for m in report.modes] == ["free", "free", "oscillatory", "oscillatory"]
    np.testing.assert_allclose(report.frequencies[2:], exact, rtol=1e-9)


def damped_chain(c: float) -> str:
    text = world(gravity=[0, 0, 0], marker=[{"name": "wall", "position": [4, 0, 0]}])
    for i in (1, 2, 3):
        text += body(f"m{i}", mass=2.0, inertia=[1, 1, 1], position=[i, 0, 0])
        text += joint(f"s{i}", "translational", "ground", f"m{i}", at=[i, 0, 0], axis=[1, 0, 0])
    ends = ["ground", "m1", "m2", "m3", "ground.wall"]
    for a, b in pairwise(ends):
        text += spring(a, b, stiffness=800.0, damping=c)
    return text


@pytest.mark.parametrize("c", [1.0, 20.0, 100.0])
def test_dampers_beside_springs_damp_each_mode_by_c_omega_over_2k(c):
    """Stiffness and damping proportional: s² + (c/k) ω² s + ω² = 0 of each undamped mode, also beyond
    critical damping.
    """
    report = system(damped_chain(c)).analyze("eigen")
    exact = []
    for i in (1, 2, 3):
        omega = 2 * np.sqrt(800.0 / 2.0) * np.sin(i * np.pi / 8)
        exact += [s for s in np.roots([1.0, c / 800.0 * omega**2, omega**2]) if s.imag >= 0]
    found = np.array([m.s for m in report.modes])
    key = lambda s: (round(abs(s), 6), round(s.real, 6))
    np.testing.assert_allclose(sorted(found, key=key), sorted(exact, key=key), rtol=1e-9)
    for mode in report.modes:
        if mode.s.imag:
            assert mode.zeta == pytest.approx(c * mode.omega / 1600.0, rel=1e-9)


def test_frequencies_of_a_hanging_chain_are_those_of_its_minimal_coordinates():
    """Five hanging rods, the lower end free: M_ij θ̈_j + K_i θ_i = 0 about the vertical."""
    n, side, m, g = 5, 0.2, 0.7, 9.81
    text = PLANAR_GRAVITY
    for i in range(n):
        text += planar_rod(f"rod{i}", m, side, [0, -(i + 0.5) * side], -np.pi / 2)
        text += pin(f"pin{i}", f"rod{i - 1}" if i else "ground", f"rod{i}", 0, -i * side)
    M, K = np.zeros((n, n)), np.zeros(n)
    for i in range(n):
        # the mass centre of rod k is at Σ_{j<k} l θ_j + l/2 θ_k
        arm = np.where(np.arange(n) < i, side, 0.0)
        arm[i] = side / 2
        M += m * np.outer(arm, arm)
        M[i, i] += m * side**2 / 12
        K += m * g * arm
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, np.diag(K))).real))
    np.testing.assert_allclose(system(text).analyze("eigen").frequencies, exact, rtol=1e-9)


def test_modes_of_a_chain_in_equilibrium_are_orthonormal_in_mass_and_stable():
    scene = system(hanging_chain(8, 1.0, 0.6))
    report = scene.analyze("eigen")
    problem = scene.compile()
    shapes = np.array([m.shape for m in report.modes])
    np.testing.assert_allclose(shapes @ problem.mass(report.q) @ shapes.T, np.eye(6), atol=1e-8)
    assert all(m.kind == "oscillatory" for m in report.modes)


def test_an_inverted_pendulum_has_an_unstable_mode():
    (mode,) = system(pendulum(position=[0, 0, 0.5])).analyze("eigen", about="start").modes
    assert mode.kind == "UNSTABLE" and mode.s.real == pytest.approx(np.sqrt(0.5 * 9.81 / 0.35), rel=1e-9)


def test_a_position_that_is_no_equilibrium_is_reported():
    messages = system(pendulum()).analyze("eigen", about="start").messages
    same_message("\n".join(messages))


def test_modes_of_a_welded_body_are_refused():
    text = NO_GRAVITY + body("a", mass=1.0, inertia=[1, 1, 1]) + joint("weld", "fixed", "ground", "a")
    with stopped(PhysicsError, 0):  # the mobility
        system(text).analyze("eigen")


def test_a_mode_is_drawn_over_one_period_with_its_loops_closed(tmp_path):
    (tmp_path / "scene.toml").write_text(hanging_chain(6, 1.0, 0.6))
    done = inside("analyze", "scene.toml", "eigen", "-o", "out", "--modes", "2", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    omega = json.loads(done.stdout)["modes"][0]["omega"]
    raw = RawResult(tmp_path / "out" / "mode_1" / "result.zarr")
    assert raw.time[-1] == pytest.approx(2 * np.pi / omega)
    x = raw["bodies/position"]
    np.testing.assert_allclose(x[0], x[-1], atol=1e-9)
    assert 0.02 < np.abs(x - x[:1]).max() < 0.2
    assert np.max(raw["constraints/drift_position"]) < 1e-9
    # opposite a quarter: mirror of the motion to first order only, so the mean is where it hangs to second
    # order
    assert (tmp_path / "out" / "mode_2" / "result.pvd").exists()
    assert not (tmp_path / "out" / "mode_3").exists()
    assert "== eigen analysis ==" in (tmp_path / "out" / "messages.txt").read_text()
