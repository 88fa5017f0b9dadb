"""A run whose steps are short says what limits them: the rate that was planted is the one that is named."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from headless import Runs, show
from refusals import has
from scene_text import body, force, joint, motion, solver, spring, table, world
from small_systems import pendulum
from snapshots import same_message

from mbplugin.run import loop, pace
from mbplugin.run.pace import Pace, limit_of

ROD = pendulum(hinge="hinge", position=[1, 0, 0])
SLIDE = joint("slide", "translational", "ground", "block", at=[0, 0, 0], axis=[1, 0, 0])
SPIN = body("top", mass=1, inertia=[1, 2, 2.5], angular_velocity=[1e5, 3e4, 2e3])
WEIGHT = body("block", mass=2, inertia=[1, 1, 1], position=[1, 0, 0])
SMALL = body("needle", mass=1, inertia=[1e-13, 1e-13, 1e-13], position=[0, 0, 1])


#: computed by the run; each test asserts the one of its system
NUMBERS = r'[-+.\de]+(?= (Hz|1/s|rad/s|N\b))|[-+.\de]+ s\b|[\d.e+-]+(?= steps)|"[xy]\d\d"'


def limit(runs: Runs, text: str, end: float) -> str:
    """What limits the steps at the end of a run."""
    prepared = runs.prepare(text)
    integrator = prepared.start(end)
    show(integrator, end, 0.9 * end)
    said = limit_of(integrator)
    same_message(said, hide=NUMBERS)
    return said


def number(text: str, unit: str) -> float:
    match = re.search(rf"([-+.\de]+) {unit}", text)
    assert match is not None, text
    return float(match[1])


@pytest.mark.parametrize("stiffness, damping", [(2e10, 0), (1, 2e6)], ids=["spring", "damper"])
def test_the_body_at_a_stiff_force_is_named(runs, stiffness, damping):
    stiff = spring("ground", "block", name="stiff", stiffness=stiffness, damping=damping, length=0.9)
    scene = world(gravity=[1, 0, 0]) + ROD + WEIGHT + SLIDE + stiff + solver(end=1)
    assert has(limit(runs, scene, 2e-3), '"block"', "stiff", "galpha")


def test_a_spin_is_named(runs):
    said = limit(runs, world(gravity=[0, 0, 0]) + SPIN + ROD + solver(end=1), 1e-3)
    assert has(said, '"top"')
    assert number(said, "rad/s") == pytest.approx(np.sqrt(1e10 + 9e8 + 4e6), rel=0.3)


def test_the_frequency_of_a_motion_is_named(runs):
    driven = motion("hinge", angle="1e-3*sin(1e6*time)")
    said = limit(runs, ROD + driven + solver(end=1), 1e-4)
    assert has(said, '"1e-3*sin(1e6*time)"')
    assert number(said, "Hz") == pytest.approx(1e6 / (2 * np.pi), rel=0.1)


def test_the_frequency_of_a_force_is_named(runs):
    said = limit(runs, ROD + force("rod", x="cos(1e6*time)") + solver(end=1), 1e-4)
    assert has(said, '"cos(1e6*time)"')


def test_a_body_with_a_tiny_inertia_is_named(runs):
    needle = SMALL + joint("pin", "revolute", "ground", "needle", at=[0, 0, 1], axis=[1, 0, 0])
    twist = table("force", type="torque", name="coil", body="needle", torque_x="-1e-3*pin.angle")
    start = needle.replace("axis = [1", "start = { angle = 0.001 }\naxis = [1")
    scene = world(gravity=[0, 0, 0]) + ROD + start + twist + solver(end=1)
    assert has(limit(runs, scene, 1e-4), '"needle"', "inertia")


def test_a_body_between_nearly_singular_joints_is_named(runs):
    # a node between two bars of 1 m, pulled out of their line: it turns about the line like a pendulum
    ends = [{"name": "left", "position": [0, 0, 0]}, {"name": "right", "position": [2, 0, 0]}]
    text = world(gravity=[0, 0, 0], marker=ends)
    text += body("node", mass=1, inertia=[0.01, 0.01, 0.01], position=[1, 1e-4, 0])
    text += joint("one", "rod", "ground.left", "node") + joint("two", "rod", "ground.right", "node")
    scene = text + force("node", y=1e4) + solver(end=1)
    assert has(limit(runs, scene, 1e-3), '"node"', "singular")


def test_where_no_rate_limits_the_step_the_body_with_the_largest_error_is_named(runs):
    still = body("still", mass=1, inertia=[0.1, 0.1, 0.1], position=[0, 5, 0])
    held = joint("weld", "fixed", "ground", "still")
    said = limit(runs, still + held + ROD + solver(end=1, tolerance=1e-15), 0.02)
    assert has(said, '"rod"', "tolerance")


def test_a_fixed_step_names_itself(runs):
    said = limit(runs, ROD + solver(integrator="rk4", step=1e-6, end=1), 1e-4)
    assert has(said, "`step`")


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_the_pace_is_looked_at_without_a_trace_in_the_motion(runs, coordinates):
    text = world(gravity=[0, 0, 0]) + WEIGHT + SLIDE + spring("ground", "block", stiffness=2e4, length=0.9)
    ends = []
    for look in (False, True):
        integrator = runs.prepare(text + solver(end=1, coordinates=coordinates)).start(1.0)
        for k in range(1, 6):
            integrator.advance(1.0, 0.1 * k, 10**6)
            if look:
                limit_of(integrator)
        # all but the counts of evaluations
        record = integrator.step
        saved = {name: np.array(a) for name, a in integrator.save().items() if name != "record"}
        ends.append([record.t0, record.t1, record.h, *(a.tobytes() for a in saved.values())])
    assert ends[0] == ends[1]


class Clock:
    """An integrator of which only the time and counts are known."""

    time = 0.0

    def __init__(self):
        self.statistics = {"steps": 0, "evaluations": 0}

    def goes_on(self, time, steps):
        """To this time, with so many further steps of six evaluations each."""
        self.time = time
        self.statistics = {
            "steps": self.statistics["steps"] + steps,
            "evaluations": self.statistics["evaluations"] + 6 * max(steps, 100_000),
        }


def test_a_run_is_warned_of_once_where_its_end_is_many_steps_away():
    clock = Clock()
    watch = Pace(clock, 10)
    assert watch.look(clock, 10.0) == ""  # at the start
    clock.goes_on(1.0, 100_000)
    assert watch.look(clock, 10.0) == ""  # 900,000 steps to the end
    clock.goes_on(1.001, 100_000)
    assert watch.look(clock, 1.002) == ""  # as many steps in a millisecond, and one left
    clock.goes_on(1.002, 200_000)
    said = watch.look(clock, 10.0)
    # 9 s of 5e-9 s each
    assert has(said, "1.8e+09 steps", "5e-09 s") and "no end" not in said
    clock.goes_on(1.003, 400_000)
    assert watch.look(clock, 10.0) == ""


def test_no_end_is_in_sight_only_where_no_step_ends():
    clock = Clock()
    watch = Pace(clock, 10)
    watch.look(clock, 10.0)
    clock.goes_on(1.0, 0)
    clock.time = 0.0
    assert has(watch.look(clock, 10.0), "no end in sight")


def test_the_pace_is_looked_at_after_twice_as_many_evaluations_each_time():
    clock = Clock()
    watch, looks = Pace(clock, 10), []
    for evaluations in range(0, 200_000, 5_000):
        clock.statistics["evaluations"] = evaluations
        before = watch.next
        watch.look(clock, 1.0)
        looks += [evaluations] if watch.next != before else []
    assert looks == [0, 20_000, 40_000, 80_000, 160_000]
    assert watch.room(200_000) == 120_000


STIFF = (
    world(gravity=[0, 0, 0])
    + WEIGHT
    + SLIDE
    + spring("ground", "block", name="stiff", stiffness=2e6, damping=200, length=1.0)
    + force("block", x="sin(3*time)")
)


def warnings_of(text: str, folder, registry) -> list[str]:
    """Warnings of a run on its steps, which are those in its messages."""
    from mbplugin.model import System
    from mbplugin.results import RawResult

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loop.run_system(System.from_text(text), folder, registry)
    messages = RawResult(folder / "result.zarr").messages
    said = [m.text for m in messages if m.level == "warning" and "steps of" in m.text]
    assert [str(w.message) for w in caught if "steps of" in str(w.message)] == said
    return said


@pytest.mark.parametrize("call", [0.1, 1e-4])
def test_a_stiff_run_says_so_with_the_same_words_on_any_machine(tmp_path, monkeypatch, registry, call):
    """However long a call of the compiled loop may take."""
    for where, name, value in (
        (pace, "LONG", 1e3),
        (pace, "MANY", 1e3),
        (pace, "WINDOW", 2000),
        (loop, "CALL", call),
    ):
        monkeypatch.setattr(where, name, value)
    text = STIFF + solver(end=3) + table("output", frames=20, series=False)
    (said,) = warnings_of(text, tmp_path / "out", registry)
    assert has(said, '"block"', 'type = "galpha"')
    same_message(said)


@pytest.mark.parametrize(
    "text",
    [
        # its frames show the vibration
        STIFF + solver(end=3) + table("output", frames=1000, series=False),
        # steps are those of an implicit method, or the user's
        STIFF + solver(type="galpha", step=1e-3, end=3) + table("output", frames=20, series=False),
        STIFF + solver(integrator="rk4", step=1e-3, end=3) + table("output", frames=20, series=False),
        # a pendulum that swings for long
        ROD + solver(end=300) + table("output", frames=20, series=False),
    ],
    ids=["shown", "galpha", "rk4", "pendulum"],
)
def test_nothing_is_said_of_steps_that_are_needed(tmp_path, monkeypatch, registry, text):
    for name, value in (("LONG", 1e2), ("WINDOW", 2000)):
        monkeypatch.setattr(pace, name, value)
    assert warnings_of(text, tmp_path / "out", registry) == []


DRIVEN = world(gravity=[0, 0, 0]) + ROD


@pytest.mark.parametrize(("frequency", "told"), [(1e4, True), (20.0, False)])
def test_a_motion_with_many_periods_between_frames_is_named_with_its_steps(
    tmp_path, monkeypatch, registry, frequency, told
):
    for name, value in (("LONG", 1e2), ("WINDOW", 200)):
        monkeypatch.setattr(pace, name, value)
    text = DRIVEN + motion("hinge", angle=f"1e-3*sin(2*pi*{frequency}*time)") + solver(end=0.02)
    said = warnings_of(text + table("output", frames=10, series=False), tmp_path / "out", registry)
    assert len(said) == told
    if told:
        assert number(said[0], "Hz") == pytest.approx(1e4, rel=0.02)
        assert number(said[0], "periods") == pytest.approx(1e4 * 0.002, rel=0.02)


@pytest.mark.parametrize(
    ("angle", "told"), [("1e-3*sin(1e5*time)", True), ("sin(10*time)", False), ("time**7", False)]
)
def test_fixed_steps_that_do_not_follow_a_motion_are_told_once(runs, angle, told):
    text = DRIVEN + motion("hinge", angle=angle) + solver(integrator="rk4", step=1e-3, end=1)
    integrator = runs.prepare(text).start(1.0)
    watch = Pace(integrator, 500)
    said = [watch.look(integrator, 1.0) for _ in range(2)]
    assert said[1] == "" and bool(said[0]) == told
    if told:
        assert number(said[0], "Hz") == pytest.approx(1e5 / (2 * np.pi), rel=0.1)


def test_lines_tell_the_progress_of_a_long_run_where_no_terminal_shows_a_bar(capsys, monkeypatch):
    from mbplugin.cli import run

    clock = iter([0.0, 9.0, 11.0, 12.0, 30.0])
    monkeypatch.setattr(run.time, "monotonic", lambda: next(clock))
    with run.ProgressBar(quiet=False) as progress:
        for t in (0.1, 0.9, 1.1, 1.2, 3.1):
            progress(t, 4.1)
    said = capsys.readouterr().err
    first, second = said.splitlines()
    # 11 s for a second, 30 s for three
    assert has(first, 1.1, 4.1, "33 s") and has(second, 3.1, 4.1, "10 s")
    same_message(said)


def test_an_assembly_that_takes_long_tells_its_steps_and_residual(capsys, monkeypatch, runs):
    from mbplugin.analysis.initial_state import small_steps

    monkeypatch.setattr(small_steps, "SILENT", 0.0)
    # a turn by 3 rad takes short steps
    runs.prepare(pendulum(position=[1, 0, 0], start={"angle": 3.0}))
    first = capsys.readouterr().err.splitlines()[0]
    assert re.search(r"step \d+, residual \d\S* ", first), first
    same_message(first, hide=r"step \d+|residual \S+|\d+ s")
