"""Stacks, a wall and an arch stand: no drift, no sinking, and the ground carries their weight."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import SHORT, Watch, arch, stack, wall
from mbplugin_contact.arrays import Contacts

G = 9.81


def drift(watch, seconds):
    """Largest movement of any body after the first second, and how far the lowest went down in all [m]."""
    start = watch.q
    first = watch.to(1.0).q
    last = watch.to(seconds).q
    return abs(last - first)[:, :3].max(), (start - last)[:, 2].max()


@pytest.mark.parametrize("top", [1.0, 1e3, 1e5])
def test_ten_boxes_stand_under_a_heavy_one(runs, top):
    watch = Watch(runs, stack(10, top))
    moved, sunk = drift(watch, SHORT)
    assert moved <= 1e-8
    assert sunk <= 1e-8
    assert -watch.gap.min() <= 1e-8
    assert watch.load_of_ground() == pytest.approx([0, 0, (9.0 + top) * G], abs=1e-6 * (9.0 + top) * G)
    assert watch.record.missed == 0


def stands(watch, seconds, weight):
    moved, sunk = drift(watch, seconds)
    assert moved <= 1e-8
    assert watch.load_of_ground() == pytest.approx([0, 0, weight], abs=1e-6 * weight)
    return sunk


DROPS = pytest.mark.parametrize("drop", [0.0, 2e-4])


@DROPS
def test_a_small_wall_stands(runs, drop):
    """18 bricks; each row is dropped 0.2 mm onto the one below."""
    sunk = stands(Watch(runs, wall(4, 5, drop)), SHORT, 18 * 2.0 * G)
    assert sunk - 4 * drop <= 1e-8


@pytest.mark.slow
@DROPS
def test_a_wall_of_104_bricks_stands_for_a_minute(runs, drop):
    watch = Watch(runs, wall(16, 7, drop))
    assert len(watch.q) == 104
    sunk = stands(watch, 60.0, 104 * 2.0 * G)
    assert sunk - 16 * drop <= 1e-8


#: limit thickness of 27 straight-sided wedges without sliding: linear programme over equilibria, by bisection
LIMIT = 0.10672085935235373


@pytest.mark.slow
def test_an_arch_stands_at_105_and_falls_at_95_per_cent_of_its_limit_thickness(runs):
    """M. Gilbert et al., Computers & Structures 84 (2006) 873-887; Milankovitch 1907."""
    thick = Watch(runs, arch(1.05 * LIMIT))
    crown, start = 13, thick.q
    moved = drift(thick, SHORT)[0]
    assert moved <= 1e-8
    assert abs(thick.q - start).max() <= 1e-6
    thin = Watch(runs, arch(0.95 * LIMIT))
    start = thin.q
    thin.to(SHORT)
    assert start[crown, 2] - thin.q[crown, 2] >= 1e-3
    assert np.isfinite(thin.q).all()


@pytest.mark.slow
def test_an_arch_of_105_per_cent_of_its_limit_thickness_stands_for_a_minute(runs):
    watch = Watch(runs, arch(1.05 * LIMIT))
    assert drift(watch, 60.0)[0] <= 1e-8
    assert watch.problem[Contacts].missed[0] == 0
