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


def test_the_kit_tries_a_length_and_an_angle():
    named = {check.kind for check in check_force(Hardening).checks}
    assert named == {f'force "foreign_hardening"{where}' for where in ("", " on a revolute joint")}


@pytest.mark.parametrize(
    ("keys", "tried"),
    [
        ({"joint": "hinge"}, {"", " on a translational joint"}),
        ({"joint": "hinge", "coordinate": "length"}, {""}),
        ({"joint": {"type": "cylindrical"}, "coordinate": "angle"}, {""}),
    ],
)
def test_an_example_names_a_joint_as_a_scene_does(keys, tried):
    named_joint = type("Named", (Hardening,), {"name": "named", "examples": ({"stiffness": 3.0, **keys},)})
    report = check_force(named_joint)
    assert report.ok
    assert {check.kind for check in report.checks} == {f'force "named"{where}' for where in tried}


def test_every_example_on_a_joint_is_tried():
    first = {"stiffness": 3.0, "joint": "hinge"}
    examples = (first, {**first, "coordinate": "angle"})
    both = type("Both", (Hardening,), {"name": "both", "examples": examples})
    assert 'force "both" with example 2' in {check.kind for check in check_force(both).checks}


class Damped(Hardening):
    """A damper beside the spring, right unless `_factor` or `_power` is changed."""

    name = "damped"
    dissipates = True

    @staticmethod
    def kernel(p, s, s_dot, J, wrench, energy, power):
        f = -p.stiffness * s[0] ** 3 - 0.3 * s_dot[0]
        for m in range(2):
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k]
        energy[0] = 0.25 * p.stiffness * s[0] ** 4
        power[0] = -0.3 * s_dot[0] ** 2


class WrongSlope(Damped):
    """Its force does not stand on the slope of its energy."""

    name = "wrong_slope"

    @staticmethod
    def kernel(p, s, s_dot, J, wrench, energy, power):
        f = p.stiffness * s[0] ** 3 - 0.3 * s_dot[0]
        for m in range(2):
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k]
        energy[0] = 0.25 * p.stiffness * s[0] ** 4
        power[0] = -0.3 * s_dot[0] ** 2


class WrongPower(Damped):
    """Its damper tells that it gives what it takes."""

    name = "wrong_power"

    @staticmethod
    def kernel(p, s, s_dot, J, wrench, energy, power):
        f = -p.stiffness * s[0] ** 3 - 0.3 * s_dot[0]
        for m in range(2):
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k]
        energy[0] = 0.25 * p.stiffness * s[0] ** 4
        power[0] = 0.3 * s_dot[0] ** 2


class LengthsOnly(Damped):
    """Forgets the torque where there is no force: right on a length, nothing on an angle."""

    name = "lengths_only"

    @staticmethod
    def kernel(p, s, J, wrench, energy, power):
        f = -p.stiffness * s[0] ** 3
        for m in range(2):
            size = abs(J[6 * m]) + abs(J[6 * m + 1]) + abs(J[6 * m + 2])
            for k in range(6):
                wrench[m, k] = f * J[6 * m + k] if size > 0.0 else 0.0
        energy[0] = 0.25 * p.stiffness * s[0] ** 4
        power[0] = 0.0


POWER, SIGN = "power of the wrenches = power - rate of energy", "dissipated power is not negative"


def test_a_damped_spring_on_a_coordinate_passes():
    assert check_force(Damped).ok


@pytest.mark.parametrize(
    ("kind", "found"), [(WrongSlope, {POWER}), (WrongPower, {POWER, SIGN}), (LengthsOnly, {POWER, "it acts"})]
)
def test_the_kit_finds_wrong_slopes_and_powers_on_a_coordinate(kind, found):
    failed = [(check.kind, check.what) for check in check_force(kind).checks if not check.ok]
    on_length = {what for where, what in failed if not where.endswith("revolute joint")}
    on_angle = {what for where, what in failed if where.endswith("revolute joint")}
    assert on_angle == found
    assert on_length == (set() if kind is LengthsOnly else found)


class OneSided(Hardening):
    """Without the opposite on the first body."""

    name = "one_sided"

    @staticmethod
    def kernel(p, s, J, wrench, energy):
        for m in range(2):
            for k in range(6):
                wrench[m, k] = -p.stiffness * s[0] ** 3 * J[6 * m + k] * m
        energy[0] = 0.25 * p.stiffness * s[0] ** 4


def test_the_kit_finds_a_force_on_a_coordinate_without_its_opposite():
    failed = {check.what for check in check_force(OneSided).checks if not check.ok}
    assert any("action = reaction" in what for what in failed)
