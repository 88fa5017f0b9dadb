"""A run that stops by an error keeps its last steps, each with a frame, and says who had a part in it."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import has, stopped
from scene_text import body, solver, spring, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError
from mbplugin.paraview import script_of
from mbplugin.run.last_steps import STEPS, Loads, culprits, grown

STEP = 0.1


def falling(stiffness=5000.0, end=40.0, step=STEP, **output):
    """A ball on a spring that is too stiff for the step, and another that only falls."""
    return mb.System.from_text(
        world(gravity=[0, 0, -1])
        + body("ball", mass=1.0, inertia=[1, 1, 1], position=[1, 0, 0], marker=[{"name": "eye"}])
        + body("other", type="point", mass=1.0, position=[0, 3, 0])
        + spring("ground", "ball.eye", name="spring", stiffness=stiffness, length=0.5)
        + solver(integrator="rk4", step=step, end=end)
        + table("output", series=False, **output)
    )


def last_steps(system, out):
    with stopped(PhysicsError, "ball", hide=None) as info:
        system.run(out)
    return mb.load(info.value.last_steps), info.value


def test_the_last_steps_are_those_of_the_run_to_the_bit(tmp_path):
    """A run with a frame at each step has the same frames, and one with few frames the same last steps."""
    last, error = last_steps(falling(every=STEP), tmp_path / "all")
    few, _ = last_steps(falling(frames=3), tmp_path / "few")
    run = mb.load(tmp_path / "all").raw
    assert last.raw.frames == run.frames - max(0, run.frames - STEPS)
    assert last.folder == tmp_path / "all" / "last_steps" and not last.raw.complete
    for key in run.frame_arrays:
        if key != "time":  # of frames: k times 0.1, of steps: their sum
            np.testing.assert_array_equal(last.raw[key], run[key][-last.raw.frames :], err_msg=key)
            np.testing.assert_array_equal(last.raw[key], few.raw[key], err_msg=key)
    np.testing.assert_allclose(last.time, run.time[-last.raw.frames :], rtol=1e-12)
    assert last.raw.attributes["stopped"] == str(error)
    assert [m for m in mb.load(tmp_path / "all").messages if has(m.text, last.folder)]


def test_those_that_the_error_names_or_whose_load_has_grown_had_a_part(tmp_path):
    last, _ = last_steps(falling(), tmp_path / "out")
    assert last.raw.attribute("bodies/culprit") == [True, False]
    assert last.raw.attribute("forces/culprit") == [True]
    *steps, error = last.messages
    assert len(steps) == last.raw.frames and error.level == "error"
    largest = np.linalg.norm(last.raw["bodies/acceleration"][-1, 0])
    assert f'acceleration {largest:.3g} m/s² of "ball"' in steps[-1].text
    force = np.linalg.norm(last.raw["forces/wrench"][-1, 0, :3])
    assert f'force {force:.3g} N of "spring"' in steps[-1].text
    text = (tmp_path / "out" / "last_steps" / "messages.txt").read_text()
    assert text.count("acceleration") == last.raw.frames and error.text in text


@pytest.mark.parametrize("again", ["one that ends", "one that is resumed"])
def test_a_later_run_removes_them_but_not_what_others_put_there(tmp_path, again):
    last_steps(falling(), tmp_path / "out")
    mine = tmp_path / "out" / "last_steps" / "picture.png"
    mine.write_text("mine")
    if again == "one that ends":
        falling(stiffness=5.0, end=1.0).run(tmp_path / "out")
    else:
        with stopped(PhysicsError, "ball", hide=None):
            falling(end=41.0).run(tmp_path / "out", resume=True)
        assert (tmp_path / "out" / "last_steps" / "result.zarr").is_dir()
    assert mine.read_text() == "mine"
    assert (tmp_path / "out" / "last_steps" / "result.mbr").exists() == (again != "one that ends")


def test_a_run_without_files_keeps_none():
    with stopped(PhysicsError, "ball", hide=None) as info:
        falling().run(files=False)
    assert info.value.last_steps is None


def test_reports_and_scripts_for_paraview_name_what_went_wrong(tmp_path):
    last, _ = last_steps(falling(), tmp_path / "out")
    page = tmp_path / "out.html"
    mb.load(tmp_path / "out").report(page)
    text = page.read_text(encoding="utf-8")
    assert text.index("the motion diverges") < text.index("<h2>Messages")
    assert "red: spring, ball" in script_of(last.raw)


def test_the_largest_have_a_part_only_if_they_have_grown_tenfold():
    problem = falling().compile()
    none = np.zeros(0)  # of constraint rows
    loads = lambda ball, other, force: Loads(np.array([ball, other]), none, none, np.array([force]))
    first = loads(1.0, 5.0, 2.0)
    for last, found in (
        (loads(9.0, 5.0, 19.0), []),
        (loads(11.0, 5.0, 2.0), ["ball"]),
        (loads(1.0, 51.0, 21.0), ["other", "spring"]),
        (loads(1.0, np.inf, 2.0), ["other"]),
    ):
        assert list(grown(problem, first, last)) == found
        marks = culprits(problem, "", [first, last])
        assert marks["bodies/culprit"] == [name in found for name in ("ball", "other")]
    assert culprits(problem, 'body "other"', [first, first])["bodies/culprit"] == [False, True]
