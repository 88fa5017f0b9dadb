"""Rolling and spinning friction: closed forms of what is round, balances, mirror images."""

from __future__ import annotations

from math import atan, cos, sin, sqrt

import numpy as np
import pytest
from blocks import ball, block, contact_solver, floor
from planar_scenes import SHAPES, planar
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import SceneError

pytestmark = pytest.mark.usefixtures("offered")
G, RADIUS, MASS = 9.81, 0.1, 2.0
#: levers of rolling and of spinning [m]
DELTA, EPSILON = 0.01, 0.004
ALONG = np.array([0.6, 0.8, 0.0])
FELT = {"friction": 0.6, "rolling_friction": DELTA, "spinning_friction": EPSILON}


def run(text, *where, **keys):
    return mb.System.from_text(text).run(*where, files=bool(where), **keys)


def rolling_ball(speed=1.0, spin=5.0, name="ball", **keys):
    """A ball that rolls along `ALONG` without slip, and spins about the vertical."""
    axis = np.cross([0, 0, 1], ALONG)
    motion = {"velocity": list(speed * ALONG), "angular_velocity": list(speed / RADIUS * axis + [0, 0, spin])}
    return ball(name, RADIUS, MASS, [0, 0, RADIUS], **motion | keys)


def test_a_ball_stops_after_its_way_and_its_spin_dies_at_its_own_rate():
    """7 v² r / (10 g δ), at 5/7 g δ / r; 5/2 g ε / r²: the bounds of both moments are their own."""
    result = run(floor(**FELT) + rolling_ball() + contact_solver(1e-3, 1.6, frames=64))
    x, v, spin = result["ball"].position @ ALONG, result["ball"].velocity, result["ball"].angular_velocity
    t, slower, dying = result.time, 5 / 7 * G * DELTA / RADIUS, 2.5 * G * EPSILON / RADIUS**2
    assert v @ ALONG == pytest.approx(np.maximum(1.0 - slower * t, 0.0), abs=1e-12)
    assert np.abs(np.cross(v, ALONG)).max() < 1e-12
    assert x[-1] == pytest.approx(0.7 / (G * DELTA / RADIUS), abs=1e-6)
    assert spin[:, 2] == pytest.approx(np.maximum(5.0 - dying * t, 0.0), abs=1e-11)
    assert np.abs(spin[-1]).max() < 1e-12
    energy = result.energy
    assert np.abs(energy.balance).max() < 1e-12
    assert energy.friction[-1] == pytest.approx(energy.kinetic[0], rel=1e-12)


def test_results_have_both_moments():
    """On the ball, against its rotation, and in its contact's angular impulse: δ r_N and ε r_N."""
    result = run(floor(**FELT) + rolling_ball() + contact_solver(1e-3, 0.05, frames=5))
    contact = result.list("contacts").at(-1)
    weight = MASS * G
    assert contact.force[0] @ contact.normal[0] == pytest.approx(weight, rel=1e-12)
    axis = np.cross([0, 0, 1], ALONG)
    assert contact.rolling_moment[0] == pytest.approx(-DELTA * weight * axis, abs=1e-12)
    assert contact.spinning_moment[0] == pytest.approx([0, 0, -EPSILON * weight], abs=1e-12)
    both = contact.rolling_moment + contact.spinning_moment
    assert contact.angular_impulse[0] == pytest.approx(1e-3 * both[0], abs=1e-15)
    # a pair's sum has forces alone
    assert result.contact("ground", "ball").impulse[-1, 2] == pytest.approx(0.05 * weight, rel=1e-9)


