"""Equilibria of machine elements: band brake, rope over a peg, screw jack with a collar, door at its stop."""

from __future__ import annotations

import math

import pytest
from scene_text import body, joint, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

G, MU, RADIUS, WEIGHT = 9.81, 0.3, 0.2, 5.0
GRIP = math.exp(MU * math.pi)
NEARLY, BEYOND = 0.999, 1.001


def equilibrium(text: str, **options):
    return mb.System.from_text(text).analyze("static", **options)


def bound(report, name: str):
    return next(one for one in report.bounds if one.name == name)


def hung(name: str, mass: float, x: float) -> str:
    """A weight below the drum that can move along z alone."""
    return body(name, type="point", mass=mass, position=[x, 0, -1]) + joint(
        f"{name}_guide", "point_on_line", "ground", name, at=[x, 0, -1], axis=[0, 0, 1]
    )


def band(a: str, b: str, drum: str, **keys) -> str:
    keys = {"friction": MU, "radius": RADIUS, "direction": "positive", **keys}
    return table("joint", name="band", type="capstan", markers=[a, b, drum], axis=[0, 1, 0], **keys)


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_rope_over_a_peg_holds_up_to_its_grip(part):
    """Tensions differ at most by e^{μπ}; beyond it the heavier weight sinks."""
    text = world(gravity=[0, 0, -G], marker=[{"name": "peg", "position": [0, 0, 0]}])
    text += hung("light", WEIGHT, -RADIUS) + hung("heavy", part * GRIP * WEIGHT, RADIUS)
    text += band("light", "heavy", "ground.peg")
    report = equilibrium(text)
    if part < 1.0:
        assert report.moved == pytest.approx([0.0, 0.0], abs=1e-12)
    else:
        # until the light one has come up to the peg
        assert -report.position[1, 2] - 1.0 > 0.9


def brake(torque: float, stiffness: float | None = None) -> str:
    """A drum in a band, from the ground to a weight, which a torque turns against the weight's side."""
    text = world(gravity=[0, 0, -G], marker=[{"name": "anchor", "position": [-RADIUS, 0, -1]}])
    text += body("drum", mass=1, inertia=[0.1] * 3)
    text += joint("axle", "revolute", "ground", "drum", at=[0, 0, 0], axis=[0, 1, 0], stiffness=stiffness)
    text += hung("weight", WEIGHT, RADIUS) + band("ground.anchor", "weight", "drum")
    return text + table("force", name="torque", type="torque", body="drum", torque_y=torque)


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_band_brake_holds_up_to_its_torque(part):
    """(e^{μπ} − 1) r m g where the band pulls itself tight, on the side of its anchor."""
    most = (GRIP - 1.0) * RADIUS * WEIGHT * G
    if part < 1.0:
        report = equilibrium(brake(part * most))
        assert report.position[0] == pytest.approx([0.0] * 3, abs=1e-12)
        return
    with pytest.raises(PhysicsError, match='turning of body "drum"'):
        equilibrium(brake(part * most))
    # with a spring on its axle it turns until that takes what the band does not
    report = equilibrium(brake(1.2 * most, stiffness=40.0), positions=2)
    assert 40.0 * abs(report.coordinate[0, 0]) == pytest.approx(0.2 * most, rel=1e-7)


PITCH, COLLAR, ARM, LOAD = 0.006, 0.05, 0.5, 2000.0


def jack(friction: float) -> str:
    """A spindle in a nut under a load, which turns on a collar of the spindle's head, and which a pin at an
    arm keeps from turning.
    """
    return (
        world(gravity=[0, 0, -G])
        + body("spindle", mass=1e-3, inertia=[0.3, 0.3, 0.05])
        + body("load", mass=LOAD, inertia=[50] * 3, position=[0, 0, 0.6])
        + joint("nut", "screw", "ground", "spindle", at=[0, 0, 0], axis=[0, 0, 1], pitch=PITCH)
        + joint(
            "head",
            "revolute",
            "spindle",
            "load",
            at=[0, 0, 0.5],
            axis=[0, 0, 1],
            friction=friction,
            radius=COLLAR,
        )
        + joint("pin", "point_on_plane", "ground", "load", at=[ARM, 0, 0.5], axis=[0, 1, 0])
    )


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_a_screw_jack_locks_itself_by_its_collar(part):
    """Held where μ r (F + S) = F p/2π, with the force S = F p/2π/a of the pin on its arm a."""
    torque = PITCH / (2.0 * math.pi)
    least = torque / (COLLAR * (1.0 + torque / ARM))
    if part > 1.0:
        report = equilibrium(jack(part * least))
        assert report.position[1] == pytest.approx([0, 0, 0.6], abs=1e-12)
        assert bound(report, "head.angle.friction").share == pytest.approx(1.0 / part, rel=1e-4)
    else:
        with pytest.raises(PhysicsError, match=r'"(load|spindle)" on its way along \[0, 0, -1\]'):
            equilibrium(jack(part * least))


def test_a_door_in_the_wind_leans_on_its_stop_and_leaves_it():
    """The stop carries F w/2 less the closer's torque; against the wind the closer alone holds it."""
    width, closer = 0.9, 20.0
    text = (
        world(gravity=[0, 0, -G])
        + body(
            "door",
            mass=30,
            inertia=[1, 1, 1],
            position=[width / 2, 0, 1],
            marker=[{"name": "front", "position": [0, 0, 0]}],
        )
        + joint(
            "hinge",
            "revolute",
            "ground",
            "door",
            at=[0, 0, 1],
            axis=[0, 0, 1],
            limits=[0, 1.5],
            stiffness=closer,
        )
        # a wind of 40 N against its face, wherever it stands
        + table(
            "force", name="wind", type="joint_force", joint="hinge", torque=f"{width / 2}*40*(1 - 2*time)"
        )
        + table("solver", end=1)
    )
    report = equilibrium(text, positions=9)
    torque = 18.0 * (1.0 - 2.0 * report.states.time)
    angle = torque / closer
    angle[angle < 0.0] = 0.0
    assert report.coordinate[:, 0] == pytest.approx(angle, abs=1e-10)
    lower = report.bounds.index("hinge.angle.lower_limit")
    stop = -torque
    stop[stop < 0.0] = 0.0
    assert report.force[:, lower] == pytest.approx(stop, abs=1e-9)
