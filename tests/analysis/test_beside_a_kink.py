"""Linearizations at a rest just beyond the kink of a force: a block on a one-sided support, whose deflection
δ under the weight is down to 1e-6 m. Truth: ω² of the branch on which it rests, k/m, and for Hertz's
law k δ^1.5, ω² = 1.5 k √δ / m.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, table
from small import system

MASS, G = 10.0, 9.81
SCENE = body("block", mass=MASS, inertia=[1.0, 1.0, 1.0], position=[0, 0, 0.999]) + joint(
    "guide", "translational", a="ground", b="block", axis=[0, 0, 1]
)


def resting(law: str):
    return system(SCENE + table("force", name="support", type="joint_force", joint="guide", force=law))


@pytest.mark.parametrize("k", [1e5, 1e6, 1e8])
def test_a_one_sided_spring_has_the_frequency_of_its_spring(k):
    found = resting(f"-{k}*min(guide.length, 0)")
    modes = found.analyze("eigen", about="static")
    assert modes.frequencies == pytest.approx([np.sqrt(k / MASS)], rel=1e-7)
    assert found.analyze("static").position[0, 2] == pytest.approx(0.999 - MASS * G / k, abs=1e-14)


@pytest.mark.parametrize("k", [1e5, 1e6, 1e7, 1e8])
def test_an_elastic_support_after_hertz(k):
    deflection = (MASS * G / k) ** (2 / 3)
    modes = resting(f"{k}*abs(min(guide.length, 0))**1.5").analyze("eigen", about="static")
    assert modes.frequencies == pytest.approx([np.sqrt(1.5 * k * np.sqrt(deflection) / MASS)], rel=1e-7)


@pytest.mark.parametrize("k", [1e5, 1e6, 1e7])
def test_linear_equations_beside_the_kink(k):
    linear = resting(f"-{k}*min(guide.length, 0)").linearize(about="static")
    assert linear.A[1, 0] == pytest.approx(-k / MASS, rel=1e-7)
    assert linear.error < 1e-5 and not linear.messages
