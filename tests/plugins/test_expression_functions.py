"""Functions of a plugin's in expressions: the same as the expression, in forces and in motions at every
level.
"""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.functions import Cosine, InPython, Series, Wave, Wrong
from refusals import refused, stopped
from scene_text import motion, torque
from small_systems import two_wheels

from mbplugin.compile import compile_system
from mbplugin.errors import PhysicsError
from mbplugin.model import System
from mbplugin.testing import check_function


def run(runs, more, angle=0.3, times=(0.0, 0.35, 1.0)):
    """Frames of two wheels, the first of which moves unless `angle` is None."""
    return runs.frames(two_wheels(more, angle, end=1), times)


SUM = " + ".join(f"sin({n}*SUM)/{n**2}" for n in range(1, 6))


@pytest.mark.parametrize(
    ("more", "function", "expression", "tolerance"),
    [
        (motion("b", angle="HERE"), "foreign_wave(time, 3)", "sin(3*time)*exp(time)", 1e-12),
        (
            motion("b", angle="HERE"),
            "foreign_wave(0.5*a.angle, 1 + time)",
            "sin((1 + time)*0.5*a.angle)*exp(0.5*a.angle)",
            1e-12,
        ),
        (motion("b", angle="HERE"), "2*foreign_cosine(a.angle)", "2*cos(a.angle)", 1e-12),
        (
            motion("b", angle_velocity="HERE"),
            "foreign_wave(a.angle, time)",
            "sin(time*a.angle)*exp(a.angle)",
            1e-12,
        ),
        (motion("b", angle_velocity="HERE"), "foreign_cosine(rate(a.angle))", "cos(rate(a.angle))", 1e-12),
        (motion("b", angle_acceleration="HERE"), "foreign_series(time)", SUM.replace("SUM", "time"), 1e-12),
        (
            torque("p", z="HERE"),
            "-foreign_wave(a.angle, rate(a.angle))",
            "-sin(rate(a.angle)*a.angle)*exp(a.angle)",
            1e-12,
        ),
        (torque("p", z="HERE"), "foreign_cosine(acceleration(a.angle))", "cos(acceleration(a.angle))", 1e-12),
        (motion("b", angle="HERE"), "foreign_series(2*a.angle)", SUM.replace("SUM", "(2*a.angle)"), 1e-8),
    ],
)
def test_the_same_as_the_expression(runs, more, function, expression, tolerance):
    for mine, theirs in zip(
        run(runs, more.replace("HERE", function)), run(runs, more.replace("HERE", expression))
    ):
        for key in (
            "coordinates/value",
            "coordinates/speed",
            "coordinates/drive",
            "bodies/angular_acceleration",
        ):
            np.testing.assert_allclose(
                mine[key], theirs[key], rtol=0, atol=tolerance * max(1.0, np.abs(theirs[key]).max())
            )


def test_a_function_that_numba_cannot_compile_runs_as_python(runs):
    frame = run(runs, motion("b", angle_velocity="foreign_in_python(2*time)"))[-1]
    np.testing.assert_allclose(frame["coordinates/value"][1], 1.0, rtol=1e-9)


def test_a_function_that_raises_stops_the_run_and_is_named(runs):
    with stopped(PhysicsError, "foreign_fails(time)") as caught:
        run(runs, motion("b", angle_velocity="foreign_fails(time)"))
    assert 0.4 < float(str(caught.value).split()[2]) < 0.6


@pytest.mark.parametrize(
    "text",
    [
        "foreign_wave(time)",
        "foreign_wave(a.angle)",
        "foreign_wafe(time, 2)",
        "foreign_wafe(a.angle)",
        "foreign_cosine(1, 2, 3, 4, 5, 6, 7, 8, 9)",
    ],
)
def test_what_is_wrong_is_named(registry, text):
    with refused("force[0].torque_z", text):
        compile_system(System.from_text(two_wheels(torque("p", z=text), angle=None)), registry)


def test_the_kit_compares_derivatives_with_differences():
    for function in (Wave, Cosine):
        report = check_function(function)
        assert report.ok and len(report.checks) == 3, report
    assert check_function(Series).ok and check_function(InPython).ok
    wrong = check_function(Wrong)
    assert [check.what for check in wrong.checks if not check.ok] == ["gradient = difference of the value"]
