"""What is noted of rows that switch: times, modes, impulses and degrees of freedom against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver, world

import mbplugin as mb
from mbplugin.run import integrator
from mbplugin.tables.records import LOWER, ON

G = 9.81
HOW = {"rk": ({"tolerance": 1e-11}, 1e-9), "galpha": ({"type": "galpha", "step": 1e-3}, 2e-5)}


def dropped(how: str, end: float = 2.0) -> mb.System:
    """3 kg that fall 1 m onto a limit with e = 0.5."""
    text = world() + body("mass", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
    keys = {"limits": [-1, np.inf], "restitution": 0.5}
    text += joint("rail", "translational", "ground", "mass", at=[0, 0, 1], axis=[0, 0, 1], **keys)
    return mb.System.from_text(text + solver(**HOW[how][0], end=end))


def impacts(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and impulses [N s] of the first n impacts."""
    fall, speed = np.sqrt(2 / G), np.sqrt(2 * G) * 0.5 ** np.arange(n)
    return fall + np.concatenate([[0], np.cumsum(speed[1:] * 2 / G)]), 3 * 1.5 * speed


@pytest.mark.parametrize("how", HOW)
def test_each_impact_is_noted_at_its_time_with_its_impulse(how):
    simulation = dropped(how).simulate()
    simulation.step(2.0)
    changes = simulation._integrator.changes()
    times, impulses = impacts(15)
    np.testing.assert_allclose(changes.time[:15], times, rtol=0, atol=HOW[how][1])
    np.testing.assert_allclose(changes.impulse[:15], impulses, rtol=0, atol=10 * HOW[how][1])
    assert set(changes.before) == {LOWER} and set(changes.after[:-1]) == {LOWER} and changes.after[-1] == ON
    assert changes.dof.tolist() == [1] * (len(changes) - 1) + [0]


def test_more_changes_than_there_are_places_for_are_noted_all_the_same(monkeypatch):
    whole = dropped("rk").simulate()
    whole.step(2.0)
    monkeypatch.setattr(integrator, "NOTES", 1)
    short = dropped("rk").simulate()
    short.step(2.0)
    assert len(short._integrator.problem[integrator.Changes].note) < 15
    assert short._integrator.changes().tolist() == whole._integrator.changes().tolist()
