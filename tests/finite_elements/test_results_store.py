"""Nodes and stresses in a result: closed forms of homogeneous deformations, and several bodies."""

import block_scenes as blocks
import mbplugin_cable
import numpy as np
import pytest

import mbplugin as mb
from mbplugin import api
from mbplugin.decoder.nodal import nodal_meshes, von_mises
from mbplugin.errors import SceneError
from mbplugin.hooks.load import load_plugins

#: stretch by 10 % along x, −4 % along y, with shear: U of a rotation-free F
F = np.array([[1.1, 0.05, 0.0], [0.05, 0.96, 0.02], [0.0, 0.02, 1.0]])
LAWS = [("hex8", "linear"), ("tet4", "neo_hookean"), ("tet10", "saint_venant_kirchhoff"), ("hex27", "linear")]
CABLE = """
[[body]]
name = "cable"
type = "cable"
length = 2.0
segments = 3
line_density = 0.5
stiffness = 1e3
position = [0, 5, 0]
velocity = [1, 0, 0]
orientation = { axis = [0, 0, 1], angle_deg = 90 }
"""


def rotation(result, name="block"):
    """(3, 3) of the body frame at t = 0."""
    return mb.System.from_text(str(result.raw.attributes["scene"])).bodies[0].axes()


def cauchy(law, F):
    """Cauchy's stress of F, by the formulas of docs/deformable-bodies.md."""
    lam, mu, I = blocks.LAM, blocks.MU, np.eye(3)
    if law == "linear":
        P = 2 * mu * (F - I) + lam * np.trace(F - I) * I  # F is symmetric and positive: F = U, R = 1
        return P @ F.T / np.linalg.det(F)
    if law == "saint_venant_kirchhoff":
        E = 0.5 * (F.T @ F - I)
        return F @ (2 * mu * E + lam * np.trace(E) * I) @ F.T / np.linalg.det(F)
    J = np.linalg.det(F)
    return (mu * (F @ F.T - I) + lam * np.log(J) * I) / J


def in_order(T):
    return np.array([T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[1, 2], T[0, 2]])


@pytest.mark.parametrize(("elements", "law"), LAWS)
def test_a_homogeneous_deformation_has_its_displacements_and_constant_stress(elements, law):
    w = np.array([1.0, -2.0, 0.5])
    result = blocks.deformed_run(blocks.scene(blocks.block(elements=elements), law=law), F, w)
    nodes, R = result.nodes("block"), rotation(result)
    X = (nodes.rest - [1, 2, 3]) @ R
    assert X.min(axis=0) == pytest.approx([0, -0.05, -0.1], abs=0.3)
    np.testing.assert_allclose(nodes.displacement[0], X @ (F - np.eye(3)).T @ R.T, atol=1e-14)
    np.testing.assert_allclose(nodes.points[0], [1, 2, 3] + X @ F.T @ R.T, atol=1e-14)
    np.testing.assert_allclose(nodes.velocity[0], np.cross(w, X @ F.T) @ R.T, atol=1e-14)
    T = cauchy(law, F)
    if elements == "hex8":
        # Hooke's stress of small strain, U - 1, in axes that turn with the element
        T = 2 * blocks.MU * (F - np.eye(3)) + blocks.LAM * np.trace(F - np.eye(3)) * np.eye(3)
    expected = np.broadcast_to(in_order(R @ T @ R.T), nodes.stress_at_cells[0].shape)
    np.testing.assert_allclose(nodes.stress_at_cells[0], expected, atol=1e-9 * blocks.YOUNG)
    np.testing.assert_allclose(
        nodes.stress[0], np.broadcast_to(expected[0], nodes.stress[0].shape), atol=1e-3
    )
    deviator = T - np.trace(T) / 3 * np.eye(3)
    np.testing.assert_allclose(nodes.von_mises[0], np.sqrt(1.5 * np.sum(deviator**2)), rtol=1e-9)


def test_elastic_energy_of_a_homogeneous_deformation_is_the_potential_energy():
    text = blocks.scene(blocks.block(elements="tet10"), law="saint_venant_kirchhoff")
    result = blocks.deformed_run(text, F)
    E = 0.5 * (F.T @ F - np.eye(3))
    W = blocks.MU * np.sum(E**2) + 0.5 * blocks.LAM * np.trace(E) ** 2
    assert result.energy.potential[0] == pytest.approx(W * 0.4 * 0.1 * 0.2, rel=1e-12)


def test_a_shear_has_a_von_mises_stress_of_the_root_of_three_times_it():
    assert von_mises([0, 0, 0, 2.0, 0, 0]) == pytest.approx(2.0 * np.sqrt(3.0))
    assert von_mises([[7.0, 7.0, 7.0, 0, 0, 0], [-5.0, 0, 0, 0, 0, 0]]) == pytest.approx([0.0, 5.0])


