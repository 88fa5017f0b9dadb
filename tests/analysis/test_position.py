"""Position analysis: bodies that move, quadratic convergence, shortened steps, joints that cannot close."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, world
from small import slider_crank, system


def apart(shift) -> str:
    ball = {"mass": 2.0, "inertia": [1, 1, 1]}
    return (
        world(marker=[{"name": "nail"}])
        + body("bob", position=shift, **ball, marker=[{"name": "centre"}])
        + body("other", position=[1, 0, 0], **ball)
        + joint("pin", "ball", "ground.nail", "bob.centre")
    )


def test_a_body_moves_by_the_gap_of_its_joint_and_the_others_stay():
    report = system(apart([0.3, -0.4, 0.0])).analyze("position")
    np.testing.assert_allclose(report.moved, [0.5, 0.0], atol=1e-14)
    np.testing.assert_allclose(report.rotated, 0.0, atol=1e-14)
    assert report.steps[0][1] > 0.1 and report.steps[-1][1] < 1e-14
    assert "bob" in "\n".join(report.lines()) and "other" not in "\n".join(report.lines())


def crank_at(angle: float, **options: float) -> str:
    return slider_crank(angle=None, start={"angle": angle}, **options)


@pytest.mark.parametrize("angle", [0.3, 0.8, -0.6, 2.4])
def test_a_slider_crank_closes_at_its_closed_form_with_quadratic_convergence(angle):
    report = system(crank_at(angle)).analyze("position")
    exact = 0.05 * np.cos(angle) + np.sqrt(0.2**2 - (0.05 * np.sin(angle)) ** 2)
    assert report.position[2, 0] == pytest.approx(exact, abs=1e-12)
    assert report.moved[2] == pytest.approx(abs(exact - 0.25), abs=1e-12)
    assert report.rotated[0] == pytest.approx(abs(angle), abs=1e-9)
    # the last steps before rounding show an order of two or a little more
    assert 1.9 < report.order < 2.3


def test_a_step_is_shortened_if_a_full_one_increases_the_residual():
    """Almost half a turn from the given position, with a rod hardly longer than the throw."""
    report = system(crank_at(3.0, throw=0.2, rod=0.23)).analyze("position")
    assert any(fraction < 1.0 for fraction, _ in report.steps)
    x, s = report.position[2, 0], 0.2 * np.sin(3.0)
    assert x - 0.2 * np.cos(3.0) == pytest.approx(np.sqrt(0.23**2 - s**2), abs=1e-12)


def test_counts_are_those_of_the_scene():
    report = system(slider_crank()).analyze("position")
    assert (report.rows, report.rank, report.dof) == (9, 9, 0)


def test_a_rod_that_is_too_short_is_named():
    text = apart([0.0, 0.0, 0.0]) + joint("weld", "fixed", "ground", "other")
    text += joint("short", "rod", "bob.centre", "other", at=[1, 0, 0], length=0.2)
    with refused("joint[2]", "short"):
        system(text).analyze("position")
