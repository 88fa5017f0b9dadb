"""The script that `mbplugin explain` writes needs only numpy and computes the accelerations and reactions
of the engine.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from child import ROOT, inside
from refusals import has
from scene_text import SCENES, body, hinge, solver
from snapshots import same_message

DOOR = (
    body("door", mass=8, inertia=[0.9, 0.3, 0.6], position=[0.4, 0.1, 0])
    + hinge("low hinge", "ground", "door", at=[0, 0, -0.8], start={"speed": 1.5})
    + hinge("top hinge", "ground", "door", at=[0, 0, 0.8])
    + solver(end=1)
)


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    """The folder with what `explain` writes of a scene, once for all tests."""
    folder = tmp_path_factory.mktemp("explained")
    (folder / "door.toml").write_text(DOOR)

    @cache
    def folder_of(scene):
        done = inside("explain", str(where(scene, folder)), "-o", scene, cwd=folder)
        assert done.returncode == 0, done.stderr
        return folder / scene

    return folder_of


def where(scene, folder):
    return folder / "door.toml" if scene == "door" else SCENES / scene


@pytest.mark.parametrize(
    "scene",
    [
        "double_pendulum",
        "door",
        *(pytest.param(s, marks=pytest.mark.slow) for s in ("piston_crank", "andrews_squeezer")),
    ],
)
def test_the_script_computes_the_accelerations_and_reactions_of_the_engine(scene, explained):
    told = explained(scene)
    ran = subprocess.run(
        [sys.executable, "-I", "equations.py"], cwd=told, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    v_dot = np.array([float(x) for x in re.findall(r"^d/dt .* (\S+)$", ran.stdout, re.MULTILINE)])
    difference = float(ran.stdout.rsplit(": ", 1)[1])
    assert difference < 1e-9 * max(1.0, np.abs(v_dot).max())
    found = {
        name.strip(): np.fromstring(values, sep=" ")
        for name, values in re.findall(
            r"^reaction of (.*?) +\[(.*?)\]$", ran.stdout, re.MULTILINE | re.DOTALL
        )
    }
    import mbplugin as mb

    system = mb.System.from_file(where(scene, told.parent), {"output.frames": "2"})
    result = system.run(files=False, end=1e-3)
    wrench = {name: np.append(result.joint(name).force[0], result.joint(name).torque[0]) for name in found}
    largest = max(np.abs(each).max() for each in wrench.values())
    assert len(found) == len(result.raw.names("joints")) and largest > 0
    for name, reaction in found.items():
        np.testing.assert_allclose(reaction, wrench[name], atol=2e-6 * largest)


def test_the_page_shows_every_row_and_matrix(explained):
    page = (explained("double_pendulum") / "equations.md").read_text()
    parts = ["### Joints of type `revolute`: shoulder", r"\Phi = \left( r_b - r_a", "#### separation"]
    parts += [
        "M = ",
        "h^T = ",
        "G = ",
        r"\gamma^T = ",
        r"\lambda^T = ",
        r"\dot v^T = ",
        "| 9 | ",
        "## Reactions",
    ]
    for part in parts:
        assert page.count(part) >= 1, part
    assert page.count("$$") % 2 == 0


def equations_of(text):
    """What stands between $$ and between single $ of a page."""
    shown = [one.strip() for one in text.split("$$")[1::2]]
    return shown + re.findall(
        r"(?<!\$)\$([^$\n]+)\$(?!\$)", re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    )


def check_rendering(latex):
    """Balanced braces and fences, and docutils knows every command."""
    from docutils.utils.math.latex2mathml import tex2mathml

    depth = 0
    for brace in re.findall(r"[{}]", latex):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, latex
    assert depth == 0, latex
    for begin, end in ((r"\left", r"\right"), (r"\begin", r"\end")):
        assert latex.count(begin) == latex.count(end), latex
    assert tex2mathml(latex).startswith("<math")


@pytest.mark.parametrize(
    "scene", ["double_pendulum", "screw_jack", pytest.param("atwood", marks=pytest.mark.slow)]
)
def test_every_equation_of_the_page_can_be_drawn(scene, explained):
    found = equations_of((explained(scene) / "equations.md").read_text())
    assert len(found) > 10
    for latex in found:
        check_rendering(latex)


def test_every_first_party_kind_and_measure_has_a_formula_that_can_be_drawn():
    from mbplugin.analysis.explain import formulas
    from mbplugin.hooks.load import load_plugins

    registry, _ = load_plugins()
    page = (ROOT / "docs" / "formulas.md").read_text()
    for what in ("constraint type", "measure"):
        for name, offers in registry.offers[what].items():
            if offers[0].distribution == "mbplugin":
                assert offers[0].thing.formula, name
                assert what == "measure" or f"### `{name}`" in page, name
                for line in offers[0].thing.formula.strip().splitlines():
                    check_rendering(line)
    written = formulas.page(registry, "mbplugin").split("\n\n", 2)[2]
    assert page.endswith(written), "run python docs/write_formulas.py"


def test_a_kind_without_a_formula_is_described_by_its_docstring():
    from mbplugin.analysis.explain import formulas

    class Silent:
        """b stays where it is."""

        formula = ""

    assert Silent.__doc__ in formulas.of_kind(Silent)


def test_a_screw_is_explained_with_the_measures_of_its_thread():
    from mbplugin_joints.shafts import Cylindrical, Screw

    from mbplugin.analysis.explain.formulas import measures_of, name_of

    names = lambda kind, driven=(): [name_of(m) for m in measures_of(kind, driven, lambda name: name)]
    thread = ["component z", "angle about z of a, from x of a to x of b"]
    assert names(Screw) == names(Screw, ["angle"]) == [*names(Cylindrical), *thread]
    assert names(Cylindrical, ["angle"]) == [*names(Cylindrical), thread[1]]


def test_a_measure_is_called_by_its_kernel_and_settings():
    from mbplugin_joints.measures import Angle, AngleAbout, Component, Dot

    from mbplugin.analysis.explain.formulas import name_of
    from mbplugin.interface import Measure

    def height_kernel(a, b, p, value, J, bias):
        """Of a plugin's own."""

    assert [name_of(m) for m in (Dot("x", "z"), Component("y"))] == ["dot product x, z", "component y"]
    assert name_of(Angle) == "angle about z of a, from x of a to x of b"
    # what b has turned about its axle: its sign is that of a turn of b
    assert name_of(AngleAbout("z", "x", of="b", shown_by="z")) == "angle about z of b, from z of a to x of b"
    height = Measure(height_kernel, {"i": 7, "radius": 0.3, "number": 1})
    assert name_of(height) == "height i = 7, radius = 0.3, number = 1"


def test_a_large_model_is_refused(tmp_path):
    bodies = "".join(body(f"b{i}", mass=1, inertia=[1, 1, 1], position=[i, 0, 0]) for i in range(11))
    (tmp_path / "scene.toml").write_text(bodies + solver(end=1))
    done = inside("explain", "scene.toml", cwd=tmp_path)
    assert done.returncode == 2 and has(done.stderr, 60)
    same_message(done.stderr)
