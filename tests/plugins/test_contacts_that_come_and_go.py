"""A solver of a third party whose contacts come and go: spheres on planes, without friction."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest
from headless import finish, show
from numba.core.runtime import _nrt_python, rtsys
from refusals import stopped
from scene_text import body, solver, world

from mbplugin.errors import PluginError
from mbplugin.tables.groups import Step, TransientMarkers, TransientRows

G = 9.81
STEP = 2e-3
FLOOR = {"type": "plane", "size": [2, 2]}


def ball(name, at, radius=0.1, mass=2.0, **keys):
    """A ball, as a spatial body unless its type is given."""
    inertia = [0.4 * mass * radius**2] * 3
    shape = [{"type": "sphere", "radius": radius}]
    return body(name, mass=mass, inertia=inertia, position=list(at), shape=shape, **keys)


def spheres(end=1.0, **keys):
    return solver(type="spheres", step=STEP, end=end, **keys)


def heap(n=12, seed=3):
    """Balls above the floor, some of them over each other."""
    random = np.random.default_rng(seed)
    text = world(shape=[FLOOR])
    for k in range(n):
        at = [0.21 * (k % 3) + 0.02 * random.uniform(), 0.02 * random.uniform(), 0.15 + 0.25 * (k // 3)]
        text += ball(f"ball{k}", at)
    return text


def impulse_on(problem, body_number):
    """Total impulse on a body over the step [N·s], world axes."""
    transient, total = problem[TransientRows], np.zeros(3)
    for k in range(transient.used[0]):
        row = transient.index[k].first_row
        for side in range(2):
            if transient.member[2 * k + side].body == body_number:
                first = 12 * row + 6 * side
                total += transient.impulse[row] * transient.G_marker[first : first + 3]
    return total


@pytest.mark.parametrize("kind", ["spatial", "planar", "foreign_offset"])
def test_a_ball_dropped_rests_at_its_radius_and_the_floor_carries_its_weight(runs, kind):
    text = world(shape=[FLOOR], plane="xz") + ball("ball", [0.3, 0, 0.4], type=kind)
    prepared = runs.prepare(text + spheres())
    integrator, problem = prepared.start(1.0), prepared.problem
    show(integrator, 1.0, 0.1)
    assert problem[TransientRows].used[0] == 0  # in the air
    np.testing.assert_allclose(prepared.recorder.frame()["bodies/acceleration"][0], [0, 0, -G], atol=1e-12)
    for t in (0.9, 0.9 + 0.3 * STEP, 1.0):
        show(integrator, 1.0, t)
        frame = prepared.recorder.frame()
        np.testing.assert_allclose(frame["bodies/position"][0], [0.3, 0, 0.1], atol=1e-12)
        np.testing.assert_allclose(frame["bodies/acceleration"][0], 0.0, atol=1e-9)
        force = impulse_on(problem, 0) / problem[Step].record[0].length
        np.testing.assert_allclose(force, [0, 0, 2.0 * G], rtol=1e-9)


def test_a_ball_slides_down_a_plane_without_friction(runs):
    a = radians(20)
    floor = FLOOR | {"orientation": {"axis": [0, 1, 0], "angle": a}, "position": [0.1, 0.2, 0.3]}
    down, normal = np.array([cos(a), 0, -sin(a)]), np.array([sin(a), 0, cos(a)])
    start = np.array([0.1, 0.2, 0.3]) + 0.1 * normal
    prepared = runs.prepare(world(shape=[floor]) + ball("ball", start) + spheres())
    integrator = prepared.start(1.0)
    show(integrator, 1.0, 0.5)
    frame = prepared.recorder.frame()
    # steps of v, then of q, sum to ½ g sin(a) t (t + h)
    travelled = 0.5 * G * sin(a) * 0.5 * (0.5 + STEP)
    np.testing.assert_allclose(frame["bodies/position"][0], start + travelled * down, atol=1e-11)
    np.testing.assert_allclose(frame["bodies/acceleration"][0], G * sin(a) * down, atol=1e-9)


def test_two_balls_meet_off_centre_without_restitution(runs):
    """The impulse P along the line of centres n stops the approach: P = v·n / (1/m_a + 1/m_b)."""
    fast, slow = ball("a", [0, 0, 0], velocity=[1, 0, 0]), ball("b", [0.5, 0.12, 0], mass=1.0)
    prepared = runs.prepare(world(gravity=[0, 0, 0]) + fast + slow + spheres())
    finish(prepared.start(1.0), 1.0)
    va, vb = (prepared.problem.v[k : k + 3] for k in (0, 6))
    np.testing.assert_allclose(2.0 * va + 1.0 * vb, [2, 0, 0], atol=1e-12)
    normal = np.array([0.8, 0.6, 0.0])  # 0.12 / 0.2 is its sine
    P = 0.8 / (1 / 2.0 + 1 / 1.0)
    # the normal is that at the start of a step, up to h v away
    np.testing.assert_allclose(vb, P * normal, atol=0.01)


def states_of(runs, text, stop=None, places=1):
    """Frames at 20 times; with `stop` from a saved state of another run at that frame."""
    times = np.linspace(0, 1.0, 21)
    prepared = runs.prepare(text)
    integrator = prepared.start(1.0)
    if stop is not None:
        for t in times[: stop + 1]:
            show(integrator, 1.0, t)
        saved = {name: array.copy() for name, array in integrator.save().items()}
        prepared = runs.prepare(text.replace("places = 1\n", f"places = {places}\n"))
        integrator = prepared.start(1.0)
        integrator.load(saved)
        times = times[stop + 1 :]
    found = []
    for t in times:
        show(integrator, 1.0, t)
        transient, markers = prepared.problem[TransientRows], prepared.problem[TransientMarkers]
        n = transient.used[0]
        arrays = [
            prepared.problem.q,
            prepared.problem.v,
            transient.phi[:n],
            transient.impulse[:n],
            markers.x[: 2 * n],
        ]
        frame = prepared.recorder.frame()
        arrays += [np.array(value) for value in frame.values()]
        found.append([array.tobytes() for array in arrays])
    return found, prepared


def test_arrays_that_become_longer_give_the_same_bits_as_long_ones(runs):
    short, prepared = states_of(runs, heap() + spheres(places=1))
    long, _ = states_of(runs, heap() + spheres(places=1000))
    assert short == long
    # nothing was dropped: the heap has more contacts than balls
    assert len(prepared.problem[TransientRows].index) > 12


@pytest.mark.parametrize("places", [1, 64])
@pytest.mark.parametrize("stop", [0, 7, 15])
def test_a_saved_state_continues_to_the_bit(runs, stop, places):
    text = heap() + spheres(places=1)
    whole, _ = states_of(runs, text)
    later, _ = states_of(runs, text, stop, places)
    assert later == whole[stop + 1 :]


def test_impulses_of_the_last_step_are_what_a_resumed_run_needs(runs):
    """The test above would pass without them if the solver did not begin with them."""
    text = heap() + spheres(places=1)
    whole, _ = states_of(runs, text)
    prepared = runs.prepare(text)
    integrator = prepared.start(1.0)
    for t in np.linspace(0, 1.0, 21)[:8]:
        show(integrator, 1.0, t)
    saved = {name: array.copy() for name, array in integrator.save().items()}
    saved["stateful1"][:] = 0
    integrator.load(saved)
    finish(integrator, 1.0)
    integrator.show(1.0)
    assert prepared.problem.q.tobytes() != whole[-1][0]


def test_a_body_whose_kind_makes_no_markers_is_named(runs):
    text = world(shape=[FLOOR]) + ball("odd", [0, 0, 0.12], type="foreign_affine") + spheres()
    integrator = runs.prepare(text).start(1.0)
    with stopped(PluginError, "odd", "foreign_affine"):
        finish(integrator, 1.0)


def test_no_step_allocates(runs):
    prepared = runs.prepare(heap() + spheres(places=1))
    integrator = prepared.start(1.0)
    show(integrator, 1.0, 0.4)
    _nrt_python.memsys_enable_stats()
    try:
        counts = [rtsys.get_allocation_stats().mi_alloc]
        for until in (0.45, 0.6):
            assert integrator.advance(until, np.inf, 10**6) == "end"
            counts.append(rtsys.get_allocation_stats().mi_alloc)
    finally:
        _nrt_python.memsys_disable_stats()
    assert counts[2] - counts[1] == counts[1] - counts[0]
