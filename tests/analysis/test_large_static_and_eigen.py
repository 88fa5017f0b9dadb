"""Equilibria and modes with sparse matrices: closed forms above 1,000 velocities, and the dense way below."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from refusals import has, stopped
from scene_text import NO_GRAVITY, body, hinge, joint, spring, table, torque, world
from small import along, hanging_chain, problem_of, rods_in_balance, system
from snapshots import same_message

from mbplugin.analysis.equilibrium import static as statics
from mbplugin.analysis.equilibrium.bordered import Constrained, Factor
from mbplugin.analysis.equilibrium.eigen import eigen
from mbplugin.analysis.equilibrium.lowest_modes import search_lowest
from mbplugin.analysis.equilibrium.static import static
from mbplugin.analysis.tangent.stiffness import sparse_stiffness
from mbplugin.errors import PhysicsError

MASS, STIFFNESS = 2.0, 1e5


def both_ways(text: str):
    """Static and eigen reports with sparse matrices, and with dense ones."""
    reports = []
    for sparse in (True, False):
        problem = problem_of(text)
        reports.append((static(problem, sparse=sparse), eigen(problem, 20, sparse=sparse)))
    return reports


def sliders(n: int, gravity: float = 0.0) -> str:
    """n spatial bodies on rails along x, not coupled."""
    text = world(gravity=[gravity, 0, 0], marker=[{"name": "wall", "position": [n + 1, 0, 0]}])
    for i in range(1, n + 1):
        text += body(f"m{i}", mass=MASS, inertia=[1, 1, 1], position=[i, 0, 0])
        text += joint(f"s{i}", "translational", "ground", f"m{i}", at=[i, 0, 0], axis=[1, 0, 0])
    return text


def chain_of_springs(n: int, damping: float = 0.0, gravity: float = 0.0, stiffness: float = STIFFNESS) -> str:
    """Masses on a line between two walls: ω_k = 2 √(k/m) sin(k π / (2 (n + 1)))."""
    ends = ["ground", *(f"m{i}" for i in range(1, n + 1)), "ground.wall"]
    return sliders(n, gravity) + "".join(
        spring(a, b, stiffness=stiffness, damping=damping) for a, b in pairwise(ends)
    )


def frequencies(n: int, count: int) -> np.ndarray:
    return 2 * np.sqrt(STIFFNESS / MASS) * np.sin(np.arange(1, count + 1) * np.pi / (2 * (n + 1)))


def hanging_links(n: int, length: float = 1.0, span: float = 0.6) -> str:
    """The chain of `hanging_chain` in space, of hinges about y, so that three rows are redundant."""
    side, mass = length / n, 2.0 * length / n
    slope = np.arctan2(np.sqrt(length**2 - span**2), span)
    nodes = along(np.zeros(2), side, np.where(np.arange(n) < n // 2, -slope, slope))
    text = world(gravity=[0, 0, -9.81])
    for i, (a, b) in enumerate(pairwise(nodes)):
        middle = [(a[0] + b[0]) / 2, 0, (a[1] + b[1]) / 2]
        inertia = mass * side**2 / 12 * np.array([0.1, 1.0, 1.0])
        text += body(f"rod{i}", mass=mass, inertia=inertia, position=middle)
        text += hinge(f"pin{i}", f"rod{i - 1}" if i else "ground", f"rod{i}", [a[0], 0, a[1]], [0, 1, 0])
    return text + hinge("last", "ground", f"rod{n - 1}", [nodes[-1][0], 0, nodes[-1][1]], [0, 1, 0])


def cantilever(n: int) -> str:
    """Bodies in a row, each held to the one before by a penalty joint of six stiffnesses."""
    text = world(gravity=[0, 0, -9.81])
    enforce = {"type": "penalty", "stiffness": 1e6, "damping": 0.0, "angular_damping": 0.0}
    for i in range(n):
        text += body(f"b{i}", mass=MASS, inertia=[0.1, 0.2, 0.3], position=[i + 0.5, 0, 0])
        before = f"b{i - 1}" if i else "ground"
        text += joint(f"weld{i}", "fixed", before, f"b{i}", at=[i, 0, 0], enforce=enforce)
    return text


def standing_rods(n: int, aside: float) -> str:
    """Rods on hinges, one above the other; gravity leans by `aside` [m/s²] to the side."""
    text = world(gravity=[aside, 0, -9.81])
    for i in range(n):
        text += body(f"rod{i}", mass=1.0, inertia=[0.08, 0.08, 0.01], position=[0, 0, i + 0.5])
        text += hinge(f"pin{i}", f"rod{i - 1}" if i else "ground", f"rod{i}", [0, 0, i], [0, 1, 0])
    return text


@pytest.mark.parametrize("text", [hanging_links(64), cantilever(20)], ids=["links", "cantilever"])
def test_sparse_and_dense_matrices_give_the_same(text):
    (rest, modes), (rest_dense, modes_dense) = both_ways(text)
    assert np.abs(rest.position - rest_dense.position).max() < 1e-9
    lam = rest_dense.states.lam
    assert np.abs(rest.states.lam - lam).max(initial=0.0) <= 1e-9 * np.abs(lam).max(initial=0.0)
    assert rest.stable and rest_dense.stable and rest.dof == rest_dense.dof
    np.testing.assert_allclose(rest.stiffnesses, rest_dense.stiffnesses[:20], rtol=1e-9)
    np.testing.assert_allclose(modes.frequencies, modes_dense.frequencies, rtol=1e-9)
    assert len(modes.modes) == 20 and not modes.complete
    assert modes.lines()[0].startswith(f"the 20 lowest modes of {rest.dof} degrees of freedom")


@pytest.mark.parametrize("n", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_lowest_modes_of_many_masses_on_springs(n):
    report = system(chain_of_springs(n)).analyze("eigen")
    np.testing.assert_allclose(report.frequencies, frequencies(n, 20), rtol=1e-9)
    assert report.dof == n and not report.complete and not report.messages[1:]
    assert [m.kind for m in report.modes] == ["oscillatory"] * 20


def test_heavy_masses_on_springs_sag_like_a_parabola():
    """Spring forces grow by m g from each mass to the next: u_i = m g i (n + 1 − i) / 2k."""
    n = 200
    report = system(chain_of_springs(n, gravity=9.81)).analyze("static")
    i = np.arange(1, n + 1)
    exact = MASS * 9.81 * i * (n + 1 - i) / (2 * STIFFNESS)
    np.testing.assert_allclose(report.position[:, 0] - i, exact, atol=1e-9)
    assert report.stable
    np.testing.assert_allclose(report.stiffnesses, frequencies(n, 20) ** 2, rtol=1e-9)


@pytest.mark.parametrize("c", [pytest.param(3.0, marks=pytest.mark.slow), 2000.0])
def test_dampers_beside_many_springs_damp_each_mode_by_c_omega_over_2k(c):
    """Also beyond critical damping, where the slow ones of overdamped roots are among the lowest."""
    n = 100
    report = eigen(problem_of(chain_of_springs(n, damping=c)), 20, sparse=True)
    roots = [np.roots([1.0, c / STIFFNESS * w * w, w * w]) for w in frequencies(n, n)]
    exact = np.concatenate(roots)
    exact = exact[exact.imag >= 0]
    exact = exact[np.argsort(np.abs(exact), kind="stable")][:20]
    found = np.array([m.s for m in report.modes])
    key = lambda s: (round(abs(s), 6), round(s.real, 6))
    np.testing.assert_allclose(sorted(found, key=key), sorted(exact, key=key), rtol=1e-8)


def test_a_chain_of_400_rods_hangs_in_the_equilibrium_of_its_rods():
    report = system(hanging_chain(400, 1.0, 0.6)).analyze("static")
    exact, H = rods_in_balance(400, 1.0, 0.6, 2.0)
    assert np.abs(report.position[:, :2] - exact).max() < 1e-9
    np.testing.assert_allclose(report.reactions[0], [-H, 9.81, 0, 0, 0, 0], atol=1e-8)
    assert report.stable and report.dof == 398 and len(report.stiffnesses) == 20


def test_equal_frequencies_are_all_found():
    """Every seventh mass on a soft spring and the others on stiff ones, none coupled with another."""
    n = 200
    text = sliders(n)
    for i in range(1, n + 1):
        length = {"length": float(i)}
        text += spring("ground", f"m{i}", stiffness=50.0 if i % 7 == 1 else 800.0, **length)
    problem = problem_of(text)
    modes = eigen(problem, 40)
    soft = len(range(1, n + 1, 7))
    exact = np.where(np.arange(40) < soft, 5.0, 20.0)
    np.testing.assert_allclose(modes.frequencies, exact, rtol=1e-9)
    M = problem.mass(problem.q)
    shapes = np.array([m.shape for m in modes.modes])
    np.testing.assert_allclose(shapes @ M @ shapes.T, np.eye(40), atol=1e-8)


def test_a_further_search_finds_what_lies_beside_known_modes():
    n = 120
    problem = problem_of(chain_of_springs(n))
    constrained = Constrained(problem)
    K = constrained.scaled(sparse_stiffness(problem, np.zeros(problem.nc)))
    factor = Factor(constrained, K)
    _, first = search_lowest(constrained, factor, K, 0.0, np.zeros((problem.nv, 0)), 3, 0)
    values, shapes = search_lowest(constrained, factor, K, 0.0, first, 4, 1)
    np.testing.assert_allclose(values, frequencies(n, 7)[3:] ** 2, rtol=1e-9)
    assert np.abs(first.T @ constrained.M @ shapes).max() < 1e-9


def test_pivots_count_the_frequencies_below_a_limit():
    n = 120
    problem = problem_of(chain_of_springs(n))
    constrained = Constrained(problem)
    K = constrained.scaled(sparse_stiffness(problem, np.zeros(problem.nc)))
    for k, omega in enumerate(frequencies(n, n)):
        if k % 10 == 3:
            assert Factor(constrained, K - 0.9999 * omega**2 * constrained.M).negative == k
            assert Factor(constrained, K - 1.0001 * omega**2 * constrained.M).negative == k + 1


@pytest.mark.parametrize("n", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_standing_rods_fall_until_they_hang(n):
    aside = 0.02
    report = static(problem_of(standing_rods(n, aside)), sparse=True)
    down = np.array([aside, 0, -9.81]) / np.hypot(aside, 9.81)
    np.testing.assert_allclose(report.position, (np.arange(n) + 0.5)[:, None] * down, atol=1e-8)
    assert report.stable


def test_rods_that_stand_upright_are_unstable_in_every_mode():
    (rest, modes), (_, modes_dense) = both_ways(standing_rods(30, 0.0))
    assert rest.unstable and rest.stiffnesses[0] < 0.0
    assert [m.kind for m in modes.modes] == ["UNSTABLE"] * 20
    np.testing.assert_allclose(modes.frequencies, modes_dense.frequencies, rtol=1e-9)


def test_of_many_unstable_modes_those_that_are_left_out_are_counted():
    modes = eigen(problem_of(standing_rods(80, 0.0)), sparse=True)
    (message,) = [line for line in modes.messages if has(line, 60)]
    same_message(message)


def test_a_motion_without_stiffness_is_free_and_does_not_move():
    """A damped chain of masses whose ends are free: ω = 2 √(k/m) sin(k π / 2n), k = 0, 1, ..."""
    n = 200
    text = sliders(n)
    for i in range(1, n):
        text += spring(f"m{i}", f"m{i + 1}", stiffness=STIFFNESS, length=1.0, damping=5.0)
    problem = problem_of(text)
    rest, modes = static(problem), eigen(problem)
    assert not rest.stable and not rest.unstable
    assert rest.moved.max() < 1e-9
    exact = 2 * np.sqrt(STIFFNESS / MASS) * np.sin(np.arange(20) * np.pi / (2 * n))
    np.testing.assert_allclose(modes.frequencies, exact, rtol=1e-9, atol=1e-9)
    assert modes.modes[0].kind == "free" and "1 mode of frequency 0 in all" in modes.messages


@pytest.mark.parametrize(
    ("n", "stiffness"), [(10, 1e3), pytest.param(170, STIFFNESS, marks=pytest.mark.slow)]
)
def test_a_body_that_falls_from_a_large_system_is_named(monkeypatch, n, stiffness):
    """The one that a step would move farthest."""
    monkeypatch.setattr(statics, "LARGE_SYSTEM", min(n, statics.LARGE_SYSTEM))
    text = chain_of_springs(n, gravity=9.81, stiffness=stiffness) + body("stone", mass=1.0, inertia=[1, 1, 1])
    with stopped(PhysicsError, '"stone"', "9.81 N", hide=r"after .*"):
        system(text).analyze("static")


@pytest.mark.parametrize("part", [0.5, pytest.param(1.0, marks=pytest.mark.slow)])
def test_torques_without_a_potential_are_balanced(part):
    """K is not symmetric where a torque about a fixed axis acts on a ball joint."""
    text = world(gravity=[0, 0, -9.81])
    for i in range(3):
        text += body(f"top{i}", mass=2.0, inertia=[0.3, 0.4, 0.5], position=[i + 0.1, 0.1, -0.6])
        text += joint(f"point{i}", "ball", "ground", f"top{i}", at=[i, 0, 0])
        text += torque(f"top{i}", x=2.5 * part, y=-part)
    rest = static(problem_of(text), sparse=True)
    arm = rest.position - np.arange(3)[:, None] * [1.0, 0, 0]
    moment = np.cross(arm, [0, 0, -2.0 * 9.81])
    np.testing.assert_allclose(moment[:, :2], np.tile([-2.5 * part, part], (3, 1)), atol=1e-9)


def test_few_motions_of_many_bodies_are_all_modes():
    """A long closed chain of welded bodies on one hinge with a torsion spring, ω² = k / J."""
    n = 170
    text = NO_GRAVITY + body("b0", mass=1.0, inertia=[1, 1, 1], position=[0, 0, 0])
    text += hinge("pin", "ground", "b0")
    for i in range(1, n):
        text += body(f"b{i}", mass=1.0, inertia=[1, 1, 1], position=[0, 0, i])
        text += joint(f"weld{i}", "fixed", f"b{i - 1}", f"b{i}", at=[0, 0, i])
    text += table("force", type="torsion_spring_damper", a="ground", b="b0", stiffness=50.0)
    report = system(text).analyze("eigen")
    np.testing.assert_allclose(report.frequencies, [np.sqrt(50.0 / n)], rtol=1e-9)
    assert report.complete and report.lines()[0] == "1 modes"


def test_the_number_of_modes_is_chosen_by_lowest():
    report = system(chain_of_springs(6)).analyze("eigen", lowest=2)
    np.testing.assert_allclose(report.frequencies, frequencies(6, 2), rtol=1e-9)
    assert has(report.lines()[0], 2, 6, "--lowest")
