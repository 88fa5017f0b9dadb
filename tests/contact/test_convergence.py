"""The first step of a problem, without impulses to begin with, reaches its residual in few factorizations."""

from __future__ import annotations

import pytest
from blocks import Watch, arch, contact_solver, stack, wall
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.report import closing
from scene_text import solver

PROBLEMS = {"wall": lambda: wall(16, 7), "arch": lambda: arch(0.2), "heavy top": lambda: stack(10, 1e3)}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_first_step_reaches_its_residual_in_50_factorizations(runs, name):
    record = next(first_records(runs, PROBLEMS[name]()))
    assert record.residual <= 1e-2 * record.goal  # 1e-8 g h
    assert 0 < record.factored <= 50


def test_a_number_of_sweeps_is_kept_to_and_needs_no_matrix(runs):
    text = stack(10, 1e3).replace(contact_solver(2e-3), solver(type="contact", step=2e-3, end=1.0, sweeps=7))
    record = next(first_records(runs, text))
    assert (record.swept, record.factored, record.missed) == (7, 0, 1)


def first_records(runs, text):
    watch = Watch(runs, text)
    for _ in watch.steps(1):
        yield watch.record


def test_a_run_tells_in_how_many_steps_the_matrix_was_left_out(runs):
    watch = Watch(runs, stack(3, 1.0)).to(0.01)
    assert not [text for _, text in closing(watch.problem, 5) if "sweeps alone" in text]
    watch.problem[Contacts].swept_only[0] = 3
    (text,) = [text for _, text in closing(watch.problem, 5) if "sweeps alone" in text]
    assert text.startswith("contacts: 3 of 5 steps were solved by sweeps alone")
