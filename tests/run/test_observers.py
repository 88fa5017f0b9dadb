"""What only looks at a run can neither end nor change it: each observer is made to fail, and the run has the
same bits and one warning that names it.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from refusals import stopped
from scene_text import body, hinge, joint, solver, spring, table, world
from small_systems import colliding, pendulum
from snapshots import same_message

import mbplugin as mb
from mbplugin.errors import Interrupted, PhysicsError
from mbplugin.run import observers
from mbplugin.run.observers import Observers

#: a driven crank on three hinges that share loads, with friction and a limit; another body is released
SHARING = (
    pendulum(name="door", hinge="low", position=[0.5, 0, 0], axis=[0, 0, 1], friction_torque=0.5)
    + hinge("high", "ground", "door", at=[0, 0, 1])
    + body("ball", mass=1, inertia=[1, 1, 1], position=[2, 0, 0])
    + joint("hook", "ball", "ground", "ball", at=[2, 0, 1], release="time > 0.2")
    + body("soft", mass=1, inertia=[1, 1, 1], position=[4, 0, 0])
    + joint("rubber", "fixed", "ground", "soft", enforce="penalty")
    + table("force", type="torque", body="door", torque_z="3*cos(5*time)")
)
SCENES = {
    "sharing": SHARING + solver(end=0.4, stop="time > 0.3"),
    "joint coordinates": pendulum() + solver(end=0.3, coordinates="joint"),
    "stiff": world(gravity=[0, 0, 0])
    + body("block", mass=2, inertia=[1, 1, 1], position=[1, 0, 0])
    + joint("slide", "translational", "ground", "block", at=[0, 0, 0], axis=[1, 0, 0])
    + spring("ground", "block", name="stiff", stiffness=2e6, length=0.9)
    + solver(end=0.2),
    "contact": world(
        collide=True, material="steel", shape=[{"name": "floor", "type": "plane", "size": [2, 2]}]
    )
    + table("material", name="steel", friction=0.3)
    + colliding(
        "ball", {"type": "sphere", "radius": 0.5}, "steel", mass=1, inertia=[1, 1, 1], position=[0, 0, 0.6]
    )
    + solver(type="contact", step=0.01, end=0.3),
}

#: scene, the observer's name, and what fails
PLANTED = [
    ("sharing", "the search for singular positions at the start", "mbplugin.run.prepare.at_start"),
    ("sharing", "the search for singular positions", "mbplugin.run.recording.watch"),
    ("sharing", "the search for singular positions", "mbplugin.analysis.singular.watch.Watch.moved"),
    ("sharing", "the report of redundant rows", "mbplugin.run.opening.opening"),
    ("sharing", "the report of shared reactions", "mbplugin.run.recording.shares"),
    ("sharing", "the messages on shared forces", "mbplugin.run.sharing.Sharing.__init__"),
    ("sharing", "the messages on shared forces", "mbplugin.run.sharing.Sharing.follow"),
    ("sharing", "the messages on what acts", "mbplugin.run.recording.ActivityMessages"),
    ("sharing", "the messages on what acts", "mbplugin.run.activity.ActivityMessages.text"),
    ("sharing", "the messages of the solver", "mbplugin.run.progress_messages.since"),
    ("sharing", "the final messages of the solver", "mbplugin.run.integrator.Stepping.closing"),
    ("sharing", "the messages of enforcement laws", "mbplugin.run.enforce.Law.before"),
    ("sharing", "the final messages of enforcement laws", "mbplugin.run.enforce.Law.after"),
    ("sharing", "the check of drift and energy", "mbplugin.run.recording.result_warnings"),
    ("sharing", "the measure of drift and energy", "mbplugin.run.recording.Recording.measure"),
    ("sharing", "the events of the summary", "mbplugin.run.pending.PendingEvents.described"),
    ("sharing", "the report of moved bodies", "mbplugin.run.recording.moved_bodies"),
    ("sharing", "the record of the last steps", "mbplugin.run.last_steps.SavedStates.save"),
    ("sharing", "the message on `stop`", "mbplugin.run.opening.true_at_start"),
    ("joint coordinates", "the message on joint coordinates", "mbplugin.run.prepare.Prepared.trees"),
    ("stiff", "the look at the pace", "mbplugin.run.pace.is_fixed"),
    ("stiff", "the look at the pace", "mbplugin.run.pace.limit_of"),
    ("contact", "the solver's look at frames", "mbplugin_contact.shares.SharedForces.frame"),
    ("contact", "the final messages of the solver", "mbplugin_contact.shares.SharedForces.closing"),
]


class Planted(Exception):
    """A fault of an observer."""


def fails(*args, **keys):
    raise Planted("on purpose")


def run(scene: str, out: Path):
    """The result in a store, and the warnings of Python."""
    system = mb.System.from_text(SCENES[scene] + table("output", every=0.01, series=False))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = system.run(out)
    return result, [str(w.message) for w in caught]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Results without failures, by scene."""
    folder = tmp_path_factory.mktemp("whole")
    return {scene: run(scene, folder / scene)[0] for scene in SCENES}


