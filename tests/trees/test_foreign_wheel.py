"""A joint of an installed distribution that nothing here knows carries a body: a screw of variable pitch, by
a kernel.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from child import command, distribution
from scene_text import body, hinge, joint, solver, world

import mbplugin as mb

TURN, GROWTH, MASS, INERTIA, G = 4.0, -30.0, 0.7, 0.05, 9.81
THREAD = {"turn": TURN, "growth": GROWTH}
NUT = body("nut", mass=MASS, inertia=[0.03, 0.04, INERTIA])
END = "[output]\nframes = 20\n"
FALLING = world(gravity=[0, 0, -G]) + NUT + joint("thread", "variable_screw", "ground", "nut", **THREAD)
#: as in a chain: on a swinging arm, with another one behind it
CARRIED = (
    world(gravity=[0, 0, -G])
    + body("arm", mass=1.0, inertia=[0.05, 0.1, 0.1], marker=[{"name": "end", "position": [0.3, 0, 0]}])
    + body("nut", mass=MASS, inertia=[0.03, 0.04, INERTIA], position=[0.3, 0, 0])
    + body("bob", mass=0.4, inertia=[0.01, 0.01, 0.01], position=[0.5, 0, 0])
    + hinge("shoulder", "ground", "arm", axis=[0, 1, 0.3], start={"speed": 1.0})
    + joint("thread", "variable_screw", "arm.end", "nut", **THREAD, start={"length": 0.02, "speed": 0.5})
    + hinge("last", "nut", "bob", at=[0.3, 0, 0], axis=[0, 1, 0])
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    source = Path(__file__).with_name("acme_screws.py").read_text()
    return distribution(tmp_path_factory.mktemp("site"), "acme_screws", "acme_screws", source)


@pytest.fixture
def run(site, tmp_path):
    def result(text: str, coordinates: str) -> mb.Result:
        how = solver(tolerance=1e-11, end=0.5, coordinates=coordinates)
        (tmp_path / "scene.toml").write_text(text + how + END)
        done = command("run", "scene.toml", "-o", coordinates, cwd=tmp_path, extra=[site])
        assert done.returncode == 0, done.stderr
        return mb.load(tmp_path / coordinates)

    return result


def test_it_carries_a_body(site, tmp_path):
    (tmp_path / "scene.toml").write_text(FALLING + solver(coordinates="joint", end=0.5))
    told = command("check", "scene.toml", cwd=tmp_path, extra=[site]).stdout
    assert "nut on thread (variable_screw: angle)" in told
    assert "clos" not in told


def test_the_nut_falls_as_energy_says(run):
    """½ (m + J θ'²) ḣ² = −m g h, θ' = t + 2 c h."""
    nut = run(FALLING, "joint")["nut"]
    h, speed = nut.position[1:, 2], nut.velocity[1:, 2]
    slope = TURN + 2.0 * GROWTH * h
    assert slope[-1] > 4.0 * TURN
    np.testing.assert_allclose(
        0.5 * (MASS + INERTIA * slope**2) * speed**2, -MASS * G * h, rtol=1e-8, atol=1e-10
    )


def test_it_moves_as_in_maximal_coordinates(run):
    maximal, joint = (run(CARRIED, coordinates) for coordinates in ("maximal", "joint"))
    for name in ("arm", "nut", "bob"):
        for what in ("position", "velocity", "angular_velocity"):
            a, b = (getattr(one[name], what) for one in (maximal, joint))
            np.testing.assert_allclose(a, b, atol=1e-8, err_msg=f"{what} of {name}")


@pytest.mark.slow
def test_it_passes_the_kit(site, tmp_path):
    done = command("plugins", "check", "acme_screws", cwd=tmp_path, extra=[site])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "variable_screw" in done.stdout
