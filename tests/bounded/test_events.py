"""Events, statuses and degrees of freedom of rows that switch, against closed forms."""

from __future__ import annotations

import csv
import os
import signal

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, torque, world

import mbplugin as mb
from mbplugin.report import content
from mbplugin.results.layout import STATUSES
from mbplugin.run import integrator
from mbplugin.run.interrupts import Interrupted

G, J = 9.81, 2.0
HOW = {
    "rk": ({"tolerance": 1e-11}, 1e-9),
    "galpha": ({"type": "galpha", "step": 1e-3}, 2e-5),
    "contact": ({"type": "contact", "step": 1e-3}, 2e-3),
}
LOCATED = ("rk", "galpha")


def dropped(how: str = "rk", end: float = 2.0, frames: int = 40) -> mb.System:
    """3 kg that fall 1 m onto a limit with e = 0.5."""
    text = world() + body("mass", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
    keys = {"limits": [-1, np.inf], "restitution": 0.5}
    text += joint("rail", "translational", "ground", "mass", at=[0, 0, 1], axis=[0, 0, 1], **keys)
    return mb.System.from_text(text + solver(**HOW[how][0], end=end) + f"[output]\nframes = {frames}\n")


def wheel(more: str = "", end: float = 2.0, how: str = "rk", speed: float = 0.0, **keys) -> mb.System:
    """A wheel of 2 kg m² on a hinge along z without gravity, at `speed` [rad/s]; `keys` of the hinge."""
    text = world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, J], angular_velocity=[0, 0, speed])
    text += joint("pin", "revolute", "ground", "wheel", axis=[0, 0, 1], **keys)
    return mb.System.from_text(text + more + solver(**HOW[how][0], end=end) + table("output", frames=100))


