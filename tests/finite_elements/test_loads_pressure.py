"""Pressure on faces: resultants, direction, stress that it balances, tangent."""

from collections import namedtuple

import numpy as np
import pytest
from loaded_blocks import ELEMENTS, POISSON, SIX, SIZE, YOUNG, Loaded, law_of, pressure, text
from mbplugin_flexible.elements.faces import face_rule
from mbplugin_flexible.loads.pressure import Pressure

from mbplugin.interface import Marker
from mbplugin.tables.groups import Wrenches
from mbplugin.testing import check_force

P = 3e4


@pytest.fixture(scope="module", params=ELEMENTS)
def pressed(request):
    """A block under the same pressure from all sides."""
    return request.param, Loaded(text(request.param, "".join(pressure(side, P) for side in SIX)))


def test_a_closed_surface_has_no_resultant_and_no_moment(pressed):
    _, block = pressed
    for seed in range(3):
        x, f = block.loads(block.deformed(seed))
        size = np.linalg.norm(f, axis=1).sum()
        assert size > P * SIZE[0] * SIZE[1]
        assert np.abs(f.sum(axis=0)).max() < 1e-13 * size
        assert np.abs(np.cross(x - x.mean(axis=0), f).sum(axis=0)).max() < 1e-13 * size


def test_the_power_is_that_of_the_enclosed_volume(pressed):
    """P dV/dt, with the volume (1/3) ∫ x·n da of the surface by differences along a motion."""
    _, block = pressed
    y, v = block.deformed(), np.random.default_rng(7).normal(size=block.rest.shape)
    block.loads(y, v=v)
    power = block.problem[Wrenches].power.sum()

    def volume(y):
        x, f = block.loads(y)
        return -np.sum(x * f) / (3.0 * P)

    # a cubic in s: this formula of fourth order is exact
    at = [volume(y + s * v) for s in (-0.02, -0.01, 0.01, 0.02)]
    rate = (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / 0.12
    assert volume(block.rest) == pytest.approx(SIZE.prod(), rel=1e-13)
    assert power == pytest.approx(-P * rate, rel=1e-9)


def test_the_stress_of_a_homogeneous_strain_balances_it(pressed):
    """All nodes are in equilibrium at the stretch whose stress is −p, which is found by bisection."""
    elements, block = pressed
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    lower, upper = 0.8, 1.0
    for _ in range(60):
        s = 0.5 * (lower + upper)
        lower, upper = (s, upper) if mean_stress(elements, s) < -P else (lower, s)
    h = block.forces(s * block.rest @ turn.T)
    _, f = block.loads(s * block.rest @ turn.T)
    assert np.abs(h).max() < 1e-12 * np.abs(f).max()
    assert np.abs(block.forces(block.rest)).max() > 0.1 * np.abs(f).max()  # the loads alone


def mean_stress(elements, s):
    """Cauchy stress of the stretch s in all directions."""
    lam, mu = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    if law_of(elements) == "linear":
        return (2 * mu + 3 * lam) * (s - 1) / s**2
    return (mu * (s**2 - 1) + 3 * lam * np.log(s)) / s**3


def test_it_pushes_against_the_outer_normal():
    for side in SIX:
        block = Loaded(text(forces=pressure(side, P)))
        axis, sign = "xyz".index(side[0]), 1.0 if side[1] == "+" else -1.0
        area = SIZE.prod() / SIZE[axis]
        _, f = block.loads(block.rest)
        expected = -sign * P * area * block.R0[:, axis]
        np.testing.assert_allclose(f.sum(axis=0), expected, atol=1e-12 * P * area)


def test_the_resultant_on_an_open_set_is_that_of_its_edge():
    """p times the area vector ½ ∮ x × dx of the deformed edge, here of four straight lines a side."""
    block = Loaded(text("hex8", pressure("z+", P)))
    y = block.deformed(5)
    top = np.flatnonzero(block.rest[:, 2] > block.rest[:, 2].max() - 1e-9)
    arms = block.rest[top] - block.rest[top].mean(axis=0)
    # all nodes of 2 × 1 faces are on the edge
    loop = y[top[np.argsort(np.arctan2(arms[:, 1], arms[:, 0]))]] @ block.R0.T
    area = 0.5 * np.cross(loop, np.roll(loop, -1, axis=0)).sum(axis=0)
    _, f = block.loads(y)
    np.testing.assert_allclose(f.sum(axis=0), -P * area, atol=1e-12 * P * np.linalg.norm(area))


def test_its_value_is_an_expression_of_time():
    block = Loaded(text(forces=pressure("x+", "100*sin(3*time)")))
    _, f = block.loads(block.rest, t=0.4)
    size = 100.0 * np.sin(1.2) * SIZE[1] * SIZE[2]
    assert np.linalg.norm(f.sum(axis=0)) == pytest.approx(size, rel=1e-12)


@pytest.mark.parametrize(
    "nodes", [pytest.param(n, marks=pytest.mark.slow if n in (3, 9) else ()) for n in (3, 4, 6, 9)]
)
def test_the_tangent_is_the_difference_of_the_forces(nodes):
    """The forces are quadratic in the positions, so that central differences with any step are exact."""
    random = np.random.default_rng(nodes)
    x0 = random.normal(size=(nodes, 3))
    numbers = Pressure.face_numbers(None, x0, face_rule(nodes))
    p = namedtuple("P", numbers)(**{name: np.array(array) for name, array in numbers.items()})
    u = namedtuple("U", "pressure")((1.7, 0.0, 0.0))

    def forces(x):
        wrench = np.full((nodes, 6), np.nan)
        Pressure.kernel(markers(x), p, u, wrench)
        return wrench

    K = np.zeros((6 * nodes, 6 * nodes))
    Pressure.tangent(markers(x0), p, u, K)
    for b in range(nodes):
        for j in range(3):
            step = np.zeros((nodes, 3))
            step[b, j] = 0.5
            change = forces(x0 + step) - forces(x0 - step)
            np.testing.assert_allclose(K[:, 6 * b + j], -change.ravel(), atol=1e-12)
    assert not K.reshape(nodes, 6, nodes, 6)[:, :, :, 3:].any()
    assert np.abs(K - K.T).max() > 0.1


def markers(x):
    axes, still = tuple(np.eye(3).ravel()), (0.0, 0.0, 0.0)
    return tuple(Marker(tuple(row), axes, still, still) for row in x)


def test_the_kit():
    report = check_force(Pressure)
    assert report.ok, f"\n{report}"
