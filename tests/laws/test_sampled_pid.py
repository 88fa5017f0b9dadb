"""Sampled PID controllers against their difference equation, solved by hand beside the exact motion under a
force that is held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused
from scene_text import body, hinge, solver, table, world

import mbplugin as mb

INERTIA = 0.4
COORDINATES = ("maximal", "joint")
SOLVERS = {
    "rk": {"tolerance": 1e-12},
    "galpha": {"tolerance": 1e-8},
    "contact": {"step": 0.004},
}
TIME = 0.03
PID = {
    "type": "pid",
    "target": "0.5 + 0.3*sin(4*time)",
    "proportional": 12.0,
    "integral": 9.0,
    "derivative": 2.0,
    "filter_time": 0.02,
    "feed_forward": "0.2*time",
    "effort_limit": "4 + time",
    "tracking_time": 0.25,
    "sample_time": TIME,
}


def wheel(pid: dict[str, Any], coordinates: str = "maximal", type_: str = "rk", more: str = "") -> str:
    """A wheel at rest on an axle with a controller."""
    return (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + table("force", name="drive", joint="axle", **pid)
        + more
        + solver(type=type_, coordinates=coordinates, end=1.0, **SOLVERS[type_])
        + "[output]\nframes = 37\n"
    )


def by_hand(t: Any, change: dict[str, float] | None = None, from_time: float = np.inf) -> Any:
    """s, force, demand, integral at times t: exact motion of the wheel between samples, and there

    v = k_p e + I + D + f_ff,   D = (T_f D₋ + k_d (e − e₋))/(T_f + T)   (D₋ = e₋ = 0 before the first one)
    I₊ = I + T (k_i e + (f − v)/T_t)

    change: keys that have other values from the sample at `from_time` on
    """
    keys = dict(PID)
    s = w = integral = D = before = 0.0
    k, out = 0, []
    for now in t:
        while True:
            start = k * TIME
            if start >= from_time - 1e-12:
                keys |= change or {}
            e = 0.5 + 0.3 * np.sin(4 * start) - s
            filter_time = keys["filter_time"]
            D_new = (filter_time * D + keys["derivative"] * (e - before)) / (filter_time + TIME)
            v = keys["proportional"] * e + integral + D_new + 0.2 * start
            most = 4 + start
            f = max(-most, min(most, v))
            if now < start + TIME - 1e-12:
                break
            D, before = D_new, e
            integral += TIME * (keys["integral"] * e + (f - v) / keys["tracking_time"])
            s, w = s + TIME * w + 0.5 * TIME**2 * f / INERTIA, w + TIME * f / INERTIA
            k += 1
        ahead = now - start
        out.append((s + ahead * w + 0.5 * ahead**2 * f / INERTIA, f, v, e))
    return np.array(out).T


@pytest.mark.parametrize("solver_", SOLVERS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_sampled_pid_follows_its_difference_equation(coordinates, solver_):
    """With limit, back-calculation, filter and feed-forward; frames at and between samples."""
    result = mb.System.from_text(wheel(PID, coordinates, solver_)).run(files=False)
    s, f, v, e = by_hand(result.time)
    assert np.abs(v).max() > np.abs(f).max()  # it is limited for a while
    assert result.coordinate("axle.angle").value == pytest.approx(s, abs=1e-11)
    assert result.output("drive.force") == pytest.approx(f, abs=1e-9)
    assert result.output("drive.demand") == pytest.approx(v, abs=1e-9)
    assert result.output("drive.error") == pytest.approx(e, abs=1e-11)
    assert abs(result.energy.balance).max() < 1e-10
