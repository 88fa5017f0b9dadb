"""A force on faces and a body with a face, each of somebody else: they meet pressure, traction and meshes."""

import re
from pathlib import Path

import numpy as np
import pytest
from loaded_blocks import SIZE, pressure, text, traction

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.tables.groups import State, Wrenches
from mbplugin.testing import check_force
from mbplugin.testing.four_nodes import POINTS, FourNodes
from mbplugin.testing.kit import beside

PAGE = Path(__file__).parents[2] / "docs" / "writing-a-plugin.md"
WINDOW = '[scene]\ngravity = [0, 0, 0]\n[[body]]\nname = "block"\ntype = "four_nodes"\n'


@pytest.fixture(scope="module")
def drag(tmp_path_factory):
    """The kind of the page on plugins."""
    code = next(
        part
        for part in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
        if "acme_lift_drag" in part
    )
    folder = tmp_path_factory.mktemp("drag")
    (folder / "drag_of_the_page.py").write_text(code)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        import drag_of_the_page

        yield drag_of_the_page.Drag


def test_the_kind_of_the_page_passes_the_kit(drag):
    report = check_force(drag)
    assert report.ok, f"\n{report}"


def test_it_acts_on_meshes(drag):
    """−c A v on the side of a block that moves without turning."""
    wind = '[[force]]\ntype = "acme_lift_drag"\nbody = "block"\nfaces = "y+"\ndamping = 7\n'
    scene = text("tet10", wind, "velocity = [1, 2, -3]")
    problem = compile_system(mb.System.from_text(scene), beside("force element", drag, None))
    problem.evaluate(0.0, problem[State].q.copy(), problem[State].v.copy())
    force = problem[Wrenches].wrench.reshape(-1, 6)[:, :3].sum(axis=0)
    np.testing.assert_allclose(force, -7 * SIZE[0] * SIZE[2] * np.array([1, 2, -3]), atol=1e-12)
    assert problem[Wrenches].dissipates.all()


def test_pressure_and_traction_act_on_another_kind_of_body():
    """Its four nodes span a surface whose area vector is half the product of its diagonals."""
    registry = beside("body kind", FourNodes, None)
    scene = WINDOW + pressure("pane", 5) + traction("pane", z=2)
    problem = compile_system(mb.System.from_text(scene), registry)
    problem.evaluate(0.0, problem[State].q.copy(), problem[State].v.copy())
    (first, second) = problem[Wrenches].wrench.reshape(2, 4, 6)[:, :, :3].sum(axis=1)
    vector = 0.5 * np.cross(POINTS[2] - POINTS[0], POINTS[3] - POINTS[1])
    np.testing.assert_allclose(first, -5 * vector, atol=1e-14)
    assert second[2] >= 2 * np.linalg.norm(vector)  # a warped surface is larger than its projection
    assert second[2] == pytest.approx(2 * np.linalg.norm(vector), rel=0.05) and not second[:2].any()
