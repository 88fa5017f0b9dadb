"""A sweep gives the numbers of single runs, keeps what fails with its message, and loses nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest
from refusals import has, refused, stopped
from scene_text import SCENES
from snapshots import same_message
from swinging import PENDULUM, deadly, measured_period, period

import mbplugin as mb
from mbplugin.codegen.compiled import compilations
from mbplugin.errors import Interrupted, StoreError
from mbplugin.run import loop
from mbplugin.sweeps import store, workers

LENGTHS = [0.3, 0.5, 0.8, 1.1]
ANGLE = "max(abs(pivot.angle))"


@pytest.fixture(scope="module")
def pendulum():
    return mb.System.from_text(PENDULUM)


@pytest.fixture(scope="module")
def crank():
    return mb.System.from_file(SCENES / "piston_crank", set={"output.frames": 20})


def test_the_period_over_the_length_is_that_of_the_elliptic_integral(pendulum):
    leans = [0.01, 0.5, 1.5]
    found = mb.sweep(pendulum, {"length": LENGTHS, "lean": leans}, measured_period)
    assert found["measured_period"].shape == (4, 3)
    exact = period(np.array(LENGTHS)[:, None], np.array(leans))
    np.testing.assert_allclose(found["measured_period"], exact, rtol=2e-8)
    small = 2.0 * np.pi * np.sqrt(np.array(LENGTHS) / 9.81)
    np.testing.assert_allclose(found["measured_period"][:, 0], small, rtol=0.012)  # inertia: 1 + I / 2 m l²


def test_pairs_take_the_values_together(pendulum):
    """Each pendulum is back after its own period."""
    ends = [float(period(length, 0.3)) for length in LENGTHS]
    found = mb.sweep(pendulum, {"length": LENGTHS, "solver.end": ends}, "last(pivot.angle)", pairs=True)
    assert found.dataset.sizes == {"point": 4}
    np.testing.assert_allclose(found["last(pivot.angle)"], 0.3, atol=1e-8)


def test_the_reductions_of_a_small_swing_are_those_of_a_cosine(pendulum):
    names = ("first", "last", "max", "min", "range", "mean", "rms")
    end = float(period(1.0, 0.01))
    found = mb.sweep(pendulum, {"lean": [0.01]}, [f"{name}(pivot.angle)" for name in names], end=end)
    reduced = [float(found[f"{name}(pivot.angle)"][0]) / 0.01 for name in names]
    np.testing.assert_allclose(reduced, [1, 1, 1, -1, 2, 0, np.sqrt(0.5)], atol=2e-4)


@pytest.mark.parametrize(
    "method, processes",
    [
        (None, 3),
        pytest.param(None, 2, marks=pytest.mark.slow),
        pytest.param("spawn", 2, marks=pytest.mark.slow),
    ],
)
def test_any_number_of_workers_gives_the_bits_of_single_runs_and_compiles_once(
    crank, monkeypatch, method, processes
):
    throws = np.linspace(0.04, 0.05, 7)
    measures = ["max(norm(joint.main_bearing.force))", "cylinder.length"]
    one = mb.sweep(crank, {"crank": throws}, measures)
    compiled = compilations[0]
    if method is not None:
        monkeypatch.setattr(workers, "start_method", lambda: method)
    several = mb.sweep(crank, {"crank": throws}, measures, processes=processes)
    assert compilations[0] == compiled
    for label in measures:
        assert several[label].tobytes() == one[label].tobytes()
    for throw, force, length in zip(throws.tolist(), *(one[label] for label in measures)):
        changes = {"output.frames": 20, "crank": throw}
        alone = mb.System.from_file(SCENES / "piston_crank", set=changes).run(files=False)
        assert force == np.sqrt((alone.joint("main_bearing").force ** 2).sum(axis=1)).max()
        assert length.tobytes() == alone.columns("cylinder.length")[1].values.tobytes()


def test_a_crank_longer_than_its_rod_locks_and_the_others_turn(crank):
    throws = [0.05, 0.2, 0.1, 0.16, 0.12]
    found = mb.sweep(crank, {"crank": throws}, ["range(cylinder.length)"], processes=2)
    stroke = found["range(cylinder.length)"]
    for throw, value in zip(throws, stroke):
        if throw < 0.1439:
            assert value == pytest.approx(2.0 * throw, rel=1e-3)
        else:
            assert np.isnan(value)
    assert [values["crank"] for values, _ in found.failed] == [0.2, 0.16]
    assert all("piston" in message and message.startswith("t = ") for _, message in found.failed)
    assert found.dataset["status"].values.tolist() == [1, 2, 1, 2, 1]
    assert found.table()["message"].iloc[1] == found.failed[0][1]
    assert repr(found).startswith("Sweep: 5 points of crank (5), 2 failed; range(cylinder.length)")


def test_a_point_of_another_structure_is_compiled_for_itself(pendulum):
    types = ["revolute", "cylindrical"]
    freedoms = {"freedoms": lambda result: result.summary.dof}
    found = mb.sweep(pendulum, {"joint.pivot.type": types}, freedoms, end=0.1)
    assert found["freedoms"].tolist() == [1.0, 2.0]
    assert found.dataset["joint.pivot.type"].values.tolist() == types


def test_keys_are_changed_together(pendulum):
    """This body is none before all of its moments of inertia have changed."""
    text = PENDULUM.replace("[parameters]", "[parameters]\na = 0.002\nb = 0.002").replace(
        "inertia = [0.002, 0.002, 0.002]", 'inertia = ["a", "a", "b"]'
    )
    flat = mb.System.from_text(text)
    assert "triangle" in mb.sweep(flat, {"b": [0.1]}, ANGLE, end=0.1).failed[0][1]
    assert not mb.sweep(flat, {"b": [0.1], "a": [0.1]}, ANGLE, end=0.1).failed


def test_the_dataset_has_dimensions_units_and_time(pendulum):
    measures = {"swing": "pivot.angle", "pull": "max(joint.pivot.force)", "two": lambda result: [1, 2]}
    found = mb.sweep(pendulum, {"length": [0.5, 1.0], "mass": [1.0, 2.0, 3.0]}, measures, end=0.5)
    data = found.dataset
    assert data["swing"].dims == ("length", "mass", "time") and data["swing"].attrs["units"] == "rad"
    assert data["pull.z"].dims == ("length", "mass") and data["pull.z"].attrs["units"] == "N"
    assert data["two"].sel(length=1.0, mass=3.0).values.tolist() == [1.0, 2.0]
    assert data["time"].attrs["units"] == "s" and float(data["time"][-1]) == 0.5
    # at the lowest point: m g + m v² / l, with v² / l = 2 g (1 - cos lean) but for the inertia
    low = 9.81 * (1.0 + 2.0 * (1.0 - np.cos(0.3)) * 0.25 / (0.25 + 0.002))
    weight = mb.sweep(pendulum, {"length": [0.5]}, "max(joint.pivot.force.z)", end=2.0)
    assert weight["max(joint.pivot.force.z)"][0] == pytest.approx(low, rel=1e-4)
    table = found.table()
    assert table.loc[(0.5, 2.0), "pull.z"] == found["pull.z"][0, 1] and table.attrs["units"]["pull.z"] == "N"
    courses = found.table("swing")
    assert courses["swing"].loc[(1.0, 3.0, 0.5)] == found["swing"][1, 2, -1]


def test_points_with_other_times_keep_their_own(pendulum):
    found = mb.sweep(pendulum, {"output.frames": [2, 4]}, "pivot.angle", end=1.0)
    assert found.variables["time"].values.tolist()[0][:3] == [0.0, 0.5, 1.0]
    assert np.isnan(found["pivot.angle"][0, 3:]).all() and not np.isnan(found["pivot.angle"][1]).any()


def test_a_measure_that_raises_is_the_message_of_its_point(pendulum):
    def picky(result):
        if result.system.parameters["mass"] == 2.0:
            raise ValueError("no good")
        return "text" if result.system.parameters["mass"] == 3.0 else 1

    found = mb.sweep(pendulum, {"mass": [1.0, 2.0, 3.0]}, picky, end=0.1, processes=2)
    messages = [message for _, message in found.failed]
    assert [message.partition(":")[0] for message in messages] == ["ValueError", "TypeError"]
    same_message("\n".join(messages))


@pytest.mark.parametrize("once", [True, False])
def test_a_worker_that_dies_takes_no_other_point_along(pendulum, tmp_path, monkeypatch, once):
    file = tmp_path / "once"
    file.write_text("once" if once else "always")
    monkeypatch.setenv("ONCE", str(file))
    masses = [0.5, 1.0, 3.0, 1.5, 2.0, 2.2]
    found = mb.sweep(pendulum, {"mass": masses}, deadly, end=0.1, processes=2)
    expected = np.array(masses)
    if not once:
        ((point, message),) = found.failed
        assert point == {"mass": 3.0} and message.startswith("its worker died")
        expected[2] = np.nan
    np.testing.assert_array_equal(found["deadly"], expected)


def test_a_resumed_sweep_runs_only_what_is_missing(pendulum, tmp_path):
    seen = []

    def watched(result):
        seen.append(result.system.parameters["length"])
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return seen[-1]

    with stopped(Interrupted, 2, 4, "--resume") as ended:
        mb.sweep(pendulum, {"length": LENGTHS}, watched, end=0.1, out=tmp_path)
    np.testing.assert_array_equal(ended.value.result["watched"], [*LENGTHS[:2], np.nan, np.nan])
    found = mb.sweep(pendulum, {"length": LENGTHS}, watched, end=0.1, out=tmp_path, resume=True)
    assert seen == LENGTHS and found["watched"].tolist() == LENGTHS


def test_a_resumed_sweep_keeps_the_times_of_points_that_end_at_their_own(pendulum, tmp_path):
    """With frames of their own number, so that the shorter courses are padded in the file."""
    values = {"length": LENGTHS[:3], "solver.end": [0.1, 0.2, 0.3], "output.frames": [2, 3, 4]}
    runs = []

    def interrupts(result):
        runs.append(result.time[-1])
        if len(runs) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return runs[-1]

    go = lambda **keys: mb.sweep(pendulum, values, ["pivot.angle", interrupts], pairs=True, **keys)
    with pytest.raises(Interrupted):
        go(out=tmp_path)
    found, whole = go(out=tmp_path, resume=True), go()
    assert runs[:3] == [0.1, 0.2, 0.3]
    for name in ("time", "pivot.angle"):
        np.testing.assert_array_equal(found[name], whole[name])
    assert np.isnan(found["time"]).sum() == 3


def test_a_signal_within_a_run_ends_the_sweep_with_its_number(pendulum, monkeypatch):
    record, sent = loop.Run.record, []

    def record_and_end(self, frames):
        record(self, frames)
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGTERM))

    monkeypatch.setattr(loop.Run, "record", record_and_end)
    with pytest.raises(Interrupted) as stopped:
        mb.sweep(pendulum, {"length": LENGTHS}, ANGLE)
    assert stopped.value.exit_code == 128 + signal.SIGTERM
    assert stopped.value.result.status.tolist() == [0, 0, 0, 0]


def test_progress_tells_points_done_and_failed(pendulum):
    told = []
    values = {"mass": [1.0, -1.0, 2.0]}
    mb.sweep(pendulum, values, ANGLE, end=0.1, progress=lambda *now: told.append(now))
    assert told == [(1, 0, 3), (2, 1, 3), (3, 1, 3)]


def test_the_plot_shows_numbers_over_the_first_key_and_the_courses_of_all_points(pendulum, tmp_path):
    values = {"length": [0.5, 1.0, 2.0], "mass": [1.0, -1.0, 3.0]}
    found = mb.sweep(pendulum, values, [ANGLE, "pivot.angle"], end=0.5)
    figure = found.plot(file=tmp_path / "all.svg")
    numbers, courses = figure.axes[:2]
    drawn = [line.get_ydata() for line in numbers.lines]
    np.testing.assert_array_equal(drawn[:3], found[ANGLE].T)
    np.testing.assert_array_equal(numbers.lines[3].get_xdata(), values["length"])  # crosses: one mass failed
    assert numbers.get_legend().get_texts()[0].get_text() == "mass = 1"
    assert numbers.get_ylabel() == f"{ANGLE} [rad]" and numbers.get_xlabel() == "length"
    shown = [line.get_ydata() for line in courses.lines]
    done = found["pivot.angle"].reshape(9, -1)[found.status.ravel() == 1]
    np.testing.assert_array_equal(shown, done)
    assert (tmp_path / "all.svg").read_text().startswith("<?xml")


def test_paths_have_equal_lengths_on_both_axes(pendulum):
    x, z = "bob.position.x", "bob.position.z"
    found = mb.sweep(pendulum, {"length": [1.0, 2.0]}, [x, z])
    (axis,) = found.plot(z, against=x).axes[:1]
    assert axis.get_xlabel() == f"{x} [m]" and axis.get_aspect() == 1.0
    for k, line in enumerate(axis.get_lines()):
        assert np.array_equal(line.get_xdata(), found[x][k])
        assert np.array_equal(line.get_ydata(), found[z][k])
    with refused("against", "bob.position.y"):
        found.plot(z, against="bob.position.y")
    with refused("against", x):
        mb.sweep(pendulum, {"length": [1.0]}, x, end=0.1).plot(against=x)


@pytest.mark.parametrize("counts", [(2, 3), (5, 5)])
def test_curves_of_two_keys_differ_and_the_legend_names_both(pendulum, counts):
    values = {"length": np.linspace(1, 2, counts[0]), "lean": np.linspace(0.1, 0.3, counts[1])}
    found = mb.sweep(pendulum, values, ["pivot.angle", "pivot.angle.speed"], end=0.1, progress=False)
    axis = found.plot(against="pivot.angle").axes[0]
    assert axis.get_ylabel().startswith("pivot.angle.speed")  # the only panel
    lines = [line for line in axis.lines if len(line.get_xdata())]
    looks = {(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in lines}
    assert len(looks) == len(lines) == counts[0] * counts[1]
    named = [text.get_text() for text in axis.get_legend().get_texts()]
    for key in ("length = 1", "lean = 0.1", "lean = 0.3"):
        assert any(key in text for text in named)


def test_the_plot_leaves_out_components_that_are_zero_unless_they_are_asked_for(pendulum):
    measures = {"angle": "max(pivot.angle)", "sideways": lambda result: 0.0}
    found = mb.sweep(pendulum, {"length": [0.5, 1.0]}, measures, end=0.2)
    names = lambda figure: [axis.get_ylabel() for axis in figure.axes]
    assert names(found.plot()) == ["angle [rad]"]
    assert names(found.plot("sideways")) == ["sideways"]


def test_what_is_resumed_must_be_the_same_sweep(pendulum, tmp_path):
    def go(system=pendulum, values=None, measure=ANGLE, resume=True, **options):
        values = values or {"length": LENGTHS[:2]}
        return mb.sweep(system, values, measure, end=0.1, out=tmp_path, resume=resume, **options)

    go(resume=False)
    before = (tmp_path / "sweep.nc").read_bytes()
    go()
    heavy = mb.System.from_text(PENDULUM, set={"mass": 2.0})
    for changed, names in (
        ({"system": heavy}, []),
        ({"values": {"length": [0.3, 0.6]}}, ['"length"']),
        ({"values": {"mass": LENGTHS[:2]}}, ["length", "mass"]),
        ({"measure": "max(pivot.angle)"}, [ANGLE, "max(pivot.angle)"]),
        ({"measure": {ANGLE: "max(pivot.angle)"}}, [ANGLE]),
        ({"pairs": True}, []),
    ):
        with refused("--resume", str(tmp_path)) as caught:
            go(**changed)
        assert has(str(caught.value), *names)
    assert (tmp_path / "sweep.nc").read_bytes() == before
    (tmp_path / "sweep.nc").write_bytes(before[:-9] + b"x" + before[-8:])
    with stopped(StoreError, tmp_path / "sweep.nc", "--resume"):
        go()


def test_a_sweep_of_other_values_is_replaced_only_when_asked(pendulum, tmp_path):
    def go(values, measure=ANGLE, system=pendulum, **options):
        return mb.sweep(system, values, measure, end=0.1, out=tmp_path, **options)

    go({"length": LENGTHS[:3]})
    before = (tmp_path / "sweep.nc").read_bytes()
    with stopped(StoreError, tmp_path / "sweep.nc", 3, '"length"'):
        go({"length": LENGTHS[:2]})
    with stopped(StoreError, tmp_path / "sweep.nc", ANGLE, "max(pivot.angle)"):
        go({"length": LENGTHS[:3]}, "max(pivot.angle)")
    assert (tmp_path / "sweep.nc").read_bytes() == before
    go({"length": LENGTHS[:3]}, system=mb.System.from_text(PENDULUM, set={"mass": 2.0}))  # the same questions
    assert len(go({"length": LENGTHS[:2]}, replace=True)) == 2


def test_the_file_is_what_the_sweep_has(pendulum, tmp_path):
    xarray = pytest.importorskip("xarray")
    measures = {"schwung μ": "pivot.angle", "most": "max(pivot.angle)"}
    found = mb.sweep(pendulum, {"length": [0.5, -1.0], "lean": [0.1, 0.2]}, measures, end=0.2, out=tmp_path)
    assert [point["length"] for point, _ in found.failed] == []
    with xarray.open_dataset(tmp_path / "sweep.nc") as stored:
        assert stored["most"].dims == ("length", "lean") and stored["most"].attrs["units"] == "rad"
        assert stored["most"].values.tobytes() == found["most"].tobytes()
        assert stored["message"].values.tolist() == found.messages.tolist()
    arrays, _ = store.decoded(tmp_path / "sweep.nc")
    assert arrays["schwung μ"].tobytes() == found["schwung μ"].tobytes()


def test_a_sweep_leaves_no_process_and_no_thread_of_its_own(pendulum):
    mb.sweep(pendulum, {"mass": [1.0, 2.0, 3.0]}, ANGLE, end=0.1, processes=2)
    for child in multiprocessing.active_children():
        child.join(10)
    assert multiprocessing.active_children() == []
    assert not [t for t in threading.enumerate() if "QueueFeeder" in t.name and t.is_alive() and not t.daemon]


@pytest.mark.parametrize(
    ("values", "measure", "options", "key"),
    [
        ({"lengt": [1.0]}, ANGLE, {}, "sweep: lengt"),
        ({"body.rob.mass": [1.0]}, ANGLE, {}, "sweep: body.rob.mass"),
        ({"length": []}, ANGLE, {}, "sweep: length"),
        ({"length": 1.0}, ANGLE, {}, "sweep: length"),
        ({}, ANGLE, {}, "sweep"),
        ({"length": [1.0], "mass": [1.0, 2.0]}, ANGLE, {"pairs": True}, "sweep"),
        ({"length": [1.0]}, "max(pivot.angel)", {}, "what"),
        ({"length": [1.0]}, "maximum(pivot.angle)", {}, "measure"),
        ({"length": [1.0]}, "abs(max(pivot.angle))", {}, "measure"),
        ({"length": [1.0]}, "max(__import__('os').getcwd())", {}, "measure"),
        ({"length": [1.0]}, "max(pivot.angle", {}, "measure"),
        ({"length": [1.0]}, [ANGLE, ANGLE], {}, "measure"),
        ({"length": [1.0]}, {"length": ANGLE}, {}, "measure"),
        ({"length": [1.0]}, [], {}, "measure"),
        ({"length": [1.0]}, 3, {}, "measure"),
        ({"length": [1.0]}, ANGLE, {"processes": 0}, "sweep: processes"),
        ({"length": [1.0]}, ANGLE, {"resume": True}, "sweep: resume"),
    ],
)
def test_what_is_no_sweep_is_refused_before_the_first_point(pendulum, values, measure, options, key):
    with refused(key) as caught:
        mb.sweep(pendulum, values, measure, **options)
    assert "\n" not in str(caught.value)
