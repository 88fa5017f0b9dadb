"""Systems: references of their elements, and their text."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refused
from scene_text import body, joint

from mbplugin.errors import SceneError
from mbplugin.model import Body, Force, Joint, Motion, Solver, System
from mbplugin.model.system import ELEMENTS


def pendulum(**keys):
    system = System(**keys)
    system.add(Body(name="upper", mass=1, inertia=[1, 1, 1], marker=[{"name": "tip", "position": [0, 0, 1]}]))
    system.add(Joint(name="shoulder", type="revolute", a="ground", b="upper", axis=[0, 1, 0]))
    return system


def planar(**scene):
    system = System(scene=scene)
    system.add(Body(name="bar", type="planar", mass=1, inertia=1))
    return system


def test_python_and_toml_make_the_same_system():
    text = body("upper", mass=1, inertia=[1, 1, 1], marker=[{"name": "tip", "position": [0, 0, 1]}])
    text += joint("shoulder", "revolute", "ground", "upper", axis=[0, 1, 0])
    assert System.from_text(text) == pendulum()
    assert System.from_text(text.replace("mass = 1", "mass = 2")) != pendulum()


def test_elements_may_be_given_all_at_once():
    system = System(
        parameters={"m": 2},
        bodies=[{"name": "a", "mass": "m/2", "inertia": [1, 1, 1]}],
        joint=[Joint(name="j", type="ball", a="ground", b="a")],
    )
    assert system.bodies[0].mass == 1.0 and system.joints[0].name == "j"


def test_two_systems_do_not_share_their_lists():
    pendulum()
    assert System().bodies == []
    System().add(Body(name="a"))
    assert System().bodies == []


@pytest.mark.parametrize("name", ELEMENTS)
def test_a_copy_is_not_reached_by_what_is_added_later(name):
    system = System()
    assert getattr(system.copied(), name) is not getattr(system, name)


@pytest.mark.parametrize(
    ("element", "key"),
    [
        (Body(name="upper"), "body[1].name"),
        (Joint(name="shoulder", type="b"), "joint[1].name"),
        (Joint(name="j", type="b", a="ground", b="uper"), "joint[1].b"),
        (Joint(name="j", type="b", a="groun", b="upper"), "joint[1].a"),
        (Joint(name="j", type="b", a="upper.tp", b="ground"), "joint[1].a"),
        (Joint(name="j", type="b", a="ground.tip", b="upper"), "joint[1].a"),
        (Joint(name="j", type="b", a="upper", b="upper.tip"), "joint[1].b"),
        (Joint(name="j", type="b", a="ground", b="ground"), "joint[1].b"),
        (Joint(name="j", type="b", a="ground", b="upper", at=[1, 2]), "joint[1].at"),
        (Joint(name="j", type="b", markers=["ground", "x"]), "joint[1].markers[1]"),
        (Joint(name="j", type="b", markers=["upper", "upper.tip"]), "joint[1].markers[1]"),
        (Joint(name="j", type="b", a="ground", markers=["ground", "upper"]), "joint[1].a"),
        (Joint(name="j", type="b", b="upper", markers=[]), "joint[1].b"),
        (Motion(joint="sholder", angle=1), "motion[0].joint"),
        (Motion(joint="shoulder", angle="tme"), "motion[0].angle"),
        (Motion(joint="shoulder", angle=True), "motion[0].angle"),
        (Force(type="spring", a="ground", b="x"), "force[0].b"),
        (Force(type="spring", a="upper.tip", b="upper.tip"), "force[0].b"),
        (Force(type="spring", markers=["upper.tip", "upper.tip"]), "force[0].markers[1]"),
        (Force(type="spring", a="ground", b="upper", markers=["ground", "upper"]), "force[0].a"),
        (Force(type="torque", body="x"), "force[0].body"),
        (Force(type="torque", body="upper", markers=["upper"]), "force[0].body"),
        (3, "System.add"),
    ],
)
def test_an_element_that_does_not_fit_is_refused_and_not_kept(element, key):
    system = pendulum()
    before = system.to_toml()
    with refused(key):
        system.add(element)
    assert system.to_toml() == before


def test_missing_names_are_generated_and_unique():
    system = pendulum()
    names = [system.add(Force(type="spring", a="ground", b="upper")).name for _ in range(3)]
    assert names == ["spring_1", "spring_2", "spring_3"]
    assert system.add(Motion(joint="shoulder", angle="time")).name == "shoulder_angle"
    assert system.add(Force(type="spring", name="spring_5", a="ground", b="upper")).name == "spring_5"


@pytest.mark.parametrize("scene", [{}, {"gravity": [0, 0, -9.81]}, {"plane": "xz", "gravity": [0, -9.81, 0]}])
def test_planar_bodies_do_not_fall_out_of_their_plane(scene):
    with refused("scene.gravity"):
        planar(**scene)


def test_planar_bodies_fall_in_their_plane():
    for scene in ({"gravity": [0, -9.81, 0]}, {"gravity": [0, 0, 0]}, {"plane": "xz"}):
        assert [body.name for body in planar(**scene).bodies] == ["bar"]


def test_a_joint_of_planar_bodies_may_be_placed_by_two_numbers():
    system = planar(plane="xz")
    assert system.add(Joint(name="j", type="pin", a="ground", b="bar", at=[1, 2])).at == (1.0, 0.0, 2.0)
    slider = Joint(name="slider", type="translational", a="ground", b="bar", axis=[3, 4])
    assert system.add(slider).axis == (3.0, 0.0, 4.0)


def test_the_solver_may_be_replaced_and_is_checked():
    system = pendulum()
    system.solver = Solver(end=3)
    assert system.solver.end == 3.0
    system.solver = {"end": "2*pi", "tolerance": 1e-9}
    assert system.solver.end == 2 * math.pi and system.solver.raw == {"tolerance": 1e-9}
    for name, value in [("solver", {"end": -1}), ("solver", 3), ("bodies", []), ("solvr", 1)]:
        with pytest.raises(SceneError, match=name):
            setattr(system, name, value)
    assert system.solver.end == 2 * math.pi


def test_the_plane_cannot_change_under_planar_bodies():
    system = planar(plane="xz")
    with refused("scene.plane", "xy"):
        system.scene = {"plane": "xy", "gravity": [0, 0, 0]}
    with refused("scene.gravity", [0.0, 1.0, 0.0]):
        system.scene = {"plane": "xz", "gravity": [0, 1, 0]}


def test_a_body_is_found_by_its_name():
    assert pendulum().body("upper").mass == 1.0
    with refused("body", "uper"):
        pendulum().body("uper")


# text

numbers = st.floats(-1e20, 1e20, allow_subnormal=True)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(numbers, numbers, numbers), st.floats(1e-50, 1e50), st.text(max_size=20))
def test_every_bit_and_every_character_survives_writing_and_reading(position, mass, comment):
    system = System(scene={"name": comment})
    system.add(
        Body(name="a", mass=mass, inertia=[1, 1, 1], position=position, note=comment, nested={"x y": [1, {}]})
    )
    again = System.from_text(system.to_toml())
    assert again == system
    assert np.array(again.bodies[0].position).tobytes() == np.array(system.bodies[0].position).tobytes()
    assert again.bodies[0].raw == system.bodies[0].raw


def test_the_text_has_the_given_keys_and_no_others():
    system = pendulum(parameters={"k": 2, "half": "k/2"}, scene={"name": "swing"})
    system.add(Motion(joint="shoulder", angle="half*sin(time)"))
    system.add(Force(type="spring", a="ground", b="upper.tip", stiffness="k"))
    text = system.to_toml()
    again = System.from_text(text)
    assert again == system and again.to_toml() == text
    assert "velocity" not in text
    assert 'stiffness = "k"' in text and "half = 1.0" in text


def test_planar_systems_survive_writing_and_reading():
    system = planar(plane="xz")
    system.add(
        Body(name="b", type="planar", mass=1, inertia=2, position=[1, 2], angular_velocity=3, orientation=0.3)
    )
    assert System.from_text(system.to_toml()) == system


def test_a_python_function_has_no_text():
    system = pendulum()
    system.add(Force(type="spring", a="ground", b="upper", force=lambda t: t))
    with refused("force.force"):
        system.to_toml()


def test_the_schema_names_every_table_with_units():
    schema = System.model_json_schema()
    assert list(schema["properties"]) == System.keys()
    body = schema["$defs"]["Body"]
    assert "own" not in body["properties"] and body["additionalProperties"] is True
    assert schema["$defs"]["Scene"]["additionalProperties"] is False
    assert "[kg]" in body["properties"]["mass"]["description"]
    assert "shape" in body["properties"] and "shapes" not in body["properties"]
    for name, table in schema["$defs"].items():
        for key, field in table["properties"].items():
            assert "description" in field or key == "type", f"{name}.{key} is not described"


def test_a_thousand_bodies_are_added_in_linear_time():
    import time

    start = time.process_time()
    system = System()
    for k in range(1000):
        system.add(Body(name=f"b{k}", mass=1, inertia=[1, 1, 1]))
        system.add(Joint(name=f"j{k}", type="ball", a="ground" if k == 0 else f"b{k - 1}", b=f"b{k}"))
    assert time.process_time() - start < 2.0


def test_text_has_the_names_of_keys_that_files_have():
    plane = {"type": "plane", "size": [1, 1]}
    system = System(scene={"shape": [plane], "marker": [{"name": "a"}]})
    system.add(Body(name="b", type="point", mass=1))
    text = system.to_toml()
    assert "\nshape = " in text and "\nmarker = " in text and "shapes" not in text and "markers" not in text
    assert System.from_text(text).to_toml() == text
