"""`surface_velocity` of shapes: friction acts on the velocity of surfaces, and what belts do is work."""

from __future__ import annotations

from math import atan, cos, sin, tan

import numpy as np
import pytest
from blocks import G, Watch, ball, block, contact_solver
from refusals import refused
from scene_text import body, force, joint, motion, solver, spring, table, value, world

import mbplugin as mb

SPEED, MU, MASS, EDGE = 1.0, 0.4, 2.0, 0.2
STICK, SLIP = 1, 2


def belt(angle: float = 0.0, velocity=(SPEED, 0.0, 0.0), friction: float = MU, **keys) -> str:
    """A plane that rises along x at `angle` [rad], whose surface runs up along it, or as `velocity` says."""
    turned = {"orientation": {"axis": [0, -1, 0], "angle": angle}}
    if velocity is None:
        velocity = [SPEED * cos(angle), 0.0, SPEED * sin(angle)]
    shape = [{"type": "plane", "size": [20, 2], "surface_velocity": list(velocity), **turned}]
    text = world(gravity=[0, 0, -G], collide=True, material="stone", shape=shape)
    return text + table("material", name="stone", friction=friction, **keys)


def box(angle: float = 0.0, **keys) -> str:
    place = 0.5 * EDGE * np.array([-sin(angle), 0.0, cos(angle)])
    turned = {"orientation": {"axis": [0, -1, 0], "angle": angle}} if angle else {}
    return block("box", (EDGE, EDGE, EDGE), MASS, place, **turned, **keys)


def frames(text: str, end: float = 1.0, step: float = 1e-3, n: int = 50, **keys):
    text += solver(type="contact", step=step, end=end, **keys) + table("output", frames=n)
    return mb.System.from_text(text).run(files=False)


def speeds(result, angle: float = 0.0) -> np.ndarray:
    """Of the first body, up the belt [m/s]."""
    return result.raw["bodies/velocity"][:, 0] @ [cos(angle), 0.0, sin(angle)]


def of_contacts(result, frame: int, name: str) -> np.ndarray:
    return np.asarray(getattr(result.list("contacts").at(frame), name))


def test_a_box_slips_until_it_has_the_speed_of_the_belt_and_rides():
    """v = μ g t; then it sticks. Of the work μ m g v t the box has half, friction the other half."""
    result = frames(belt() + box())
    t = result.time
    assert speeds(result) == pytest.approx(np.minimum(MU * G * t, SPEED), abs=1e-12)
    slip = SPEED / (MU * G)
    way = np.where(t < slip, 0.5 * MU * G * t**2, SPEED * (t - 0.5 * slip))
    # the step in which it stops slipping is of first order
    assert result.raw["bodies/position"][:, 0, 0] == pytest.approx(way, abs=1e-6)
    work, lost = result.raw["energy/work"][-1], result.raw["energy/friction"][-1]
    assert work == pytest.approx(MASS * SPEED**2, rel=3e-3)
    assert work - lost == pytest.approx(0.5 * MASS * SPEED**2, rel=1e-12)
    assert lost == pytest.approx(0.5 * MASS * SPEED**2, rel=3e-3)


@pytest.mark.parametrize("angle", [0.2, 0.5])
def test_an_inclined_belt_carries_what_its_friction_holds(angle):
    """g (μ cos α − sin α) up to the speed of the belt, or down for ever where tan α > μ."""
    result = frames(belt(angle, None) + box(angle), 3.0)
    a = G * (MU * cos(angle) - sin(angle))
    expected = np.minimum(a * result.time, SPEED) if tan(angle) < MU else a * result.time
    assert speeds(result, angle) == pytest.approx(expected, abs=1e-9)
    assert (tan(angle) < MU) == (angle < atan(MU))


