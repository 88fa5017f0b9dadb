"""Rows whose forces have bounds: who serves them, what is refused, and what a saved state holds."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, torque, world

import mbplugin as mb
from mbplugin.run.analyze import analyze
from mbplugin.run.laws import refuse_bounded


def wheel(more: str = "", how: dict | None = None, kind: str = "revolute", **keys) -> str:
    text = world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, 2])
    text += joint("pin", kind, "ground", "wheel", axis=[0, 0, 1], **keys)
    return text + more + solver(**(how or {"tolerance": 1e-9}), end=1.0)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (wheel(limits=[1, 0]), "joint[0].limits"),
        (wheel(limits=[0, 0]), "joint[0].limits"),
        (wheel(limits=3), "joint[0].limits"),
        (wheel(limits=["low", 1]), "joint[0].limits"),
        (wheel(limits={"angel": [0, 1]}), "joint[0].limits.angel"),
        (wheel(limits=[0, 1], kind="cylindrical"), "joint[0].limits"),
        (wheel(limits=[0, 1], kind="ball"), "joint[0].limits"),
        (wheel(restitution=0.5), "joint[0].restitution"),
        (wheel(limits=[0, 1], restitution=1.5), "joint[0].restitution"),
        (wheel(friction_torque=-1.0), "joint[0].friction_torque"),
        (wheel(friction_force=1.0), "joint[0].friction_force"),
        (wheel(friction_torque=1.0, friction_static=0.5), "joint[0].friction_static"),
        (wheel(friction_static=0.5), "joint[0].friction_static"),
        (wheel(one_way="forwards"), "joint[0].one_way"),
        (wheel(motion("pin", angle="time", effort_limit=-1)), "motion[0].effort_limit"),
        (wheel(motion("pin", angle_acceleration="1", effort_limit=1)), "motion[0].effort_limit"),
        (wheel(limits=[0.5, 1]), "joint[0].limits"),
    ],
)
def test_a_mistake_is_refused_by_its_key(text, key):
    with refused(key):
        mb.System.from_text(text).run(files=False)


#: keys of the joint or the motion, and what is refused
EACH = {
    "limits": (wheel, {"limits": [-1, 1]}),
    "friction_torque": (wheel, {"friction_torque": 0.1}),
    "one_way": (wheel, {"one_way": "positive"}),
    "effort_limit": (wheel, {"more": motion("pin", angle="time", effort_limit=5)}),
}


@pytest.mark.parametrize("what", EACH)
def test_a_solver_without_them_refuses_the_scene(registry, what):
    make, keys = EACH[what]
    key = f"motion[0].{what}" if what == "effort_limit" else f"joint[0].{what}"
    system = mb.System.from_text(make(**keys))
    with refused(key) as error:
        refuse_bounded(system.compile(), system, 'solver "heun"', registry)
    assert all(name in str(error.value) for name in ("rk", "galpha", "contact"))


def test_analyses_along_motions_leave_them_out_and_say_so(registry):
    driven = motion("pin", angle="time")
    text = wheel(driven, limits=[-1, 0.5], friction_torque=3.0)
    report = analyze(mb.System.from_text(text), "inverse", registry).report
    assert [m for m in report.messages if "pin.angle" in m and "friction" in m and "limit" in m]
    assert np.abs(report.drives).max() < 1e-9 if hasattr(report, "drives") else True


@pytest.mark.parametrize(
    "how",
    [{"tolerance": 1e-9}, {"type": "galpha", "step": 1e-3}, {"type": "contact", "step": 1e-3}],
    ids=["rk", "galpha", "contact"],
)
def test_a_saved_state_goes_on_to_the_same_bits(how):
    """Saved while it sticks, while it rests on a limit, and while it slips."""
    push = torque("wheel", z="2*sin(9*time)")
    text = wheel(push, how, limits=[-0.02, 0.02], restitution=0.4, friction_torque=0.5, friction_static=0.9)
    one, other = (mb.System.from_text(text).simulate() for _ in range(2))
    while one.time < 0.99:
        one.step(0.03)
        saved = one.save()
        other.load(saved)
        one.step(0.05)
        other.step(0.05)
        for name in ("value", "speed"):
            assert getattr(one.coordinate("pin.angle"), name) == getattr(other.coordinate("pin.angle"), name)
        assert one.state("pin.angle.friction.impulse") == other.state("pin.angle.friction.impulse")


def test_a_changed_parameter_acts_on_limits_friction_and_efforts():
    """The wheel starts at 1 rad/s; friction of f stops it after J / (2 f), a limit at a."""
    text = "[parameters]\na = 0.5\nf = 0.2\n"
    text += world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, 2], angular_velocity=[0, 0, 1])
    text += joint(
        "pin", "revolute", "ground", "wheel", axis=[0, 0, 1], limits=["-a", "a"], friction_torque="f"
    )
    problem = mb.System.from_text(text + solver(tolerance=1e-9, end=1.0)).compile()
    for a, f, reached in ((0.5, 0.2, 0.5), (0.3, 0.2, 0.3), (0.3, 8.0, 1 / 8)):
        problem.set_parameter("a", a)
        problem.set_parameter("f", f)
        value = problem.copy().run().coordinate("pin.angle").value
        assert value.max() == pytest.approx(reached, abs=1e-9)
    lifted = wheel(motion("pin", angle="time**2", effort_limit="e"))
    problem = mb.System.from_text("[parameters]\ne = 1.0\n" + lifted).compile()
    for e, speed in ((1.0, 0.5), (3.0, 1.5), (9.0, 2.0)):
        problem.set_parameter("e", e)
        assert problem.copy().run().coordinate("pin.angle").speed[-1] == pytest.approx(speed, abs=1e-6)


def test_the_watch_for_singular_positions_leaves_rows_that_switch_out(tmp_path):
    """Friction holds a row at the first frame, and none later."""
    text = wheel(torque("wheel", z="10*time"), friction_torque=1.0, limits=[-1, 0.1])
    settings = table("output", frames=100, series=False)
    result = mb.System.from_text(text + settings).run(tmp_path / "out")
    assert not [m for m in result.messages if "singular" in str(m)]
