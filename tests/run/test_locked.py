"""Motions that drive a mechanism beyond its reach: the message of the run leads to the analysis that finds
where.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import stopped
from scene_text import body, changed, joint, motion, pin, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError, SceneError

CRANK, ROD = 1.0, 0.8
SOLVERS = {
    "dp5": {},
    "dop853": {"integrator": "dop853"},
    "dop853 1e-12": {"integrator": "dop853", "tolerance": 1e-12},
    "kkt": {"method": "kkt"},
    "rk4": {"integrator": "rk4", "step": 1e-3},
    "galpha": {"type": "galpha"},
    "galpha, fixed": {"type": "galpha", "step": 0.01},
}


def bar(name, a, b):
    a, b = np.array(a), np.array(b)
    return body(name, type="planar", mass=1, inertia=0.1, position=(a + b) / 2)


def slider_crank():
    """The crank stops where the rod is normal to the slide: sin θ = rod / crank."""
    end = [CRANK + ROD, 0]
    return (
        bar("crank", [0, 0], [CRANK, 0])
        + bar("rod", [CRANK, 0], end)
        + bar("slider", end, end)
        + pin("main", "ground", "crank", 0.0)
        + pin("big_end", "crank", "rod", CRANK)
        + pin("small_end", "rod", "slider", CRANK + ROD)
        + joint("slide", "translational", "ground", "slider", at=end, axis=[1, 0, 0])
    ), np.arcsin(ROD / CRANK)


def four_bar():
    """The crank stops where coupler and rocker are in line: cosine rule with their sum."""
    base, coupler, rocker = 1.2, 0.7, 0.7
    x = (CRANK + base) / 2
    end = [x, np.sqrt(coupler**2 - (x - CRANK) ** 2)]
    text = (
        bar("crank", [0, 0], [CRANK, 0])
        + bar("coupler", [CRANK, 0], end)
        + bar("rocker", end, [base, 0])
        + pin("main", "ground", "crank", 0.0)
        + pin("second", "crank", "coupler", CRANK)
        + pin("third", "coupler", "rocker", *end)
        + pin("fourth", "rocker", "ground", base)
    )
    return text, np.arccos((CRANK**2 + base**2 - (coupler + rocker) ** 2) / (2 * CRANK * base))


#: how a run ends at a position that it cannot pass is rounding
SPEEDS = r"t = \S+ s: .*(?=; the motion of|; check masses)|near \S+ rad|`(step|tolerance)`.*"


def locked(mechanism, keys, gravity=(0, 0, 0), more=""):
    """Text of the mechanism with a crank at 0.4 rad/s, and the time when it stops [s]."""
    text, angle = mechanism()
    text = world(gravity=gravity, plane="xy") + text + more + motion("main", angle="0.4*time")
    return text + solver(end=5, **keys) + table("output", frames=10, series=False), angle / 0.4


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, -9.81, 0)], ids=["light", "heavy"])
@pytest.mark.parametrize("keys", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("mechanism", [slider_crank, four_bar])
def test_the_message_names_the_motion_and_the_analysis(mechanism, keys, gravity, tmp_path):
    text, stop = locked(mechanism, keys, gravity)
    file = tmp_path / "a scene.toml"
    file.write_text(text)
    analysis = f"`mbplugin analyze '{file}' kinematic`"
    tolerance = "`step`" if "step" in keys else "`tolerance`"
    with stopped(PhysicsError, '"main.angle"', analysis, tolerance, hide=SPEEDS) as caught:
        mb.System.from_file(file).run(files=False)
    said = str(caught.value)
    assert said.index(analysis) < said.rindex(tolerance)
    assert caught.value.time == pytest.approx(stop, abs=0.011)


@pytest.mark.parametrize("mechanism", [slider_crank, four_bar])
def test_the_analysis_finds_where(mechanism):
    text, stop = locked(mechanism, {})
    with stopped(PhysicsError, "main.angle", hide=r"-?[\d.]+(e[-+]?\d+)? (?=rad|m\b|s\b)") as caught:
        mb.System.from_text(text).analyze("kinematic", positions=100)
    told = float(re.search(r"main.angle meets its limit near (\S+) rad", str(caught.value))[1])
    assert told == pytest.approx(0.4 * stop, abs=1e-5)


@pytest.mark.parametrize("why", ["a freedom is left", "a speed is given"])
def test_the_analysis_is_not_offered_where_it_would_refuse(why):
    text, _ = locked(slider_crank, {}, more=bar("free", [5, 0], [6, 0]) if "left" in why else "")
    if "speed" in why:
        text = changed(text, 'angle = "0.4*time"', 'angle_velocity = "0.4"')
    with pytest.raises(SceneError):
        mb.System.from_text(text).analyze("kinematic")
    with stopped(PhysicsError, "slider", "main.angle", hide=SPEEDS) as caught:
        mb.System.from_text(text).run(files=False)
    assert "kinematic" not in str(caught.value)


def test_without_motions_nothing_is_said_of_them():
    text = body("b", mass=1, inertia=[1, 1, 1]) + table("force", type="force", body="b", force_x="x**3*1e9")
    text = table("variable", name="x", value="1 + component_x(b, ground)**2") + text
    with stopped(PhysicsError, '"b"', hide=SPEEDS) as caught:
        mb.System.from_text(text + solver(end=1)).run(files=False)
    assert "motion of" not in str(caught.value)