@pytest.mark.parametrize("above", [1.0, -1.0, 0.0])
def test_a_box_between_two_belts(runs, above):
    """A press with a belt of its own, in the axes of its body, which is turned by 90° about z, pushes a box
    on a belt with N: μ (m g + N) from below, ∓ μ N from above.
    """
    N = 30.0
    text = belt() + box()
    side = np.sqrt(0.5)
    press = [{"type": "box", "size": [4, 4, 0.2], "surface_velocity": [0.0, -above * SPEED, 0.0]}]
    keys = {"collide": True, "material": "stone", "shape": press, "position": [0, 0, EDGE + 0.1]}
    keys |= {"orientation": {"quaternion": [side, 0, 0, side]}}
    text += body("press", mass=1e-3, inertia=[1.0] * 3, **keys)
    text += joint("guide", "translational", "ground", "press", at=[0, 0, 1], axis=[0, 0, 1])
    text += force("press", z=-N)
    watch = Watch(runs, text + contact_solver(1e-3))
    below = MU * (MASS * G + N)
    push = (below + above * MU * N if above else below - MU * N) / MASS
    watch.to(0.02)
    assert watch.v[0, 0] == pytest.approx(push * 0.02, rel=1e-3)
    # the upper one cannot move it against the lower one
    watch.to(1.0)
    assert watch.v[0, 0] == pytest.approx(SPEED, abs=1e-9)


def test_a_ball_ends_rolling_with_two_sevenths_of_the_speed():
    """v = μ g t and R ω = −5/2 μ g t until v − R ω reaches the speed of the belt, at 2 V/(7 μ g)."""
    R = 0.1
    result = frames(belt() + ball("ball", R, MASS, [0, 0, R]), 0.6)
    stop = 2.0 * SPEED / (7.0 * MU * G)
    v = np.minimum(MU * G * result.time, 2.0 / 7.0 * SPEED)
    assert stop < 0.1
    assert speeds(result) == pytest.approx(v, abs=1e-9)
    spin = result.raw["bodies/angular_velocity"][:, 0, 1]
    assert R * spin == pytest.approx(-2.5 * v, abs=1e-9)


@pytest.mark.parametrize("speed", ["0.2*sin(10*time)", "3*time**2 - 2*time"])
def test_what_sticks_has_the_velocity_of_a_belt_that_changes_it(speed):
    result = frames(belt(velocity=(0.0, speed, 0.0), friction=0.9) + box(), 0.5)
    t = result.time
    expected = 0.2 * np.sin(10 * t) if "sin" in speed else 3 * t**2 - 2 * t
    way = 0.02 * (1 - np.cos(10 * t)) if "sin" in speed else t**3 - t**2
    assert result.raw["bodies/velocity"][:, 0, 1] == pytest.approx(expected, abs=1e-9)
    # the trapezoidal rule: h²/12 of the change of the acceleration
    assert result.raw["bodies/position"][:, 0, 1] == pytest.approx(way, abs=4e-7)


@pytest.mark.parametrize("part", [0.99, 1.01])
def test_a_belt_that_starts_breaks_the_hold_of_static_friction(part):
    """It accelerates at 0.99 or 1.01 μ_s g; what slips has μ g."""
    static = 0.6
    text = belt(velocity=(f"{part * static * G}*time", 0.0, 0.0), friction_static=static) + box()
    result = frames(text, 0.4)
    a = part * static * G if part < 1.0 else MU * G
    # the first step breaks away with the static coefficient
    assert speeds(result) == pytest.approx(
        a * result.time, abs=(static - MU) * G * 2e-3 if part > 1 else 1e-9
    )
    status = "sticks" if part < 1.0 else "slips"
    assert {1: "sticks", 2: "slips"}[int(of_contacts(result, -1, "status")[0])] == status


def test_a_crawler_drives_itself():
    """A box whose own surface runs back moves ahead, and rides."""
    shape = [{"type": "box", "size": [EDGE] * 3, "surface_velocity": [-SPEED, 0, 0]}]
    result = frames(belt(velocity=(0.0, 0.0, 0.0)) + box(shape=shape))
    assert speeds(result) == pytest.approx(np.minimum(MU * G * result.time, SPEED), abs=1e-12)


