"""Contacts in the series: who pushes whom, in words, in the frame of each contact."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import table
from small_systems import colliding

import mbplugin as mb
from mbplugin.decoder.contact_frame import supporting_forces, tangents
from mbplugin.errors import SceneError

CRATE = {"type": "box", "size": [0.3, 0.2, 0.2]}
BALL = {"type": "sphere", "radius": 0.05}
SCENE = (
    table("scene", collide=True, material="stone", shape=[{"type": "plane"}])
    + '[[material]]\nname = "stone"\nfriction = 0.4\n'
    + colliding("crate", CRATE, "stone", density=300.0, position=[0, 0, 0.1], velocity=[0.5, 0.2, 0])
    + colliding("ball", BALL, "stone", density=500.0, position=[0.05, 0.02, 0.25], velocity=[0.5, 0.2, 0])
    + table("solver", type="contact", step=1e-3, end=0.04)
    + table("output", frames=4)
)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contacts") / "out"
    return mb.System.from_text(SCENE).run(folder)


def shown(result, i):
    pv = pytest.importorskip("pyvista")
    return pv.read(result.folder / f"contacts/frame_{i:06d}.vtp")


def test_the_ground_pushes_upwards_and_the_ball_is_named_on_the_crate(out):
    mesh = shown(out, 2)
    names = list(zip(mesh["body_a_name"], mesh["body_b_name"]))
    assert names.count(("ground", "crate")) == 4 and names.count(("crate", "ball")) == 1
    force, normal = mesh["force"], mesh["normal"]
    assert (np.einsum("ij,ij->i", force, normal) >= 0.0).all()
    floor = np.array([a == "ground" for a, _ in names])
    weight = 9.81 * (300.0 * 0.012 + 500.0 * 4 / 3 * np.pi * 0.05**3)
    assert force[floor, 2].sum() == pytest.approx(weight, rel=1e-6)
    # of a force and its reaction the one that pushes upwards
    np.testing.assert_array_equal(mesh["supporting_force"], force)
    assert supporting_forces(-force, [0, 0, -9.81]).tolist() == force.tolist()
    assert supporting_forces(-force, [0, 0, 0]).tolist() == (-force).tolist()
    # the crate slides along (5, 2) and friction holds it back
    assert force[floor, :2].sum(axis=0) @ [5, 2] == pytest.approx(-0.4 * weight * np.hypot(5, 2), rel=1e-3)
    assert set(mesh["status_name"][floor]) == {"slips"}
    assert [["open", "sticks", "slips", "new"][k] for k in mesh["status"]] == list(mesh["status_name"])


def test_a_force_is_its_parts_in_the_frame_of_its_contact(out):
    mesh = shown(out, 3)
    axes = np.stack([mesh[name] for name in ("normal", "tangent_1", "tangent_2")], axis=1)
    assert np.abs(axes @ axes.transpose(0, 2, 1) - np.eye(3)).max() < 1e-14
    assert np.linalg.det(axes) == pytest.approx(np.ones(len(axes)), abs=1e-14)
    force, size = mesh["force"], np.linalg.norm(mesh["force"], axis=1).max()
    normal = mesh["normal_force"][:, None] * mesh["normal"]
    np.testing.assert_allclose(normal + mesh["friction_force"], force, atol=1e-14 * size)
    np.testing.assert_allclose(np.einsum("ni,nij->nj", mesh["local_force"], axes), force, atol=1e-14 * size)
    assert np.abs((mesh["friction_force"] * mesh["normal"]).sum(axis=1)).max() < 1e-14 * size


def test_the_history_has_the_numbers_of_a_table_by_their_names(out):
    """Also what friction and impacts take; vectors, and what each body or force element has, are left out."""
    pv = pytest.importorskip("pyvista")
    frame = 2
    table = {column.label: column.values[frame] for column in out.columns()}
    history = pv.read(out.folder / f"history/frame_{frame:06d}.vtp").point_data
    assert {"energy.friction", "energy.impacts", "contact.residual"} <= set(history.keys())
    assert {name: values[0] for name, values in history.items()} == {name: table[name] for name in history}
    left_out = {"time"} | {name for name in table if name.startswith("body.")}
    assert set(history.keys()) == set(table) - left_out


def test_each_contact_has_its_material_points_on_both_bodies(out):
    """A point of a body keeps its place in the body: they move with it between frames."""
    mesh = shown(out, 4)
    gap = ((mesh.points - mesh["point_a"]) * mesh["normal"]).sum(axis=1)
    np.testing.assert_allclose(gap, mesh["gap"], atol=1e-7)
    floor = mesh["body_a"] == -1
    assert np.abs(mesh["point_a"][floor][:, 2]).max() < 1e-12
    crate = out["crate"].position[4]
    corners = np.sort(np.abs(mesh.points[floor] - crate), axis=0)
    np.testing.assert_allclose(corners, np.tile([0.15, 0.1, 0.1], (4, 1)), atol=1e-6)


@pytest.mark.parametrize("normal", [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, 1, -1e-12], [0.6, 0, -0.8]])
def test_tangents_make_a_right_handed_frame_with_any_normal(normal):
    n = np.array([normal]) / np.linalg.norm(normal)
    first, second = tangents(n)
    assert np.abs(np.cross(first, second) - n).max() < 1e-15


def test_what_two_bodies_do_to_each_other_has_a_name_a_table_and_columns(out, tmp_path):
    pair = out.contact("ground", "crate")
    floor = out.columns("contact.ground.crate.force")[1:]
    assert [c.heading for c in floor] == [f"contact.ground.crate.force.{k} [N]" for k in "xyz"]
    assert np.array_equal(np.stack([c.values for c in floor], axis=1), pair.force)
    (normal,) = out.columns("contact.ground.crate.normal_force")[1:]
    assert np.array_equal(normal.values, pair.normal_force)
    shown = pair.table()
    assert shown.attrs["units"]["torque.z"] == "N m" and shown.attrs["units"]["gap"] == "m"
    assert np.array_equal(shown["force.z"], pair.force[:, 2])
    out.export(tmp_path / "a.csv", "contact.crate.ball.force.z")
    assert (tmp_path / "a.csv").read_text().splitlines()[0].endswith("contact.crate.ball.force.z [N]")
    for wrong in ("contact.ground.crat.force", "contact.ground.crate.forze", "contact.ground.crate.gap.x"):
        with pytest.raises(SceneError):
            out.columns(wrong)


def test_a_dataset_has_all_contacts_with_times_and_names(out):
    pytest.importorskip("xarray")
    data = out.dataset("contacts")
    contacts = out.list("contacts")
    assert np.array_equal(data.force, contacts["force"]) and data.force.attrs["units"] == "N"
    last = data.where(data.time == out.time[-1], drop=True)
    ball = last.force.sel(xyz="z")[(last.body_b_name == "ball").values]
    assert float(ball.sum()) == pytest.approx(out.contact("crate", "ball").force[-1, 2])
    assert set(np.unique(data.status_name)) <= {"open", "sticks", "slips", "new"}
