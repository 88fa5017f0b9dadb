"""Modes about steady motions: closed forms of a rotating table, a governor and a sleeping top, in rotating
frames and in the world.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import NO_GRAVITY, body, hinge, joint, motion, pin, spring
from small import system
from snapshots import same_message

OMEGA = 3.5


def bead(k: float, m: float) -> str:
    """A bead on a table that rotates at Ω, held at its middle by a spring without free length, free to
    slide and to turn on the table.
    """
    text = NO_GRAVITY + body("table", mass=5.0, inertia=[1.0, 1.0, 2.0], angular_velocity=[0, 0, OMEGA])
    text += hinge("axle", "ground", "table") + motion("axle", angle=f"{OMEGA}*time")
    text += body("bead", mass=m, inertia=[0.1, 0.1, 0.2], angular_velocity=[0, 0, OMEGA])
    text += joint("glide", "planar", "table", "bead", axis=[0, 0, 1])
    return text + spring("table", "bead", stiffness=k, length=0.0)


@pytest.mark.parametrize(("k", "m"), [(50.0, 2.0), (9.0, 2.0)])
def test_a_bead_on_a_rotating_table_swings_at_the_sum_and_the_difference(k, m):
    """ω = √(k/m) in the world, |ω ± Ω| on the table, even if the spring is weaker than the centrifugal
    force; the bead may turn about itself: s = 0 twice.
    """
    omega = np.sqrt(k / m)
    on_table = system(bead(k, m)).analyze("eigen", about="motion")
    np.testing.assert_allclose(
        on_table.frequencies, [0.0, 0.0, *sorted([abs(omega - OMEGA), omega + OMEGA])], atol=1e-9
    )
    assert [mode.kind for mode in on_table.modes] == ["free", "free", "oscillatory", "oscillatory"]
    assert on_table.messages[1].endswith("[0, 0, 3.5] rad/s")
    assert len(on_table.messages) == 2
    in_world = system(bead(k, m)).analyze("eigen", about="motion", frame="world")
    np.testing.assert_allclose(in_world.frequencies, [0.0, omega, omega], atol=1e-9)


def governor(theta: float, omega: float, m: float, l: float, J: tuple[float, float, float]) -> str:
    """A rod on a hinge at a shaft that is driven, at the angle θ from straight down; its principal axes are
    along the hinge (y), across and along it (z).
    """
    text = body("shaft", mass=1.0, inertia=[0.1, 0.1, 0.1], angular_velocity=[0, 0, omega])
    text += hinge("axle", "ground", "shaft") + motion("axle", angle=f"{omega}*time")
    place = [-l * np.sin(theta), 0.0, -l * np.cos(theta)]
    text += body(
        "rod",
        mass=m,
        inertia=J,
        position=place,
        orientation={"axis": [0, 1, 0], "angle": float(theta)},
        angular_velocity=[0, 0, omega],
        velocity=np.cross([0, 0, omega], place),
    )
    return text + hinge("hinge", "shaft", "rod", axis=[0, 1, 0])


def test_a_governor_swings_about_its_steady_angle():
    """A θ̈ = Ω² (B − C) sin θ cos θ − m g l sin θ: about cos θ₀ = m g l / (Ω² (B − C)), ω² = Ω² (B − C) sin²
    θ₀ / A.
    """
    m, l, J, omega = 1.7, 0.6, (0.05, 0.055, 0.01), 6.0
    A, B, C = J[1] + m * l**2, J[0] + m * l**2, J[2]
    theta = np.arccos(m * 9.81 * l / (omega**2 * (B - C)))
    report = system(governor(theta, omega, m, l, J)).analyze("eigen", about="motion")
    assert len(report.messages) == 2
    np.testing.assert_allclose(report.frequencies, [omega * np.sin(theta) * np.sqrt((B - C) / A)], rtol=1e-9)
    assert 0.5 < theta < 1.3


def test_a_motion_that_is_not_steady_in_the_frame_is_reported():
    m, l, J, omega = 1.7, 0.6, (0.05, 0.055, 0.01), 6.0
    elsewhere = system(governor(0.3, omega, m, l, J)).analyze("eigen", about="motion")
    same_message("\n".join(elsewhere.messages))
    theta = np.arccos(m * 9.81 * l / (omega**2 * (J[0] + m * l**2 - J[2])))
    from_rest = system(governor(theta, omega, m, l, J)).analyze("eigen", about="motion", frame="world")
    assert from_rest.messages != elsewhere.messages
    same_message("\n".join(from_rest.messages))


TOP = dict(m=0.9, l=0.25, A=0.02, C=0.03)


def top(spin: float) -> str:
    A, turn = TOP["A"], [0, 0, spin]
    text = body(
        "top", mass=TOP["m"], inertia=[A, A, TOP["C"]], position=[0, 0, TOP["l"]], angular_velocity=turn
    )
    return text + joint("tip", "ball", "ground", "top", at=[0, 0, 0])


@pytest.mark.parametrize("spin", [60.0, 20.0])
def test_a_sleeping_top(spin):
    """(A + m l²) s² − i C Ω s − m g l = 0 of a small lean x + i y in the world; stable where C Ω > 2 √((A + m
    l²) m g l); less by iΩ on the top.
    """
    A, moment = TOP["A"] + TOP["m"] * TOP["l"] ** 2, TOP["m"] * 9.81 * TOP["l"]
    roots = np.roots([A, -1j * TOP["C"] * spin, -moment])
    for frame, shift in (("world", 0.0), ("turning", spin), (f"0,0,{0.3 * spin}", 0.3 * spin)):
        expected = [s - 1j * shift for s in roots]
        exact = [complex(s.real, abs(s.imag)) for s in expected]
        report = system(top(spin)).analyze("eigen", about="motion", frame=frame)
        assert len(report.messages) == 2
        found = [mode.s for mode in report.modes if mode.omega > 0]
        key = lambda s: (round(abs(s), 5), round(s.real, 5))
        np.testing.assert_allclose(sorted(found, key=key), sorted(exact, key=key), atol=1e-8 * spin)
    stable = TOP["C"] * spin > 2 * np.sqrt(A * moment)
    assert stable == (spin == 60.0) == all(mode.kind != "UNSTABLE" for mode in report.modes)


def test_modes_of_planar_bodies_in_a_rotating_frame():
    """A mass on a spring without free length in a planar frame that turns at Ω: √(k/m) ± Ω."""
    text = NO_GRAVITY + body("disc", type="planar", mass=2.0, inertia=0.3, angular_velocity=OMEGA)
    text += pin("axle", "ground", "disc", 0) + motion("axle", angle=f"{OMEGA}*time")
    text += body("bead", type="planar", mass=0.5, inertia=0.1, angular_velocity=OMEGA)
    text += spring("disc", "bead", stiffness=18.0, length=0.0)
    report = system(text).analyze("eigen", about="motion")
    np.testing.assert_allclose(report.frequencies, [0.0, 0.0, 6.0 - OMEGA, 6.0 + OMEGA], atol=1e-9)


def test_frames_that_do_not_apply_are_refused():
    with refused("frame", "world"):
        system(bead(1.0, 1.0)).analyze("eigen", frame="world")
    with refused("frame", "1,2"):
        system(bead(1.0, 1.0)).analyze("eigen", about="motion", frame="1,2")
