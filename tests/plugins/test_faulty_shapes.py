"""Kinds of shapes that lack something, or return something else, are told by name and function."""

from __future__ import annotations

import pytest
from headless import Runs
from mbplugin_ellipsoid import Ellipsoid
from scene_text import body, solver

from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.offered import check_offer
from mbplugin.interface import MassProperties, ShapeKind, hookimpl

EGG = body("egg", density=1000, collide=True, shape=[{"type": "ellipsoid", "a": 3, "b": 2, "c": 1}])


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
    ("changed", "message"),
    [
        ({"numbers": lambda cls, keys: "abc"}, 'numbers returns "abc" where (n) is needed'),
        ({"numbers": lambda cls, keys: [[1.0, 2.0]]}, "numbers returns [[1.0, 2.0]] where (n) is needed"),
        (
            {"numbers": lambda cls, keys: [float("nan")]},
            "`numbers` of body[0].shape[0] is (nan,), not finite",
        ),
        ({"radius": lambda cls, keys: 0.0}, "`radius` of body[0].shape[0] is 0.0, not above 0"),
        (
            {"mass_properties": lambda cls, keys: MassProperties(1.0, [0.0, 0.0], [1.0])},
            "mass_properties returns [0.0, 0.0] where (3) is needed",
        ),
        ({"parameters": None}, "it needs `parameters`, the class of its keys"),
    ],
)
def test_a_function_that_returns_something_else_is_named(changed, message):
    with pytest.raises(PluginError) as caught:
        prepare(**changed)
    assert 'shape "ellipsoid"' in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["numbers", "radius", "mass_properties"])
def test_a_function_that_is_missing_is_named(name):
    with pytest.raises(PluginError, match=rf'shape "ellipsoid": it does not define `{name}\(keys\)`'):
        prepare(**{name: getattr(ShapeKind, name).__func__})


def test_two_shapes_that_nobody_lets_touch_each_other_are_named():
    with pytest.raises(SceneError) as caught:
        prepare(EGG + EGG.replace('"egg"', '"other"'), support=None, pairs={})
    assert 'shapes "ellipsoid" and "ellipsoid" cannot touch: ' in str(caught.value)
    assert "give `collide = false`" in str(caught.value)


def test_a_shape_of_the_engine_keeps_its_keys():
    with pytest.raises(PluginError, match="the engine has a shape of this name"):
        check_offer("shape", "sphere", Ellipsoid)
