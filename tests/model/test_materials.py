"""Materials and contacts of a scene: what holds between two bodies, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest
from refusals import has, refused, warned
from scene_text import body, hinge, joint, solver, table, world
from trimesh import creation

from mbplugin.compile import complete_shapes
from mbplugin.compile.collisions import collisions
from mbplugin.hooks.load import load_plugins
from mbplugin.model import System
from mbplugin.model.contact import Material
from mbplugin.model.remarks import idle_contacts, nothing_to_touch
from mbplugin.problem import Names
from mbplugin.run.prepare import prepare

BALL = [{"type": "sphere", "radius": 0.1}]
STEEL = table("material", name="steel", friction=0.2, friction_static=0.3, restitution=0.6, density=7800)
RUBBER = table("material", name="rubber", friction=0.8, restitution=0.9)


def ball(name, **keys):
    return body(name, **({"mass": 1, "inertia": [1, 1, 1], "collide": True, "shape": BALL} | keys))


def surfaces(text):
    """What collides in a scene; bodies have their numbers of the scene."""
    system = System.from_text(text)
    names = Names(bodies=[b.name for b in system.bodies], body_index=list(range(len(system.bodies))))
    return collisions(system, names)


def between(found, i, j):
    """Kinetic and static friction and restitution between the surfaces of two shapes."""
    at = found.surface[i], found.surface[j]
    return [float(a[at]) for a in (found.friction, found.static, found.restitution)]


def test_two_materials_have_the_mean_friction_and_the_smaller_restitution():
    found = surfaces(STEEL + RUBBER + ball("a", material="steel") + ball("b", material="rubber"))
    assert between(found, 0, 0) == [0.2, 0.3, 0.6]
    assert between(found, 0, 1) == pytest.approx([sqrt(0.2 * 0.8), sqrt(0.3 * 0.8), 0.6])
    assert between(found, 1, 0) == between(found, 0, 1)


def test_a_rule_of_bodies_comes_before_one_of_materials():
    rules = table("contact", a="steel", b="steel", friction=0.5) + table(
        "contact", a="b", b="a", friction=0.7
    )
    found = surfaces(STEEL + "".join(ball(name, material="steel") for name in ("a", "b", "c")) + rules)
    assert between(found, 0, 1) == [0.7, 0.7, 0.0]
    assert between(found, 0, 2) == [0.5, 0.5, 0.0]


def test_shapes_collide_as_they_or_their_body_say():
    shapes = [BALL[0], BALL[0] | {"collide": False}]
    text = world(shape=[{"type": "plane", "size": [1, 1], "collide": True}])
    found = surfaces(text + ball("a", shape=shapes) + ball("b", collide=False))
    assert [s >= 0 for s in found.surface] == [True, False, False, True]


def test_bodies_of_a_group_and_bodies_on_a_joint_pass_through_each_other():
    text = ball("a", group="arm") + ball("b", group="arm") + ball("c") + hinge("h", "a", "c")
    found = surfaces(text + table("contact", a="b", b="c", collide=False))
    apart = lambda i, j: int(found.pass_through[found.surface[i], found.surface[j]])
    assert (apart(0, 1), apart(0, 2), apart(1, 2)) == (1, 0, 1)
    np.testing.assert_array_equal(found.joined, [[0, 2]])


def prepared(text):
    return prepare(System.from_text(text + solver(step=1e-3, end=1.0)), load_plugins()[0])


def test_a_joint_to_the_ground_lets_its_body_touch_the_ground_unless_it_holds_it():
    floor = world(shape=[{"type": "plane"}], collide=True)
    text = floor + "".join(ball(name, position=[k, 0, 0.2]) for k, name in enumerate("abc"))
    text += joint("slide", "planar", "ground", "a", axis=[0, 1, 0]) + joint("bolt", "fixed", "b", "ground")
    found = prepared(text)
    numbers = found.problem.names.body_index
    np.testing.assert_array_equal(found.problem.names.collisions.joined, [[-1, numbers[1]]])


def test_pairs_that_a_joint_keeps_from_colliding_are_named():
    text = STEEL + ball("a", material="steel") + ball("b", position=[1, 0, 0], material="steel")
    text += ball("c", position=[2, 0, 0], collide=False)
    text += hinge("h", "a", "b", at=[0.5, 0, 0]) + hinge("k", "b", "c", at=[1.5, 0, 0])
    remark = (
        'bodies on a joint do not collide with each other: "a" and "b" (joint "h"); '
        "a [[contact]] with their names as `a` and `b` lets them collide"
    )
    assert prepared(text).assembly.messages == [remark]
    for collide in (True, False):
        assert prepared(text + table("contact", a="a", b="b", collide=collide)).assembly.messages == []


def test_bodies_that_collide_without_a_material_are_named():
    text = STEEL + ball("a", material="steel") + ball("b", position=[1, 0, 0]) + ball("c", position=[2, 0, 0])
    remark = (
        'collide without a material, which means without friction and rebound: "b", "c"; '
        "`material` names a [[material]]"
    )
    assert prepared(text).assembly.messages == [remark]
    ruled = text + table("contact", a="a", b="b", friction=0.1) + table("contact", a="a", b="c", friction=0.1)
    assert prepared(ruled).assembly.messages == []
    apart = text + table("contact", a="b", b="c", collide=False)
    assert prepared(apart).assembly.messages == [remark]


def test_materials_of_what_does_not_collide_are_warned_of():
    """Those that give a body its density have acted already."""
    idle = table("material", name="ice", friction=0.02)
    text = STEEL + idle + world(shape=[{"type": "plane"}], material="ice")
    text += ball("a", collide=False, material="ice", shape=[BALL[0] | {"material": "steel"}])
    text += ball("b", position=[1, 0, 0], collide=False, material="steel")
    names = ("the ground (ice)", '"a" (ice)', '"a", shape[0] (steel)')
    with warned(*names):
        (remark,) = prepared(text).remarks
    assert has(remark, *names) and '"b"' not in remark


@pytest.mark.parametrize(
    ("ground", "bodies", "alone"),
    [(True, (), "the ground"), (False, ("a",), '"a"'), (True, ("a",), ""), (False, (), "")],
)
def test_a_scene_in_which_only_one_has_shapes_that_collide_is_warned_of(ground, bodies, alone):
    text = world(shape=[{"type": "plane"}], collide=ground)
    text += "".join(ball(name, position=[k, 0, 1], collide=name in bodies) for k, name in enumerate("ab"))
    remarks = nothing_to_touch(System.from_text(text))
    assert [has(remark, f"only shapes of {alone} collide") for remark in remarks] == [True] * bool(alone)
    assert not nothing_to_touch(System.from_text(text.replace("[scene]", "[scene]\ncontacts = false")))


def test_friction_of_a_body_is_sent_to_its_material():
    with refused("body[0].friction", 0.3):
        prepared(ball("a", friction=0.3))


def test_a_contact_of_two_bodies_on_a_joint_lets_them_touch():
    found = surfaces(ball("a") + ball("b") + hinge("h", "a", "b") + table("contact", a="a", b="b"))
    assert len(found.joined) == 0


def test_a_material_gives_the_mass_of_a_body_without_one():
    system = System.from_text(STEEL + body("a", material="steel", shape=BALL))
    assert system.bodies[0].mass_properties().mass == pytest.approx(7800 * 4 / 3 * pi * 1e-3)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (table("material", name="m", friction=-0.1), "material[0].friction"),
        (table("material", name="m", friction=0.4, friction_static=0.3), "material[0].friction_static"),
        (table("material", name="m", restitution=1.1), "material[0].restitution"),
        (table("material", name="m", rolling=0.1), "material[0].rolling"),
        (STEEL + STEEL, "material[1].name"),
        (STEEL + ball("a", material="stel"), "body[0].material"),
        (ball("a") + table("contact", a="a", b="x"), "contact[0].b"),
        (ball("a", shape=[]), "body[0].collide"),
        (ball("a", shape=[BALL[0] | {"radius": 0}]), "body[0].shape[0].radius"),
        (table("contact", a="ground", b="steel") + RUBBER, "contact[0].b"),
        (ball("a") + RUBBER + table("contact", a="a", b="rubber"), "contact[0].b"),
        (ball("a") + table("contact", a="a", b="a"), "contact[0].b"),
        (ball("a") + 2 * table("contact", a="a", b="z", friction=0.1), "contact[1].b"),
        (ball("a") + table("contact", a="a", b="z") + table("contact", a="z", b="a"), "contact[1].b"),
        (RUBBER + 2 * table("contact", a="rubber", b="rubber"), "contact[1].b"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text, key):
    with refused(key):
        System.from_text(text + ball("z"))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (ball("a", shape=[{"type": "mesh", "file": "a.stl"}]), "body[0].collide"),
        (
            ball("a") + world(shape=[{"type": "mesh", "file": "a.stl", "collide": True}]),
            "scene.shape[0].collide",
        ),
    ],
)
def test_a_shape_that_no_plugin_lets_touch_others_is_refused_by_name(text, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    creation.box().export("a.stl")
    registry = load_plugins()[0]
    shapes = {name: kind for name, kind in registry.offers["shape"].items() if name != "mesh"}
    with refused(key):
        prepare(System.from_text(text), replace(registry, offers=registry.offers | {"shape": shapes}))


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"material": "stel"}, "scene.material"),
        ({"shape": [BALL[0] | {"material": "stel"}]}, "scene.shape[0].material"),
    ],
)
def test_a_material_of_the_ground_that_does_not_exist_is_refused_by_name(keys, key):
    with refused(key, "stel"):
        prepare(System.from_text(STEEL + world(**keys) + ball("z")), load_plugins()[0])


def test_a_built_system_may_get_its_scene_before_its_materials():
    system = System(scene={"material": "steel", "shape": BALL})
    system.add(Material(name="steel"))
    complete_shapes(system, load_plugins()[0])


def test_a_scene_that_collides_gets_the_solver_for_it_unless_it_names_one():
    assert System.from_text(ball("a")).solver_type == "contact"
    assert System.from_text(ball("a", collide=False)).solver_type == "rk"
    assert System.from_text(ball("a") + solver(type="rk")).solver_type == "rk"
    again = System.from_text(System.from_text(ball("a")).to_toml())
    assert again.solver_type == "contact"


def test_a_contact_of_bodies_that_do_not_collide_is_told():
    ball = lambda name, **keys: body(
        name, mass=1, inertia=[1, 1, 1], shape=[{"type": "sphere", "radius": 0.1}], **keys
    )
    pair = lambda **keys: table("contact", a="one", b="two", **keys)
    text = ball("one") + ball("two", collide=True)
    (line,) = idle_contacts(System.from_text(text + pair(restitution=1.0)))
    assert line == 'contact[0] has no effect: "one" does not collide; add `collide = true`'
    assert idle_contacts(System.from_text(text + pair(collide=False))) == []
    both = ball("one", collide=True) + ball("two", collide=True)
    assert idle_contacts(System.from_text(both + pair(restitution=1.0))) == []
