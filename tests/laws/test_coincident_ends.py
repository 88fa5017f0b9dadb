"""A damper whose ends coincide acts against their relative velocity: the limit of its force is −c v."""

import numpy as np
import pytest
from refusals import message_with, refused
from scene_text import NO_GRAVITY, body, joint, solver, spring, table, world
from scipy.optimize import brentq

import mbplugin as mb

C, MASS, V = 2.0, 1.5, np.array([1.0, -2.0, 2.0])


@pytest.mark.parametrize("at", [[0, 0, 0], [0.1, 0.2, 0.3]])
@pytest.mark.parametrize("keys", [{}, {"stiffness": 5.0}])
def test_the_first_frame_has_the_force_against_the_velocity(runs, at, keys):
    # the body is at a third of `at` more than two thirds of it: the ends may differ by rounding
    place = [2 * a / 3 for a in at]
    centre = {
        "center_of_mass": [a / 3 for a in at],
        "marker": [{"name": "c", "position": [a / 3 for a in at]}],
    }
    text = world(gravity=[0, 0, 0], marker=[{"name": "end", "position": at}])
    text += body("b", mass=MASS, inertia=[1, 1, 1], position=place, velocity=V, **centre)
    text += table("force", type="spring_damper", a="ground.end", b="b.c", damping=C, **keys)
    frame = runs.frames(text, [0.0])[0]
    assert MASS * frame["bodies/acceleration"][0] == pytest.approx(-C * V, abs=1e-13)


def test_a_mass_that_leaves_its_damper_slows_as_an_exponential(runs):
    text = NO_GRAVITY + body("b", mass=MASS, inertia=[1, 1, 1], velocity=V) + solver(tolerance=1e-10, end=2.0)
    text += table("force", type="spring_damper", a="ground", b="b", damping=C)
    times = np.linspace(0.0, 2.0, 5)
    for t, frame in zip(times, runs.frames(text, times)):
        assert frame["bodies/velocity"][0] == pytest.approx(V * np.exp(-C * t / MASS), abs=1e-9)
        assert frame["bodies/acceleration"][0] == pytest.approx(
            -C / MASS * V * np.exp(-C * t / MASS), abs=1e-8
        )


@pytest.mark.parametrize("at", [[0, 0, 0], [0.1, 0.2, 0.3]])
def test_a_spring_with_a_free_length_needs_a_direction(runs, at):
    text = NO_GRAVITY + body("b", mass=MASS, inertia=[1, 1, 1])
    with refused("force[0].length", 0.3):
        runs.prepare(text + spring("ground", "b", at=at, stiffness=5.0, length=0.3))


@pytest.mark.parametrize("keys", [{"stiffness": 5.0, "length": 0.0}, {"damping": C, "length": 0.3}])
def test_a_free_length_of_zero_and_a_damper_need_none(runs, keys):
    text = NO_GRAVITY + body("b", mass=MASS, inertia=[1, 1, 1])
    frame = runs.frames(text + spring("ground", "b", at=[0, 0, 0], **keys), [0.0])[0]
    assert frame["bodies/acceleration"][0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("a", "taken"), [("ground", True), ("ground.end", False)])
def test_a_point_of_application_is_that_of_bodies_named_without_a_marker(runs, a, taken):
    text = world(gravity=[0, 0, 0], marker=[{"name": "end", "position": [0, 0, 2]}])
    text += body("b", mass=MASS, inertia=[1, 1, 1], marker=[{"name": "c"}])
    text += spring(a, "b.c", at=[0, 0, 1], stiffness=3.0, length=0.0)
    if taken:
        assert runs.frames(text, [0.0])[0]["bodies/acceleration"][0] == pytest.approx([0, 0, 3.0 / MASS])
        return
    with refused("force[0].at", [0.0, 0.0, 1.0]):
        runs.prepare(text)


K, L = 40.0, 0.3


def through(end, **keys):
    """A slider that a spring of 0.3 m pushes, drawn 0.1 m from the other end and moving there with 2 m/s."""
    text = NO_GRAVITY + body("b", mass=MASS, inertia=[1, 1, 1], position=[0.1, 0, 0], velocity=[-2, 0, 0])
    text += joint("rail", "translational", "ground", "b", axis=[1, 0, 0])
    text += table("force", name="coil", type="spring_damper", a="ground", b="b", **keys)
    return mb.System.from_text(text + solver(end=end, tolerance=1e-10)).run(files=False)


def test_a_spring_whose_ends_meet_is_told_by_its_name_and_time():
    """x − l = (x₀ − l) cos ω t − (2/ω) sin ω t is −l at the time of meeting. Its potential is even in x: on
    the other side it goes on as the mirror image of what comes back.
    """
    omega = np.sqrt(K / MASS)
    exact = lambda t: L + (0.1 - L) * np.cos(omega * t) - 2.0 / omega * np.sin(omega * t)
    meets = brentq(exact, 0.0, 0.1)
    result = through(2 * meets, stiffness=K, length=L)
    told = message_with(result.messages, '"coil"', "0.3 m", "12 N", level="warning")
    assert told.time == pytest.approx(meets, abs=1e-4)
    assert result["b"].position[-1, 0] == pytest.approx(-exact(0.0), abs=1e-6)


@pytest.mark.parametrize("keys", [{"stiffness": K, "length": 0.0}, {"damping": C, "length": L}])
def test_ends_that_meet_under_a_force_with_a_direction_there_are_not_told(keys):
    result = through(0.2, **keys)
    assert result["b"].position[-1, 0] < -0.05
    assert "coil" not in str(result.messages)


@pytest.mark.parametrize(("passes", "told"), [(0.0, True), (0.03, False)])
def test_ends_that_pass_at_a_distance_do_not_meet(passes, told):
    """On a circle through the other end, or beside it."""
    text = world(gravity=[0, 0, 0], marker=[{"name": "post", "position": [0, 0.5, 0]}])
    text += body("b", mass=MASS, inertia=[1, 1, 1], position=[0.5 + passes, 0, 0])
    start = {"angle": 0.5 * np.pi - 0.3, "speed": 4.0}
    text += joint("arm", "revolute", "ground", "b", at=[0, 0, 0], axis=[0, 0, 1], start=start)
    text += table("force", name="coil", type="spring_damper", a="ground.post", b="b", stiffness=K, length=L)
    result = mb.System.from_text(text + solver(end=0.2, tolerance=1e-8)).run(files=False)
    assert ("its ends meet" in str(result.messages)) == told
