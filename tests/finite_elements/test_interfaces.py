"""Faces of two finite-element bodies on each other, and the pressure between them."""

from __future__ import annotations

import numpy as np
import pytest
from bodies_of_elements import block, material
from scene_text import body, solver, table, world
from scipy.spatial.transform import Rotation

import mbplugin as mb
from mbplugin.decoder.nodal import nodal_meshes
from mbplugin.decoder.pressure import contact_loads
from mbplugin.export.deformed import deformed

G, DENSITY = 9.81, 1e3
SIDE, YOUNG, PRESSURE = 0.3, 1e5, 2e3
DAMPED = {"young": YOUNG, "poisson": 0.0, "stiffness_damping": 6e-3, "friction": 0.0}


def run(text: str, end: float, frames: int = 4, **keys):
    tables = solver(type="contact", end=end, **keys) + table("output", frames=frames)
    return mb.System.from_text(text + tables).run(files=False)


def pressed(low: int, high: int, **keys) -> str:
    """Two blocks of so many elements across, pressed on each other by a pressure."""
    size = (SIDE, SIDE, 0.1)
    text = world(gravity=[0, 0, 0]) + material(**(DAMPED | keys))
    text += block(size, (low, low, 1), name="low", position=[0, 0, -0.05], collide=True,
                  fix=[{"nodes": "z-"}])  # fmt: skip
    text += block(size, (high, high, 1), name="high", position=[0, 0, 0.05], collide=True)
    return text + table("force", type="pressure", body="high", faces="z+", pressure=PRESSURE)


@pytest.fixture(scope="module")
def patch():
    """Three elements on two, at the end of 0.4 s."""
    return run(pressed(3, 2), 0.4, step=2e-4)


def on_interface(nodes):
    return np.isclose(nodes.rest[:, 2], 0.0)


def test_a_flat_interface_whose_nodes_do_not_match_carries_a_uniform_pressure(patch):
    """Patch test: stresses, pressures at all nodes and displacements of both bodies are uniform."""
    force = patch.contact("low", "high").force[-1]
    np.testing.assert_allclose(force, [0, 0, PRESSURE * SIDE**2], rtol=1e-2, atol=1e-6)
    mean = force[2] / SIDE**2
    for name in ("low", "high"):
        nodes = patch.nodes(name)
        at = on_interface(nodes)
        pressure = nodes.contact_pressure[-1]
        np.testing.assert_allclose(pressure[at], mean, rtol=1e-6)
        assert not pressure[~at].any()
        stress = nodes.stress_at_cells[-1]
        np.testing.assert_allclose(stress[:, 2], stress[:, 2].mean(), rtol=1e-3)
        u = nodes.displacement[-1][at]
        assert np.ptp(u[:, 2]) < 1e-6 * PRESSURE * 0.1 / YOUNG
        assert np.abs(u[:, :2]).max() < 1e-6 * PRESSURE * 0.1 / YOUNG


def test_pressure_times_area_is_the_force_also_where_it_is_not_uniform():
    """A smaller block with friction on a larger one: forces on nodes of both are opposite, pressures times
    areas their normal part.
    """
    text = world(gravity=[0, 0, -G]) + material(**(DAMPED | {"poisson": 0.3, "friction": 0.5}))
    text += block((0.3, 0.3, 0.1), (3, 3, 1), name="low", position=[0, 0, -0.05], collide=True,
                  fix=[{"nodes": "z-"}])  # fmt: skip
    text += block((0.2, 0.2, 0.1), (2, 2, 1), name="high", position=[0.02, 0.01, 0.0501], collide=True)
    result = run(text, 0.4, step=2e-4)
    weight = DENSITY * G * 0.2 * 0.2 * 0.1
    force = result.contact("low", "high").force[-1]
    np.testing.assert_allclose(force, [0, 0, weight], atol=1e-2 * weight)
    for name, sign in (("low", -1.0), ("high", 1.0)):
        nodes = result.nodes(name)
        np.testing.assert_allclose(nodes.contact_force[-1].sum(axis=0), sign * force, atol=1e-9 * weight)
    nodes = result.nodes("high")
    points, p = nodes.points[-1], nodes.contact_pressure[-1]
    x, y = np.meshgrid(np.arange(2), np.arange(2))
    number = {tuple(np.round(r, 6)): k for k, r in enumerate(nodes.rest)}
    total = 0.0
    for i, j in zip(x.ravel(), y.ravel()):
        low = np.array([0.02 - 0.1 + 0.1 * i, 0.01 - 0.1 + 0.1 * j, 0.0001])
        steps = np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]])
        k = [number[tuple(np.round(low + one, 6))] for one in steps]
        area = 0.5 * np.linalg.norm(np.cross(points[k[2]] - points[k[0]], points[k[3]] - points[k[1]]))
        total += area * p[k].mean()
    assert total == pytest.approx(force[2], rel=1e-3)


def test_the_series_of_a_body_has_its_pressures(patch):
    """The file of the last frame, as ParaView reads it."""
    raw = patch.raw
    frame = raw.frame(len(patch.time) - 1)
    first, last = (int(k) for k in raw.offsets("contacts")[-2:])
    frame = dict(frame) | {
        f"lists/contacts/{name}": raw.entries("contacts", name, first, last) for name in raw.lists["contacts"]
    }
    data = deformed(raw.static())["mesh_high"](float(patch.time[-1]), frame)
    head = data.split(b"<AppendedData")[0].decode()
    assert 'Name="contact_pressure"' in head and 'Name="contact_force"' in head


