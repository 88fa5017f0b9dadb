"""A body that nothing keeps from spinning, in a mechanism with an equilibrium: the double wishbone with a tie
rod that is a body between two balls. Truth: the same scene with its massless rod, half of the weight of the
body at its end.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, bundled, changed, force, joint
from small import system

G = 9.81
ROD = joint("tie_rod", "rod", a="ground.rack", b="upright.steering")
INNER, OUTER = np.array([0.12, 0.39, 0.28]), np.array([0.12, 0.74, 0.25])


def wishbone(weight: float) -> str:
    return changed(bundled("double_wishbone"), "weight = 3200.0", f"weight = {weight}")


def with_massless_rod(weight: float, mass: float):
    half = force("upright.steering", "half", z=-mass * G / 2)
    return system(wishbone(weight) + half)


def with_body(weight: float, mass: float):
    inertia = [mass / 100, mass / 5000, mass / 100]
    tie = (
        body("tie", mass=mass, inertia=inertia, position=(INNER + OUTER) / 2)
        + joint("inner", "ball", a="ground", b="tie", at=INNER)
        + joint("outer", "ball", a="tie", b="upright", at=OUTER)
    )
    return system(changed(wishbone(weight), ROD, tie))


@pytest.mark.parametrize("weight", [3200.0, 6000.0, 12000.0, 1000.0, -1000.0])
def test_the_mechanism_rests_where_it_does_with_a_massless_rod(weight):
    rod = with_massless_rod(weight, 0.6).analyze("static")
    tie = with_body(weight, 0.6).analyze("static")
    np.testing.assert_allclose(tie.position[:3], rod.position, atol=1e-9)
    assert len(tie.steps) <= 20
    assert rod.stable and len(rod.stiffnesses) == 1
    assert not tie.stable and not tie.unstable and "neutrally stable" in "".join(tie.lines())


@pytest.mark.parametrize("weight", [3200.0, 1000.0, 6000.0])
@pytest.mark.parametrize("mass", [0.6, 1e-2, 1e-4])
def test_a_light_tie_rod_leaves_the_mode_of_the_wheel_and_adds_one_that_is_free(weight, mass):
    """Beside the damper of the wheel too it is one mode, of the frequency 0."""
    rod = with_massless_rod(weight, mass).analyze("eigen", about="static")
    tie = with_body(weight, mass).analyze("eigen", about="static")
    assert [mode.kind for mode in tie.modes] == ["free", "oscillatory"]
    assert len(rod.frequencies) == 1 and tie.frequencies[0] == 0.0
    # its own inertia is up to 1 % of that of the wheel and its spring
    assert tie.frequencies[1] == pytest.approx(rod.frequencies[0], rel=1e-4 + 0.02 * mass)
