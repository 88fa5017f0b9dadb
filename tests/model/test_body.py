"""Bodies: which are possible, and their mass properties."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused

from mbplugin.model import Body, Box, System

R_30 = np.array([[np.sqrt(0.75), -0.5, 0], [0.5, np.sqrt(0.75), 0], [0, 0, 1]])


def spatial(**keys):
    return Body(**{"name": "upper", "mass": 2.0, "inertia": [1, 1, 1], **keys})


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(*3 * [st.floats(-5, 5)], st.floats(0.1, 5)), min_size=4, max_size=9))
def test_the_inertia_of_any_cloud_of_points_is_accepted(points):
    p, m = np.array([q[:3] for q in points]), np.array([q[3] for q in points])
    d = p - (m @ p) / m.sum()
    inertia = sum(k * (x @ x * np.eye(3) - np.outer(x, x)) for k, x in zip(m, d))
    if np.linalg.eigvalsh(inertia)[0] > 1e-6:
        assert Body(name="cloud", mass=m.sum(), inertia=inertia).mass_properties().inertia == pytest.approx(
            inertia
        )


def test_a_lamina_just_keeps_the_triangle_inequality():
    flat = Body(name="plate", mass=1.0, inertia=[0.333, 0.333, 0.666]).mass_properties().inertia
    assert np.diag(flat).tolist() == [0.333, 0.333, 0.666]
    turned = (
        Body(name="plate", mass=1.0, inertia=R_30 @ np.diag([1, 2, 3]) @ R_30.T).mass_properties().inertia
    )
    np.testing.assert_allclose(np.linalg.eigvalsh(turned), [1, 2, 3], rtol=1e-12)


@pytest.mark.parametrize(
    ("inertia", "key"),
    [
        ([1, 1, 5], "Body.inertia"),
        (R_30 @ np.diag([1, 5, 1]) @ R_30.T, "Body.inertia"),
        ([0, 1, 1], "Body.inertia"),
        ([-1, 1, 1], "Body.inertia"),
        ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], "Body.inertia"),
        ([1, 1], "Body.inertia"),
        ([[1, 0, 0], [0, 1, 0]], "Body.inertia"),
        ([1, [1], 1], "Body.inertia"),
        ([1, True, 1], "Body.inertia[1]"),
        ([1, float("nan"), 1], "Body.inertia[1]"),
        ("heavy", "Body.inertia"),
        (2.0, "Body.inertia"),
        (0, "Body.inertia"),
    ],
)
def test_an_inertia_that_no_body_has_is_refused(inertia, key):
    with refused(key):
        Body(name="a", mass=1, inertia=inertia)


def test_mass_properties_are_those_given():
    mass, center, inertia = spatial(center_of_mass=[1, 2, 3]).mass_properties()
    assert mass == 2.0
    assert center.tolist() == [1.0, 2.0, 3.0]
    assert inertia.tolist() == np.eye(3).tolist()


def test_a_scalar_inertia_of_a_planar_body_is_about_its_normal():
    for plane, axis in (("xy", 2), ("xz", 1)):
        system = System(scene={"plane": plane, "gravity": [0, 0, 0]})
        body = system.add(Body(name="bar", type="planar", mass=1, inertia=7))
        assert body.mass_properties().inertia[axis, axis] == 7.0


def test_a_planar_body_has_its_vectors_in_the_plane():
    system = System(scene={"plane": "xz"})
    body = system.add(
        Body(
            name="bar",
            type="planar",
            position=[1, 2],
            velocity=[3, 4],
            angular_velocity=5,
            center_of_mass=[6, 7],
            orientation={"angle_deg": 90},
            marker=[{"name": "tip", "position": [8, 9], "orientation": 0.1}],
            shape=[Box(size=[1, 1, 1], position=[1, 1])],
        )
    )
    assert body.position == (1.0, 0.0, 2.0)
    assert body.velocity == (3.0, 0.0, 4.0)
    assert body.center_of_mass == (6.0, 0.0, 7.0)
    assert body.markers[0].position == (8.0, 0.0, 9.0)
    assert body.shapes[0].position == (1.0, 0.0, 1.0)
    # the normal is x × z = −y, and a positive angle turns x towards z
    assert body.angular_velocity == (0.0, -5.0, 0.0)
    assert body.axes() @ [1, 0, 0] == pytest.approx([0, 0, 1])
    assert body.markers[0].rotation() == pytest.approx([np.cos(0.05), 0, -np.sin(0.05), 0])


def test_keys_that_were_not_given_are_known_as_such():
    system = System(scene={"gravity": [0, 0, 0]})
    body = system.add(Body(name="bar", type="planar", position=[1, 2]))
    assert "position" in body.model_fields_set
    assert not {"velocity", "angular_velocity", "markers"} & body.model_fields_set


@pytest.mark.parametrize(
    "keys",
    [
        {"velocity": [0, 0, 1]},
        {"angular_velocity": [1, 0, 0]},
        {"orientation": {"axis": [1, 0, 0], "angle": 1}},
    ],
)
def test_a_planar_body_cannot_leave_its_plane(keys):
    system = System(scene={"gravity": [0, -9.81, 0]})
    with refused(f"body[0].{next(iter(keys))}"):
        system.add(Body(name="bar", type="planar", **keys))


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"mass": 0}, "mass"),
        ({"mass": -1}, "mass"),
        ({"mass": True}, "mass"),
        ({"mass": float("inf")}, "mass"),
        ({"mass": 10**400}, "mass"),
        ({"mass": "2*m"}, "mass"),
        ({"mass": [1]}, "mass"),
        ({"density": 1000}, "density"),
        ({"mass": None, "inertia": None, "density": 1000}, "density"),
        ({"mass": None, "density": 1, "shape": [Box(size=[1, 1, 1])]}, "inertia"),
        ({"shape": [Box(size=[1, 1, 1], density=3)]}, "mass"),
        ({"name": "ground"}, "name"),
        ({"name": "a.b"}, "name"),
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"position": [1, 2]}, "position"),
        ({"velocity": [1, 2]}, "velocity"),
        ({"angular_velocity": 1}, "angular_velocity"),
        ({"orientation": {"angle": 1}}, "orientation"),
        ({"orientation": [1, 0, 0, 0]}, "orientation"),
        ({"marker": [{"name": "a"}, {"name": "a"}]}, "marker[1].name"),
        ({"marker": [{"name": "a", "position": [1, 2]}]}, "marker[0].position"),
        ({"marker": [{"nam": "a"}]}, "marker[0].nam"),
        ({"marker": {"name": "a"}}, "marker"),
        ({"marker": [], "markers": []}, "markers"),
    ],
)
def test_an_impossible_body_is_refused(keys, key):
    with refused(f"Body.{key}"):
        spatial(**keys)


def test_mass_properties_of_a_body_without_mass_are_refused():
    system = System(bodies=[{"name": "a"}, {"name": "b", "mass": 1}])
    assert not system.bodies[0].has_mass
    with refused("body[0].mass"):
        system.bodies[0].mass_properties()
    with refused("body[1].inertia"):
        system.bodies[1].mass_properties()


def test_the_keys_of_a_kind_are_kept_as_given():
    body = spatial(youngs_modulus="2*E", nodes=[1, 2])
    assert body.raw == {"youngs_modulus": "2*E", "nodes": [1, 2]}


def test_a_body_does_not_change():
    body = spatial()
    with refused("Body.mass", -1.0):
        body.mass = -1.0
    assert body.mass == 2.0
