"""Motions that press bodies into each other end a run by name; those that can be met never do."""

from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest
from blocks import ball, block, contact_solver
from refusals import has, stopped
from scene_text import body, force, joint, motion, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

#: the face of the wall of `room`, and how far the piston goes until a box touches it [m]
WALL, STOP = 0.3, 0.15


#: when and how deep depends on the step
FIGURES = r"t = \S+ s|overlap of [^;]*"


def room(friction: float = 0.3, slope: float = 0.0, wall: bool = True, **keys: float) -> str:
    """A floor, and a wall whose face is at x = 0.3 m and leans back by `slope` [rad]."""
    shapes: list[dict[str, object]] = [{"type": "plane", "size": [2, 2]}]
    if wall:
        turned = {"axis": [0, 1, 0], "angle": slope - 0.5 * pi}
        shapes.append(
            {"type": "plane", "name": "wall", "size": [2, 2], "position": [WALL, 0, 0], "orientation": turned}
        )
    text = world(collide=True, material="stone", shape=shapes)
    return text + table("material", name="stone", friction=friction, **keys)


def piston(**law: str) -> str:
    """A cube of 0.1 m on a rail along x, whose face is at x = 0.05 m before it is driven."""
    rail = joint("rail", "translational", "ground", "piston", at=[0, 0, 0.05], axis=[1, 0, 0])
    return block("piston", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05]) + rail + (motion("rail", **law) if law else "")


def box(at: float = 0.1, name: str = "box") -> str:
    """A cube of 0.1 m on the floor, with its left face at x = `at` [m]."""
    return block(name, (0.1, 0.1, 0.1), 1.0, [at + 0.05, 0, 0.05])


def run(text: str, end: float, step: float = 1e-3):
    return mb.System.from_text(text + contact_solver(step, end)).run(files=False)


def test_the_last_steps_before_a_jam_have_their_contacts_and_those_that_jam(tmp_path):
    text = (
        room() + piston(length="0.1*time") + box() + block("bystander", (0.1, 0.1, 0.1), 1.0, [0, 0.5, 0.05])
    )
    with stopped(PhysicsError, "rail.length", "piston", "box", hide=None) as caught:
        mb.System.from_text(text + contact_solver(1e-3, 2.0, series=False)).run(tmp_path)
    last = mb.load(caught.value.last_steps)
    parts = dict(zip(last.bodies, last.raw.attribute("bodies/culprit")))
    assert parts == {"piston": True, "box": True, "bystander": False}
    assert last.raw.attribute("joints/culprit") == [True]
    assert np.diff(last.time) == pytest.approx(1e-3) and last.raw.frames == 200
    pressed = last.contact("piston", "box").normal_force
    assert pressed[-1] > 1e3 * pressed[0]


PRESSED = {
    "a box": room() + piston(length="0.1*time") + box(),
    "a box, at a given speed": room() + piston(length_velocity="0.1") + box(),
    "a box, at a given acceleration": room() + piston(length_acceleration="0.1") + box(),
    "a box without friction": room(0.0) + piston(length="0.1*time") + box(),
    "a box that rebounds": room(0.3, restitution=0.5) + piston(length="0.1*time") + box(),
    "two boxes": room() + piston(length="0.1*time") + box(0.06) + box(0.17, "other"),
    "a ball": room() + piston(length="0.1*time") + ball("box", 0.05, 1.0, [0.2, 0, 0.05]),
}


@pytest.mark.parametrize("what", PRESSED)
@pytest.mark.parametrize("step", [1e-3, 2e-3])
def test_a_drive_that_presses_something_against_a_wall_ends_the_run_by_name(what, step):
    names = ('"rail.length"', '"piston"', '"box"', 'ground ("wall")')
    with stopped(PhysicsError, *names, hide=FIGURES) as caught:
        run(PRESSED[what], 3.0, step)
    assert caught.value.exit_code == 3
    room_left = STOP - (0.1 if what == "two boxes" else 0.0)
    time = np.sqrt(2 * room_left / 0.1) if "acceleration" in what else room_left / 0.1
    assert caught.value.time == pytest.approx(time, abs=0.02)


