"""Bonds that break: limit loads, statuses, energies, memory across runs and mirror images."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import block, contact_solver
from planar_scenes import contact as solved
from planar_scenes import planar
from scene_text import force, joint, table, world

import mbplugin as mb

pytestmark = pytest.mark.usefixtures("offered")
G, TENSION = 9.81, 5.0
OPEN, STICK, SLIP, NEW, BONDED = range(5)
EDGE = 0.1


def run(text, *where, **keys):
    return mb.System.from_text(text).run(*where, files=bool(where), **keys)


def bonds(gravity=(0, 0, 0), plane=None, floor=None, **keys):
    """A world whose stones are bonded."""
    text = world(gravity=list(gravity), plane=plane, **floor or {}) + table(
        "material", name="stone", friction=0.5
    )
    keys = {"tension": TENSION, "friction": 0.5} | keys
    return text + table("contact", a="stone", b="stone", type="cohesion", **keys)


def cubes(marker=None, **keys):
    """Two bonded cubes with four points between them, of which one is held."""
    size = (EDGE, EDGE, EDGE)
    text = (
        bonds(**keys)
        + block("low", size, 1.0, [0, 0, 0])
        + block("high", size, 1.0, [0, 0, EDGE], marker=marker)
    )
    return text + joint("hold", "fixed", "ground", "low", at=[0, 0, 0])


@pytest.mark.parametrize("rate", [40.0, 400.0])
def test_cubes_part_where_four_points_are_pulled_by_their_strength(rate):
    """4 f_N at t = 4 f_N / rate, then the cube is free: v = (F² / 2 rate − …)/m."""
    text = cubes() + force("high", z=f"{rate}*time") + contact_solver(1e-3, 1.0, frames=100)
    result = run(text)
    broken = 4 * TENSION / rate
    status = [set(result.list("contacts").at(k).status) for k in range(101)]
    assert all(s == {BONDED} for t, s in zip(result.time, status) if t < broken - 2e-3)
    assert all(BONDED not in s for t, s in zip(result.time, status) if t > broken + 4e-3)
    v = result["high"].velocity[:, 2]
    assert np.abs(v[result.time < broken - 2e-3]).max() < 1e-9
    free = 0.5 * rate * (1.0 - broken**2)
    assert v[-1] == pytest.approx(free, rel=2e-3)
    (text,) = [m.text for m in result.messages if "broke" in m.text]
    assert "4 bonds" in text


@pytest.mark.parametrize(("part", "holds"), [(0.99, True), (1.01, False)])
@pytest.mark.parametrize("load", ["pull", "shear", "pressed"])
def test_loads_below_the_strength_are_held_and_above_are_not(load, part, holds):
    """Pull f_N, shear f_T, and shear under pressure N, f_T + N f_T / f_N, at each of four points."""
    shear = 2.0
    x, z = {
        "pull": (0.0, part * 4 * TENSION),
        "shear": (part * 4 * shear, 0.0),
        "pressed": (part * 8 * shear, -4 * TENSION),
    }[load]
    text = cubes(shear=shear, marker=[{"name": "face", "position": [0, 0, -EDGE / 2]}])
    result = run(text + force("high.face", x=x, z=z) + contact_solver(1e-3, 0.1))
    assert (np.abs(result["high"].velocity).max() < 1e-9) == holds


def beam(part, n=6, length=0.2, height=0.1):
    """Planar bricks bonded in a row, the first one held, with a load at the far end: the joint at the support
    has the moment P L, and breaks at f_N times the height, with its upper point pulled by f_N.
    """
    arm = (n - 1) * length
    text = bonds(plane="xz", tension=50.0, shear=100.0)
    shape = {"type": "box", "size": [length, 0.1, height]}
    for k in range(n):
        marker = [{"name": "tip", "position": [length / 2, 0]}]
        text += planar(f"b{k}", shape, [k * length, 0], inertia=0.004, marker=marker)
    text += joint("clamp", "fixed", "ground", "b0", at=[0, 0])
    load = part * 50.0 * height / arm
    return text + force(f"b{n - 1}.tip", z=-load) + solved(end=0.2)


@pytest.mark.parametrize(("part", "holds"), [(0.99, True), (1.01, False)])
def test_a_beam_of_bricks_breaks_at_its_bending_strength(part, holds):
    result = run(beam(part))
    tip = result["b5"].velocity
    if holds:
        assert np.abs(tip).max() < 1e-9
        assert set(result.list("contacts").at(-1).status) == {BONDED}
        return
    assert np.abs(tip).max() > 1e-2
    # first at the support, where the moment is largest
    assert 'between "b0" and "b1"' in next(m.text for m in result.messages if "broke" in m.text)
    assert np.abs(result["b1"].position - result["b1"].position[0]).max() > 1e-3


def thrown(sign=1.0, **keys):
    """Two bonded cubes that are thrown, spin, and break on the floor; mirrored in y."""
    size = (EDGE, EDGE, EDGE)
    floor = {"collide": True, "material": "stone", "shape": [{"type": "plane"}]}
    text = bonds((0, 0, -G), tension=200.0, floor=floor, **keys)
    for k in range(2):
        at = [0.3, 0.02 * sign, 0.3 + EDGE * k]
        text += block(f"b{k}", size, 1.0, at, velocity=[1.0, 0.5 * sign, 0], angular_velocity=[0, 0, 0])
    return text + contact_solver(1e-3, 0.6)


def test_a_bond_survives_a_flight_and_its_mirror_image_is_the_same():
    one, other = run(thrown()), run(thrown(-1.0))
    mirror = np.array([1.0, -1.0, 1.0])
    assert np.abs(one["b1"].position - other["b1"].position * mirror).max() < 1e-9


def test_a_resumed_run_remembers_its_bonds(tmp_path):
    text = cubes() + force("high", z="40*time") + solved(end=0.8)
    whole = run(text)
    run(text, tmp_path / "cut", end=0.3)
    resumed = run(text, tmp_path / "cut", resume=True)
    assert np.array_equal(whole["high"].position, resumed["high"].position)
    assert set(resumed.list("contacts").at(15).status) == {BONDED}


@pytest.mark.parametrize("heals", [False, True])
def test_what_has_parted_is_bonded_again_only_where_it_heals(heals):
    """Pulled apart, pressed together, and pulled by half of the strength."""
    pull = "if(time < 0.1, 30, if(time < 0.3, -30, 10))"
    result = run(cubes(heals=heals) + force("high", z=pull) + contact_solver(1e-3, 0.6))
    assert (result["high"].velocity[-1, 2] > 0.1) == (not heals)


def test_a_bond_that_spins_stays_closed():
    """Two cubes about their common centre at half of the rate at which 4 f_N = m ω² L/2, over many steps."""
    size, w = (EDGE, EDGE, EDGE), 0.5 * np.sqrt(4 * TENSION / (EDGE / 2))
    text = bonds()
    for k, side in enumerate((-1.0, 1.0)):
        at, velocity = [side * EDGE / 2, 0, 0], [0, side * EDGE / 2 * w, 0]
        text += block(f"b{k}", size, 1.0, at, velocity=velocity, angular_velocity=[0, 0, w])
    result = run(text + contact_solver(1e-3, 0.6))
    apart = np.linalg.norm(result["b1"].position - result["b0"].position, axis=1)
    assert np.abs(apart - EDGE).max() < 2e-6
    assert set(result.list("contacts").at(-1).status) == {BONDED}