def test_results_speak_of_the_belt():
    """Statuses and slip of surfaces; velocities before and after of bodies; the normal part moves nothing."""
    result = frames(belt(velocity=(SPEED, 0.0, 0.7)) + box(), 0.5)
    early, late = 5, -1
    assert (of_contacts(result, early, "status") == SLIP).all()
    assert (of_contacts(result, late, "status") == STICK).all()
    v = speeds(result)
    assert of_contacts(result, early, "slip_speed") == pytest.approx(SPEED - v[early], abs=1e-12)
    assert of_contacts(result, late, "slip_speed") == pytest.approx(0.0, abs=1e-12)
    assert np.abs(of_contacts(result, late, "velocity_after")[:, 0]) == pytest.approx(SPEED, abs=1e-12)
    assert result.raw["bodies/position"][:, 0, 2] == pytest.approx(0.5 * EDGE, abs=1e-9)


@pytest.mark.parametrize("impact", ["newton", "sequential"])
def test_a_belt_of_constant_speed_is_a_floor_in_a_moving_frame(impact):
    """A tumbling box and a ball that bounce with friction, on a belt and on a floor at rest: x + V t."""
    ends = {}
    for V in (0.0, 0.8):
        text = belt(velocity=(V, -0.5 * V, 0.0), restitution=0.6)
        moving = np.array([V, -0.5 * V, 0.0])
        pose = {"orientation": {"axis": [1, 2, 0], "angle": 0.7}, "angular_velocity": [3.0, 1.0, -2.0]}
        text += block("box", (EDGE, 0.1, 0.15), MASS, [0, 0, 0.3], **pose, velocity=list(moving))
        text += ball("ball", 0.1, 1.0, [0.05, 0, 0.6], velocity=list(moving + np.array([0.1, 0, -1.0])))
        result = frames(text, 0.6, impact=impact, residual=1e-9)
        x = result.raw["bodies/position"] - result.time[:, None, None] * moving
        ends[V] = x, result.raw["energy/friction"], result.raw["energy/impacts"], result
    for of_floor, of_belt in zip(ends[0.0][:3], ends[0.8][:3]):
        assert of_belt == pytest.approx(of_floor, abs=2e-7)
    # the belt's work is exactly what it adds
    balances = [ends[V][3].raw["energy/balance"] for V in (0.0, 0.8)]
    assert balances[1] == pytest.approx(balances[0], abs=1e-10)
    assert ends[0.8][3].raw["energy/work"][-1] > 0.5


@pytest.mark.parametrize("step", [1e-3, 5e-4])
def test_what_rides_on_a_belt_that_turns_does_not_creep(runs, step):
    """A belt on a table that turns at 1 rad/s runs along its x at 0.2 m/s: the cube that sticks goes straight
    in the axes of the table.
    """
    rate, V, r, edge = 1.0, 0.2, 0.3, 0.05
    text = world(gravity=[0, 0, -G]) + table("material", name="stone", friction=0.9)
    shape = [{"type": "box", "size": [4, 4, 0.1], "surface_velocity": [V, 0.0, 0.0]}]
    text += block("table", (4, 4, 0.1), 10.0, [0, 0, -0.05], angular_velocity=[0, 0, rate], shape=shape)
    text += joint("axle", "revolute", "ground", "table", at=[0, 0, 0], axis=[0, 0, 1])
    text += motion("axle", angle=f"{rate!r}*time")
    moving = {"velocity": [V, rate * r, 0], "angular_velocity": [0, 0, rate]}
    text += block("cube", (edge,) * 3, 0.5, [r, 0, edge / 2], **moving)
    watch = Watch(runs, text + contact_solver(step))
    off = []
    for t in (10 * step, 1.0):
        watch.to(t)
        x, y = watch.q[1, :2]
        c, s = cos(rate * t), sin(rate * t)
        off.append(np.array([c * x + s * y - r - V * t, -s * x + c * y]))
    size = (step * rate) ** 2 * (r + V)
    assert np.abs(off[0]).max() < size
    assert np.abs(off[1] - off[0]).max() < size


