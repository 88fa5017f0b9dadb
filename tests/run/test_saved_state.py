"""The saved state of an integrator is complete: another object continues from it to the same bits."""

from __future__ import annotations

import foreign_kinds
import pytest
from headless import Runs
from scene_text import NO_GRAVITY, SCENES, body, bundled, changed, force, joint, lines, solver, table

from mbplugin.model import System

#: a scene of kinematics alone has no masses, and no steps
RUNNING = sorted({p.parent.name for p in SCENES.glob("*/scene.toml")} - {"piston_crank_kinematics"})
PUSHED = (
    NO_GRAVITY
    + body("sled", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    + joint("rail", "translational", "ground", "sled", axis=[1, 0, 0])
    + force("sled", x="if(sin(20*time), 3, -2) + 5*step(time - 0.51)")
)
#: kinds with inner states, and with memory and events
INNER = {
    "lag": {"type": "foreign_lag", "command": "7*sin(3*time)", "time_constant": 0.1},
    "latch": {"type": "foreign_latch", "size": 20.0},
}


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(foreign_kinds=foreign_kinds)


def frames_of(prepared, integrator, end, numbers, stops=()):
    """Frames i end / 20, as the time loop takes them, and what is saved after some of them."""
    found, saved = {}, {}
    for i in numbers:
        t = end * (i / 20)
        while integrator.advance(end, t, 7) == "busy":
            pass
        integrator.show(t)
        found[i] = {
            key: (value if isinstance(value, float) else value.tobytes())
            for key, value in prepared.recorder.frame().items()
        }
        if i in stops:
            saved[i] = {name: array.copy() for name, array in integrator.save().items()}
    return found, saved


def assert_goes_on(runs, text, end, stops):
    """From each stop another object gives the frames of the run that did not stop."""
    prepared = runs.prepare(text)
    whole, _ = frames_of(prepared, prepared.start(end), end, range(21))
    first = runs.prepare(text)
    _, saved = frames_of(first, first.start(end), end, range(max(stops) + 1), stops)
    # a new object, and then the same one at another of its times
    second = runs.prepare(text)
    again = second.start(end)
    for stop in stops:
        again.load(saved[stop])
        later, _ = frames_of(second, again, end, range(stop + 1, 21))
        for i, frame in later.items():
            for key, value in frame.items():
                assert value == whole[i][key], (stop, i, key)


#: scenes of the default run, of each solver, analysis, kind of row and of body; the others are slow tests
QUICK = (
    *("andrews_squeezer", "atwood", "ball_on_plate", "bearing_friction", "block_on_incline", "brick_wall"),
    *(
        "cantilever",
        "capstan_brake",
        "conveyor",
        "coulomb_oscillator",
        "door_with_penalty_hinge",
        "door_with_stop",
    ),
    *("four_bar_n2", "freewheel", "geneva_drive", "heavy_top", "motor_against_stop", "newton_cradle"),
    *("piston_crank", "pin_release", "rope_swing", "six_axis_arm", "stick_slip_hinge"),
)
#: numbers of the frames after which runs stop
each_pair_of_stops = pytest.mark.parametrize(
    "stops", [pytest.param((1, 16), id="1 16"), pytest.param((9, 0), id="9 0", marks=pytest.mark.slow)]
)
#: parts of scenes of many steps, in which something happens
SHORT = {"ball_on_plate": 0.06, "bar_on_wall": 0.03, "crank_with_elastic_rod": 0.03}


@each_pair_of_stops
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in RUNNING]
)
def test_a_saved_state_of_each_scene_continues_to_the_bit(runs, name, stops):
    text = bundled(name).replace('file = "', f'file = "scenes/{name}/')
    end = SHORT.get(name, 0.1) * System.from_text(text).solver.end
    assert_goes_on(runs, text, end, stops)


@each_pair_of_stops
@pytest.mark.parametrize(
    "keys",
    [
        {"integrator": "dop853"},
        {"integrator": "rk4", "step": 0.0071},
        {"method": "kkt"},
        {"method": "newton_euler"},
    ],
    ids=lambda keys: next(iter(keys.values())),
)
def test_a_saved_state_of_each_solver_continues_to_the_bit(runs, keys, stops):
    text = changed(bundled("double_pendulum"), "tolerance = 1e-11\n", lines({"tolerance": 1e-6, **keys}))
    assert_goes_on(runs, text, 1.0, stops)


@each_pair_of_stops
@pytest.mark.parametrize("kind", INNER)
def test_a_saved_state_with_inner_states_memory_and_events_continues_to_the_bit(runs, kind, stops):
    pull = table("force", name="pull", body="sled", **INNER[kind])
    assert_goes_on(runs, PUSHED + pull + solver(end=1.0), 1.0, stops)
