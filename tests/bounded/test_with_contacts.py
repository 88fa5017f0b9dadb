"""Bounded rows under `contact`: in impacts, beside contacts, and against `rk` as the step goes to zero."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, hinge, joint, motion, solver, table, world
from test_closed_forms import bounces
from test_generated import mechanism

import mbplugin as mb

STEP = 1e-3
CONTACT = {"type": "contact", "step": STEP}


def test_a_limit_that_is_struck_again_and_again_is_of_first_order():
    steps, errors = (4e-3, 1e-3, 2.5e-4), []
    for h in steps:
        text = world() + body("mass", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
        keys = {"axis": [0, 0, 1], "at": [0, 0, 1], "restitution": 0.5}
        text += joint("rail", "translational", "ground", "mass", limits=[-1, 9], **keys)
        text += solver(type="contact", step=h, end=1.2) + table("output", frames=120)
        result = mb.System.from_text(text).run(files=False)
        exact = [bounces(t, 0.5) for t in result.time]
        errors.append(np.abs(result["mass"].position[:, 2] - exact).mean())
    order = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 0.85 < order < 1.3 and errors[-1] < 6e-4


def door(y: float, speed: float, e: float = 0.5, **keys) -> mb.System:
    """A door of 6.05 kg m² about its hinge, and a ball of 1 kg that flies towards it at 0.8 m."""
    text = world(gravity=[0, 0, 0])
    shape = {"collide": True, "inertia": [1, 3, 2]}
    text += body(
        "door", mass=20, position=[0.45, 0, 0], shape=[{"type": "box", "size": [0.9, 0.05, 2]}], **shape
    )
    text += joint("hinge", "revolute", "ground", "door", axis=[0, 0, 1], **keys)
    shape["inertia"] = [4e-3] * 3
    ball = {"position": [0.8, y, 0], "velocity": [0, speed, 0], "shape": [{"type": "sphere", "radius": 0.1}]}
    text += body("ball", mass=1, **ball, **shape)
    text += table("contact", a="ball", b="door", friction=0.3, restitution=e)
    return mb.System.from_text(text + solver(**CONTACT, end=0.4) + table("output", frames=100))


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_ball_opens_a_door_that_a_finite_friction_does_not_hold(friction):
    """Λ = (1 + e) v / (1/m + r²/J); afterwards friction alone slows the door down."""
    J, arm, v = 2 + 20 * 0.45**2, 0.8, 3.0
    result = door(-0.5, v, limits=[0, 1.6], friction_torque=friction).run(files=False)
    blow = 1.5 * v / (1 + arm**2 / J)
    assert result["ball"].velocity[-1, 1] == pytest.approx(v - blow, abs=2e-4)
    hit = result.time[np.argmax(result.coordinate("hinge.angle").speed > 0)]
    rate = arm * blow / J - friction * (0.4 - hit) / J
    assert result.coordinate("hinge.angle").speed[-1] == pytest.approx(rate, abs=1e-3)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-6


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_that_hits_a_door_on_its_stop_leaves_it_there(e):
    """The limit takes the moment of the blow, (1 + e) m v r, and the door does not move."""
    system = door(0.5, -3.0, e, limits=[0, 1.6], restitution=0.3, friction_torque=0.5, friction_static=0.8)
    result = system.run(files=False)
    assert result["ball"].velocity[-1, 1] == pytest.approx(3.0 * e, abs=1e-10)
    assert np.abs(result.coordinate("hinge.angle").value).max() < 1e-10
    held = sum(result.state(f"hinge.angle.{row}.impulse")[-1] for row in ("lower_limit", "friction"))
    assert held == pytest.approx((1 + e) * 3.0 * 0.8, rel=1e-3)


def test_a_motor_of_limited_effort_presses_with_it_and_no_more():
    """A finger on a slider that is driven against a block on a wall: 7 N on the block, 7 N on the wall."""
    wall = [{"type": "box", "size": [0.1, 1, 1], "position": [0.5, 0, 0]}]
    text = world(gravity=[0, 0, 0], collide=True, shape=wall)
    box = {"inertia": [1e-3] * 3, "collide": True, "shape": [{"type": "box", "size": [0.1] * 3}]}
    text += body("finger", mass=1, **box) + body("block", mass=0.5, position=[0.25, 0, 0], **box)
    text += joint("slider", "translational", "ground", "finger", axis=[1, 0, 0])
    text += motion("slider", length="0.5*time", effort_limit=7.0)
    text += solver(**CONTACT, end=1.0) + table("output", frames=50)
    result = mb.System.from_text(text).run(files=False)
    assert result["block"].position[-1, 0] == pytest.approx(0.4, abs=1e-8)
    of = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 0]))
    assert of["slider motion on finger"] == pytest.approx(7.0, rel=1e-9)
    assert result.coordinate("slider.length").drive[-1] == pytest.approx(7.0, rel=1e-9)
    force = result.contact("finger", "block").force[-1]
    assert abs(force[0]) == pytest.approx(7.0, rel=1e-9)


def test_impulses_of_a_step_have_all_bounded_rows():
    """m (v₁ − v₀) of the sum of what acts on each body, while a door is struck, slips and stands."""
    system = door(-0.3, 3.0, limits=[0, 0.06], restitution=0.5, friction_torque=0.5)
    simulation, elements = system.compile().simulate(), set()
    while simulation.time < 0.39:
        before = {name: simulation[name].velocity.copy() for name in ("door", "ball")}
        simulation.step(STEP)
        impulses = simulation.impulses()
        elements.update(impulses.element)
        for name, mass in (("door", 20.0), ("ball", 1.0)):
            change = mass * (simulation[name].velocity - before[name])
            np.testing.assert_allclose(impulses.on(name)[0], change, atol=1e-12)
    assert {"hinge limit", "hinge friction", "contact with door"} <= elements


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 48))]
)
def test_generated_mechanisms_obey_their_laws(seed):
    system, limits = mechanism(seed, CONTACT, frames=150)
    result = system.run(files=False)
    scale = np.ptp(result.energy.potential) + result.energy.kinetic.max() + 1.0
    assert np.abs(result.raw["energy/balance"]).max() < 1e-4 * scale
    for name, (low, high) in limits.items():
        value = result.coordinate(name).value
        assert value.min() > low - 1e-7 and value.max() < high + 1e-7
    states = dict(zip(result.raw.names("states"), result.raw["states/value"].T))
    for name, values in states.items():
        if "limit.impulse" in name or "one_way.impulse" in name:
            assert np.diff(values).min() > -1e-9, name
        if "friction.energy" in name or "limit.energy" in name:
            assert np.diff(values).min() > -1e-3, name
    taken = sum(v[-1] for n, v in states.items() if n.endswith(".energy") and "effort" not in n)
    assert result.energy.dissipated[-1] == pytest.approx(taken, abs=1e-9 * scale)
    assert not [m.text for m in result.messages if "missed" in m.text]


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 48))]
)
def test_generated_mechanisms_move_as_with_rk_up_to_the_third_change(seed):
    """As the step goes to zero: a sixteenth of it leaves less than 0.3 of the error."""

    def run(how: dict, end: float | None = None) -> mb.Result:
        return mechanism(seed, how, frames=10)[0].run(files=False, end=end)

    times = np.asarray(run({"tolerance": 1e-10}).events.time)
    third = np.append(times[times > 1e-9], [9.0] * 3)[2]
    end = float(min(0.98 * third, 1.4))
    places = lambda result: np.array([result[name].position[-1] for name in result.bodies])
    exact = places(run({"tolerance": 1e-10}, end))
    coarse, fine = (
        np.abs(places(run({"type": "contact", "step": h}, end)) - exact).max() for h in (2e-3, 1.25e-4)
    )
    assert fine < 0.3 * coarse + 1e-12 and fine < 1e-4


@pytest.mark.parametrize("how", [{"tolerance": 1e-9}, CONTACT], ids=["rk", "contact"])
def test_a_rotor_on_the_hinge_takes_part_in_the_blow_of_its_limit(how):
    """Λ = (1 + e) (J + J_a) ω with an armature J_a."""
    text = world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, 2], angular_velocity=[0, 0, 1])
    keys = {"limits": [-1, 0.5], "restitution": 0.5, "armature": 3.0}
    text += joint("pin", "revolute", "ground", "wheel", axis=[0, 0, 1], **keys)
    text += solver(**how, end=1.0) + table("output", frames=50)
    result = mb.System.from_text(text).run(files=False)
    assert result.coordinate("pin.angle").speed[-1] == pytest.approx(-0.5, abs=1e-12)
    assert result.state("pin.angle.upper_limit.impulse")[-1] == pytest.approx(7.5, rel=1e-12)


def test_a_planar_pendulum_with_limits_and_friction_moves_as_a_spatial_one():
    keys = {"limits": [-0.7, 0.7], "restitution": 0.5, "friction": 0.3, "radius": 0.05}
    planar = world(plane="xz") + body("rod", type="planar", mass=1, inertia=0.05, position=[0.5, 0, 0])
    planar += joint("pin", "pin", "ground", "rod", **keys)
    spatial = world() + body("rod", mass=1, inertia=[0.05] * 3, position=[0.5, 0, 0])
    spatial += joint("pin", "revolute", "ground", "rod", axis=[0, -1, 0], **keys)
    settings = solver(**CONTACT, end=1.0) + table("output", frames=100)
    places = [
        mb.System.from_text(text + settings).run(files=False)["rod"].position for text in (planar, spatial)
    ]
    np.testing.assert_allclose(*places, atol=1e-12)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_what_friction_holds_at_rest_is_not_solved_for_again(coordinates):
    """Impulses of the last step serve in the next one, whose length differs by the rounding of the time."""
    text = (
        world(gravity=[0, 0, -9.81])
        + body("arm", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
        + hinge("elbow", "ground", "arm", axis=[0, 1, 0], friction_torque=10.0, limits=[-1, 1])
        + solver(type="contact", step=1e-3, end=2.0, coordinates=coordinates)
        + table("output", frames=21)
    )
    result = mb.System.from_text(text).run(files=False)
    assert np.abs(result["arm"].position[:, 2]).max() < 1e-12
    assert result.output("contact.factorizations")[2:].max() == 0
