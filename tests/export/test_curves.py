"""Lines of slack ropes are catenaries of their length, and ropes on drums lie on them; in series too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import pyvista as pv
from scene_text import bundled, changed, with_keys

import mbplugin as mb
from mbplugin.decoder.rotation import rotation
from mbplugin.export.lines import POINTS, Curves, hanging
from mbplugin.viz.places import SHOWN

DOWN = np.array([0, 0, -1.0])


def length(curve) -> float:
    return float(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())


@pytest.mark.parametrize("seed", range(20))
def test_a_slack_rope_is_a_catenary_of_its_length(seed):
    """Its slope grows in proportion to the length along it."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, 3))
    most = np.linalg.norm(b - a) * random.uniform(1.01, 3)
    curve = hanging(a, b, most, DOWN, 2001)
    np.testing.assert_allclose(curve[[0, -1]], [a, b], atol=1e-9)
    assert length(curve) == pytest.approx(most, rel=1e-5)
    steps = np.diff(curve, axis=0)
    slope = steps[:, 2] / np.linalg.norm(steps[:, :2], axis=1)
    along = np.cumsum(np.linalg.norm(steps, axis=1))
    fit = np.polyfit(along, slope, 1)
    np.testing.assert_allclose(np.polyval(fit, along), slope, atol=1e-3 * np.ptp(slope))
    assert fit[0] > 0


@pytest.mark.parametrize("across", [0.0, 1e-9])
def test_a_rope_whose_ends_are_above_each_other_hangs_straight_down(across):
    curve = hanging(np.zeros(3), np.array([across, 0, -1.0]), 3.0, DOWN, 301)
    assert curve[:, 2].min() == pytest.approx(-2.0, abs=1e-2) and length(curve) == pytest.approx(
        3.0, abs=2e-2
    )
    np.testing.assert_allclose(curve[[0, -1]], [[0, 0, 0], [across, 0, -1]], atol=1e-12)


def at_time(result, t):
    return result.raw.frame(int(np.searchsorted(result.time, t)))


def test_a_rope_hangs_while_it_is_slack_and_is_straight_while_it_is_taut(tmp_path):
    result = mb.System.from_text(bundled("rope_swing")).run(tmp_path / "out")
    curves = Curves(result.raw.static())
    for t, straight in ((0.3, True), (0.9, False), (2.0, True)):
        (curve,) = curves.at(at_time(result, t))
        assert length(curve) == pytest.approx(1.0, rel=2e-3)
        assert (length(curve) - np.linalg.norm(curve[-1] - curve[0]) < 1e-9) == straight
    frame = int(np.searchsorted(result.time, 0.9))
    mesh = pv.read(tmp_path / f"out/lines/frame_{frame:06d}.vtp")
    (curve,) = curves.at(result.raw.frame(frame))
    np.testing.assert_allclose(mesh.points, curve, atol=1e-6)
    # pictures read fewer arrays
    (shown,) = curves.at(result.raw.frame(frame, [key for key in SHOWN if key in result.raw]))
    np.testing.assert_array_equal(shown, curve)
    assert mesh.n_lines == POINTS - 1 and set(mesh.cell_data["line_name"]) == {"rope"}


