"""Derived functions beside kernels by hand in classes that inherit; planar bodies; two rows of velocities."""

from __future__ import annotations

import numpy as np
import pytest
from headless import Runs
from joints_by_hand import Pulley
from mbplugin_forces.spring_damper import SpringDamper
from scene_text import body, joint, solver, world
from test_against_hand import called, markers

from mbplugin.interface import VELOCITY_LEVEL, ConstraintKind, axis, hookimpl
from mbplugin.interface.tangent import tangent_of
from mbplugin.math.vec3 import add, cross, dot, norm, sub
from mbplugin.testing import check_constraint, check_force


class ByPhi(Pulley):
    """A kind whose kernel by hand is replaced by Φ."""

    name = "acme_by_phi"
    memory, accept = 0, None

    @staticmethod
    def phi(m, p):
        return norm(sub(m[1].x, m[0].x)) + p.ratio * norm(sub(m[3].x, m[2].x)) - p.length


class ByHand(ByPhi):
    """And that one by the old kernel again."""

    name = "acme_by_hand"
    memory, accept = Pulley.memory, Pulley.accept
    kernel = Pulley.kernel


class ByEnergy(SpringDamper):
    name = "acme_by_energy"
    outputs, memory, accept, warning = {}, 0, None, None

    @staticmethod
    def potential(a, b, p):
        return 0.5 * p.stiffness * (norm(sub(b.x, a.x)) - p.length) ** 2


@pytest.mark.parametrize("kind", [ByPhi, ByHand])
def test_the_newest_of_kernel_and_phi_is_taken(kind):
    derived = kind is ByPhi
    assert hasattr(kind.kernel, "source") == derived
    assert (tangent_of(kind, "tangent", "kernel") is not None) == derived
    m, p = markers(np.random.default_rng(2), 4), type("P", (), {"ratio": 2.0, "length": 3.0})
    found = []
    for each in (kind, Pulley):
        phi, G, gamma = np.zeros(1), np.zeros(24), np.zeros(1)
        given = {"phi": phi, "G": G, "gamma": gamma, "phi_t": np.zeros(1), "mem": np.zeros(6)}
        called(each.kernel, m=tuple(m), p=p, **given)
        found.append(np.concatenate([phi, G, gamma]))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)
    assert check_constraint(kind).ok


def test_an_energy_replaces_a_kernel_and_a_tangent_by_hand():
    assert hasattr(ByEnergy.kernel, "source") and hasattr(ByEnergy.tangent, "source")
    assert not hasattr(SpringDamper.kernel, "source") and not hasattr(SpringDamper.tangent, "source")
    assert check_force(ByEnergy).ok

    class Unchanged(ByEnergy):
        name = "acme_unchanged"

    assert Unchanged.kernel is ByEnergy.kernel


class Circle(ConstraintKind):
    """Between planar bodies only: b on a circle of radius 0.5 about a (1 row)."""

    name = "acme_circle"
    labels = ("radius",)
    spatial = False

    @staticmethod
    def phi(a, b):
        return norm(sub(b.x, a.x)) - 0.5


class Slot(ConstraintKind):
    """In space a point on the plane of a; between planar bodies on the line z = x²/2 of a."""

    name = "acme_slot"
    labels = ("height",)

    @staticmethod
    def phi(a, b):
        return dot(axis(a, 2), sub(b.x, a.x))

    class Planar:
        """A parabola."""

        @staticmethod
        def phi(a, b):
            d = sub(b.x, a.x)
            return dot(axis(a, 1), d) - 0.5 * dot(axis(a, 0), d) ** 2


class Ball(ConstraintKind):
    """A ball of radius 0.2 rolls on the plane of a, its height held by something else (2 rows)."""

    name = "acme_rolling"
    labels = ("rolling x", "rolling y")
    level = VELOCITY_LEVEL

    @staticmethod
    def psi(a, b):
        n = axis(a, 2)
        c = (-0.2 * n[0], -0.2 * n[1], -0.2 * n[2])
        slip = sub(add(b.v, cross(b.w, c)), add(a.v, cross(a.w, sub(add(b.x, c), a.x))))
        return dot(axis(a, 0), slip), dot(axis(a, 1), slip)


class Plugin:
    @hookimpl
    def mbplugin_constraint_types(self, register):
        for kind in (Circle, Slot, Ball):
            register(kind)


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(acme=Plugin())


def test_a_kind_for_planar_bodies_alone(runs):
    """A pendulum: ½ θ̇² = g/r (cos θ − cos θ₀)."""
    text = world(plane="xy", gravity=[0, -9.81, 0], marker=[{"name": "centre"}])
    start = [0.5 * np.sin(1.0), -0.5 * np.cos(1.0), 0]
    text += body("bob", type="planar", mass=0.7, inertia=0.1, position=start, marker=[{"name": "end"}])
    text += joint("wire", "acme_circle", "ground.centre", "bob.end") + solver(tolerance=1e-11, end=0.6)
    (frame,) = runs.frames(text, [0.6])
    x, v = frame["bodies/position"][0], frame["bodies/velocity"][0]
    assert np.linalg.norm(x) == pytest.approx(0.5, abs=1e-10)
    assert 0.5 * v @ v == pytest.approx(-9.81 * (x[1] - start[1]), abs=1e-8)
    assert x[1] < start[1] - 0.05


def test_phi_of_the_plane_replaces_that_of_space(runs):
    """A bead on a parabola: energy, and its place on the curve."""
    text = world(plane="xy", gravity=[0, -9.81, 0], marker=[{"name": "low"}])
    start = [0.6, 0.18, 0]
    text += body("bead", type="planar", mass=0.7, inertia=0.1, position=start, marker=[{"name": "end"}])
    text += joint("slot", "acme_slot", "ground.low", "bead.end") + solver(tolerance=1e-11, end=0.7)
    (frame,) = runs.frames(text, [0.7])
    x, v = frame["bodies/position"][0], frame["bodies/velocity"][0]
    assert x[1] == pytest.approx(0.5 * x[0] ** 2, abs=1e-10)
    assert 0.5 * v @ v == pytest.approx(9.81 * (0.18 - x[1]), abs=1e-8)
    assert x[0] < 0.5


def test_two_rows_of_velocities(runs):
    """A homogeneous ball on a slope: 5/7 g sin α (J. C. Maxwell); its spin is v/r."""
    g, slope, m, r = 9.81, 0.3, 0.8, 0.2
    gravity = [g * np.sin(slope), 0, -g * np.cos(slope)]
    inertia = [0.4 * m * r * r] * 3
    text = world(gravity=gravity, marker=[{"name": "floor"}, {"name": "rest", "position": [0, 0, r]}])
    text += body("ball", mass=m, inertia=inertia, position=[0, 0, r], marker=[{"name": "middle"}])
    text += joint("roll", "acme_rolling", "ground.floor", "ball.middle")
    text += joint("level", "point_on_plane", "ground.rest", "ball.middle", axis=[0, 0, 1])
    (frame,) = runs.frames(text + solver(tolerance=1e-11, end=0.7), [0.7])
    a = 5 / 7 * g * np.sin(slope)
    np.testing.assert_allclose(frame["bodies/position"][0], [0.5 * a * 0.49, 0, r], atol=1e-9)
    assert frame["bodies/angular_velocity"][0, 1] == pytest.approx(a * 0.7 / r, rel=1e-9)
    assert check_constraint(Ball).ok
