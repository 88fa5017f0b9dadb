"""Every mistake in `enforce` gives one message with its key, value and correction."""

from __future__ import annotations

import pytest
from held import mass, penalty
from refusals import has, refused
from scene_text import table

from mbplugin.hooks.load import load_plugins
from mbplugin.hooks.schema import scene_schema
from mbplugin.model import System
from mbplugin.run.prepare import prepare

MISTAKES = [
    ("penality", "joint[0].enforce"),
    ("springs", "joint[0].enforce"),
    (3, "joint[0].enforce"),
    ({"stiffness": 1}, "joint[0].enforce.type"),
    ({"type": "penality"}, "joint[0].enforce.type"),
    (penalty(stiffness=-1), "joint[0].enforce.stiffness"),
    (penalty(stiffness="stiff"), "joint[0].enforce.stiffness"),
    (penalty(damping=float("nan")), "joint[0].enforce.damping"),
    (penalty(stifness=1), "joint[0].enforce.stifness"),
    (penalty(deviation=0), "joint[0].enforce.deviation"),
    (penalty(augment=True, tolerance=0), "joint[0].enforce.tolerance"),
    (penalty(direction={"rotation about q": {"stiffness": 1}}), "joint[0].enforce.direction"),
    (
        penalty(direction={"rotation about x": {"stiff": 1}}),
        "joint[0].enforce.direction.rotation about x.stiff",
    ),
    ({"type": "lagrange", "stiffness": 1}, "joint[0].enforce.stiffness"),
]


@pytest.mark.parametrize(("enforce", "key"), MISTAKES)
def test_a_mistake_is_reported(registry, enforce, key):
    with refused(key) as caught:
        prepare(System.from_text(mass(enforce)), registry)
    assert caught.value.exit_code == 2 and caught.value.line is not None


def test_a_row_that_gives_an_acceleration_cannot_be_held_by_stiffness(registry, runs):
    """Exactly, it moves by ½ t²; a spring has nothing to answer to."""
    frame = runs.frames(mass("lagrange", kind="foreign_pushed"), [1.0])[0]
    assert frame["bodies/position"][0, 0] == pytest.approx(0.5, abs=1e-10)
    with refused("joint[0].enforce", "penalty"):
        prepare(System.from_text(mass("penalty", kind="foreign_pushed")), registry)


def test_a_missing_plugin_is_reported_with_the_known_enforcements():
    registry, _ = load_plugins(disabled=["mbplugin_penalty"])
    with refused("joint[0].enforce", "penalty"):
        prepare(System.from_text(mass("penalty")), registry)


def test_numbers_may_be_expressions_of_parameters(registry):
    text = table("parameters", k=500) + mass(penalty(stiffness="2*k", damping="auto"))
    (law,) = prepare(System.from_text(text), registry).laws
    assert law.values[0, 0] == 1000.0


def test_a_scene_survives_writing_and_reading():
    system = System.from_text(mass(penalty(stiffness=10, direction={"rotation about x": {"stiffness": 3}})))
    assert System.from_text(system.to_toml()) == system


def test_the_schema_tells_the_keys_of_each_enforcement(registry):
    text = str(scene_schema(registry)["$defs"]["Joint"]["properties"]["enforce"])
    assert has(text, "lagrange", "penalty", "foreign_cubic", "angular_stiffness", "augment")
