"""Plots: stored numbers under their names, units on the axes, and the nearest name for one that is not
stored.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, force, joint, solver, state, table

import mbplugin as mb
from mbplugin.results.curve import Curve
from mbplugin.results.quantities import curves, known
from mbplugin.results.stored_names import kinds


def test_curves_are_the_stored_numbers(results):
    result = results("double_pendulum", 1.0)
    figure = result.plot(
        "energy.kinetic", "energy.potential", "body.lower.position", "shoulder.angle", "joint.elbow.force.x"
    )
    panels = {axis.get_ylabel(): axis for axis in figure.axes}
    assert len(panels) == 4
    assert any("[J]" in label for label in panels) and any("[m]" in label for label in panels)
    assert any("[rad]" in label for label in panels) and any("[N]" in label for label in panels)
    drawn = {line.get_label(): line.get_ydata() for axis in figure.axes for line in axis.lines}
    assert np.array_equal(drawn["energy.kinetic"], result.energy.kinetic)
    assert np.array_equal(drawn["body.lower.position.z"], result["lower"].position[:, 2])
    assert np.array_equal(drawn["shoulder.angle"], result.coordinate("shoulder.angle").value)
    assert np.array_equal(drawn["joint.elbow.force.x"], result.joint("elbow").force[:, 0])
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_labels_fit_their_panels_in_a_small_figure(results):
    result = results("piston_crank")
    what = ("main_bearing.angle", "joint.main_bearing.force.x", "body.piston.position.x", "energy.kinetic")
    figure = result.plot(*what, size=(600, 600))
    figure.canvas.draw()
    for axis in figure.axes:
        assert axis.yaxis.label.get_window_extent().height <= 1.1 * figure.bbox.height / 4


def test_the_components_of_a_wrench_have_their_own_units():
    text = body("b", mass=1.0, inertia=[1, 1, 1]) + force("b", "push", x=1.0) + solver(end=0.1)
    raw = mb.System.from_text(text).run(files=False).raw
    units = [curve.unit for curve in curves(raw, "force.push.wrench")]
    assert units == ["N"] * 3 + ["N m"] * 3


def test_every_listed_name_can_be_plotted(results):
    result = results("piston_crank")
    names = known(result.raw)
    assert len(names) > 30
    for name in names:
        found = curves(result.raw, name)
        assert found and all(curve.values.shape == result.time.shape for curve in found)


def test_the_first_word_may_be_left_out(results):
    raw = results("double_pendulum", 1.0).raw
    for short, whole in (
        ("elbow.force.x", "joint.elbow.force.x"),
        ("lower.position", "body.lower.position"),
        ("kinetic", "energy.kinetic"),
        ("elbow.angle", "coordinate.elbow.angle.value"),
        ("joint.elbow.angle", "coordinate.elbow.angle.value"),
        ("elbow.angle.drive", "coordinate.elbow.angle.drive"),
    ):
        assert [curve.label for curve in curves(raw, short)] == [curve.label for curve in curves(raw, whole)]


@pytest.mark.parametrize(
    "what",
    [
        "energy.kinetik",
        "body.lower.position.q",
        "energy.kinetic.x",
        "",
        "elbow.angel",
        "elbow.wear_of_its_bearing",
    ],
)
def test_a_wrong_name_is_named(results, what):
    with refused("what", what):
        results("double_pendulum", 1.0).plot(what)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_plots_are_written_as_png_and_svg(results, tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    results("double_pendulum", 1.0).plot("energy.balance", file=file)
    assert file.read_bytes().startswith(b"\x89PNG" if ending == "png" else b"<?xml")


def test_the_name_of_a_state_is_its_value(tmp_path):
    text = body("b", mass=1, inertia=[1, 1, 1]) + state("sum", "2", start=1)
    text += solver(end=0.5) + table("output", frames=2, series=False)
    raw = mb.System.from_text(text).run(tmp_path / "out").raw
    for name in ("sum", "state.sum", "state.sum.value"):
        (curve,) = curves(raw, name)
        assert curve.values == pytest.approx([1.0, 1.5, 2.0])


def test_a_phase_plot_has_another_quantity_along_x(results, tmp_path):
    result = results("double_pendulum", 1.0)
    figure = result.plot("shoulder.angle.speed", against="shoulder.angle")
    (line,) = figure.axes[0].lines
    angle = result.coordinate("shoulder.angle")
    np.testing.assert_array_equal(line.get_xdata(), angle.value)
    np.testing.assert_array_equal(line.get_ydata(), angle.speed)
    assert figure.axes[0].get_xlabel() == "shoulder.angle [rad]" and figure.axes[0].get_aspect() == "auto"
    path = result.plot("lower.center_of_mass.z", against="lower.center_of_mass.x")
    assert path.axes[0].get_aspect() == 1.0
    assert figure.axes[0].get_legend() is None
    with refused("against", "lower.position"):
        result.plot("energy.kinetic", against="lower.position")


def test_results_are_compared_in_one_panel_each_over_its_own_time(results, tmp_path):
    long, short = results("double_pendulum", 1.0), results("double_pendulum", 0.5)
    file = tmp_path / "both.png"
    figure = long.plot("energy.kinetic", file=file, others={"short": short}, size=(900, 500))
    first, second = figure.axes[0].lines
    assert [first.get_label(), second.get_label()] == ["energy.kinetic", "energy.kinetic, short"]
    np.testing.assert_array_equal(second.get_xdata(), short.time)
    assert first.get_xdata()[-1] == 1.0 and second.get_xdata()[-1] == 0.5
    np.testing.assert_array_equal(second.get_ydata(), short.energy.kinetic)
    assert figure.axes[0].get_ylabel() == "energy.kinetic [J]"
    import imageio.v3 as iio

    assert iio.imread(file).shape[:2] == (500, 900)


def test_a_result_that_lacks_a_quantity_is_named_beside_others(results):
    pendulum, crank = results("double_pendulum", 1.0), results("piston_crank")
    with refused("what", "elbow.angle", file="crank"):
        pendulum.plot("elbow.angle", others={"crank": crank})


def test_curves_of_the_command_have_the_folder_of_their_result(results, tmp_path, monkeypatch):
    import importlib

    from mbplugin.cli.render import plot_result

    one, other = (str(results("double_pendulum", t).folder) for t in (1.0, 0.5))
    drawn = []
    module = importlib.import_module("mbplugin.viz.plot")
    monkeypatch.setattr(module, "saved", lambda figure, file: drawn.append(figure))
    plot_result(one, ["energy.kinetic"], str(tmp_path / "a.png"), None, [other], "")
    plot_result(one, ["energy.kinetic"], str(tmp_path / "a.png"), None, [], "")
    labels = [[line.get_label() for line in figure.axes[0].lines] for figure in drawn]
    assert labels == [[f"energy.kinetic, {one}", f"energy.kinetic, {other}"], ["energy.kinetic"]]


@pytest.mark.parametrize(
    "labels, text",
    [
        (["coordinate.elbow.angle.drive", "coordinate.shoulder.angle.drive"], "drive"),
        (["coordinate.elbow.angle.speed", "coordinate.shoulder.angle.speed"], "angle speed"),
        (["coordinate.elbow.angle.value", "coordinate.shoulder.angle.value"], "angle"),
        (["joint.elbow.force.x", "joint.elbow.force.y"], "force"),
        (["energy.kinetic", "energy.potential"], "energy"),
        (["body.arm.tip.position.x", "body.arm.tip.position.y"], "position"),
        (["contact.a.b.normal_force", "contact.c.b.normal_force"], "contact normal force"),
        ([f"tilt{k}" for k in (10, 9, 2, 11)], "tilt2 … tilt11"),
    ],
)
def test_the_axis_of_several_curves_has_their_quantity(labels, text):
    import importlib

    module = importlib.import_module("mbplugin.viz.plot")
    lines = [module.Line("a", [], Curve(label, np.zeros(0), "")) for label in labels]
    assert module.common(lines) == text


def test_the_legend_is_above_the_curves_and_names_at_most_thirty(results, tmp_path):
    result = results("piston_crank")
    figure = result.plot("joint.*.force", "energy.*", file=tmp_path / "a.png")
    figure.canvas.draw()
    for axis in figure.axes:
        box, panel = axis.get_legend().get_window_extent(), axis.get_window_extent()
        assert box.y0 >= panel.y1 and box.x1 <= figure.bbox.width
        assert panel.height > 0.7 * 150 * 2.8  # as without a legend
    for size, most in ((None, 30), ((700, 500), 8)):
        axes = result.plot("joint.*.*force.[xyz]", "joint.*.force", size=size).axes
        (forces,) = [axis for axis in axes if "[N]" in axis.get_ylabel()]
        named = [text.get_text() for text in forces.get_legend().get_texts()]
        lines = [line for line in forces.lines if len(line.get_xdata())]
        assert len(named) <= most < len(lines)
        assert named[-1] == f"and {len(lines) - len(named) + 1} more"


def test_angles_are_drawn_and_exported_in_degrees(results, tmp_path):
    result = results("double_pendulum", 1.0)
    degrees = np.degrees(result.coordinate("elbow.angle").value)
    figure = result.plot("elbow.angle", "energy.kinetic", degrees=True)
    assert figure.axes[0].get_ylabel() == "elbow.angle [deg]"
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), degrees)
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), result.energy.kinetic)
    file = result.export(tmp_path / "a.csv", "elbow.angle", "elbow.angle.speed", degrees=True)
    head, *rows = file.read_text().splitlines()
    assert head.split(",")[1:] == [
        "coordinate.elbow.angle.value [deg]",
        "coordinate.elbow.angle.speed [deg/s]",
    ]
    assert [float(row.split(",")[1]) for row in rows] == degrees.tolist()


def test_a_curve_on_another_lets_it_show(results):
    axis = results("double_pendulum", 1.0).plot("elbow.angle", "elbow.angle", "shoulder.angle").axes[0]
    styles = [line.get_linestyle() for line in axis.lines]
    assert styles[0] == "-" != styles[1] and styles[2] == "-"


def test_what_has_no_numbers_is_refused_and_not_listed():
    """Energies of an analysis in an older store are NaN."""
    text = body("b", mass=1, inertia=[1, 1, 1]) + joint("j", "revolute", "ground", "b", axis=[0, 0, 1])
    result = mb.System.from_text(text + solver(end=0.1) + table("output", frames=2)).run(files=False)
    for name in ("energy/kinetic", "energy/potential"):
        result.raw._made[name] = np.full(3, np.nan)
    assert not {"kinetic", "potential"} & set(kinds(result.raw)["energy"])
    with refused("what", "energy.kinetic"):
        result.plot("energy.kinetic")
    with pytest.warns(UserWarning, match="energy.kinetic is NaN in all frames"):
        result.plot("energy.*")
