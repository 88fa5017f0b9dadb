"""A third party's force on a joint coordinate: its period, its opposite, the kit."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds import Hardening
from scene_text import NO_GRAVITY, body, joint, solver, table
from scipy.special import gamma

from mbplugin.testing import check_force


def oscillator(kind, where, start, end, **keys):
    """Two bodies of 2 kg and 2 kg m², one fixed, with a joint and the spring on it."""
    return (
        NO_GRAVITY
        + body("b", mass=2.0, inertia=[2.0, 2.0, 2.0])
        + joint("guide", kind, "ground", "b", axis=[1, 2, 2], start=start)
        + table("force", name="spring", type="foreign_hardening", stiffness=8.0, **where)
        + solver(tolerance=1e-11, end=end, **keys)
    )


@pytest.mark.parametrize(
    ("kind", "where", "of"),
    [
        ("translational", {"joint": "guide"}, "length"),
        ("revolute", {"joint": "guide"}, "angle"),
        ("cylindrical", {"joint": "guide", "coordinate": "angle"}, "angle"),
    ],
)
def test_a_cubic_spring_swings_with_its_period(runs, kind, where, of):
    """ẍ = −κ x³ from rest at A: T = Γ(¼)²/√π / (A √κ)."""
    A, kappa = 0.7, 8.0 / 2.0
    period = gamma(0.25) ** 2 / np.sqrt(np.pi) / (A * np.sqrt(kappa))
    text = oscillator(kind, where, {of: A}, period)
    half, full = runs.frames(text, [0.5 * period, period])
    k = 0 if of == "length" or kind == "revolute" else 1
    assert half["coordinates/value"][k] == pytest.approx(-A, abs=1e-9)
    assert full["coordinates/value"][k] == pytest.approx(A, abs=1e-9)
    assert abs(float(full["energy/balance"])) < 1e-9


def test_the_kit_tries_it_on_the_joint_of_its_example(registry):
    report = check_force(Hardening)
    assert report.ok
    names = {check.what for check in report.checks}
    assert {"action = reaction: forces and moments sum to zero", "rotates with the world"} <= names


def test_the_kit_finds_a_force_on_a_coordinate_without_its_opposite():
    class OneSided(Hardening):
        name = "one_sided"

        @staticmethod
        def kernel(p, s, J, wrench, energy):
            for m in range(2):
                for k in range(6):
                    wrench[m, k] = -p.stiffness * s[0] ** 3 * J[6 * m + k] * m
            energy[0] = 0.25 * p.stiffness * s[0] ** 4

    failed = {check.what for check in check_force(OneSided).checks if not check.ok}
    assert any("action = reaction" in what for what in failed)
