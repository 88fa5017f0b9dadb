"""Kinds that are written as Φ, ψ, V and R alone: the kit, and motions with closed forms."""

from __future__ import annotations

import derived_kinds
import numpy as np
import pytest
from scene_text import body, joint, solver, table, world

from mbplugin.testing import check_constraint, check_force, check_measure

#: kinds of each make in the default run: rows, branches, three markers with a spline, velocities, energies
QUICK = (
    "on_cubic",
    "acme_cam",
    "acme_driven",
    "acme_ball_on_plane",
    "acme_morse",
    "acme_spline_curve",
    "acme_hardening",
    "acme_net",
    "acme_reel",
    "acme_creeping",
    "acme_bristles",
)


def cases(named):
    return [
        pytest.param(thing, id=name, marks=() if name in QUICK else pytest.mark.slow) for name, thing in named
    ]


@pytest.mark.parametrize("measure", cases(derived_kinds.MEASURES.items()))
def test_measures_conform(measure):
    report = check_measure(measure.phi.__name__, measure)
    assert report.ok, f"\n{report}"


@pytest.mark.parametrize("kind", cases((kind.name, kind) for kind in derived_kinds.KINDS))
def test_constraints_conform(kind):
    report = check_constraint(kind)
    assert report.ok, f"\n{report}"
    assert all(cost.compiled for cost in report.cost.values())


@pytest.mark.parametrize("kind", cases((kind.name, kind) for kind in derived_kinds.FORCES))
def test_forces_conform(kind):
    report = check_force(kind)
    assert report.ok, f"\n{report}"
    assert kind.measures or any("K" in check.what for check in report.checks)


SOLVERS = [solver(tolerance=1e-10, end=1.0), solver(type="galpha", tolerance=1e-8, end=1.0)]


@pytest.mark.parametrize("by", SOLVERS, ids=["rk", "galpha"])
def test_bead_on_a_helix(runs, by):
    """z̈ = −g k²/(r² + k²), with k = pitch/2π."""
    r, pitch, g = 0.3, 0.5, 9.81
    text = (
        world(gravity=[0, 0, -g], marker=[{"name": "wire"}])
        + body("bead", type="point", mass=0.4, position=[r, 0, 0], marker=[{"name": "centre"}])
        + joint("on_wire", "acme_helix", "ground.wire", "bead.centre", radius=r, pitch=pitch)
        + by
    )
    k = pitch / (2 * np.pi)
    frames = runs.frames(text, [0.5, 1.0])
    for t, frame in zip((0.5, 1.0), frames):
        z = -0.5 * g * k**2 / (r**2 + k**2) * t**2
        place = [r * np.cos(z / k), r * np.sin(z / k), z]
        tolerance = 1e-8 if "galpha" not in by else 1e-5
        np.testing.assert_allclose(frame["bodies/position"][0], place, atol=tolerance)


def test_skate_on_a_slope_does_not_drift_downhill(runs):
    """x = g sin α sin² ωt / 2ω², y = g sin α (ωt − ½ sin 2ωt) / 2ω² for a blade that points downhill at t = 0
    (Ju. I. Neimark & N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972: knife edge on an inclined plane).
    """
    g, slope, omega = 9.81, 0.2, 1.7
    text = (
        world(gravity=[g * np.sin(slope), 0, -g * np.cos(slope)], marker=[{"name": "ice"}])
        + body(
            "skate",
            mass=2.0,
            inertia=[0.1, 0.1, 0.15],
            angular_velocity=[0, 0, omega],
            marker=[{"name": "blade"}],
        )
        + joint("flat", "planar", "ground.ice", "skate.blade")
        + joint("edge", "acme_skate", "ground.ice", "skate.blade")
        + solver(tolerance=1e-11, end=4.0)
    )
    for t, frame in zip((1.0, 4.0), runs.frames(text, [1.0, 4.0])):
        size = g * np.sin(slope) / (2 * omega**2)
        place = [size * np.sin(omega * t) ** 2, size * (omega * t - 0.5 * np.sin(2 * omega * t)), 0.0]
        np.testing.assert_allclose(frame["bodies/position"][0], place, atol=1e-8)


def test_small_oscillations_in_a_morse_potential(runs):
    """ω² = 2 D a² / m near the minimum, and of any size ω(E) = a √(2 (D − E)/m) (P. M. Morse 1929)."""
    depth, width, length, m = 2.0, 1.5, 0.8, 0.7
    stretch = 0.2
    energy = depth * (1 - np.exp(-width * stretch)) ** 2
    period = 2 * np.pi / (width * np.sqrt(2 * (depth - energy) / m))
    text = (
        world(gravity=[0, 0, 0], marker=[{"name": "origin"}])
        + body("atom", type="point", mass=m, position=[length + stretch, 0, 0])
        + table("force", name="bond", type="acme_morse", a="ground.origin", b="atom", damping=0.0)
        + solver(tolerance=1e-11, end=3 * period)
    )
    (frame,) = runs.frames(text, [3 * period])
    np.testing.assert_allclose(frame["bodies/position"][0], [length + stretch, 0, 0], atol=1e-8)
    assert abs(float(frame["energy/balance"])) < 1e-9


