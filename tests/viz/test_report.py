"""The page about a result: its numbers are those of the result, and it loads nothing."""

from __future__ import annotations

import base64
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from child import inside
from scene_text import SCENES, body, joint, solver, table, world

import mbplugin as mb
from mbplugin.report.elements import number
from mbplugin.viz import gl
from mbplugin.viz.picture import figure_type

DOOR = (
    world(name="door")
    + body("door", mass=8.0, inertia=[1.9, 2.4, 0.6], position=[0.4, 0, 0])
    + joint("low", "revolute", "ground", "door", at=[0, 0, -0.8], axis=[0, 0, 1], start={"speed": 2.0})
    + joint("top", "revolute", "ground", "door", at=[0, 0, 0.8], axis=[0, 0, 1])
    + solver(end=0.5)
    + table("output", frames=10, series=False)
)


class Page(HTMLParser):
    """What a page holds: cells of its tables by row heading and section, tags, texts and pictures."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.rows: dict[str, list[list[str]]] = {}
        self.text: dict[str, str] = {}
        self.picture = b""
        self.section = ""
        self.feed(file.read_text(encoding="utf-8"))
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        if tag not in ("meta", "img"):
            self.open.append(tag)
        if tag == "img":
            self.picture = base64.b64decode(given["src"].removeprefix("data:image/png;base64,"))
        if tag == "h2":
            self.section = ""
        if tag == "tr":
            self.rows.setdefault(self.section, []).append([])
        if tag in ("td", "th"):
            self.rows[self.section][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["h2"]:
            self.section += data
        elif self.open[-1:] in (["td"], ["th"]):
            self.rows[self.section][-1][-1] += data
        else:
            self.text[self.section] = self.text.get(self.section, "") + data

    def row(self, section: str, *first: str) -> list[str]:
        """The cells behind the first ones."""
        (found,) = [row for row in self.rows[section] if row[: len(first)] == list(first)]
        return found[len(first) :]


@pytest.fixture
def no_picture(monkeypatch):
    """A machine without a GL library."""
    monkeypatch.setattr(gl, "can_draw", lambda: False)


@pytest.fixture(scope="module")
def door():
    return mb.System.from_text(DOOR).run(files=False)


@pytest.fixture(scope="module")
def file(door, tmp_path_factory):
    """The page about the door without a picture."""
    with pytest.MonkeyPatch.context() as patch, pytest.warns(UserWarning, match="GL library"):
        patch.setattr(gl, "can_draw", lambda: False)
        return door.report(tmp_path_factory.mktemp("door") / "door.html")


@pytest.fixture(scope="module")
def page(file):
    return Page(file)


def test_key_figures_are_those_of_the_summary(page, door):
    summary = door.summary
    for name, value in {
        "solver": "rk",
        "time [s]": "0 to 0.5",
        "frames": "11",
        "bodies": "1",
        "joints": "2",
        "degrees of freedom": "1",
        "steps": str(summary.steps),
    }.items():
        assert page.row("Run", name) == [value]
    assert [page.row("Redundancy", key) for key in ("constraint rows", "rank", "redundant rows")] == [
        ["10"],
        ["5"],
        ["5"],
    ]
    drift = door.drift_position
    at = number(door.time[drift.argmax()])
    assert page.row("Drift of the constraints", "positions [m or rad]") == [number(drift.max()), at]


def test_energies_are_those_of_the_first_and_of_the_last_frame(results, no_picture, tmp_path):
    result = results("double_pendulum", 1.0)
    with pytest.warns(UserWarning, match="GL library"):
        page = Page(result.report(tmp_path / "page.html"))
    assert [row[0] for row in page.rows["Energy"][1:]] == ["kinetic", "potential", "balance"]
    for name in ("kinetic", "potential", "balance"):
        values = getattr(result.energy, name)
        largest = abs(values).argmax()
        assert page.row("Energy", name) == [
            number(v) for v in (values[0], values[-1], abs(values[largest]), result.time[largest])
        ]
    joint = result.joint("elbow")
    sizes = np.linalg.norm(joint.force, axis=1)
    *_, force, at, _, _, marked = page.row("Reactions of joints", "elbow")
    assert (force, at, marked) == (number(sizes.max()), number(result.time[sizes.argmax()]), "")


def test_reactions_that_are_not_unique_are_marked(page, door):
    assert page.row("Redundancy", "joints with reactions that are not unique") == ["low, top"]
    for name in ("low", "top"):
        assert (door.joint(name).determined < 2).any()
        kind, a, b, *_, marked = page.row("Reactions of joints", name)
        assert (kind, a, b) == ("revolute", "ground", "door")
        # all but the torque about the axis, which the hinges leave free
        assert marked == "force x y z, torque x y"


def test_contacts_have_their_pair_largest_force_and_statuses(results, no_picture, tmp_path):
    result = results("block_on_incline", 0.1)
    with pytest.warns(UserWarning, match="GL library"):
        page = Page(result.report(tmp_path / "page.html"))
    pair = result.contact("ground", "block")
    force, at, impulse, _, touched, gap, *counts = page.row("Contacts", "ground", "block")
    ends = [pair.normal_force[0], *pair.normal_force, pair.normal_force[-1]]
    least = np.array([min(ends[k : k + 3]) for k in range(len(result.time))])
    assert force == number(least.max()) and float(force) > 0.0
    assert at == number(result.time[least.argmax()])
    normal = result.list("contacts")
    total = np.bincount(
        np.repeat(np.arange(len(result.time)), np.diff(normal.offset)),
        (normal["impulse"] * normal["normal"]).sum(axis=1),
    )
    assert impulse == number(total.max()) and touched == str((pair.count > 0).sum())
    assert gap == number(np.nanmin(pair.gap))
    status = result.list("contacts")["status"]
    assert counts == [str((status == k).sum()) for k in range(5)] and int(counts[2]) > 0
    assert page.rows["Contacts"][3][-5:] == ["open", "sticks", "slips", "new", "bonded"]
    assert page.row("Contacts", "steps that missed their residual") == ["0"]


def made(text, tmp_path) -> tuple[mb.Result, Page]:
    """The result of a scene, and its page."""
    result = mb.System.from_text(text).run(files=False)
    with pytest.warns(UserWarning, match="GL library"):
        return result, Page(result.report(tmp_path / "page.html"))


def test_an_impact_is_an_impulse_and_no_force(no_picture, tmp_path):
    """A ball of 2 kg at 3 m/s that jumps back at 1.5 m/s, in the step to a frame."""
    text = (
        world(collide=True, material="m", gravity=[0, 0, 0], shape=[{"type": "plane", "size": [9, 9]}])
        + table("material", name="m", restitution=0.5)
        + body("ball", mass=2.0, inertia=[0.01] * 3, position=[0, 0, 0.4], velocity=[0, 0, -3])
        + 'collide = true\nmaterial = "m"\nshape = [{ type = "sphere", radius = 0.1 }]\n'
        + solver(type="contact", end=0.2, step=0.01)
        + table("output", frames=20)
    )
    result, page = made(text, tmp_path)
    force, _, impulse, at, *_ = page.row("Contacts", "ground", "ball")
    assert (force, impulse) == ("–", "9")
    assert at == number(result.time[result.contact("ground", "ball").count.argmax()])
    assert page.row("Run", "mean step [s]") == ["0.01"]


def test_loads_that_contacts_share_are_told_beside_the_joints(no_picture, tmp_path):
    """A cube on two blocks of the ground: friction on both may press it from the sides."""
    blocks = [
        {"type": "box", "name": name, "size": [0.4, 1, 0.2], "position": [x, 0, -0.1]}
        for name, x in (("left", -0.5), ("right", 0.5))
    ]
    text = (
        world(collide=True, material="m", shape=blocks)
        + table("material", name="m", friction=0.5)
        + body("cube", mass=1.0, inertia=[0.2] * 3, position=[0, 0, 0.5])
        + 'collide = true\nmaterial = "m"\nshape = [{ type = "box", size = [1, 1, 1] }]\n'
        + body("arm", mass=1.0, inertia=[0.1] * 3, position=[5, 0, 0])
        + joint("hinge", "revolute", "ground", "arm", at=[5, 0, 0], axis=[0, 1, 0])
        + solver(type="contact", end=0.02, step=0.01)
        + table("output", frames=2)
    )
    _, page = made(text, tmp_path)
    (alone,) = page.row("Redundancy", "joints with reactions that are not unique")
    (shared,) = page.row("Redundancy", "loads that contacts share")
    assert alone != "none" and '"cube" and ground ("left")' in shared
    assert "see Redundancy" in page.text["Reactions of joints"]


def test_motions_have_a_table_and_variables_are_plotted(no_picture, tmp_path):
    """A level arm of 2 kg, held 0.5 m from its hinge, and one that a motor lifts."""
    text = (
        body("arm", mass=2.0, inertia=[0.1] * 3, position=[0.5, 0, 0])
        + joint("shoulder", "revolute", "ground", "arm", axis=[0, -1, 0])
        + table("motion", joint="shoulder", angle="0.1*time")
        + table("variable", name="height", value="component_z(ground, arm)")
        + table("variable", name="nothing", value="0*time")
        + solver(end=0.5)
        + table("output", frames=5)
    )
    result, page = made(text, tmp_path)
    size, at, low, high = page.row("Motions", "shoulder.angle")
    weight = 2.0 * 9.81 * 0.5
    assert size == f"{number(weight)} N·m" and at == "0"
    drive = result.coordinate("shoulder.angle").drive
    assert (low, high) == (number(0.1 * drive.min()), number(0.1 * drive.max()))
    captions = page.text["Plots"]
    assert all(f"{name}" in captions for name in ("Coordinates", "Forces and torques", "Variables"))


def test_what_is_zero_is_neither_listed_nor_plotted(no_picture, tmp_path):
    text = world(gravity=[0, 0, 0]) + body("b", mass=1, inertia=[1, 1, 1]) + solver(end=0.1)
    _, page = made(text + table("output", frames=2), tmp_path)
    assert not {"Energy", "Drift of the constraints", "Redundancy", "Motions"} & set(page.rows)
    assert "svg" not in page.tags
    assert "joints" not in [row[0] for row in page.rows["Run"]]


def test_the_page_loads_nothing(page, file, door, tmp_path, no_picture):
    text = file.read_text()
    assert "http" not in text and "script" not in page.tags and "link" not in page.tags
    assert page.tags.count("svg") == 3 and len(page.ids) == len(set(page.ids))
    assert set(re.findall(r'(?:href="|url\()#([^")]*)', text)) <= set(page.ids)
    # the same result gives the same page
    with pytest.warns(UserWarning, match="GL library"):
        assert door.report(tmp_path / "again.html").read_text() == text


@pytest.mark.skipif(not gl.can_draw(), reason="VTK finds no GL library")
def test_the_picture_is_in_the_page(door, tmp_path):
    assert Page(door.report(tmp_path / "page.html")).picture[:4] == b"\x89PNG"


def test_names_and_messages_are_escaped(door, no_picture, tmp_path, monkeypatch):
    """Names of a scene have no such letters, but stores and scenes of others may."""
    names = {"joints": ["<b>&", 'a"<i>'], "bodies": ["<b>&"]}
    old = door.raw.names
    monkeypatch.setattr(door.raw, "names", lambda group: names.get(group) or old(group))
    door.raw._messages.append(type(door.raw.messages[0])(0.0, "<u>", "</pre><b>&amp;"))
    try:
        with pytest.warns(UserWarning, match="GL library"):
            page = Page(door.report(tmp_path / "page.html"))
    finally:
        door.raw._messages.pop()
    assert not {"b", "i", "u"} & set(page.tags)
    assert page.row("Redundancy", "joints with reactions that are not unique") == ['<b>&, a"<i>']
    assert page.row("Reactions of joints", 'a"<i>')[-1]
    assert "</pre><b>&amp;" in page.text["Messages"] and "<u>, t = 0 s" in page.text["Messages"]


def test_without_matplotlib_there_are_no_plots_and_a_warning(door, no_picture, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    figure_type.cache_clear()
    with pytest.warns(UserWarning) as warned:
        page = Page(door.report(tmp_path / "page.html"))
    assert "svg" not in page.tags and len(page.text["Plots"].strip().splitlines()) == 1
    assert [("picture" in str(w.message), "matplotlib" in str(w.message)) for w in warned] == [
        (True, False),
        (False, True),
    ]
    assert page.row("Run", "frames") == ["11"]


def test_a_result_of_an_analysis_has_no_summary(tmp_path, no_picture):
    scene = str(SCENES / "piston_crank_kinematics")
    done = inside("analyze", scene, "kinematic", "-o", "out", "--positions", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with pytest.warns(UserWarning, match="GL library"):
        page = Page(mb.load(tmp_path / "out").report(tmp_path / "page.html"))
    assert page.row("Run", "frames") == ["5"] and "svg" in page.tags
    # its bodies have no masses, and what is not there has no section
    assert {"Energy", "Reactions of joints", "Redundancy"}.isdisjoint(page.rows)


def test_a_run_that_has_no_frames_yet(door, tmp_path, monkeypatch):
    monkeypatch.setattr(door.raw, "frames", 0)
    monkeypatch.setattr(door.raw, "complete", False)
    monkeypatch.setattr(door, "summary", None)
    page = Page(door.report(tmp_path / "page.html"))
    assert page.row("Run", "frames") == ["0"] and set(page.rows) == {"Run", "Versions"}
    assert "incomplete" in page.row("Run", "state")[0]


def test_the_command_writes_into_the_folder_of_the_result(door, tmp_path):
    (tmp_path / "door.toml").write_text(DOOR)
    assert inside("run", "door.toml", "-o", "out", cwd=tmp_path).returncode == 0
    done = inside("report", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "out/report.html\n"), done.stderr
    assert Page(tmp_path / "out/report.html").row("Run", "joints") == ["2"]
    missing = inside("report", "nowhere", cwd=tmp_path)
    assert missing.returncode == 4 and missing.stderr.count("\n") == 1 and "nowhere" in missing.stderr
    other = inside("report", "out", "-o", "page.pdf", cwd=tmp_path)
    assert other.returncode == 2 and other.stderr.count("\n") == 1 and "page.pdf" in other.stderr
    assert not (tmp_path / "page.pdf").exists()


def test_a_resumed_run_is_told(no_picture, tmp_path):
    system = mb.System.from_text(DOOR)
    system.run(tmp_path / "out", end=0.2)
    result = system.run(tmp_path / "out", resume=True)
    with pytest.warns(UserWarning, match="GL library"):
        page = Page(result.report(tmp_path / "door.html"))
    assert page.row("Run", "resumed at [s]") == ["0.2"]
