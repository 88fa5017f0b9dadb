"""A damper whose ends coincide acts against their relative velocity: the limit of its force is −c v."""

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, solver, spring, table, world

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