@pytest.fixture
def lenient(monkeypatch):
    """Failures are told, as outside the tests."""
    monkeypatch.setattr(observers, "strict", False)


def same_bits(result, other):
    assert result.raw.complete and result.raw.frame_arrays == other.raw.frame_arrays
    for key in result.raw.frame_arrays:
        np.testing.assert_array_equal(result.raw[key], other.raw[key], err_msg=key)


def naming(texts, name):
    return [text for text in texts if text.startswith(f"{name} failed")]


@pytest.mark.parametrize(("scene", "name", "what"), PLANTED, ids=[one[2].split(".", 2)[2] for one in PLANTED])
def test_an_observer_that_fails_is_named_once_and_the_run_has_the_same_bits(
    tmp_path, monkeypatch, lenient, whole, scene, name, what
):
    if scene == "stiff":
        for limit, value in (("WINDOW", 100), ("LONG", 1.0)):
            monkeypatch.setattr(f"mbplugin.run.pace.{limit}", value)
    monkeypatch.setattr(what, fails)
    result, caught = run(scene, tmp_path / "out")
    same_bits(result, whole[scene])
    (told,) = naming([m.text for m in result.messages if m.level == "warning"], name)
    assert "Planted: on purpose" in told and naming(caught, name) == [told]
    same_message(told)
    # and everything else is told as ever
    others = {m.text for m in whole[scene].messages}
    assert {m.text for m in result.messages} - others == {told}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("the search for singular positions", "mbplugin.analysis.singular.watch.Watch.moved"),
        ("the report of redundant rows", "mbplugin.run.opening.opening"),
    ],
)
def test_messages_that_a_result_in_memory_makes_late_fail_late(monkeypatch, lenient, name, what):
    system = mb.System.from_text(SCENES["sharing"])
    whole = system.run(files=False)
    monkeypatch.setattr(what, fails)
    result = system.run(files=False)
    same_bits(result, whole)
    with pytest.warns(UserWarning, match=name) as caught:
        (told,) = naming([m.text for m in result.messages], name)
    assert len(caught) == 1 and naming([m.text for m in result.messages], name) == [told]


def test_shared_reactions_without_the_search_for_shares_are_those_of_the_solve(
    tmp_path, monkeypatch, lenient, whole
):
    """All but the reactions that are shared, and their flags, which are those of the start."""
    monkeypatch.setattr("mbplugin.run.recorder.Recorder.shared", fails)
    result, caught = run("sharing", tmp_path / "out")
    name = "the sharing of reactions by priority"
    assert len(naming([m.text for m in result.messages], name)) == len(naming(caught, name)) == 1
    for key in result.raw.frame_arrays:
        if key != "joints/determined":
            np.testing.assert_array_equal(result.raw[key], whole["sharing"].raw[key], err_msg=key)
    first = whole["sharing"].raw["joints/determined"][:1]
    assert (result.raw["joints/determined"] == first).all()


