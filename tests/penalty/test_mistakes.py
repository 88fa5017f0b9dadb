"""Every mistake in `enforce` gives one message with its key, value and correction."""

from __future__ import annotations

import pytest
from held import mass, penalty
from scene_text import table

from mbplugin.errors import SceneError
from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.schema import scene_schema
from mbplugin.model import System
from mbplugin.run.prepare import prepare

MISTAKES = [
    ("penality", ["joint[0].enforce", "penality", 'did you mean "penalty"?']),
    ("springs", ["joint[0].enforce", "no plugin offers this enforcement", "lagrange", "penalty"]),
    (3, ["joint[0].enforce", "must be a name in quotes, or a table"]),
    ({"stiffness": 1}, ["joint[0].enforce.type", "must be the name of an enforcement"]),
    ({"type": "penality"}, ["joint[0].enforce.type", 'did you mean "penalty"?']),
    (penalty(stiffness=-1), ["joint[0].enforce.stiffness", "must not be negative", '"auto"']),
    (penalty(stiffness="stiff"), ["joint[0].enforce.stiffness", "stiff"]),
    (penalty(damping=float("nan")), ["joint[0].enforce.damping", "nan"]),
    (penalty(stifness=1), ["joint[0].enforce.stifness", 'did you mean "stiffness"?']),
    (penalty(deviation=0), ["joint[0].enforce.deviation", "greater than 0"]),
    (penalty(augment=True, tolerance=0), ["joint[0].enforce.tolerance", "greater than 0"]),
    (
        penalty(direction={"rotation about q": {"stiffness": 1}}),
        ["joint[0].enforce.direction", 'did you mean "rotation about'],
    ),
    (penalty(direction={"rotation about x": {"stiff": 1}}), ["rotation about x", "stiff"]),
    ({"type": "lagrange", "stiffness": 1}, ["joint[0].enforce.stiffness", 'unknown key of type "lagrange"']),
]


@pytest.mark.parametrize(("enforce", "parts"), MISTAKES)
def test_a_mistake_is_reported(registry, enforce, parts):
    with pytest.raises(SceneError) as caught:
        prepare(System.from_text(mass(enforce)), registry)
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.exit_code == 2 and "line" in str(caught.value)


def test_a_row_that_gives_an_acceleration_cannot_be_held_by_stiffness(registry, runs):
    """Exactly, it moves by ½ t²; a spring has nothing to answer to."""
    frame = runs.frames(mass("lagrange", kind="foreign_pushed"), [1.0])[0]
    assert frame["bodies/position"][0, 0] == pytest.approx(0.5, abs=1e-10)
    said = (
        r'joint\[0\]\.enforce = "penalty": cannot enforce accelerations, and joint "held"'
        r'.*acceleration along x.*"lagrange"'
    )
    with pytest.raises(SceneError, match=said):
        prepare(System.from_text(mass("penalty", kind="foreign_pushed")), registry)


def test_a_missing_plugin_is_reported_with_the_known_enforcements():
    registry, _ = load_plugins(disabled=["mbplugin_penalty"])
    with pytest.raises(SceneError, match="no plugin offers this enforcement; known: lagrange"):
        prepare(System.from_text(mass("penalty")), registry)


def test_numbers_may_be_expressions_of_parameters(registry):
    text = table("parameters", k=500) + mass(penalty(stiffness="2*k", damping="auto"))
    (law,) = prepare(System.from_text(text), registry).laws
    assert law.values[0, 0] == 1000.0


def test_a_scene_survives_writing_and_reading():
    system = System.from_text(mass(penalty(stiffness=10, direction={"rotation about x": {"stiffness": 3}})))
    assert System.from_text(system.to_toml()) == system


def test_the_schema_tells_the_keys_of_each_enforcement(registry):
    enforce = scene_schema(registry)["$defs"]["Joint"]["properties"]["enforce"]
    text = str(enforce)
    for word in ("lagrange", "penalty", "foreign_cubic", "angular_stiffness", "augment"):
        assert word in text