@pytest.mark.parametrize("way", [1, -1])
def test_a_band_lies_on_its_drum(way):
    """Both ways round; its length is that of its path."""
    text = bundled("capstan_brake")
    if way < 0:
        text = changed(text, "[-0.5, 0, -0.4] }]", "[-0.5, 0.1, 0.7] }]")
        text = with_keys(text, "band", direction="negative", turns=1)
    result = mb.System.from_text(text).run(files=False, end=0.1)
    first, second = Curves(result.raw.static()).at(result.raw.frame(result.raw.frames - 1))
    np.testing.assert_allclose(first[-1], second[0], atol=1e-12)
    np.testing.assert_allclose(second[-1], result["weight"].position[-1], atol=1e-12)
    around = np.concatenate([first[POINTS // 2 :], second[: POINTS - POINTS // 2]])
    np.testing.assert_allclose(np.hypot(around[:, 0], around[:, 2]), 0.2, atol=1e-12)
    # about y, from z to x, is the positive way
    turned = np.cross(around[:-1], around[1:])[:, 1]
    assert (way * turned >= 0.0).all() and np.abs(turned).max() > 1e-3
    chord = np.linalg.norm(np.diff(first, axis=0), axis=1)
    assert chord.max() < 0.8
    # tangents go on smoothly
    for curve, k in ((first, POINTS // 2), (second[::-1], POINTS // 2)):
        before, after = curve[k] - curve[k - 1], curve[k + 1] - curve[k]
        turned = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
        assert np.arccos(min(turned, 1.0)) < 0.4
    ends = np.array([first[0], second[-1]])
    flat = np.sqrt(ends[:, 0] ** 2 + ends[:, 2] ** 2 - 0.2**2).sum() + 0.2 * result.output("band.wrap")[-1]
    path = np.hypot(flat, ends[1, 1] - ends[0, 1]) + result.output("band.slack")[-1]
    assert length(first) + length(second) == pytest.approx(path, rel=5e-3)


@pytest.mark.parametrize("slack", [0.0, 0.3])
def test_a_rope_lies_on_its_sheaves(slack):
    """Its curve has the length of its path and slack, goes on from part to part, and is on both circles."""
    mass = "mass = 1.0, inertia = [0.1, 0.1, 0.1]"
    turned = "orientation = { axis = [0, 1, 0], angle = 0.4 }"
    text = f"""
        scene.marker = [
            {{ name = "hook", position = [0, 0, 2] }}, {{ name = "top", position = [0.9, 0.1, 2.2] }},
        ]
        body = [
            {{ name = "block", {mass}, position = [0.3, 0, 1], {turned} }},
            {{ name = "load", {mass}, position = [1.2, 0.1, 0.5] }},
        ]
        [[joint]]
        name = "line"
        type = "rope"
        markers = ["ground.hook", "block", "ground.top", "load"]
        radius = [0.2, 0.25]
        axis = [0, 1, 0]
        length = LENGTH
    """
    run = lambda length: mb.System.from_text(text.replace("LENGTH", length)).run(files=False, end=0.01)
    path = 9.0 - float(run("9.0").output("line.slack")[0])
    result = run(repr(path + slack + 1e-12))
    parts = Curves(result.raw.static()).at(result.raw.frame(0))
    for one, other in pairwise(parts):
        np.testing.assert_allclose(one[-1], other[0], atol=1e-12)
    np.testing.assert_allclose(parts[0][0], [0, 0, 2], atol=1e-14)
    np.testing.assert_allclose(parts[2][-1], [1.2, 0.1, 0.5], atol=1e-14)
    # of few points, where it hangs
    assert sum(map(length, parts)) == pytest.approx(path + slack, rel=4e-2 if slack else 2e-3)
    for k, centre, radius in ((0, [0.3, 0, 1], 0.2), (1, [0.9, 0.1, 2.2], 0.25)):
        around = np.concatenate([parts[k][-11:], parts[k + 1][:11]]) - centre
        np.testing.assert_allclose(around[:, 1], 0.0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(around, axis=1), radius, atol=1e-12)


@pytest.mark.parametrize("order", ["first", "last"])
def test_a_bushing_is_a_ring_about_z_of_each_marker(order):
    """Between the same points too; the rings lie across their axes, and turn with their bodies."""
    text = """
        [scene]
        marker = [{ name = "seat", position = [0, 0, 1], orientation = { axis = [1, 0, 0], angle = 0.5 } }]
        [[body]]
        name = "arm"
        mass = 1
        inertia = [1, 1, 1]
        position = [1, 0, 1]
        angular_velocity = [0, 1, 0]
        marker = [{ name = "eye", position = [-1, 0, 0] }]
        [[force]]
        name = "mount"
        type = "bushing"
        a = "ground.seat"
        b = "arm.eye"
        stiffness = [1e3, 1e3, 1e3]
        angular_stiffness = [1, 1, 1]
    """
    result = mb.System.from_text(text).run(files=False, end=0.2)
    i = 0 if order == "first" else result.raw.frames - 1
    (curve,) = Curves(result.raw.static()).at(result.raw.frame(i))
    half = len(curve) // 2
    turned = rotation(result["arm"].orientation[i])
    eye = result["arm"].position[i] + turned @ [-1, 0, 0]
    seat = np.array([0, -np.sin(0.5), np.cos(0.5)])
    np.testing.assert_allclose(curve[half - 1 : half + 1], [[0, 0, 1], eye], atol=1e-14)
    for ring, centre, axis in ((curve[: half - 1], [0, 0, 1], seat), (curve[half + 1 :], eye, turned[:, 2])):
        radius = np.linalg.norm(ring - centre, axis=1)
        np.testing.assert_allclose(radius, radius[0], rtol=1e-12)
        np.testing.assert_allclose((ring - centre) @ axis, 0.0, atol=1e-14)
        np.testing.assert_allclose(ring[0], ring[-1], atol=1e-14)
    assert order == "first" or abs(turned[2, 2] - 1.0) > 1e-3