@pytest.mark.parametrize(
    ("name", "what", "lost"),
    [
        ("the series history.pvd", "mbplugin.export.elements.History.frame", ["history"]),
        ("the ParaView series", "mbplugin.export.series.SeriesWriter.append", []),
        ("the ParaView series", "mbplugin.export.series.SeriesWriter._start", None),
        ("the ParaView series", "mbplugin.export.chosen_series", None),
        ("the ParaView series", "mbplugin.export.elements.tracks", None),
    ],
)
def test_a_series_that_fails_leaves_the_result_and_the_other_series(
    tmp_path, monkeypatch, lenient, name, what, lost
):
    system = mb.System.from_text(pendulum() + solver(end=0.1) + table("output", frames=4))
    whole = system.run(tmp_path / "whole")
    monkeypatch.setattr(what, fails)
    with pytest.warns(UserWarning, match=name) as caught:
        result = system.run(tmp_path / "out")
    same_bits(result, whole)
    assert len(naming([m.text for m in result.messages], name)) == len(caught) == 1
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*/*.vtp")}
    if lost:
        assert not list((tmp_path / "out/history").glob("*.vtp"))
        for path in (tmp_path / "whole/result").glob("*.vtp"):
            assert (tmp_path / "out/result" / path.name).read_bytes() == path.read_bytes()
    else:
        assert not files


@pytest.mark.parametrize(
    "what", ["mbplugin.run.last_steps.SavedStates.last_steps", "mbplugin.run.last_steps.SavedStates.save"]
)
def test_an_explanation_that_fails_hides_no_error(tmp_path, monkeypatch, lenient, what):
    ball = body("ball", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0], marker=[{"name": "eye"}])
    stiff = spring("ground", "ball.eye", stiffness=5000.0, length=0.5)
    text = ball + stiff + solver(integrator="rk4", step=0.1, end=40.0) + table("output", series=False)
    monkeypatch.setattr(what, fails)
    with (
        pytest.warns(UserWarning, match="failed, and the run goes on"),
        stopped(PhysicsError, "ball", hide=None),
    ):
        mb.System.from_text(text).run(tmp_path / "out")
    (failed,) = [
        m.text for m in mb.load(tmp_path / "out").messages if "failed, and the run goes on" in m.text
    ]
    assert "Planted" in failed


def test_a_simulation_goes_on_without_a_message_that_fails(monkeypatch, lenient):
    monkeypatch.setattr("mbplugin.run.activity.ActivityMessages.text", fails)
    sim = mb.System.from_text(SCENES["sharing"]).simulate()
    with pytest.warns(UserWarning, match="what acts"):
        sim.deactivate("hook")
    sim.step(0.25)
    assert len(naming([text for _, _, text in sim.messages], "the messages on what acts")) == 1
    assert sim.status("hook") == "released" and sim.time == 0.25


def test_one_that_has_failed_is_left_out_behind_a_return_as_well(tmp_path, monkeypatch, lenient, whole):
    name = "the search for singular positions"
    monkeypatch.setattr("mbplugin.analysis.singular.watch.Watch.moved", fails)
    system = mb.System.from_text(SCENES["sharing"] + table("output", every=0.01, series=False))
    with pytest.warns(UserWarning, match=name) as caught:
        system.run(tmp_path / "out", on_frame=lambda frame: "enough" if frame.time > 0.1 else None)
        result = system.run(tmp_path / "out", resume=True)
    same_bits(result, whole["sharing"])
    assert len(caught) == len(naming([m.text for m in result.messages], name)) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, Interrupted])
def test_an_interruption_and_lack_of_memory_always_pass(error):
    def raises():
        raise error("now")

    asked = Observers()
    with pytest.raises(error):
        asked.ask("one", raises, None)
    assert not asked.left_out


def test_failures_are_raised_in_tests_and_where_the_environment_says_so(monkeypatch):
    for strict, environment, raised in ((True, "0", 1), (None, "1", 1), (None, "0", 0), (False, "1", 0)):
        monkeypatch.setattr(observers, "strict", strict)
        monkeypatch.setenv("MBPLUGIN_STRICT", environment)
        asked = Observers()
        with pytest.raises(Planted) if raised else pytest.warns(UserWarning, match="one failed"):
            assert asked.ask("one", fails, "nothing") == "nothing"
        assert bool(asked.told()) != bool(raised)


def test_a_warning_ends_no_run_where_warnings_are_errors(lenient):
    asked = Observers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asked.ask("one", fails, 3) == 3
    assert asked.ask("one", lambda: 4, 3) == 3 and len(asked.told()) == 1


def test_what_is_found_before_a_failure_is_kept(lenient):
    def finds():
        yield from (1, None, 2)
        raise Planted

    with pytest.warns(UserWarning, match="one failed"):
        assert list(Observers().each("one", finds)) == [1, None, 2]


def test_a_progress_display_that_cannot_be_written_ends_no_run(lenient, monkeypatch):
    from mbplugin.cli.run import ProgressBar

    monkeypatch.setattr("mbplugin.cli.run.print", fails, raising=False)
    monkeypatch.setattr("mbplugin.cli.run.SILENT", 0.0)
    with ProgressBar(quiet=False) as progress, pytest.warns(UserWarning, match="the progress display"):
        for t in (0.1, 0.2, 0.3):
            progress(t, 1.0)
