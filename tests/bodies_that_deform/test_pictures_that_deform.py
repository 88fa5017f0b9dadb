"""Results of pseudo-rigid bodies: stress and strain by name, surfaces and markers that move with F."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from blocks_that_deform import EDGES, block
from scene_text import NO_GRAVITY, body, force, joint, solver, table

import mbplugin as mb
from mbplugin.decoder.drawn import Drawn
from mbplugin.export.geometry import Geometry
from mbplugin.paraview import READER
from mbplugin.results.frame_view import FrameView
from mbplugin.results.index import INDEX

LOOK = Path(__file__).with_name("look_at_blocks.py")
F_END, YOUNG, POISSON = 40.0, 1e5, 0.3
AREA = EDGES[1] * EDGES[2]
#: a body whose mass centre is not the origin of its frame, which turns and deforms
OFF = np.array([0.3, -0.1, 0.2])
TIP = np.array([0.05, 0.07, -0.1])


def moving(**keys):
    shape = [{"type": "box", "size": list(EDGES), "position": list(OFF)}]
    moves = {
        "angular_velocity": [3.0, -2.0, 4.0],
        "velocity": [0.3, 0.1, 0.2],
        "stretch_rate": [4.0, -6.0, 3.0],
    }
    given = {"marker": [{"name": "tip", "position": list(OFF + TIP)}], "shape": shape, "damping": 1e-3}
    return NO_GRAVITY + block(young=2e4, **(moves | given | keys))


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    text = moving() + solver(end=0.1, tolerance=1e-10) + table("output", frames=201)
    folder = tmp_path_factory.mktemp("moving") / "out"
    mb.System.from_text(text).run(folder, end=0.1)
    return mb.load(folder)


def vector(result, name):
    """(frames, 3) of a quantity."""
    return np.stack([curve.values for curve in result.columns(name)[1:]], axis=1)


def test_the_rate_is_that_of_the_gradient_and_markers_move_as_the_material(result):
    raw = result.raw
    t, F, rate = raw.time, raw["deformations/gradient"][:, 0], raw["deformations/rate"][:, 0]
    k = np.argmin(np.abs(t - 0.05))
    for values, rates in (
        (F, rate),
        (vector(result, "body.block.tip.position"), vector(result, "body.block.tip.velocity")),
        (raw["bodies/position"][:, 0], raw["bodies/velocity"][:, 0]),
        (raw["bodies/velocity"][:, 0], raw["bodies/acceleration"][:, 0]),
    ):
        # five points: error h⁴/30 of the fifth derivative
        values, rates, h = np.asarray(values), np.asarray(rates), t[k + 1] - t[k]
        found = (8 * (values[k + 1] - values[k - 1]) - (values[k + 2] - values[k - 2])) / (12 * h)
        np.testing.assert_allclose(found, rates[k], atol=2e-4 * max(1.0, np.abs(rates[k]).max()))
    centre = raw["bodies/center_of_mass"][:, 0]
    expected = centre + F.reshape(-1, 3, 3) @ TIP
    np.testing.assert_allclose(vector(result, "body.block.tip.position"), expected, atol=1e-12)
    assert np.abs(np.swapaxes(F.reshape(-1, 3, 3), 1, 2) @ F.reshape(-1, 3, 3) - np.eye(3)).max() > 0.05


def test_surfaces_are_where_the_material_is_and_normals_perpendicular_to_them(result):
    raw = result.raw
    geometry, k = Geometry(raw.static(), smooth=True), raw.frames - 1
    frame = raw.frame(k)
    points, velocities = geometry.at(frame)
    x, F = frame["bodies/center_of_mass"][0], frame["deformations/gradient"][0].reshape(3, 3)
    local = (points - x) @ np.linalg.inv(F).T
    np.testing.assert_allclose(np.abs(local), np.tile(EDGES / 2, (len(points), 1)), atol=1e-12)
    rates = frame["bodies/center_of_mass_velocity"][0] + local @ frame["deformations/rate"][0].reshape(3, 3).T
    np.testing.assert_allclose(velocities, rates, atol=1e-12)
    corners, normals = points[geometry.triangles], geometry.normals_at(frame)[geometry.triangles[:, 0]]
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    faces /= np.linalg.norm(faces, axis=1)[:, None]
    np.testing.assert_allclose(normals, faces, atol=1e-9)
    drawn = Drawn(raw.static())
    np.testing.assert_allclose(drawn.arms(frame)[0][0], x, atol=1e-12)


def test_stress_and_strain_by_name_are_those_of_uniaxial_stress():
    """Opposite forces f on an area A, at rest at last: stretches 1 + e along and 1 − ν e across, e = f/(E A).
    Cauchy's stress is f over the area at present, A (1 − ν e)²; Green's strain ½ (stretch² − 1).
    """
    ends = [{"name": "left", "position": [-0.05, 0, 0]}, {"name": "right", "position": [0.05, 0, 0]}]
    turned = {"orientation": {"axis": [0, 0, 1], "angle_deg": 90}}
    text = NO_GRAVITY + block(young=YOUNG, poisson=POISSON, marker=ends, damping=5e-3, **turned)
    text += joint("hold", "fixed", "ground", "block")
    text += force("block.right", "pull", y=F_END) + force("block.left", "back", y=-F_END)
    result = mb.System.from_text(text + solver(end=0.5, tolerance=1e-9)).run(files=False, end=0.5)
    last = {curve.label: float(curve.values[-1]) for curve in result.columns(
        "body.block.strain", "block.stress", "block.von_mises")}  # fmt: skip
    e = F_END / (YOUNG * AREA)
    pressure = F_END / (AREA * (1 - POISSON * e) ** 2)
    strain = {"xx": (1 + e) ** 2, "yy": (1 - POISSON * e) ** 2, "zz": (1 - POISSON * e) ** 2}
    for name, square in strain.items():
        assert last[f"body.block.strain.{name}"] == pytest.approx((square - 1) / 2, rel=1e-5)
    # the x axis of the body is along y
    assert last["body.block.stress.yy"] == pytest.approx(pressure, rel=1e-5)
    assert last["body.block.von_mises"] == pytest.approx(pressure, rel=1e-5)
    for name in ("stress.xx", "stress.zz", "stress.xy", "stress.yz", "stress.xz"):
        assert abs(last[f"body.block.{name}"]) < 1e-5 * pressure


def test_a_view_of_a_frame_places_points_by_the_gradient(result):
    raw = result.raw
    frame = raw.frame(raw.frames - 1)
    x, F = frame["bodies/center_of_mass"][0], frame["deformations/gradient"][0].reshape(3, 3)
    view = FrameView(frame, raw.attribute, lambda: None)
    np.testing.assert_allclose(view.point("block", OFF + TIP), x + F @ TIP, atol=1e-12)


def test_a_result_of_rigid_bodies_has_no_deformations():
    text = (
        NO_GRAVITY
        + body("block", density=1000, shape=[{"type": "box", "size": [1, 1, 1]}])
        + solver(end=0.01)
    )
    raw = mb.System.from_text(text).run(files=False, end=0.01).raw
    assert not any(key.startswith("deformations") for key in raw)
    assert raw.names("deformations") == []


def test_pictures_show_the_deformed_shape():
    """The actor of a box has the matrix (F, x) of its body."""
    from mbplugin.viz.places import Snapshot

    F = np.array([[1.0, 0.2, 0.0], [0.0, 0.8, 0.1], [0.0, 0.0, 1.3]])
    frame = {
        "time": np.array(0.0),
        "bodies/position": np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]),
        "bodies/orientation": np.array([[1.0, 0.0, 0.0, 0.0]] * 2),
        "deformations/gradient": F.reshape(1, 9),
    }
    snapshot = Snapshot(0, frame, np.array([1.0, 0.0, 0.0]), np.array([0]))
    at = np.array([0.5, 0.0, 1.0])
    expected = np.array([0.0, 2.0, 3.0]) + F @ (at + 1.0)
    np.testing.assert_allclose(snapshot.pose(0, at) @ [1.0, 1.0, 1.0, 1.0], [*expected, 1.0], atol=1e-14)
    np.testing.assert_allclose(snapshot.pose(1, at)[:3, :3], np.eye(3), atol=1e-14)


@pytest.mark.slow
def test_the_reader_for_paraview_shows_the_deformed_surface(tmp_path):
    """A cube that breathes: edge a (1 + s), its corners move at ½ a ṡ."""
    if shutil.which("pvpython") is None:
        pytest.skip("ParaView (pvpython) is not installed")
    text = NO_GRAVITY + block(edges=[0.1] * 3, young=1e6, stretch_rate=[300.0] * 3)
    mb.System.from_text(text + solver(end=0.002, tolerance=1e-10) + table("output", frames=20)).run(
        tmp_path / "out", end=0.002
    )
    line = ["pvpython", str(LOOK), str(READER), str(tmp_path / "out" / INDEX), "0.0014"]
    told = subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)
    assert "FOUND" in told.stdout, told.stderr
    (*bounds, speed, error), *_ = json.loads(told.stdout.partition("FOUND")[2])
    omega = np.sqrt(36e6 / (1.2 * 1000 * 0.01))
    reach, rate = 0.05 * (1 + 300 / omega * np.sin(omega * 0.0014)), 0.05 * 300 * np.cos(omega * 0.0014)
    np.testing.assert_allclose(bounds, [-reach, reach] * 3, atol=1e-8)
    assert speed == pytest.approx(abs(rate), rel=1e-5) and error < 1e-6


def test_stored_stress_has_that_of_damping():
    """Undeformed, but stretched at rates d: β (λ Σ d + 2 μ d) along the axes of the body."""
    beta, rates = 5e-3, np.array([1.0, -2.0, 0.5])
    block_ = block(young=YOUNG, poisson=POISSON, damping=beta, stretch_rate=rates.tolist())
    result = mb.System.from_text(NO_GRAVITY + block_ + solver(end=1e-3)).run(files=False)
    lam, mu = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    first = {curve.label: float(curve.values[0]) for curve in result.columns("body.block.stress")[1:]}
    expected = beta * (lam * rates.sum() + 2 * mu * rates)
    assert [first[f"body.block.stress.{i}{i}"] for i in "xyz"] == pytest.approx(expected, rel=1e-12)
