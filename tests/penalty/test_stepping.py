"""Penalties in `Simulation`, and joints whose enforcement changes from Python: the messages are those of
messages.txt.
"""

from __future__ import annotations

import re

import pytest
from held import MASS, G, mass, penalty
from refusals import has, refused
from scene_text import force

import mbplugin as mb


def test_stepping_reports_the_predicted_and_the_actual_deviation():
    sim = mb.System.from_text(mass(penalty(stiffness=1e5))).simulate()
    (start,) = [text for t, level, text in sim.messages if "N/m" in text and "rad" not in text]
    assert has(start, '"held"', "1e+05 N/m", "0.000196 m")
    while sim.time < 0.5:
        sim.step(0.02)
    said = sim.deviations()
    (occurred,) = re.findall(
        r"occurred deviation (\S+) m \(translation along world z\), predicted 0.000196", "\n".join(said)
    )
    # a load that is there at once goes twice as far as one that is put on slowly, less what is damped
    assert MASS * G / 1e5 < float(occurred) < 2 * MASS * G / 1e5
    assert not [text for _, level, text in sim.messages if level == "warning"]


def test_a_load_that_grows_is_a_warning_once():
    pull = force("mass", z="-500*time")
    sim = mb.System.from_text(mass(penalty(stiffness=1e5), pull)).simulate()
    for _ in range(5):
        sim.step(0.2)
    found = [
        (t, text) for t, level, text in sim.messages if level == "warning" and "the load has grown" in text
    ]
    assert len(found) == 1 and found[0][0] == pytest.approx(0.2)


def test_one_call_changes_the_enforcement_of_a_joint():
    system = mb.System.from_text(mass("lagrange"))
    assert system.compile().nc == 6 and system.check().nc == 6
    kept = system.hold("held", "penalty", stiffness=1e5, angular_stiffness=100)
    assert kept is system.joint("held") and kept.enforcement == (
        "penalty",
        {"stiffness": 1e5, "angular_stiffness": 100},
    )
    assert system.check().nc == 0
    assert system == mb.System.from_text(system.to_toml())
    system.hold("held", "lagrange")
    assert system.check().nc == 6


def test_mistakes_of_that_call_are_reported():
    system = mb.System.from_text(mass("lagrange"))
    with refused("joint", "hold"):
        system.hold("hold", "penalty")
    system.hold("held", "penalty", stifness=1)
    with refused("joint[0].enforce.stifness", 1):
        system.compile()
