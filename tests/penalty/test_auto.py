"""Stiffnesses chosen from load, mass, step and the allowed deviation: predicted and actual deviations."""

from __future__ import annotations

import re

import numpy as np
import pytest
from headless import show
from held import MASS, G, mass, penalty
from refusals import has
from scene_text import force, table
from snapshots import same_message
from test_door import PENALTY, door

from mbplugin.model import System
from mbplugin.run.loop import run_system
from mbplugin.tables.groups import State


def messages(registry, text: str, tmp_path) -> str:
    run_system(System.from_text(text + table("output", series=False)), tmp_path / "out", registry)
    return (tmp_path / "out" / "messages.txt").read_text()


def numbers(pattern: str, said: str) -> list[float]:
    return [float(x) for x in re.findall(pattern, said)]


@pytest.mark.parametrize("deviation", [1e-3, 1e-4, 1e-5])
def test_a_constant_load_deviates_as_much_as_predicted_within_a_factor_of_two(registry, tmp_path, deviation):
    """At rest exactly as much; a load that is there at once overshoots, by exp(−π ζ / √(1 − ζ²)) = 0.163 with
    ζ = 1/2; undamped to twice as much.
    """
    said = messages(registry, mass(penalty(deviation=deviation), how={"tolerance": 1e-9}), tmp_path)
    (k,), (predicted, _) = numbers(r"stiffness (\S+) N/m", said), numbers(r"predicted deviation (\S+)", said)
    (occurred, _) = numbers(r"occurred deviation (\S+)", said)
    assert k == pytest.approx(MASS * G / deviation, rel=1e-2) and predicted == pytest.approx(
        deviation, rel=1e-2
    )
    assert 1.12 * predicted <= occurred <= 1.18 * predicted


def test_a_door_deviates_as_predicted_within_a_factor_of_two(registry, tmp_path):
    auto = penalty(deviation=1e-4, angular_deviation=1e-4)
    said = messages(registry, door(auto, auto), tmp_path)
    predicted, occurred = (
        numbers(r"predicted deviation (\S+) m ", said),
        numbers(r"occurred deviation (\S+) m ", said),
    )
    assert len(predicted) == len(occurred) == 2
    for a, b in zip(predicted, occurred):
        assert 0.5 * a < b < 2.0 * a
    assert "[warning]" not in said


def test_a_load_that_grows_is_reported(registry, tmp_path):
    """The force on the mass is six times its weight after half a second."""
    pull = force("mass", z="-100*step(time - 0.5)")
    said = messages(registry, mass(penalty(deviation=1e-4), pull, how={"tolerance": 1e-9}), tmp_path)
    (warning,) = [line for line in said.splitlines() if line.startswith("[warning]") and has(line, '"held"')]
    same_message(warning, hide=r"[-\d.e]+ (?=m|N)")


def test_a_fixed_step_bounds_the_stiffness_and_the_run_reports_the_deviation(registry, tmp_path):
    """ω h = 1/2: k = m / (4 h²)."""
    h = 1e-2
    text = mass(penalty(deviation=1e-5), how={"integrator": "rk4", "step": h})
    said = messages(registry, text, tmp_path)
    k = MASS / (4 * h * h)
    assert numbers(r"stiffness (\S+) N/m", said)[0] == pytest.approx(k, rel=1e-2)
    warning = next(line for line in said.splitlines() if "[warning]" in line)
    assert "a smaller `step`" in warning and numbers(r"a deviation of (\S+) m", warning)[0] == pytest.approx(
        MASS * G / k, rel=1e-2
    )
    predicted, occurred = (
        numbers(r"predicted deviation (\S+) m ", said)[0],
        numbers(r"occurred deviation (\S+) m ", said)[0],
    )
    assert predicted <= occurred <= 2.0 * predicted


def test_a_weightless_mass_gets_the_stiffness_for_its_weight_on_earth(registry, tmp_path):
    said = messages(registry, mass(penalty(deviation=1e-4), gravity=0), tmp_path)
    assert numbers(r"stiffness (\S+) N/m", said)[0] == pytest.approx(MASS * G / 1e-4, rel=1e-2)
    assert numbers(r"occurred deviation (\S+) m ", said)[0] == 0.0


def test_augmented_rows_report_their_tolerance(registry, tmp_path):
    said = messages(registry, mass(penalty(augment=True, tolerance=1e-9, stiffness=1e3)), tmp_path)
    assert "augmented to 1e-09 m" in said and numbers(r"occurred deviation (\S+) m ", said)[0] <= 1e-9


@pytest.mark.parametrize("more", [{}, {"augment": True}], ids=str)
def test_frames_and_a_saved_state_change_no_bit(runs, more):
    """The largest deviation so far is saved, too."""
    text = door(PENALTY, PENALTY | more, speed=1.0, tolerance=1e-6)

    def end(frames: list[float], from_saved: bool) -> list[bytes]:
        prepared = runs.prepare(text)
        integrator = prepared.start(0.3)
        for t in frames:
            show(integrator, 0.3, t)
        if from_saved:
            saved = {name: array.copy() for name, array in integrator.save().items()}
            prepared = runs.prepare(text)
            integrator = prepared.start(0.3)
            integrator.load(saved)
        while integrator.advance(0.3, np.inf, 10**6) != "end":
            pass
        state = prepared.problem[State]
        return [state.q.tobytes(), state.v.tobytes(), state.aux.tobytes(), state.memory.tobytes()]

    whole = end([], False)
    assert end([0.05, 0.11, 0.2], False) == whole
    assert end([0.15], True) == whole