def impacts(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and impulses [N s] of the first n impacts of `dropped`."""
    fall, speed = np.sqrt(2 / G), np.sqrt(2 * G) * 0.5 ** np.arange(n)
    return fall + np.concatenate([[0], np.cumsum(speed[1:] * 2 / G)]), 3 * 1.5 * speed


@pytest.mark.parametrize("how", LOCATED)
def test_a_limit_is_struck_at_the_times_and_with_the_impulses_of_the_parabolas(how):
    result = dropped(how).run(files=False)
    events = result.events
    times, impulses = impacts(15)
    np.testing.assert_allclose(events.time[:15], times, rtol=0, atol=HOW[how][1])
    np.testing.assert_allclose(events.impulse[:15], impulses, rtol=0, atol=10 * HOW[how][1])
    assert set(events.element) == {"rail.length.lower_limit"} == set(result.bounds)
    assert set(events.before) == {"free"} == set(events.after[:-1])
    last = events[-1]
    assert last.after == "at limit" and last.dof == 0 and set(events[:-1].dof) == {1}
    rests = result.time > last.time
    status = result.status("rail.length.lower_limit")
    assert set(status[rests]) == {"at limit"} and set(status[~rests]) == {"free"}
    assert set(result.dof[rests]) == {0} and set(result.dof[~rests]) == {1}
    force = result.columns("rail.length.lower_limit.force")[1]
    np.testing.assert_allclose(force.values, np.where(rests, 3 * G, 0.0), rtol=1e-9)
    assert force.unit == "N" and result.summary.events == len(events)
    assert result.summary.first_events[0].startswith(f"t = {times[0]:.6f}"[:10])


@pytest.mark.parametrize("how", LOCATED)
def test_a_swing_turns_at_each_half_period_and_sticks_at_the_last(how):
    """J θ'' + k θ = ∓τ: it slips forwards and backwards by turns, π/ω each, and sticks where k |θ| ≤ τ."""
    k, torque_of_friction, start = 8.0, 0.7, 1.0
    result = wheel(
        end=11.0, how=how, friction_torque=torque_of_friction, stiffness=k, start={"angle": start}
    ).run(files=False)
    turns = int(np.ceil((start * k / torque_of_friction - 1) / 2))  # until |θ| ≤ τ/k
    events = result.events.of("pin.angle.friction")
    assert len(events) == turns
    times = np.pi / np.sqrt(k / J) * np.arange(1, turns + 1)
    # where it turns it is slow: the time of rest is known to the root of the error
    np.testing.assert_allclose(events.time, times, rtol=0, atol=1e3 * HOW[how][1])
    ways = ["slips backwards", "slips forwards"]
    assert list(events.before) == [ways[i % 2] for i in range(turns)]
    assert list(events.after) == [*(ways[(i + 1) % 2] for i in range(turns - 1)), "sticks"]
    assert events.dof.tolist() == [1] * (turns - 1) + [0]
    assert set(result.dof[result.time > events[-1].time]) == {0}


def test_friction_breaks_away_a_motor_stalls_and_a_clutch_catches():
    """A torque 0.4 t leaves friction of 0.5 N·m at 1.25 s; a motor of 1 rad/s meets a limit of 0.5 rad at
    0.5 s and exerts its effort then; a clutch catches a wheel that a torque stops.
    """
    slips = wheel(torque("wheel", z="0.4*time"), friction_torque=0.3, friction_static=0.5).run(files=False)
    (event,) = slips.events
    assert event.time == pytest.approx(1.25, abs=1e-9) and event.dof == 1
    assert (event.before, event.after) == ("sticks", "slips forwards")

    drive = motion("pin", angle="time", effort_limit=3)
    stalls = wheel(drive, limits=[-np.inf, 0.5], speed=1.0).run(files=False).events
    assert stalls.time == pytest.approx([0.5, 0.5], abs=1e-9)
    assert stalls.of("pin.angle.effort")[0].after == "at upper effort"
    assert stalls.of("pin.angle.upper_limit")[0].after == "at limit" and set(stalls.dof) == {0}

    caught = wheel(torque("wheel", z="-1"), one_way="positive", speed=0.5)
    (event,) = caught.run(files=False).events
    assert event.time == pytest.approx(0.5 * J, abs=1e-9)
    assert (event.before, event.after, event.dof) == ("free", "locked", 0)


def test_steps_with_impulses_note_what_they_decide_at_their_ends():
    """The first impacts within a few steps, with their impulses; slipping that stops in its step."""
    events = dropped("contact").run(files=False).events
    times, impulses = impacts(4)
    np.testing.assert_allclose(events.time[:4], times, rtol=0, atol=4e-3)
    np.testing.assert_allclose(events.impulse[:4], impulses, rtol=0.03)
    assert events[-1].after == "at limit" and events[-1].dof == 0
    slips = wheel(how="contact", speed=0.25, friction_torque=0.5).run(files=False)
    (event,) = slips.events
    assert event.time == pytest.approx(1.0, abs=1.1e-3)
    assert (event.before, event.after, event.dof) == ("slips forwards", "sticks", 0)
    force = slips.columns("pin.angle.friction.force")[1].values
    np.testing.assert_allclose(force, np.where(slips.time < event.time, -0.5, 0.0), atol=1e-9)


def test_two_limits_that_hold_the_same_take_one_degree_of_freedom():
    text = world() + body("mass", mass=3, inertia=[1, 1, 1])
    for name in ("left", "right"):
        text += joint(name, "translational", "ground", "mass", axis=[0, 0, 1], limits=[-1, 5])
    events = mb.System.from_text(text + solver(tolerance=1e-9, end=1.0)).run(files=False).events
    assert set(events.element) == {"left.length.lower_limit", "right.length.lower_limit"}
    assert events.time == pytest.approx([np.sqrt(2 / G)] * 2, abs=1e-9)
    assert events.dof.tolist() == [0, 0] and events.impulse.sum() == pytest.approx(3 * np.sqrt(2 * G))


def test_frames_one_by_one_are_those_of_a_block_while_rows_come_and_go():
    """The detector of singular positions looks at the rows that are always there."""
    keys = {"more": torque("wheel", z="0.4*time"), "friction_torque": 0.3, "friction_static": 0.5}
    seen = []
    single = wheel(**keys).run(
        files=False, on_frame=lambda frame: seen.append(frame.status("pin.angle.friction"))
    )
    assert seen == single.status("pin.angle.friction").tolist() and len(set(seen)) == 2
    block = wheel(**keys).run(files=False)
    assert list(single.events) == list(block.events) and single.dof.tolist() == block.dof.tolist()
    assert not [m for m in single.messages if "singular" in m.text]


def test_more_changes_than_there_are_places_for_are_noted_all_the_same(monkeypatch):
    whole = dropped().run(files=False).events
    monkeypatch.setattr(integrator, "NOTES", 1)
    simulation = dropped().simulate()
    assert len(simulation._integrator.problem[integrator.groups.Changes].note) < len(whole)
    simulation.step(2.0)
    assert list(simulation.events) == list(whole)


def test_events_are_the_same_for_any_number_of_frames_and_belong_to_their_frames():
    few, many = (dropped(frames=n).run(files=False) for n in (3, 500))
    assert list(few.events) == list(many.events)
    ends = many.raw.offsets("events")
    frame = np.repeat(np.arange(len(many.time)), np.diff(ends))
    assert (many.events.time <= many.time[frame]).all()
    assert (many.events.time > many.time[frame - 1]).all()


def test_a_resumed_run_has_each_event_once(tmp_path):
    """Interrupted between two frames with impacts between them."""
    whole = dropped(frames=5).run(tmp_path / "whole")

    def interrupt(time, end):
        if 0.6 < time < 1.9:
            os.kill(os.getpid(), signal.SIGINT)

    system = dropped(frames=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mbplugin.run.loop.CALL", 0.0)
        with pytest.raises(Interrupted):
            system.run(tmp_path / "parts", progress=interrupt)
    first = mb.load(tmp_path / "parts")
    assert 0 < first.raw.frames < 5 and not first.raw.complete
    parts = system.run(tmp_path / "parts", resume=True)
    assert list(parts.events) == list(whole.events)
    assert parts.summary.events == whole.summary.events
    assert parts.summary.first_events == whole.summary.first_events


def test_a_simulation_tells_statuses_and_events_so_far():
    simulation = wheel(torque("wheel", z="0.4*time"), friction_torque=0.3, friction_static=0.5).simulate()
    simulation.step(1.0)
    saved = simulation.save()
    assert simulation.status("pin.angle.friction") == "sticks" and simulation.dof == 0
    assert not len(simulation.events)
    simulation.step(1.0)
    assert simulation.status("pin.angle.friction") == "slips forwards" and simulation.dof == 1
    assert [event.after for event in simulation.events] == ["slips forwards"]
    simulation.load(saved)
    assert not len(simulation.events) and simulation.status("pin.angle.friction") == "sticks"
    with refused("Simulation.status: name"):
        simulation.status("pin.angle")


def test_tables_of_events_are_exported_and_shown(tmp_path):
    result = dropped(frames=5).run(tmp_path / "out")
    with result.export(tmp_path / "events.csv", "events").open(newline="") as file:
        heading, *rows = csv.reader(file)
    assert heading == ["time [s]", "element", "before", "after", "impulse [N s or N m s]", "dof"]
    assert [float(row[0]) for row in rows] == result.events.time.tolist()
    assert rows[-1][1:4] == ["rail.length.lower_limit", "free", "at limit"]
    table = result.events.table()
    assert table.element.tolist() == result.events.element.tolist() and table.attrs["units"]["time"] == "s"
    data = result.dataset("events")
    assert data.after_name.values.tolist() == result.events.after.tolist()
    np.testing.assert_array_equal(data.time, result.events.time)
    assert f"{len(rows)} events" in repr(result.events) and "struck, impulse" in repr(result.events)
    assert [row[:2] for row in content.events(result.raw).rows] == [
        [e.time, e.element] for e in result.events
    ]
    with refused("element"):
        result.events.of("rail.length.upper_limit")
    with refused("what"):
        result.columns("events", "rail.length")


@pytest.mark.slow
def test_a_report_has_the_table_of_events(tmp_path):
    result = dropped(frames=5).run(tmp_path / "out")
    assert "rail.length.lower_limit" in result.report(tmp_path / "report.html").read_text()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("height", [0.0, 0.3])
def test_what_rests_on_a_limit_sticks(how, height):
    """2 kg, whose friction of 4 N does not hold them, on their limit from the start, or after a fall."""
    text = world() + body("m", mass=2, inertia=[1, 1, 1], position=[0, 0, height])
    keys = {"friction_force": 4, "limits": [-height, 1]}
    text += joint("s", "translational", "ground", "m", axis=[0, 0, 1], at=[0, 0, 0], **keys)
    text += solver(**HOW[how][0], end=0.5) + table("output", frames=10)
    result = mb.System.from_text(text).run(files=False)
    words = [STATUSES[k] for k in result.raw["bounds/status"][-1]]
    assert dict(zip(result.raw.names("bounds"), words))["s.length.friction"] == "sticks"
    assert dict(zip(result.raw.names("bounds"), words))["s.length.lower_limit"] == "at limit"
