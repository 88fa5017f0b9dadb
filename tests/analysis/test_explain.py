"""The script that `mbplugin explain` writes needs numpy alone and finds what the engine finds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from child import command

SCENES = Path(__file__).parents[2] / "scenes"
DOOR = """
[[body]]
name = "door"
mass = 8
inertia = [0.9, 0.3, 0.6]
position = [0.4, 0.1, 0]
[[joint]]
name = "low hinge"
type = "revolute"
a = "ground"
b = "door"
at = [0, 0, -0.8]
axis = [0, 0, 1]
start = { speed = 1.5 }
[[joint]]
name = "top hinge"
type = "revolute"
a = "ground"
b = "door"
at = [0, 0, 0.8]
axis = [0, 0, 1]
[solver]
end = 1
"""


@pytest.mark.parametrize("scene", ["piston_crank", "double_pendulum", "andrews_squeezer", "door"])
def test_the_script_finds_accelerations_and_reactions_again(scene, tmp_path):
    if scene == "door":
        (tmp_path / "scene.toml").write_text(DOOR)
        where = tmp_path / "scene.toml"
    else:
        where = SCENES / scene
    done = command("explain", str(where), "-o", "told", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([sys.executable, "-I", "told/equations.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    v_dot = np.array([float(x) for x in re.findall(r"^d/dt .* (\S+)$", ran.stdout, re.MULTILINE)])
    difference = float(ran.stdout.rsplit(": ", 1)[1])
    assert difference < 1e-9 * max(1.0, np.abs(v_dot).max())
    found = {name.strip(): np.fromstring(values, sep=" ") for name, values in re.findall(r"^reaction of (.*?) +\[(.*?)\]$", ran.stdout, re.MULTILINE | re.DOTALL)}
    import mbplugin as mb

    result = mb.System.from_file(where, {"output.series": "false", "output.frames": "2"}).run(tmp_path / "run", end=1e-3)
    largest = max(np.abs(np.concatenate([result.joint(name).force[0], result.joint(name).torque[0]])).max() for name in found)
    assert len(found) == len(result.raw.names("joints")) and largest > 0
    for name, reaction in found.items():
        np.testing.assert_allclose(reaction, np.concatenate([result.joint(name).force[0], result.joint(name).torque[0]]), atol=2e-6 * largest)


def test_the_page_shows_every_row_and_matrix(tmp_path):
    done = command("explain", str(SCENES / "double_pendulum"), "-o", "told", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "told" / "equations.md").read_text()
    for part in ("M = ", "h^T = ", "G = ", r"\gamma^T = ", r"\lambda^T = ", r"\dot v^T = ", "| 9 | ", "### measure separation_kernel", "## Reactions"):
        assert page.count(part) >= 1, part
    assert page.count("$$") % 2 == 0


def test_a_large_model_is_refused(tmp_path):
    bodies = "".join(f'[[body]]\nname = "b{i}"\nmass = 1\ninertia = [1, 1, 1]\nposition = [{i}, 0, 0]\n' for i in range(11))
    (tmp_path / "scene.toml").write_text(bodies + "[solver]\nend = 1\n")
    done = command("explain", "scene.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "up to 60" in done.stderr
