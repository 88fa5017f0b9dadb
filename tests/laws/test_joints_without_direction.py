"""Joints that have no direction where a scene puts them are refused, and a bare body of a rod is its mass
centre.
"""

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, table, world

GRAVITY = world(gravity=[0, 0, -9.81])
WHEEL = {"mass": 1.0, "inertia": [0.02, 0.02, 0.04], "position": [0, 0, 0.3]}


@pytest.mark.parametrize("apart", [0.0, 1e-17, 1e-12, 1e-9])
def test_a_rod_whose_ends_nearly_coincide_is_refused(runs, apart):
    end = {"name": "end", "position": [apart, 0, -0.3]}
    text = GRAVITY + body("bob", mass=1.0, inertia=[1, 1, 1], position=[0, 0, 0.3], marker=[end])
    with refused("joint[0]", "rod"):
        runs.prepare(text + joint("rod", "rod", "ground", "bob.end"))


TOP = [{"name": "top", "position": [0, 0, 1]}]
CENTRE, ORIGIN = 'the mass centre of "bob"', '"ground" at the origin'


@pytest.mark.parametrize(
    ("ends", "keys"),
    [
        ((ORIGIN, CENTRE), {"type": "rod", "a": "ground", "b": "bob", "length": 1.0}),
        (('"ground" at `at`', CENTRE), {"type": "rod", "a": "ground", "b": "bob", "at": [0, 0, 0]}),
        (
            ('"ground.top"', '"bob.top"'),
            {"type": "actuator", "a": "ground.top", "b": "bob.top", "speed": 0.1},
        ),
        ((CENTRE, ORIGIN), {"type": "rope", "markers": ["ground.top", "bob", "ground"], "length": 2.0}),
        ((ORIGIN, CENTRE), {"type": "pulley", "markers": ["ground", "bob.top", "ground", "bob"]}),
    ],
)
def test_the_markers_that_coincide_are_named(runs, ends, keys):
    text = world(marker=TOP) + body("bob", mass=1.0, inertia=[1, 1, 1], marker=TOP)
    with refused("joint[0]", "link") as error:
        runs.prepare(text + table("joint", name="link", **keys))
    assert " and ".join(ends) in error.value.mend


def test_a_short_rod_swings_as_a_pendulum_of_its_length(runs):
    # a point on a rod of 1 mm falls freely at its first moment, if the rod is level
    length = 1e-3
    text = GRAVITY + body("bob", mass=1.0, inertia=[1, 1, 1], position=[length, 0, 0])
    frames = runs.frames(text + joint("rod", "rod", "ground", "bob"), [0.0])
    assert frames[0]["bodies/acceleration"][0] == pytest.approx([0, 0, -9.81], abs=1e-12)


@pytest.mark.parametrize("kind", ["rod", "actuator"])
def test_a_bare_body_between_two_points_is_its_mass_centre(runs, kind):
    keys = {"speed": 0.0} if kind == "actuator" else {}
    text = NO_GRAVITY + body(
        "bob", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0], center_of_mass=[0, 0.75, 0]
    )
    problem = runs.prepare(text + joint("rod", kind, "ground", "bob", **keys)).problem
    # along the line from the origin to (1, 0.75, 0), without an arm about the mass centre
    assert problem.jacobian()[0] == pytest.approx([0.8, 0.6, 0, 0, 0, 0], abs=1e-14)


def test_the_point_of_a_rod_is_that_of_a_bare_ground(runs):
    text = NO_GRAVITY + body("bob", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0])
    problem = runs.prepare(text + joint("rod", "rod", "ground", "bob", at=[1, 0, 2])).problem
    assert problem.jacobian()[0] == pytest.approx([0, 0, -1, 0, 0, 0], abs=1e-14)


@pytest.mark.parametrize("kind", ["rolling_disc", "wheel"])
@pytest.mark.parametrize("turn", [0, 90, -90, 33])
def test_a_disc_between_bare_bodies_is_refused_with_how_to_name_its_axle(runs, kind, turn):
    text = GRAVITY + body("wheel", orientation={"axis": [1, 0, 0], "angle_deg": turn}, **WHEEL)
    with refused("joint[0]", "rolls"):
        runs.prepare(text + joint("rolls", kind, "ground", "wheel", radius=0.3))


def leaning(angle):
    axle = {"name": "axle", "orientation": {"axis": [1, 0, 0], "angle_deg": angle}}
    text = world(gravity=[0, 0, -9.81], marker=[{"name": "floor"}])
    height = 0.3 * np.sin(np.deg2rad(angle))
    keys = WHEEL | {"position": [0, 0, height]}
    return (
        text
        + body("wheel", marker=[axle], **keys)
        + joint("rolls", "rolling_disc", "ground.floor", "wheel.axle", radius=0.3)
    )


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 180.0])
def test_a_disc_that_starts_flat_is_refused(runs, angle):
    with refused("joint[0]", "rolls"):
        runs.prepare(leaning(angle))


# at 1e-3 degrees, rounding once looked like an open joint
@pytest.mark.parametrize("angle", [1e-5, 1e-3, 0.1, 1.0, 90.0])
def test_a_disc_that_leans_starts(runs, angle):
    assert runs.prepare(leaning(angle)).assembly.moved == []


def test_the_radius_is_part_of_the_size_of_the_mechanism(runs):
    # the markers of a disc that leans little are close together
    assert runs.prepare(leaning(1e-3)).problem.names.size == 0.3