def test_a_parameter_and_an_input_drive_a_belt():
    text = "[parameters]\nspeed = 0.5\n" + table("input", name="factor", start=1.0)
    text += belt(velocity=("speed*factor", 0.0, 0.0), friction=0.9) + box()
    text += solver(type="contact", step=1e-3, end=1.0)
    simulation = mb.System.from_text(text).simulate()
    simulation.run(0.4)
    assert simulation["box"].velocity[0] == pytest.approx(0.5, abs=1e-9)
    simulation.inputs["factor"] = -1.0
    simulation.run(1.0)
    assert simulation["box"].velocity[0] == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.parametrize(
    ("velocity", "key"),
    [([1.0, 0.0], ""), ([1.0, float("inf"), 0.0], "[1]"), ([0.0, 0.0, True], "[2]"), (1.0, "")],
)
def test_another_velocity_is_refused(velocity, key):
    shape = [{"type": "plane", "surface_velocity": velocity}]
    with refused(f"scene.shape[0].surface_velocity{key}"):
        mb.System(scene={"collide": True, "shape": shape})


@pytest.mark.parametrize("law", ["box.position.x", "nothing", "1/0"])
def test_an_expression_that_is_no_function_of_time_is_refused(law):
    with refused("scene.shape[0].surface_velocity[0]", law):
        frames(belt(velocity=(law, 0.0, 0.0)) + box())


def test_a_belt_that_touches_nothing_is_refused():
    text = belt().replace("collide = true\n", "") + box()
    with refused("scene.shape[0].surface_velocity"):
        frames(text)


def test_a_belt_under_a_solver_without_contacts_is_refused_as_contacts_are():
    with refused("body[0].collide", True):
        mb.System.from_text(belt() + box() + solver(type="rk", end=1.0)).run(files=False)


def test_a_block_on_a_spring_sticks_to_a_belt_and_slips():
    """It goes with the belt until the spring breaks it away, k x = μ_s m g; it slips with m ẍ = μ m g − k x
    until it is as fast as the belt again. Changes take place at ends of steps.
    """
    static, k, V, step = 0.6, 80.0, 0.3, 2e-4
    text = belt(velocity=(V, 0.0, 0.0), friction_static=static) + box(velocity=[V, 0, 0])
    anchor = {"name": "wall", "position": [-1.0, 0, 0.5 * EDGE]}
    text = text.replace("[scene]\n", "[scene]\nmarker = [" + value(anchor) + "]\n", 1)
    text += spring("ground.wall", "box", stiffness=k, length=1.0)
    result = frames(text, 1.5, step, 150)
    rate, x_k, x_s = np.sqrt(k / MASS), MU * MASS * G / k, static * MASS * G / k
    parts = (x_s - x_k, V / rate)
    # ẋ = V: 2 atan of the parts after the turn
    slip = (2.0 * np.pi - 2.0 * np.arctan2(parts[0], parts[1])) / rate
    t1, found = x_s / V, []
    for t in result.time:
        slips = min(max(t - t1, 0.0), slip)
        way = x_k + parts[0] * np.cos(rate * slips) + parts[1] * np.sin(rate * slips)
        found.append(V * t if t < t1 else way + V * max(t - t1 - slip, 0.0))
    assert t1 + slip < 1.3
    assert result.raw["bodies/position"][:, 0, 0] == pytest.approx(found, abs=2 * V * step)
    stuck = result.time > t1 + slip + step
    assert speeds(result)[stuck] == pytest.approx(V, abs=1e-9 * V)
