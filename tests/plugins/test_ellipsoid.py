"""A shape from a foreign distribution: an ellipsoid rests, rocks and is hit as closed forms say."""

from __future__ import annotations

import json
from dataclasses import replace
from math import pi, sqrt

import numpy as np
import pytest
from headless import Runs
from mbplugin_ellipsoid import Ellipsoid
from refusals import refused
from scene_text import NO_GRAVITY, body, solver, table, world
from snapshots import same_report

from mbplugin.hooks.describe import description, lines_of, offers_of
from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.schema import scene_schema
from mbplugin.interface import hookimpl
from mbplugin.model import System

A, B, C = 0.3, 0.2, 0.1
EGG = {"type": "egg", "a": A, "b": B, "c": C}
FLOOR = world(collide=True, material="stone", shape=[{"type": "plane"}]) + table(
    "material", name="stone", friction=1.0
)


class Plain(Ellipsoid):
    """The same without a closed form."""

    name = "egg"
    pairs = {}


class Offers:
    """A plugin with one kind of shape."""

    @staticmethod
    @hookimpl
    def mbplugin_shapes(register):
        register(Plain)


def egg(angle=0.0, **keys):
    """An ellipsoid that touches the floor near the end of its short axis, tilted about y."""
    height = float(np.hypot(C * np.cos(angle), A * np.sin(angle)))
    turned = {"orientation": {"axis": [0, 1, 0], "angle": angle}} if angle else {}
    keys = {
        "material": "stone",
        "collide": True,
        "shape": [EGG],
        "position": [0, 0, height],
        **turned,
        **keys,
    }
    return body("egg", **keys) if "mass" in keys else body("egg", density=1000.0, **keys)


def rocking_frequency(a: float, c: float, g: float = 9.81) -> float:
    """Of small rolling oscillations in the plane of the half axes a and c, at rest on the end of c [rad/s]:
    the centre is c high, the curve there has the radius a² / c.
    """
    return sqrt(g * (a * a / c - c) / ((a * a + c * c) / 5.0 + c * c))


def contact_solver(step=1e-3):
    return solver(type="contact", step=step, end=10.0)


def test_its_mass_is_that_of_an_ellipsoid_and_the_floor_carries_it(runs):
    frame = runs.frames(FLOOR + egg() + contact_solver(), [0.1])[0]
    weight = 1000.0 * 4.0 / 3.0 * pi * A * B * C * 9.81
    np.testing.assert_allclose(frame["lists/contacts/force"], [[0, 0, weight]], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(frame["bodies/position"], [[0, 0, C]], atol=1e-12)


def test_it_rocks_with_the_frequency_that_its_curvature_gives(runs):
    times = np.arange(1, 400) * 5e-3
    frames = runs.frames(FLOOR + egg(1e-3) + contact_solver(5e-4), times)
    tilt = np.array([frame["bodies/orientation"][0, 2] for frame in frames])
    down = np.flatnonzero((tilt[:-1] > 0.0) & (tilt[1:] <= 0.0))
    zeros = times[down] + 5e-3 * tilt[down] / (tilt[down] - tilt[down + 1])
    assert len(zeros) == 5
    frequency = 2.0 * pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])
    assert frequency == pytest.approx(rocking_frequency(A, C), rel=2e-4)


def hit():
    """A ball flies along y against the resting ellipsoid of the same mass, whose centre it would miss."""
    material = table("material", name="stone", friction=0.0, restitution=1.0)
    ball = body(
        "ball",
        mass=1.0,
        inertia=[0.001] * 3,
        position=[0.1, -1.0, 0.0],
        velocity=[0, 2.0, 0],
        material="stone",
        collide=True,
        shape=[{"type": "sphere", "radius": 0.1}],
    )
    inertia = [(B * B + C * C) / 5, (A * A + C * C) / 5, (A * A + B * B) / 5]
    resting = egg(mass=1.0, inertia=inertia, position=[0, 0, 0])
    return NO_GRAVITY + material + resting + ball + contact_solver()


def test_a_ball_that_hits_it_loses_no_energy_and_no_momentum(runs):
    frame = runs.frames(hit(), [1.0])[0]
    v, w = frame["bodies/velocity"], frame["bodies/angular_velocity"]
    inertia = np.array([B * B + C * C, A * A + C * C, A * A + B * B]) / 5
    assert v.sum(axis=0) == pytest.approx([0, 2.0, 0], abs=1e-12)
    spin_of_ball = np.cross([0.1, 0, 0], [0, 2.0, 0])
    x = frame["bodies/position"]
    spin = np.cross(x, v).sum(axis=0) + inertia * w[0] + 0.001 * w[1]
    assert spin == pytest.approx(spin_of_ball, abs=1e-9)
    assert 0.5 * (v**2).sum() + 0.5 * inertia @ w[0] ** 2 == pytest.approx(2.0, rel=1e-12)
    assert abs(w[0, 2]) > 1.0