@pytest.mark.parametrize("part", [0.99, 1.01, 3.0])
@pytest.mark.parametrize("law", ["coulomb", "cohesion"])
@pytest.mark.parametrize("kind", ["ball", "disc"])
def test_what_is_round_rests_below_the_angle_of_rolling_and_rolls_above(kind, law, part):
    """tan α = δ/r; above it g (sin α − δ/r cos α) / (1 + k), with k = 2/5 of a ball and 1/2 of a disc. A bond
    holds no moment.
    """
    radius = SHAPES["disc"]["radius"] if kind == "disc" else RADIUS
    angle = atan(part * DELTA / radius)
    gravity = [G * sin(angle), 0, -G * cos(angle)]
    keys = {"gravity": gravity, "collide": True, "material": "stone"}
    keys["plane"] = "xz" if kind == "disc" else None
    text = world(shape=[{"type": "plane", "size": [2, 2]}], **keys)
    if law == "coulomb":
        text += table("material", name="stone", friction=0.6, rolling_friction=DELTA)
    else:
        pair = {"a": "stone", "b": "stone", "type": law, "tension": 1e3, "rolling_friction": DELTA}
        text += table("material", name="stone") + table("contact", **pair)
    if kind == "disc":
        text += planar("disc", SHAPES["disc"], [0, radius], mass=MASS, inertia=0.5 * MASS * radius**2)
    else:
        text += ball("ball", radius, MASS, [0, 0, radius])
    result = run(text + contact_solver(1e-3, 0.2, frames=4))
    k = 0.5 if kind == "disc" else 0.4
    rolls = max(G * (sin(angle) - DELTA / radius * cos(angle)) / (1 + k), 0.0)
    assert result[kind].velocity[-1, 0] == pytest.approx(0.2 * rolls, abs=1e-10)
    assert np.abs(result.energy.balance).max() < 1e-10


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_cart_on_four_wheels_is_slowed_by_its_weight_alone(coordinates):
    """(M + 4 J/r²) a = −δ/r M g, with M of all: whatever share of the weight each wheel carries."""
    carriage, wheel, speed = 4.0, 0.5, 1.0
    spin = 0.5 * wheel * RADIUS**2
    text = floor(friction=0.8, rolling_friction=DELTA)
    text += body(
        "chassis", mass=carriage, inertia=[0.1] * 3, position=[0.05, 0, RADIUS], velocity=[speed, 0, 0]
    )
    for n, (x, y) in enumerate([(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]):
        keys = {"velocity": [speed, 0, 0], "angular_velocity": [0, speed / RADIUS, 0]}
        shape = [{"type": "sphere", "radius": RADIUS}]
        keys |= {"mass": wheel, "inertia": [spin] * 3, "position": [x, y, RADIUS], "shape": shape}
        text += body(f"wheel_{n}", collide=True, material="stone", **keys)
        text += joint(f"axle_{n}", "revolute", "chassis", f"wheel_{n}", at=[x, y, RADIUS], axis=[0, 1, 0])
    keys = {"type": "contact", "step": 2e-3, "end": 1.4, "coordinates": coordinates}
    result = run(text + solver(**keys) + table("output", frames=14))
    total = carriage + 4 * wheel
    slower = DELTA / RADIUS * total * G / (total + 4 * spin / RADIUS**2)
    v = result["chassis"].velocity[:, 0]
    assert v == pytest.approx(np.maximum(speed - slower * result.time, 0.0), abs=1e-9)
    assert result["wheel_0"].angular_velocity[:, 1] == pytest.approx(v / RADIUS, abs=1e-8)
    assert np.abs(result.energy.balance).max() < 1e-11


def test_a_block_that_slides_on_its_face_is_not_slowed_by_rolling_friction():
    """What does not rotate has moments that move nothing: μ g on four points."""
    text = floor(friction=0.3, rolling_friction=0.05, spinning_friction=0.02)
    text += block("block", (0.2, 0.2, 0.2), MASS, [0, 0, 0.1], velocity=[1, 0, 0])
    result = run(text + contact_solver(1e-3, 0.3, frames=6))
    assert result["block"].velocity[:, 0] == pytest.approx(1.0 - 0.3 * G * result.time, abs=1e-9)
    assert np.abs(result["block"].angular_velocity).max() < 1e-9


def test_a_block_that_spins_on_its_face_is_slowed_by_the_sum_of_its_points():
    """Four points of ε r_N each: ε m g, without friction."""
    text = floor(spinning_friction=EPSILON)
    text += block("block", (0.2, 0.2, 0.2), MASS, [0, 0, 0.1], angular_velocity=[0, 0, 8])
    result = run(text + contact_solver(1e-3, 0.3, frames=6))
    inertia = MASS / 6 * 0.2**2
    slower = EPSILON * MASS * G / inertia
    assert result["block"].angular_velocity[:, 2] == pytest.approx(8.0 - slower * result.time, abs=1e-8)


def test_a_cylinder_rolls_on_both_its_rims():
    """2/3 g δ / r: each of the two points has a part of the weight, and that of the moment."""
    motion = {"velocity": [1, 0, 0], "angular_velocity": [0, 1 / RADIUS, 0]}
    lies = {"axis": [1, 0, 0], "angle_deg": 90}
    shape = {"type": "cylinder", "radius": RADIUS, "length": 0.3, "orientation": lies}
    keys = {"density": 100.0, "position": [0, 0, RADIUS], "shape": [shape], **motion}
    text = floor(friction=0.6, rolling_friction=DELTA) + body(
        "roller", collide=True, material="stone", **keys
    )
    result = run(text + contact_solver(1e-3, 0.4, frames=8))
    slower = 2 / 3 * G * DELTA / RADIUS
    assert result["roller"].velocity[:, 0] == pytest.approx(1.0 - slower * result.time, abs=1e-9)


def test_of_two_materials_the_lever_is_the_geometric_mean_and_a_contact_says_otherwise():
    mean = sqrt(DELTA * 0.04)
    for rule, lever in (("", mean), (table("contact", a="felt", b="stone", friction=0.6), 0.0)):
        felt = table("material", name="felt", friction=0.6, rolling_friction=0.04)
        text = floor(friction=0.6, rolling_friction=DELTA) + felt + rule
        result = run(text + rolling_ball(material="felt", spin=0.0) + contact_solver(1e-3, 0.1, frames=2))
        slower = 5 / 7 * G * lever / RADIUS
        assert result["ball"].velocity[-1] @ ALONG == pytest.approx(1.0 - 0.1 * slower, abs=1e-11)


def two_balls(**material):
    """Two balls that meet beside the line of their centres, without weight."""
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", **material)
    for name, x, v, w in (("one", 0.0, 1.0, [3, -2, 5]), ("other", 0.21, -0.5, [1, 4, -6])):
        text += ball(name, RADIUS, MASS, [x, 0.3 * x, 0.2 * x], velocity=[v, 0, 0], angular_velocity=w)
    return text


def test_moments_between_bodies_are_opposite():
    """Both momenta stay; the blow takes more energy than with friction alone."""
    lost = []
    for levers in ({}, {"rolling_friction": 0.02, "spinning_friction": 0.03}):
        text = two_balls(friction=0.4, restitution=0.5, **levers)
        result = run(text + contact_solver(1e-3, 0.1, frames=2))
        one, other = result["one"], result["other"]
        linear = MASS * (one.velocity + other.velocity)
        angular = sum(
            MASS * np.cross(b.position, b.velocity) + 0.4 * MASS * RADIUS**2 * b.angular_velocity
            for b in (one, other)
        )
        assert linear[-1] == pytest.approx(linear[0], abs=1e-13)
        assert angular[-1] == pytest.approx(angular[0], abs=1e-13)
        assert np.abs(result.energy.balance).max() < 1e-13
        lost.append(result.energy.kinetic[0] - result.energy.kinetic[-1])
    assert lost[1] > 1.01 * lost[0]


def tumbling(mirror):
    """A block that is thrown, and its mirror image across y."""
    spin = np.array([3.0, 2.0, 1.0]) * (np.array([-1, 1, -1]) if mirror else 1.0)
    text = floor(friction=0.4, restitution=0.3, rolling_friction=DELTA, spinning_friction=EPSILON)
    speed = [1, -0.5 if mirror else 0.5, 0]
    text += block("block", (0.2, 0.3, 0.1), MASS, [0, 0, 0.2], velocity=speed, angular_velocity=list(spin))
    return text + contact_solver(1e-3, 0.5, frames=10)


def test_a_resumed_run_has_the_same_bits_and_a_mirror_image_is_the_same(tmp_path):
    whole = run(tumbling(False))
    run(tumbling(False), tmp_path / "part", end=0.3)
    resumed = run(tumbling(False), tmp_path / "part", resume=True)
    assert np.array_equal(resumed["block"].position[-1], whole["block"].position[-1])
    image = run(tumbling(True))["block"].position * [1, -1, 1]
    assert image == pytest.approx(whole["block"].position, abs=1e-8)
    assert max(whole["block"].angular_velocity[-1]) < 20.0


def test_a_block_that_is_thrown_reaches_its_residual_in_every_step():
    """Impacts of its corners in turn: moments wait with their contacts."""
    rng = np.random.default_rng(5)
    for _ in range(15):
        speed, spin = rng.uniform(-2, 2, 3), rng.uniform(-8, 8, 3)
        keys = {"friction": rng.uniform(0.1, 0.9), "restitution": float(rng.choice([0.0, 0.3, 0.6]))}
    motion = {"velocity": list(speed), "angular_velocity": list(spin)}
    text = floor(rolling_friction=DELTA, **keys) + block("block", (0.2,) * 3, 8.0, [0, 0, 0.25], **motion)
    result = run(text + contact_solver(1e-3, 1.0, frames=4))
    assert any("every step reached its residual" in message.text for message in result.messages)


def test_what_cannot_rotate_and_static_analysis_are_refused_by_name():
    text = floor(**FELT)
    grain = body("grain", type="point", mass=1.0, position=[0, 0, 0.1], collide=True, material="stone")
    grain += 'shape = [{ type = "sphere", radius = 0.1 }]\n'
    with pytest.raises(SceneError, match=r'rolling_friction.*point mass.*"grain" without'):
        mb.System.from_text(text + grain + contact_solver()).compile()
    with pytest.raises(SceneError, match=r"rolling_friction.*static analysis"):
        mb.System.from_text(text + rolling_ball(0.0, 0.0) + contact_solver()).analyze("static")


@pytest.mark.slow
def test_a_heap_of_balls_comes_to_rest_within_its_residual():
    """27 balls that fall, roll and stop: without rolling friction they go on."""
    rng = np.random.default_rng(1)
    text = floor(friction=0.5, rolling_friction=0.04, spinning_friction=EPSILON)
    for k, place in enumerate(np.ndindex(3, 3, 3)):
        at = [0.24, 0.24, 0.24] * np.array(place) + [0, 0, 0.15] + rng.uniform(-0.01, 0.01, 3)
        text += ball(f"ball_{k}", RADIUS, 1.0, at)
    result = run(text + contact_solver(2e-3, 3.0, frames=10))
    assert result.energy.kinetic[-1] < 1e-12
    assert "every step reached its residual" in result.messages[-1].text
