"""The cone of no friction is a line: its projection pushes and never pulls."""

from __future__ import annotations

import pytest
from blocks import Watch, ball, contact_solver, floor
from scene_text import force

G = 9.81


def test_a_smooth_floor_does_not_hold_a_ball_that_is_lifted(runs):
    """A force of 10 m g t upwards: it leaves the floor at 0.1 s."""
    text = floor(friction=0.0) + ball("ball", 0.1, 1.0, [0, 0, 0.1])
    watch = Watch(runs, text + force("ball", z=f"{10 * G}*time") + contact_solver(1e-3)).to(0.3)
    assert watch.v[0, 2] == pytest.approx(G * 0.2, rel=0.01)
