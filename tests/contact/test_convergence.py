"""Steps reach their residual in few factorizations: the first one, without impulses to begin with, and most
of those of spheres that fall into a box.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks import Watch, arch, ball, block, contact_solver, floor, stack, wall
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.report import closing
from refusals import has
from scene_text import joint, solver
from snapshots import same_message

from mbplugin.interface import OPEN, SLIP, STICK
from mbplugin.tables.groups import TransientRows

SCENES = Path(__file__).parents[2] / "scenes"


def pushed_wall(rows=16, columns=7):
    """Every third brick begins at 0.5 m/s across the wall."""
    bricks = wall(rows, columns).split("[[body]]")
    for k in range(1, len(bricks), 3):
        bricks[k] = bricks[k].replace("position = ", "velocity = [0, 0.5, 0]\nposition = ", 1)
    return "[[body]]".join(bricks)


def columns():
    """200 balls in columns that touch their neighbours."""
    text = floor(friction=0.3)
    for k in range(200):
        layer, place = divmod(k, 49)
        text += ball(f"ball_{k}", 0.05, 0.5, [0.1 * (place // 7), 0.1 * (place % 7), 0.05 + 0.1 * layer])
    return text + contact_solver(2e-3)


def pushed_chain():
    """Twenty hinged boxes on the floor, every third at 1 m/s across."""
    text = floor(friction=0.5)
    for k in range(20):
        velocity = [0.0, 1.0 if k % 3 == 0 else 0.0, 0.0]
        text += block(f"box_{k}", (0.1, 0.08, 0.06), 0.5, [0.12 * k, 0, 0.03], velocity=velocity)
    for k in range(19):
        for n in range(2):  # two hinges in one line: one is redundant
            at = [0.12 * k + 0.06, 0.01 * n, 0.03]
            text += joint(f"hinge_{k}_{n}", "revolute", f"box_{k}", f"box_{k + 1}", at=at, axis=[0, 1, 0])
    return text + contact_solver(2e-3)


PROBLEMS = {
    "wall": lambda: wall(16, 7),
    "pushed wall": pushed_wall,
    "arch": lambda: arch(0.2),
    "heavy top": lambda: stack(10, 1e3),
    "columns": columns,
    "pushed chain": pushed_chain,
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_first_step_reaches_its_residual_in_some_50_factorizations(runs, name):
    """The columns take 50 or 51, by rounding along their path."""
    record = next(first_records(runs, PROBLEMS[name](), 1e-2))
    assert record.residual <= record.goal  # 1e-8 g h
    assert 0 < record.factored <= 52


def test_a_number_of_sweeps_is_kept_to_and_needs_no_matrix(runs):
    text = stack(10, 1e3).replace(contact_solver(2e-3), solver(type="contact", step=2e-3, end=1.0, sweeps=7))
    record = next(first_records(runs, text))
    assert (record.swept, record.factored, record.missed) == (7, 0, 1)


@pytest.mark.parametrize("residual", [0.03, 1e-8])
def test_steps_end_at_the_residual_that_a_scene_asks_for(runs, residual):
    """A loose one by sweeps alone, a tight one by a matrix where the last step is not near enough; the floor
    carries the weight to that.
    """
    asked = solver(type="contact", step=2e-3, end=1.0, residual=residual)
    watch = Watch(runs, columns().replace(contact_solver(2e-3), asked))
    assert watch.record.goal == pytest.approx(residual * 9.81 * 2e-3)
    loads, factored = [], []
    for _ in watch.steps(30):
        assert watch.record.residual <= watch.record.goal and watch.record.missed == 0
        factored.append(int(watch.record.factored))
        loads.append(watch.load_of_ground()[2])
    assert (max(factored) == 0) == (residual == 0.03) and (factored[0] == 0) == (residual == 0.03)
    assert loads[-1] == pytest.approx(200 * 0.5 * 9.81, rel=residual if residual == 0.03 else 1e-6)


@pytest.mark.parametrize("steps", [500, pytest.param(1000, marks=pytest.mark.slow)])
def test_steps_of_spheres_in_a_box_reach_their_residual(runs, steps):
    """They meet from step 300 on. A chaotic motion: with radii changed by 1e-9, 98 to 100 % of 1000 steps
    reach it, 89 to 97 % within 50 factorizations.
    """
    watch = Watch(runs, (SCENES / "spheres_in_a_box" / "scene.toml").read_text())
    records = [(watch.record.residual / watch.record.goal, watch.record.factored) for _ in watch.steps(steps)]
    reached, factored = np.array(records).T
    assert (reached <= 1.0).mean() >= 0.97
    assert (factored <= 50).mean() >= 0.85
    assert reached.max() <= 1e3  # 1e-3 g h


def test_steps_whose_residual_is_below_rounding_stay_finite(runs):
    """A residual that is not a number counted as none: a path at its rounding was taken for the solution."""
    text = floor(friction=0.2) + ball("ball", 0.05, 0.4, [0.0, 0.0, 0.05], velocity=[2.0, 0.0, 0.0])
    watch = Watch(runs, text + contact_solver(1e-12))
    for _ in watch.steps(6):
        assert watch.problem.v[0] == pytest.approx(2.0, abs=1e-9)
        assert abs(watch.problem.v[2]) < 1e-9


def test_a_wall_that_moves_is_polished_though_its_velocities_cancel(runs):
    """Bricks that topple together at 0.5 m/s: with the penalty of a wall at rest impulses would keep the
    rounding of that speed, 8e-9 g h.
    """
    watch = Watch(runs, wall(16, 7, push=0.5))
    reached = [watch.record.residual / watch.record.goal for _ in watch.steps(40)]
    assert np.median(reached[10:]) <= 1e-3  # 1e-9 g h


@pytest.mark.slow
def test_steps_of_a_wall_that_topples_reach_their_residual(runs):
    """104 bricks, the top at 3 m/s, until they have landed; a chaotic motion, seen with 99.6 to 100 %
    and, for steps within 50 factorizations, 94 to 97 %.
    """
    watch = Watch(runs, wall(16, 7, push=3.0))
    records = [(watch.record.residual / watch.record.goal, watch.record.factored) for _ in watch.steps(450)]
    reached, factored = np.array(records).T
    assert (reached <= 1.0).mean() >= 0.98
    assert (factored <= 50).mean() >= 0.90
    assert reached.max() <= 1e3


def first_records(runs, text, part=1.0):
    """After the first step; part: of the goal that runs have."""
    watch = Watch(runs, text)
    watch.record.goal *= part
    for _ in watch.steps(1):
        yield watch.record


def test_a_run_tells_in_how_many_steps_the_matrix_was_left_out(runs):
    watch = Watch(runs, stack(3, 1.0)).to(0.01)
    before = closing(watch.problem, 5)
    watch.problem[Contacts].totals[0].swept_only = 3
    ((_, text),) = [told for told in closing(watch.problem, 5) if told not in before]
    assert has(text, 3, 5)
    same_message(text)


def test_after_a_step_that_has_missed_open_contacts_are_open(runs):
    """The matrix of the smooth law has every contact in it; the statuses are those of the exact law."""
    watch = Watch(runs, pushed_wall(8, 4))
    for _ in watch.steps(8):
        loaded = watch.problem[TransientRows].impulse.reshape(-1, 3)[: len(watch.statuses), 0] > 0.0
        assert 0.2 < loaded.mean() < 0.8
        assert (loaded == (watch.statuses != OPEN)).mean() > 0.95
    assert watch.problem[Contacts].missed[0] > 0


def test_statuses_are_those_of_the_impulses_that_are_kept(runs):
    """The status of a contact follows from its impulse and velocity, r − ρ u; the last attempt of a step may
    have had other impulses, which were rejected.
    """
    watch, compared = Watch(runs, pushed_wall(8, 4)), 0
    transient, contacts = watch.problem[TransientRows], watch.problem[Contacts]
    for _ in watch.steps(100):
        n = int(transient.used[0])
        r, mu = transient.impulse[: 3 * n].reshape(n, 3), transient.friction[:n]
        x = r - contacts.rho[:n, None] * contacts.u[:n]
        beyond = np.linalg.norm(x[:, 1:], axis=1) - mu * x[:, 0]
        lawful = np.where(x[:, 0] <= 0.0, OPEN, np.where(beyond > 0.0, SLIP, STICK))
        # what hardly slips, or is hardly loaded, has either status
        certain = np.minimum(r[:, 0], np.abs(beyond)) * contacts.W[:n, 0] > 10.0 * watch.record.goal
        assert (watch.statuses == lawful)[certain].all()
        compared += certain.sum()
    assert compared > 5000
