"""Contacts of shapes of different types are remembered, in whatever order the bodies stand in the scene."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import ball, block, contact_solver, floor
from mbplugin_contact.arrays import Contacts

from mbplugin.tables.groups import TransientRows

TABLE = block("table", (0.4, 0.4, 0.1), 2.0, [0, 0, 0.05])
BALL = ball("ball", 0.05, 1.0, [0.03, 0, 0.15])


@pytest.mark.parametrize("bodies", [TABLE + BALL, BALL + TABLE])
def test_a_ball_on_a_box_on_the_floor_has_five_contacts_for_ever(runs, bodies):
    prepared = runs.prepare(floor(friction=0.3, friction_static=0.5) + bodies + contact_solver(1e-3))
    integrator = prepared.start(0.1)
    while integrator.advance(0.1, np.inf, 10**6) != "end":
        pass
    contacts, n = prepared.problem[Contacts], int(prepared.problem[TransientRows].used[0])
    assert n == 5
    assert sorted(contacts.identity[:n]) == [1, 2, 3, 4, 5]
    assert list(contacts.fresh[:n]) == [0] * 5
    assert list(prepared.problem[TransientRows].friction[:n]) == [0.5] * 5