@pytest.mark.parametrize("angle", [0.4, 1.5])
def test_a_cycloid_is_isochronous(runs, angle):
    """s̈ = −(g/4r) s for the arc s = 4 r sin θ/2 (Chr. Huygens, Horologium oscillatorium, 1673)."""
    r, g = 0.25, 9.81
    quarter = np.pi * np.sqrt(r / g)
    start = [r * (angle + np.sin(angle)), 0, r * (1 - np.cos(angle))]
    text = (
        world(gravity=[0, 0, -g], marker=[{"name": "wire"}])
        + body("bead", type="point", mass=0.4, position=start, marker=[{"name": "centre"}])
        + joint("on_wire", "acme_cycloid", "ground.wire", "bead.centre", radius=r, near=angle)
        + solver(tolerance=1e-11, end=4 * quarter)
    )
    for turn, frame in zip(
        (1.0, 0.0, -1.0, 1.0), runs.frames(text, [1e-9, quarter, 2 * quarter, 4 * quarter])
    ):
        place = [turn * start[0], 0, abs(turn) * start[2]]
        np.testing.assert_allclose(frame["bodies/position"][0], place, atol=2e-9)
    assert abs(float(frame["energy/balance"])) < 1e-9


@pytest.mark.parametrize("kind", ["acme_ellipses", "acme_rolling_ellipses"])
def test_elliptical_gears(runs, kind):
    """Equal ellipses that turn about foci 2 a apart touch between them: r₁ + r₂ = 2 a with
    r₁ = a (1 − e²)/(1 + e cos φ₁), r₂ = a (1 − e²)/(1 − e cos φ₂), and roll (F. Reuleaux, Kinematics, 1876).
    """
    a, b = 0.4, 0.3
    e = np.sqrt(1 - (b / a) ** 2)
    wheel = lambda name, x: body(
        name, mass=1.0, inertia=[0.1, 0.1, 0.1], position=[x, 0, 0], marker=[{"name": "focus"}]
    )
    text = (
        world(gravity=[0, 0, 0], marker=[{"name": "one"}, {"name": "two", "position": [2 * a, 0, 0]}])
        + wheel("first", 0.0)
        + wheel("second", 2 * a)
        + joint("pivot", "revolute", "ground.one", "first.focus")
        + joint("other", "revolute", "ground.two", "second.focus")
        + joint("mesh", kind, "first.focus", "second.focus", major=a, minor=b, first=0.0, second=np.pi)
        + table("motion", joint="pivot", angle="0.9*time")
        + solver(tolerance=1e-10, end=2.5)
    )
    for t, frame in zip((1.0, 2.5), runs.frames(text, [1.0, 2.5])):
        r2 = 2 * a - a * (1 - e**2) / (1 + e * np.cos(0.9 * t))
        angle = np.arccos((1 - a * (1 - e**2) / r2) / e)
        q = frame["bodies/orientation"][1]
        found = 2 * np.arctan2(-q[3], q[0])
        assert found == pytest.approx(angle, abs=1e-8)


GUIDED = (
    world(gravity=[0, 0, -9.81], marker=[{"name": "centre"}, {"name": "well", "position": [1.0, 0.2, 0.1]}])
    + body(
        "arm",
        mass=1.0,
        inertia=[0.01, 0.02, 0.02],
        position=[0.3, 0, 0.2],
        marker=[{"name": "tip", "position": [0.2, 0, 0]}],
    )
    + body(
        "bob",
        mass=0.5,
        inertia=[0.002, 0.002, 0.002],
        position=[0.7, 0, 0.2],
        marker=[{"name": "in", "position": [-0.2, 0, 0]}, {"name": "end", "position": [0.1, 0, 0]}],
    )
    + joint("axle", "cylindrical", "ground", "arm", at=[0, 0, 0.2], axis=[0, 0, 1])
    + joint("wrist", "ball", "arm.tip", "bob.in")
    + joint("guide", "acme_bump", "ground.centre", "arm.tip")
    + table("force", name="pull", type="acme_morse", a="ground.well", b="bob.end")
)
WAYS = {
    "joint coordinates": (solver(tolerance=1e-10, end=1.0, coordinates="joint"), 1e-7),
    "galpha": (solver(type="galpha", tolerance=1e-9, end=1.0), 1e-6),
    "contact": (solver(type="contact", step=5e-4, end=1.0), 2e-5),
}


@pytest.fixture(scope="module")
def guided(runs):
    return runs.frames(GUIDED + solver(tolerance=1e-11, end=1.0), [1.0])[0]["bodies/position"]


@pytest.mark.parametrize("way", WAYS)
def test_one_motion_under_all_solvers_and_coordinates(runs, guided, way):
    text, tolerance = WAYS[way]
    (frame,) = runs.frames(GUIDED + text, [1.0])
    np.testing.assert_allclose(frame["bodies/position"], guided, atol=tolerance)
    assert np.ptp(guided) > 0.1


def test_a_hardening_spring_on_a_coordinate(runs):
    """The period of s̈ = −(k/m) s³ from rest at s₀ is 7.416298709205487/(s₀ √(k/m)), 4 ∫ ds/√((1 − s⁴)/2)
    (A. H. Nayfeh & D. T. Mook, Nonlinear Oscillations, 1979).
    """
    k, m, start = 3.0, 0.7, 0.4
    period = 7.416298709205487 / (start * np.sqrt(k / m))
    text = (
        world(gravity=[0, 0, 0])
        + body("block", mass=m, inertia=[0.1, 0.1, 0.1])
        + joint("slide", "translational", "ground", "block", axis=[1, 0, 0], start={"length": start})
        + table("force", name="spring", type="acme_hardening", joint="slide", stiffness=k)
        + solver(tolerance=1e-11, end=period)
    )
    (frame,) = runs.frames(text, [period])
    np.testing.assert_allclose(frame["bodies/position"][0], [start, 0, 0], atol=1e-9)
    assert float(frame["outputs/value"][0]) == pytest.approx(-k * start**3, rel=1e-8)
