"""Runs with contacts are the same to the bit with frames, continued, and in pools of other lengths."""

from __future__ import annotations

import numpy as np
from blocks import block, contact_solver, floor, stack
from headless import finish, show
from mbplugin_contact.arrays import Contacts

import mbplugin as mb
from mbplugin.tables.groups import State


def rolling_and_sliding():
    """Blocks that fall, turn over, slide, and come to rest."""
    text = floor(friction=0.3)
    for k in range(4):
        at, turn = [0.05 * k, 0.02 * k, 0.2 + 0.25 * k], {"axis": [1, 2, 3], "angle": 0.3 * k}
        text += block(f"b{k}", (0.1, 0.15, 0.2), 1.0, at, orientation=turn, angular_velocity=[1, 2, 0])
    return text + contact_solver(2e-3)


def end_of(runs, text, frames=(), stop=0.6):
    prepared = runs.prepare(text)
    integrator = prepared.start(stop)
    for t in frames:
        show(integrator, stop, t)
    finish(integrator, stop)
    return np.concatenate([prepared.problem[State].q, prepared.problem[State].v])


def test_frames_do_not_change_the_motion(runs):
    for text in (rolling_and_sliding(), stack(5, 100.0)):
        plain = end_of(runs, text)
        np.testing.assert_array_equal(end_of(runs, text, frames=np.arange(0.0137, 0.5, 0.0313)), plain)


def test_a_frame_at_the_end_of_a_step_is_that_of_the_step_repeated():
    """Where the tables still hold a step, its frame reads it; after a restart the step is repeated."""
    system = mb.System.from_text(rolling_and_sliding())
    held, repeated = system.simulate(), system.simulate()
    for _ in range(150):
        held.step(2e-3)
    repeated.load(held.save())
    contacts, again = (vars(s.list("contacts")) for s in (held, repeated))
    assert len(contacts["force"]) > 4
    for name in contacts:
        np.testing.assert_array_equal(again[name], contacts[name], err_msg=name)
    for name in ("b0", "b3"):
        np.testing.assert_array_equal(repeated[name].acceleration, held[name].acceleration)
    of_step = [s._prepared.problem[Contacts].relative_residual[0] for s in (held, repeated)]
    assert of_step[0] == of_step[1] > 0.0


def test_a_saved_run_continues_to_the_same_bits(runs):
    text = rolling_and_sliding()
    plain = end_of(runs, text)
    first = runs.prepare(text)
    integrator = first.start(0.6)
    show(integrator, 0.6, 0.3)
    saved = integrator.save()
    state = {name: np.array(getattr(first.problem[State], name)) for name in ("q", "v", "aux", "memory")}
    other = runs.prepare(text)
    again = other.start(0.6)
    for name, array in state.items():
        getattr(other.problem[State], name)[...] = array
    again.load(saved)
    finish(again, 0.6)
    np.testing.assert_array_equal(np.concatenate([other.problem[State].q, other.problem[State].v]), plain)