@pytest.mark.parametrize("elements", ["hex8", "tet10", "hex27"])
def test_a_linear_field_of_stress_is_exact_at_the_nodes(elements):
    from mbplugin_flexible.elements import KINDS

    text = blocks.scene(blocks.block(elements=elements), law="linear")
    mesh = nodal_meshes(mb.System.from_text(text).run(files=False, end=1e-9).raw.static())[0]
    kind, coefficients = KINDS[elements], np.arange(18.0).reshape(3, 6)
    N = kind.shape(kind.rule[0])[0]
    at_points = np.einsum("ga,eai->egi", N, mesh.rest[mesh.cells[0].nodes]).reshape(-1, 3)
    np.testing.assert_allclose(mesh.at_nodes(1.0 + at_points @ coefficients), 1.0 + mesh.rest @ coefficients)


def test_files_hold_what_memory_holds(tmp_path):
    text = blocks.scene(blocks.block(more='fix = [{ nodes = "x-" }]\nvelocity = [0.3, 0, 0]'))
    system = mb.System.from_text(text)
    stored, kept = system.run(tmp_path / "run"), system.run(files=False)
    for key in ("nodes/displacement", "nodes/velocity", "nodes/stress", "nodes/rest", "nodes/connectivity"):
        assert np.array_equal(stored.raw[key], kept.raw[key]), key
    assert stored.raw.attribute("nodes/cells") == kept.raw.attribute("nodes/cells")
    assert stored.raw.check() == []
    held = stored.nodes("block").sets["x-"]
    assert len(held) == 4
    assert not stored.nodes("block").displacement[:, held].any()
    assert stored.nodes("block").displacement[-1].any()


def test_frames_are_the_same_one_by_one_and_in_blocks(tmp_path):
    text = blocks.scene(blocks.block(more="velocity = [0.3, 0, 0]\nangular_velocity = [0, 0, 2]"))
    seen = []
    result = mb.System.from_text(text).run(tmp_path / "run", on_frame=lambda frame: seen.append(frame.time))
    again = mb.System.from_text(text).run(files=False)
    assert len(seen) == 5
    assert np.array_equal(result.raw["nodes/displacement"], again.raw["nodes/displacement"])


def test_a_marker_on_a_node_is_where_the_node_is():
    marker = 'marker = [{ name = "tip", nodes = 5 }]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 3, 1]'
    result = mb.System.from_text(blocks.scene(blocks.block(more=marker))).run(files=False)
    tip = np.stack([curve.values for curve in result.columns("block.tip.position")[1:]], axis=1)
    np.testing.assert_allclose(result.nodes("block").points[:, 5], tip, atol=1e-13)


def test_two_blocks_and_a_cable_keep_their_own_nodes(monkeypatch):
    plugins = load_plugins(extra=[("mbplugin_cable", mbplugin_cable)])
    monkeypatch.setattr(api, "plugins", lambda: plugins)
    second = blocks.block("second", "tet4", (1, 1, 1), (-3, 0, 0), "velocity = [0, 0, 2]")
    text = blocks.scene(blocks.block(), CABLE, second)
    result = mb.System.from_text(text).run(files=False)
    assert result.raw.names("nodes") == ["block", "cable", "second"]
    cable, second = result.nodes("cable"), result.nodes("second")
    np.testing.assert_allclose(cable.rest, [[0, 5 + 2 * k / 3, 0] for k in range(4)], atol=1e-15)
    # no tension acts on the cable, which keeps its velocity
    np.testing.assert_allclose(cable.displacement[-1], np.tile([1e-3, 0, 0], (4, 1)), atol=1e-15)
    assert cable.elements.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert cable.sets["end"].tolist() == [3]
    with pytest.raises(SceneError, match="has no stress"):
        _ = cable.stress
    np.testing.assert_allclose(
        second.velocity, np.broadcast_to([0, 0, 2.0], second.velocity.shape), atol=1e-9
    )
    assert np.abs(result.nodes("block").displacement).max() < 1e-12
    with pytest.raises(SceneError, match='no such body with nodes; did you mean "second"'):
        result.nodes("secnd")


def test_stress_is_left_out_if_asked():
    result = mb.System.from_text(blocks.scene(blocks.block(), output="stress = false")).run(files=False)
    assert "nodes/stress" not in result.raw
    assert result.raw["nodes/displacement"].shape == (5, 12, 3)
    with pytest.raises(SceneError, match="stress = false"):
        _ = result.nodes("block").von_mises


def test_results_of_rigid_bodies_have_nothing_of_nodes(tmp_path):
    text = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n[solver]\nend = 0.01\n'
    result = mb.System.from_text(text).run(tmp_path / "run")
    assert not (tmp_path / "run" / "result.zarr" / "nodes").exists()
    with pytest.raises(SceneError, match="is a body without nodes"):
        result.nodes("a")


def test_a_continued_run_holds_the_frames_of_one_in_one_piece(tmp_path):
    text = blocks.scene(blocks.block(more="velocity = [1, 0, 0]\nangular_velocity = [0, 3, 1]"))
    stopped = lambda frame: "enough" if frame.time > 4e-4 else None
    mb.System.from_text(text).run(tmp_path / "run", on_frame=stopped)
    result = mb.System.from_text(text).run(tmp_path / "run", resume=True)
    whole = mb.System.from_text(text).run(files=False)
    assert np.array_equal(result.raw["nodes/stress"], whole.raw["nodes/stress"])
