"""`given_velocities = "impulse"`: joints that close on moving bodies change all velocities by an impulse."""

import numpy as np
import pytest
from refusals import has, refused
from scene_text import body, joint, solver, world
from snapshots import same_message

import mbplugin as mb

FREE = {"gravity": [0, 0, 0]}
LENGTH, SPEED = 2.0, 3.0


def caught(**scene):
    """A thin rod along x that moves along y and is caught at its left end."""
    moment = LENGTH**2 / 12
    return (
        world(**FREE, **scene)
        + body("rod", mass=1.0, inertia=[1e-6 * moment, moment, moment], velocity=[0, SPEED, 0])
        + joint("end", "revolute", "ground", "rod", at=[-LENGTH / 2, 0, 0])
    )


def test_a_rod_caught_at_its_end_turns_at_three_halves_of_the_speed_over_its_length(runs):
    # angular momentum about the end: m v l/2 = m l²/3 ω; without rotation the given ω = 0 would stop it
    frame = runs.frames(caught(given_velocities="impulse"), [0.0])[0]
    assert frame["bodies/angular_velocity"][0] == pytest.approx([0, 0, 1.5 * SPEED / LENGTH], abs=1e-12)


def test_the_impulse_is_reported_with_the_energy_that_it_takes(runs):
    messages = runs.prepare(caught(given_velocities="impulse")).assembly.messages
    before = 0.5 * SPEED**2
    (message,) = [text for text in messages if has(text, f"{before:.6g} J", f"{0.75 * before:.6g} J")]
    same_message(message)


def test_two_masses_on_a_rod_keep_their_momentum(runs):
    # mass-weighted: along the rod both take the velocity of the mass centre, across nothing changes
    text = (
        world(**FREE, given_velocities="impulse")
        + body("a", type="point", mass=1.0, velocity=[4, 1, 0])
        + body("b", type="point", mass=3.0, position=[1, 0, 0], velocity=[0, 0, 2])
        + joint("rod", "rod", "a", "b")
    )
    v = runs.frames(text, [0.0])[0]["bodies/velocity"]
    assert v == pytest.approx(np.array([[1, 1, 0], [1, 0, 2.0]]), abs=1e-12)


def test_a_start_speed_holds_and_the_rest_follows_by_an_impulse(runs):
    text = caught(given_velocities="impulse") + "start = { speed = 0.5 }\n"
    frame = runs.frames(text, [0.0])[0]
    assert frame["bodies/angular_velocity"][0] == pytest.approx([0, 0, 0.5], abs=1e-12)


def test_consistent_velocities_stay_and_nothing_is_said(runs):
    text = (
        world(**FREE, given_velocities="impulse")
        + body("a", mass=1.0, inertia=[1, 1, 1], velocity=[0, 0, 2])
        + joint("rail", "translational", "ground", "a")
        + solver(end=0.1)
    )
    prepared = runs.prepare(text)
    assert prepared.problem.v == pytest.approx([0, 0, 2, 0, 0, 0], abs=1e-14)
    assert not any("impulse" in text for text in prepared.assembly.messages)


def test_another_choice_is_refused(runs):
    with refused("scene.given_velocities", "second"):
        runs.prepare(caught(given_velocities="second"))


def test_modes_at_rest_say_that_velocities_are_left_out(runs):
    from mbplugin.model import System
    from mbplugin.run.analyze import analyze

    text = caught() + "start = { speed = 0.5 }\n"
    report = analyze(System.from_text(text), "eigen", runs.registry, about="start").report
    rest = analyze(System.from_text(caught().replace("3.0", "0.0")), "eigen", runs.registry, about="start")
    (told,) = set(report.messages) - set(rest.report.messages)
    same_message(told)


def test_without_masses_there_is_no_impulse():
    text = world(**FREE, given_velocities="impulse") + body("rod", velocity=[0, SPEED, 0])
    text += joint("end", "revolute", "ground", "rod", at=[-LENGTH / 2, 0, 0])
    with refused("scene.given_velocities", "impulse"):
        mb.System.from_text(text).analyze("velocity")
