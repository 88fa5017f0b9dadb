"""Point masses, beside closed forms and beside spatial bodies that do not turn."""

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, motion, solver, table, world

from mbplugin.testing import check_body

G = 9.81
DOWN = world(gravity=[0, 0, -G])
TIMES = np.linspace(0.0, 2.0, 9)


def point(name, position, **keys):
    return body(name, type="point", mass=keys.pop("mass", 1.5), position=position, **keys)


POINT = point("p", [0, 0, 0])


def test_a_thrown_point_flies_on_a_parabola(runs):
    v = np.array([1.0, 2.0, 3.0])
    for t, frame in zip(TIMES, runs.frames(DOWN + point("p", [1, 0, 0], velocity=v), TIMES)):
        assert frame["bodies/position"][0] == pytest.approx(
            [1 + v[0] * t, v[1] * t, v[2] * t - 0.5 * G * t**2], abs=1e-12
        )
        assert (frame["bodies/orientation"][0] == [1, 0, 0, 0]).all()


def test_a_spherical_pendulum_goes_round_its_cone(runs):
    # Ω² = g/(l cos θ); the tension is m g / cos θ
    length, theta = 0.8, 0.4
    rate = np.sqrt(G / (length * np.cos(theta)))
    radius, depth = length * np.sin(theta), length * np.cos(theta)
    text = DOWN + point("p", [radius, 0, -depth], velocity=[0, rate * radius, 0])
    text += joint("rod", "rod", "ground", "p") + solver(tolerance=1e-11, end=2.0)
    for t, frame in zip(TIMES, runs.frames(text, TIMES)):
        place = [radius * np.cos(rate * t), radius * np.sin(rate * t), -depth]
        assert frame["bodies/position"][0] == pytest.approx(place, abs=1e-8)
        tension = np.linalg.norm(frame["joints/force"][0])
        assert tension == pytest.approx(1.5 * G / np.cos(theta), rel=1e-8)


def net(kind):
    """Four masses between springs, rods and a rail."""
    keys = {"type": "point"} if kind == "point" else {"inertia": [1, 2, 2.5]}
    text = DOWN + "".join(
        body(f"p{k}", mass=1.0 + k, position=[k, 0.3 * k, 0.1 * k * k], **keys) for k in range(4)
    )
    text += joint("rod", "rod", "p0", "p1") + joint("rail", "point_on_line", "ground", "p3", at=[3, 0.9, 0.9])
    for k in range(3):
        spring = {"a": f"p{k}", "b": f"p{k + 1}", "stiffness": 400.0, "damping": 2.0}
        text += table("force", type="spring_damper", name=f"s{k}", **spring)
    text += table("force", type="spring_damper", name="up", a="ground", b="p0", stiffness=300.0)
    return text + solver(tolerance=1e-10, end=2.0)


def test_points_move_as_bodies_on_which_nothing_turns(runs):
    for point_frame, body_frame in zip(runs.frames(net("point"), TIMES), runs.frames(net("spatial"), TIMES)):
        for name in ("bodies/position", "bodies/velocity", "joints/force"):
            assert point_frame[name] == pytest.approx(body_frame[name], abs=2e-7)


@pytest.mark.parametrize("solver_type", ["galpha"])
def test_implicit_steps_take_points(runs, solver_type):
    text = net("point").replace(
        "[solver]\ntolerance = 1e-10", f'[solver]\ntype = "{solver_type}"\ntolerance = 1e-5'
    )
    other = runs.frames(net("spatial"), TIMES)[-1]["bodies/position"]
    assert runs.frames(text, TIMES)[-1]["bodies/position"] == pytest.approx(other, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (POINT + joint("j", "revolute", "ground", "p"), "joint[0]"),
        (POINT + joint("j", "fixed", "ground", "p"), "joint[0]"),
        (POINT + joint("j", "ball", "ground", "p", at=[1, 0, 0]), "joint[0]"),
        (POINT + table("force", type="torque", body="p", torque_z="sin(time)"), "force[0]"),
        (POINT + table("force", type="torsion_spring_damper", a="ground", b="p", stiffness=1.0), "force[0]"),
        (POINT + table("force", type="force", body="p", at=[0, 1, 0], force_x=1.0), "force[0]"),
        (body("p", mass=1.0, inertia=[0, 0, 0]), "body[0].inertia"),
        (body("p", mass=1.0, type="point", inertia=[1, 1, 1]), "body[0].inertia"),
        (body("p", mass=1.0, type="point", angular_velocity=[0, 0, 1]), "body[0].angular_velocity"),
        (body("p", mass=1.0), "body[0].inertia"),
    ],
)
def test_what_would_turn_a_point_is_refused(runs, text, key):
    with refused(key):
        runs.prepare(NO_GRAVITY + text)


@pytest.mark.slow
def test_the_kit_finds_no_error_in_points(registry):
    """As that of all bodies does (tests/testing/test_kit.py), here with each check that it makes."""
    from mbplugin_bodies.point import Point

    checks = check_body(Point, {}, registry).checks
    assert len(checks) > 8 and all(check.ok for check in checks), [str(c) for c in checks if not c.ok]


def test_a_point_needs_no_mass_where_it_is_driven(runs):
    from mbplugin.model import System
    from mbplugin.run.analyze import analyze

    text = NO_GRAVITY + body("p", type="point") + joint("rail", "point_on_line", "ground", "p")
    text += motion("rail", length="time**2")
    report = analyze(System.from_text(text), "kinematic", runs.registry, positions=3, end=2.0).report
    assert report.states.q[:, 2] == pytest.approx([0.0, 1.0, 4.0], abs=1e-12)
