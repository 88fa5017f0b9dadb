"""At e = 1 and without friction, several impacts in one step keep the energy, under both laws."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from blocks import G, Watch, ball, block, floor
from mbplugin_contact import report
from mbplugin_contact.arrays import Contacts
from scene_text import body, solver, table, world

import mbplugin as mb

LAWS = ("newton", "sequential")
SLOW = pytest.mark.slow


def energies(watch: Watch, masses: Any, moments: Any, steps: int) -> np.ndarray:
    """(steps + 1,) of bodies whose inertia is `moments` (n, 3), in body axes: kinetic and potential [J]."""

    def energy() -> float:
        q, v = watch.q, watch.v
        turning = np.sum(np.asarray(moments) * v[:, 3:] ** 2)
        return 0.5 * float(masses @ (v[:, :3] ** 2).sum(1) + turning) + G * float(masses @ q[:, 2])

    masses = np.asarray(masses)
    return np.array([energy(), *(energy() for _ in watch.steps(steps))])


def cases() -> Any:
    """Ratios of masses, gaps [m], steps [s]; a corner of each by default."""
    for ratio, gap, step in product((1, 3, 10, 100, 1000), (0.0, 1e-5, 1e-3, 1e-2), (1e-3, 2.3e-4)):
        few = (ratio, gap) in ((3, 1e-3), (10, 1e-2), (1000, 1e-5), (100, 1e-2)) and step == 1e-3
        yield pytest.param(ratio, gap, step, marks=() if few else SLOW)


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize(("ratio", "gap", "step"), cases())
def test_a_light_ball_between_a_heavy_one_and_the_floor(runs, ratio, gap, step, impact):
    """It strikes both many times, the more the lighter it is, across gaps that it crosses in parts of a
    step: π/2 √ratio pairs of impacts, of which some fall into one step.
    """
    low, high, light = 0.1, 0.03, 1.0 / ratio
    text = floor(restitution=1.0) + ball("low", low, light, [0, 0, 0.2])
    text += ball("high", high, 1.0, [0, 0, 0.33 + gap])
    watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
    moments = [[0.4 * light * low**2] * 3, [0.4 * high**2] * 3]
    found = energies(watch, [light, 1.0], moments, int(0.2 / step))
    assert np.ptp(found) < 1e-11 * found[0]
    assert watch.v[1, 2] > 0.8


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize("step", [4e-3, pytest.param(1e-3, marks=SLOW)])
def test_a_ball_that_falls_on_one_above_the_floor(runs, step, impact):
    """The lower ball hovers a millimetre above the floor, and is driven into it within the step. Loads of the
    step in the velocity from which it rebounds would be energy of the order g h.
    """
    text = floor(restitution=1.0) + ball("low", 0.1, 4.0, [0, 0, 0.101], velocity=[0, 0, -0.1])
    text += ball("high", 0.05, 0.5, [0, 0, 0.2525], velocity=[0, 0, -1.0])
    watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
    found = energies(watch, [4.0, 0.5], [[0.016] * 3, [5e-4] * 3], int(0.04 / step))
    assert np.diff(found).max() < 1e-12


@pytest.mark.parametrize("impact", LAWS)
def test_a_tumbling_box_that_strikes_with_several_corners(runs, impact):
    """After a blow gyroscopic moments are those of the new velocity: what they do at the old one would be
    energy of the order h² in the next step.
    """
    sizes, mass = (0.2, 0.12, 0.06), 2.0
    moving = {"velocity": [0.1, 0.3, -1.0], "angular_velocity": [6.0, -8.0, 3.0]}
    text = floor(restitution=1.0, friction=0.0) + block("box", sizes, mass, [0, 0, 0.15], **moving)
    squares = np.square(sizes)
    moments = [mass / 12.0 * (squares.sum() - squares)]
    grown = []
    for step in (1e-3, 5e-4):
        watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
        found = energies(watch, [mass], moments, int(0.5 / step))
        grown.append(np.abs(np.diff(found)).max())
    assert grown[0] < 4e-6
    assert grown[1] < 0.2 * grown[0]


def test_a_frame_inside_a_step_is_before_its_impacts():
    """A ball has the energy of its fall until the step ends in which it rebounds, and then another one. A
    step that ends at the frame would meet the floor or not, by its length.
    """
    # it would meet the floor at 0.8 of a step, which three quarters of that step foresee
    e, height, step = 0.5, 0.4985, 1e-3
    text = floor(restitution=e) + ball("ball", 0.1, 1.0, [0, 0, 0.1 + height])
    text += solver(type="contact", step=step, end=0.5) + table("output", every=step / 4)
    result = mb.System.from_text(text).run(files=False)
    falls, total = G * height, result.energy.kinetic + result.energy.potential - G * 0.1
    struck = np.flatnonzero(np.abs(total - falls) > 1e-9)[0]
    assert struck % 4 == 0
    assert total[:struck] == pytest.approx(falls, abs=1e-12)
    assert np.ptp(total[struck:]) < 1e-12
    assert result.energy.impacts[struck] - result.energy.impacts[struck - 1] == pytest.approx(
        total[struck - 1] - total[struck], abs=1e-12
    )
    fallen = height - 0.5 * G * result.time[:struck] ** 2
    assert result["ball"].position[:struck, 2] - 0.1 == pytest.approx(fallen, abs=1e-12)


def test_frames_of_a_limit_inside_a_step_are_before_its_impact():
    """The same of a limit on a slider, which is struck within the step."""
    e, v, step = 0.5, 1.0, 1e-3
    text = world(gravity=[0, 0, 0]) + body("cart", mass=2.0, inertia=[1, 1, 1], velocity=[v, 0, 0])
    keys = {"a": "ground", "b": "cart", "axis": [1, 0, 0]}
    keys |= {"limits": [-1.0, 0.0999], "restitution": e}
    text += table("joint", name="rail", type="translational", **keys)
    text += solver(type="contact", step=step, end=0.2) + table("output", every=step / 4)
    speeds = mb.System.from_text(text).run(files=False)["cart"].velocity[:, 0]
    turned = np.flatnonzero(speeds < 0.0)[0]
    assert turned % 4 == 0
    assert speeds[:turned] == pytest.approx(v, abs=1e-12)
    assert speeds[turned:] == pytest.approx(-e * v, abs=1e-12)


def test_energy_that_less_rebound_takes_is_told(runs):
    """Boxes that strike each other with several corners: Newton's law with friction would add energy, and
    less of the rebound is what keeps that.
    """
    text = floor(restitution=1.0, friction=0.3)
    for k, turns in enumerate(([-0.3, 2.1, -0.5], [-0.3, -1.6, -3.2], [3.7, -1.7, 3.2])):
        text += block(f"box_{k}", [0.1] * 3, 1.0, [0.004 * k, 0, 0.2 + 0.19 * k], angular_velocity=turns)
    watch = Watch(runs, text + solver(type="contact", step=1e-3, end=2.0))
    contacts, taken, before = watch.problem[Contacts], 0.0, 0.0
    for _ in watch.steps(400):
        taken += contacts.impact_loss[0] - before if watch.record.scaled else 0.0
        before = contacts.impact_loss[0]
    assert taken > 0.1
    assert f"{taken:.2g} J taken" in report.closing(watch.problem, 400)[0][1]
