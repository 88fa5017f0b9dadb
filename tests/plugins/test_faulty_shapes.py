"""Kinds of shapes that lack something, or return something else, are told by name and function."""

from __future__ import annotations

import pytest
from headless import Runs
from mbplugin_ellipsoid import Ellipsoid
from refusals import refused, stopped
from scene_text import body, solver

from mbplugin.errors import PluginError
from mbplugin.hooks.offered import check_offer
from mbplugin.interface import MassProperties, ShapeKind, hookimpl

EGG = body("egg", density=1000, collide=True, shape=[{"type": "egg", "a": 3, "b": 2, "c": 1}])


def prepare(scene=EGG, **changed):
    """The scene, with these functions of an ellipsoid changed."""
    changed = {name: classmethod(f) if callable(f) else f for name, f in changed.items()}
    kind = type("Faulty", (Ellipsoid,), changed)

    class Offers:
        @staticmethod
        @hookimpl
        def mbplugin_shapes(register):
            register(kind)

    return Runs.offering(faulty=Offers).prepare(scene + solver(end=1.0))


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ({"numbers": lambda cls, keys: "abc"}, ["numbers", '"abc"']),
        ({"numbers": lambda cls, keys: [[1.0, 2.0]]}, ["numbers", "[[1.0, 2.0]]"]),
        ({"numbers": lambda cls, keys: [float("nan")]}, ["`numbers`", "body[0].shape[0]", "(nan,)"]),
        ({"radius": lambda cls, keys: 0.0}, ["`radius`", "body[0].shape[0]", "0.0"]),
        (
            {"mass_properties": lambda cls, keys: MassProperties(1.0, [0.0, 0.0], [1.0])},
            ["mass_properties", "[0.0, 0.0]"],
        ),
        ({"parameters": None}, ["`parameters`"]),
    ],
)
def test_a_function_that_returns_something_else_is_named(changed, names):
    with stopped(PluginError, '"egg"', *names):
        prepare(**changed)


@pytest.mark.parametrize("name", ["numbers", "radius", "mass_properties"])
def test_a_function_that_is_missing_is_named(name):
    with stopped(PluginError, '"egg"', f"`{name}(keys)`"):
        prepare(**{name: getattr(ShapeKind, name).__func__})


def test_two_shapes_that_nobody_lets_touch_each_other_are_named():
    with refused("collide", True):
        prepare(EGG + EGG.replace('name = "egg"', 'name = "other"'), support=None, pairs={})


def test_a_shape_of_the_engine_keeps_its_keys():
    with stopped(PluginError, '"sphere"'):
        check_offer("shape", "sphere", Ellipsoid)