def test_its_support_function_alone_gives_the_same_impact(runs):
    closed, plain = (r.frames(hit(), [1.0])[0] for r in (runs, Runs.offering(plain=Offers)))
    for key in ("bodies/position", "bodies/velocity", "bodies/angular_velocity"):
        np.testing.assert_allclose(plain[key], closed[key], atol=1e-8)


LYING = {"orientation": {"axis": [0, 1, 0], "angle": pi / 2}}
POLYHEDRON = [[0.1, 0, 0], [-0.1, 0.1, 0], [-0.1, -0.1, 0], [0, 0, -0.1], [0, 0, 0.1]]


# a scene for each: each has a search for contacts of its own, which is compiled
@pytest.mark.parametrize(
    "other",
    [
        {"type": "box", "size": [0.2, 0.2, 0.2]},
        pytest.param({"type": "capsule", "radius": 0.1, "length": 0.2, **LYING}, marks=pytest.mark.slow),
        pytest.param({"type": "convex", "points": POLYHEDRON}, marks=pytest.mark.slow),
        pytest.param(EGG, marks=pytest.mark.slow),
    ],
    ids=lambda other: other["type"],
)
def test_it_touches_boxes_capsules_polyhedra_and_its_like(runs, other):
    top = body("top", mass=1.0, inertia=[0.01] * 3, position=[0, 0, 2 * C + 0.1], collide=True, shape=[other])
    frame = runs.frames(FLOOR + egg() + top + contact_solver(), [0.002])[0]
    force, lower = frame["lists/contacts/force"], frame["lists/contacts/body_b"]
    total = sum(np.abs(f[2]) for f, b in zip(force, lower) if b == 1)
    assert total == pytest.approx(9.81, rel=1e-6)


@pytest.mark.parametrize(
    ("shape", "key"),
    [
        (EGG | {"a": -1}, "body[0].shape[0].a"),
        (EGG | {"d": 1}, "body[0].shape[0].d"),
        (EGG | {"type": "elipsoid"}, "body[0].shape[0].type"),
    ],
)
def test_what_it_does_not_know_is_refused_by_name(runs, shape, key):
    with refused(key):
        runs.prepare(FLOOR + egg(shape=[shape]) + contact_solver())


def test_a_scene_with_it_is_written_and_read_back():
    system = System.from_text(FLOOR + egg())
    again = System.from_text(system.to_toml())
    assert again.bodies[0].shapes[0].raw == {"a": A, "b": B, "c": C}
    assert [material.name for material in again.materials] == ["stone"]
    assert again.to_toml() == system.to_toml()


def test_the_schema_knows_its_keys_and_tells_it_from_shapes_of_the_engine(runs):
    schema = scene_schema(runs.registry)
    other = schema["$defs"]["OtherShape"]
    assert {"$ref": "#/$defs/OtherShape"} in schema["$defs"]["Body"]["properties"]["shape"]["items"]["oneOf"]
    # one shape matches one definition: "sphere" is none of the others
    assert other["properties"]["type"]["enum"] == ["egg", "heightfield"]
    rule, _ = other["allOf"]
    assert rule["if"]["properties"]["type"] == {"const": "egg"}
    assert rule["then"]["required"] == ["a", "b", "c"]
    assert rule["then"]["properties"]["a"]["description"] == "half axis along x [m]"


def test_the_schema_has_no_other_shapes_where_no_plugin_offers_any():
    registry = load_plugins()[0]
    shapes = {name: kind for name, kind in registry.offers["shape"].items() if name != "heightfield"}
    schema = scene_schema(replace(registry, offers=registry.offers | {"shape": shapes}))
    text = json.dumps(schema)
    assert "OtherShape" not in text and "#/$defs/Sphere" in text


@pytest.mark.parametrize("name", ["egg", "sphere", "plane"])
def test_its_description_tells_keys_and_how_it_touches_others(runs, name):
    ((category, offer),) = offers_of(runs.registry, name)
    assert category == "shape"
    same_report(f"plugins_show_{name}", "\n".join(lines_of(description(category, offer))))