def test_a_face_of_a_tetrahedron_takes_a_force_by_its_weights():
    """A point a third along one edge and a quarter along another one of a face, by hand."""
    result = run(pressed(1, 1).replace("hex8", "tet4"), 1e-3, step=1e-4)
    mesh = nodal_meshes(result.raw.static())[1]
    a, b, c = mesh.rest[mesh.triangles[0]]
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    contacts = {
        "body_a": np.array([-1]), "body_b": np.array([1]), "point": (a + (b - a) / 3 + (c - a) / 4)[None],
        "normal": -normal[None], "force": -6.0 * normal[None],
    }  # fmt: skip
    force, _ = contact_loads(mesh, 1, np.zeros_like(mesh.rest), contacts)
    shares = np.linalg.norm(force[mesh.triangles[0]], axis=1) / 6.0
    np.testing.assert_allclose(shares, [1 - 1 / 3 - 1 / 4, 1 / 3, 1 / 4], atol=1e-12)


def test_meshes_that_strike_each_other_keep_their_momenta():
    """Two blocks in the air, edge to face and turned: linear and angular momentum, and the ledger."""
    text = world(gravity=[0, 0, 0]) + material(young=1e6, poisson=0.3, stiffness_damping=2e-4, friction=0.3)
    text += block((0.2, 0.2, 0.1), (2, 2, 1), name="low", collide=True)
    text += block(
        (0.1, 0.1, 0.1), (2, 2, 2), name="high", collide=True, position=[0.03, 0.02, 0.13],
        velocity=[0, 0, -1], orientation={"axis": [1, 0.4, 0], "angle": 0.5},
    )  # fmt: skip
    result = run(text, 0.03, frames=10, step=1e-4)
    momentum, spin = 0.0, 0.0
    for name, volume, turn in (("low", 0.004, np.eye(3)), ("high", 0.001, rotation())):
        nodes = result.nodes(name)
        local = (nodes.rest - nodes.rest.mean(axis=0)) @ turn
        share = np.where(np.isclose(np.abs(local), np.abs(local).max(axis=0)), 0.5, 1.0).prod(axis=1)
        m = DENSITY * volume * share / share.sum()
        momentum = momentum + np.einsum("n,tnk->tk", m, nodes.velocity)
        spin = spin + np.einsum("n,tnk->tk", m, np.cross(nodes.points, nodes.velocity))
    assert result["low"].center_of_mass_velocity[-1, 2] < -0.05, "it has been hit"
    np.testing.assert_allclose(
        momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-12 * np.abs(momentum).max()
    )
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=2e-4 * np.abs(spin).max())
    assert np.abs(result.energy.balance).max() < 5e-3 * result.energy.kinetic[0]


def rotation():
    axis = np.array([1, 0.4, 0]) / np.linalg.norm([1, 0.4, 0])
    return Rotation.from_rotvec(0.5 * axis).as_matrix()


@pytest.mark.parametrize("n", [8, pytest.param(16, marks=pytest.mark.slow),
                               pytest.param(32, marks=pytest.mark.slow)])  # fmt: skip
def test_a_ball_on_a_flat_plate_leaves_straight_by_its_first_blow(n):
    """Dropped off the nodes of a plate that stands on held nodes, without friction."""
    text = world(gravity=[0, 0, 0]) + material(young=1e6, poisson=0.3, stiffness_damping=2e-4)
    text += block((0.2, 0.2, 0.02), (n, n, 1), position=[0, 0, -0.01], collide=True, fix=[{"nodes": "z-"}])
    text += body(
        "ball", material="elastic", collide=True, mass=0.1, inertia=[4e-5] * 3,
        position=[0.0043, 0.0071, 0.0201], velocity=[0, 0, -2], shape=[{"type": "sphere", "radius": 0.02}],
    )  # fmt: skip
    v = run(text, 4e-4, frames=40, step=1e-5)["ball"].velocity
    hit = int(np.flatnonzero(v[:, 2] > -1.999)[0])
    assert np.abs(v[hit, :2]).max() <= 1e-9


def test_a_soft_block_on_a_ridge_of_terrain_is_held_above_it(tmp_path):
    """A ridge of a height field runs between the nodes of a block: it no longer pokes in."""
    heights = np.full((21, 21), -0.05)
    heights[:, 10] = 0.0
    np.save(tmp_path / "field.npy", heights)
    field = {"type": "heightfield", "file": "field.npy", "size": [0.6, 0.6]}
    text = world(gravity=[0, 0, -G], collide=True, material="elastic", shape=[field])
    text += material(**(DAMPED | {"friction": 0.5}))
    text += block((0.2, 0.2, 0.1), (3, 3, 1), position=[0.0, 0, 0.0505], collide=True)
    tables = solver(type="contact", end=0.3, step=2e-4) + table("output", frames=4)
    (tmp_path / "scene.toml").write_text(text + tables)
    result = mb.System.from_file(tmp_path / "scene.toml").run(files=False)
    weight = DENSITY * G * 0.2 * 0.2 * 0.1
    np.testing.assert_allclose(
        result.contact("ground", "block").force[-1], [0, 0, weight], atol=0.02 * weight
    )
    nodes = result.nodes("block")
    points = nodes.points[-1][np.isclose(nodes.rest[:, 2], nodes.rest[:, 2].min())]
    # the ridge is over the middle of elements: the mean of the rows of nodes on both sides of it is above
    beside = points[np.abs(points[:, 0]) < 0.05]
    assert beside[:, 2].mean() > -1e-4