def test_a_hinge_that_is_driven_into_the_floor_ends_the_run():
    rod = block("rod", (1.0, 0.1, 0.1), 1.0, [0.5, 0, 0.3])
    pivot = joint("pivot", "revolute", "ground", "rod", at=[0, 0, 0.3], axis=[0, 1, 0])
    with stopped(PhysicsError, '"pivot.angle"', '"rod"', hide=FIGURES):
        run(room(wall=False) + rod + pivot + motion("pivot", angle="0.2*time"), 3.0)


def test_frames_before_the_end_are_kept(tmp_path):
    with pytest.raises(PhysicsError):
        mb.System.from_text(PRESSED["a box"] + contact_solver(1e-3, 3.0)).run(tmp_path / "out")
    result = mb.load(tmp_path / "out")
    assert 1.4 < result.time[-1] < 1.52
    assert any(has(m.text, '"rail.length"', 'ground ("wall")') for m in result.messages)


POSSIBLE = {
    "nothing behind the box": (room(wall=False) + piston(length="0.1*time") + box(), 2.0),
    "it ends where the box touches the wall": (
        room() + piston(length="haversine_step(time, 0, 0, 0.5, 0.15)") + box(),
        1.0,
    ),
    "it ends 5 µm behind that": (
        room() + piston(length="haversine_step(time, 0, 0, 0.5, 0.150005)") + box(),
        1.0,
    ),
    "the box slides up the wall": (room(0.1, slope=radians(50)) + piston(length="0.1*time") + box(), 2.0),
    "friction locks what could slide up": (
        room(1.2, slope=radians(20)) + piston(length="0.1*time") + box(),
        1.7,
    ),
    "a force drives": (room() + piston() + force("piston", "push", x="200") + box(), 1.0),
}


@pytest.mark.parametrize("what", POSSIBLE)
def test_a_drive_that_can_be_met_does_not_end_the_run(what):
    text, end = POSSIBLE[what]
    assert run(text, end).time[-1] == pytest.approx(end)


def jaws(slope: float) -> str:
    """Two jaws on rails whose faces lean outwards by `slope` [rad] close on a ball on the floor."""
    text = ball("ball", 0.05, 1.0, [0, 0, 0.05])
    for name, sign in (("left", -1), ("right", 1)):
        leaning = {"axis": [0, 1, 0], "angle": sign * slope}
        text += block(name, (0.02, 0.05, 0.1), 1.0, [sign * 0.08, 0, 0.06], orientation=leaning)
        text += joint(f"{name} rail", "translational", "ground", name, axis=[-sign, 0, 0])
        text += motion(f"{name} rail", length="0.03*haversine_step(time, 0, 0, 0.5, 1)")
    return text


@pytest.mark.parametrize(("friction", "locked"), [(0.8, True), (0.01, False)])
def test_motions_that_press_what_friction_locks_are_warned_of_by_name(friction, locked):
    """Faces that lean by 4° let the ball slip out upwards below a friction of tan 4° = 0.07."""
    result = run(room(friction, wall=False) + jaws(radians(4)), 0.45)
    names = ("left rail.length", "right rail.length", "ball", "left", "right")
    told = [w for w in result.summary.warnings if "friction locks" in w]
    assert len(told) == locked and all(has(text, *names) for text in told)
    assert [m.text for m in result.messages if m.text in told] == told


def test_a_wedge_that_jams_without_a_drive_does_not_end_the_run():
    """100 N press a wedge with faces 5° apart between two faces with friction."""
    points = [[x, y, z] for z, w in ((-0.1, 0.02), (0.1, 0.0375)) for x in (0.0, -w) for y in (-0.05, 0.05)]
    shape = [{"type": "convex", "points": points}]
    keys = {"collide": True, "material": "stone", "density": 1000.0, "shape": shape}
    anvil = block("anvil", (0.1, 0.1, 0.25), 10.0, [WALL - 0.075, 0, 0.125])
    held = joint("held", "fixed", "ground", "anvil", at=[0, 0, 0])
    wedge = body("wedge", position=[WALL, 0, 0.3], **keys) + force("wedge", "push", z="-100")
    assert run(room(0.6) + anvil + held + wedge, 0.5).time[-1] == pytest.approx(0.5)
