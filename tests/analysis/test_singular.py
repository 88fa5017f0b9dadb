"""Singular positions are found at the start and between frames, with the time, the new mobility and the
ranks of the literature.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import has
from scene_text import PLANAR_GRAVITY, SCENES, body, pin, solver
from scipy.integrate import solve_ivp

import mbplugin as mb
from mbplugin.hooks.load import load_plugins
from mbplugin.run.loop import run_system
from mbplugin.run.prepare import prepare


def flat(loops: int) -> str:
    """`loops` four-bars with rods and couplers of 1 m that all lie along x: planar bodies, two rows a pin."""
    rod = lambda name, x: body(name, type="planar", mass=1, inertia=0.1, position=[x, 0])
    text = PLANAR_GRAVITY
    for i in range(loops + 1):
        text += rod(f"rod_{i}", i + 0.5) + pin(f"A_{i}", "ground", f"rod_{i}", i)
    for i in range(loops):
        text += rod(f"coupler_{i}", i + 1.5)
        text += "".join(pin(f"B_{i}_{k}", f"rod_{i + k}", f"coupler_{i}", i + k + 1) for k in (0, 1))
    return text + solver(end=1)


@pytest.mark.parametrize(("loops", "rank"), [(1, 7), (2, 12)])
def test_flat_four_bars_have_the_published_ranks(registry, loops, rank):
    """N-four-bar: 6 N + 2 rows, of rank 5 N + 2 where all lie flat and of full rank elsewhere."""
    found = prepare(mb.System.from_text(flat(loops)), registry).singular
    assert found is not None
    assert (found.rank, found.rank_around) == (rank, 6 * loops + 2)
    assert found.condition > 100.0


def test_a_new_mobility_is_reported_with_bodies_and_directions(registry):
    text = str(prepare(mb.System.from_text(flat(1)), registry).singular)
    assert has(text, 8, 7, 1)
    # in the plane, bars that lie along x can only turn and go up and down
    motion = text.partition("free: ")[2].partition(" (condition")[0]
    for part in motion.split("; "):
        assert re.fullmatch(r"\w+ (rotates about \(0, 0, 1\))?( and )?(moves along \(0, 1, 0\))?", part), part


@pytest.mark.parametrize(
    "name", ["door_and_handle", "four_bar_hinges", "three_link_plate", "double_pendulum"]
)
def test_rows_that_are_always_redundant_make_no_singular_position(registry, name):
    assert prepare(mb.System.from_file(SCENES / name), registry).singular is None


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """Warnings about singular configurations in a run of two four-bars."""
    registry, _ = load_plugins()
    out = tmp_path_factory.mktemp("flat")
    run_system(mb.System.from_file(SCENES / "four_bar_n2", {"solver.tolerance": 1e-8}), out, registry)
    return [
        line
        for line in (out / "messages.txt").read_text().splitlines()
        if "singular configuration" in line and line.startswith("[warning]")
    ]


def test_singular_positions_between_frames_are_reported_with_their_time(passes):
    """The mechanism is one pendulum: three rods of m l²/3 and two couplers that move as their ends; it lies
    flat where cos θ = 0.
    """
    moment, lever = 3 / 3 + 2, 3 / 2 + 2
    lies_flat = lambda t, y: np.sin(y[0])
    # θ from the horizontal
    y = solve_ivp(
        lambda t, y: [y[1], -9.81 * lever * np.cos(y[0]) / moment],
        (0, 10),
        [np.pi / 2, -1.0],
        events=lies_flat,
        rtol=1e-11,
        atol=1e-11,
    )
    told = [float(re.search(r"t = ([\d.]+) s", line)[1]) for line in passes]
    assert len(told) == 10
    np.testing.assert_allclose(told, y.t_events[0], atol=2e-4)


def test_rank_falls_by_one_for_each_loop(passes):
    assert all(has(line, 29, 27, 2) for line in passes)
