"""Names of quantities of nodes and markers of bodies with a mesh, and what `mbplugin info` says of them."""

import block_scenes as blocks
import numpy as np
import pytest

import mbplugin as mb
from mbplugin.cli.info import info_result
from mbplugin.errors import SceneError

MARKERS = """
velocity = [1, 0, 0]
angular_velocity = [0, 3, 1]
marker = [
  { name = "tip", nodes = "x+", coupling = "rbe3" },
  { name = "beyond", nodes = "x+", coupling = "rbe3", position = [0.5, 0.1, 0.2] },
  { name = "rigid", nodes = "x-", coupling = "rbe2", position = [-0.5, 0, 0.3] },
  { name = "corner", nodes = 0 },
]
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return mb.System.from_text(blocks.scene(blocks.block(more=MARKERS))).run(folder)


def values(result, what):
    return np.stack([curve.values for curve in result.columns(what)[1:]], axis=-1)


def test_a_node_has_its_quantities_by_name(result):
    nodes = result.nodes("block")
    np.testing.assert_array_equal(values(result, "block.node[3].displacement"), nodes.displacement[:, 3])
    np.testing.assert_array_equal(values(result, "body.block.node[3].velocity"), nodes.velocity[:, 3])
    np.testing.assert_array_equal(values(result, "block.node[3].position.z")[:, 0], nodes.points[:, 3, 2])
    np.testing.assert_allclose(values(result, "block.node[3].stress"), nodes.stress[:, 3])
    np.testing.assert_allclose(values(result, "block.node[3].von_mises")[:, 0], nodes.von_mises[:, 3])
    assert [curve.unit for curve in result.columns("block.node[3].von_mises")] == ["s", "Pa"]
    length = values(result, "block.node[3].displacement.magnitude")[:, 0]
    np.testing.assert_allclose(length, np.linalg.norm(nodes.displacement[:, 3], axis=1))


def test_names_of_other_nodes_and_components_are_refused(result):
    for name in ("block.node[99].displacement", "block.node[3].displacment", "other.node[3].displacement"):
        with pytest.raises(SceneError, match="no such quantity"):
            result.columns(name)
    with pytest.raises(SceneError, match="has the components x, y, z"):
        result.columns("block.node[3].displacement.w")


def test_a_marker_of_a_set_is_the_mean_of_its_nodes(result):
    nodes = result.nodes("block")
    inside = nodes.sets["x+"]
    np.testing.assert_allclose(values(result, "block.tip.position"), nodes.points[:, inside].mean(axis=1))
    np.testing.assert_allclose(values(result, "block.tip.displacement")[0], [0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("marker", ["beyond", "rigid"])
def test_a_marker_beside_its_nodes_turns_with_them(result, marker):
    """At t = 0 the body moves as a rigid one; later the velocity is the rate of the position."""
    body = mb.System.from_text(blocks.scene(blocks.block(more=MARKERS))).bodies[0]
    place = np.array({"beyond": [0.5, 0.1, 0.2], "rigid": [-0.5, 0, 0.3]}[marker])
    at_start = np.array([1, 2, 3]) + body.axes() @ place
    x, v = values(result, f"block.{marker}.position"), values(result, f"block.{marker}.velocity")
    np.testing.assert_allclose(x[0], at_start, atol=1e-13)
    np.testing.assert_allclose(
        v[0], np.cross([0, 3, 1], at_start - [1, 2, 3]) + np.array([1, 0, 0]), atol=1e-9
    )
    h = result.time[1]
    np.testing.assert_allclose((x[2:] - x[:-2]) / (2 * h), v[1:-1], atol=2e-3)


def test_a_joint_on_a_marker_is_where_the_marker_is():
    more = 'marker = [{ name = "end", nodes = "x-", coupling = "rbe3", position = [-0.3, 0.1, 0] }]'
    text = blocks.scene(blocks.block(more=more + "\nvelocity = [0, 0, 0.1]"))
    text += (
        '[[force]]\nname = "spring"\ntype = "spring_damper"\na = "ground"\nb = "block.end"\nstiffness = 10\n'
    )
    result = mb.System.from_text(text).run(files=False)
    ends = result.raw["lines/ends"][:, 0, 1]
    np.testing.assert_allclose(values(result, "block.end.position"), ends, atol=1e-12)


def test_info_tells_the_meshes(result, capsys):
    info_result(str(result.folder), json=False)
    text = capsys.readouterr().out
    assert "block: 12 nodes, 2 cells, sets x-, x+" in text
    assert "plot body.NAME.node[NUMBER]." in text
    assert "block.beyond" in text


def test_a_plot_of_a_node(result, tmp_path):
    result.plot("block.node[3].von_mises", "block.tip.displacement", file=tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000
