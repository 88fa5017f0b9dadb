"""What `mbplugin check`, the messages of a run and `mbplugin explain` say of joint coordinates."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from child import inside
from scene_text import SCENES, body, joint, solver, world
from small_systems import chain

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.run.prepare import prepare

#: a crank, a rod and a slider, whose last hinge closes a loop; a rope; and a body on nothing
MIXED = (
    world(gravity=[0, 0, -9.81])
    + body("crank", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
    + body("rod", mass=1, inertia=[0.1, 0.1, 0.1], position=[1.5, 0, 0])
    + body("slider", mass=1, inertia=[0.1, 0.1, 0.1], position=[2, 0, 0])
    + body("lone", mass=1, inertia=[0.1, 0.1, 0.1], position=[0, 3, 0])
    + joint("main", "revolute", "ground", "crank", at=[0, 0, 0], axis=[0, 1, 0], start={"angle_deg": 20})
    + joint("pin", "revolute", "crank", "rod", at=[1, 0, 0], axis=[0, 1, 0])
    + joint("rail", "translational", "ground", "slider", at=[2, 0, 0], axis=[1, 0, 0])
    + joint("wrist", "revolute", "rod", "slider", at=[2, 0, 0], axis=[0, 1, 0])
    + joint("tether", "rod", "ground", "lone")
)


def report(text_or_system, with_rank=True):
    system = text_or_system
    if isinstance(system, str):
        system = mb.System.from_text(text_or_system)
    system.solver.raw["coordinates"] = "joint"
    prepared = prepare(system, plugins()[0])
    return prepared, prepared.trees(with_rank)


@pytest.mark.parametrize(
    "scene", ["andrews_squeezer", "piston_crank", "double_wishbone", "four_bar_n2", "screw_jack", "free_body"]
)
def test_rows_that_are_left_take_what_the_mechanism_does_not_have(scene):
    """Velocities of joints minus the rank of the rows are the degrees of freedom."""
    prepared, trees = report(mb.System.from_file(SCENES / scene))
    assert trees.velocities - trees.rank == prepared.rank.dof
    moved = {body.body for tree in trees.trees for body in tree}
    assert moved | set(trees.alone) == set(prepared.problem.names.bodies)
    assert not moved & set(trees.alone)


def test_the_report_says_who_carries_whom_and_what_is_left():
    _, trees = report(MIXED + solver(end=1))
    lines = trees.lines()
    assert lines[0] == trees.line()
    assert lines[0] == (
        "joint coordinates: 3 bodies in 2 trees, 9 velocities; 2 rows of wrist close loops; "
        "1 row of tether remains"
    )
    assert lines[1:5] == [
        "  ground",
        "    crank on main (revolute: angle)",
        "      rod on pin (revolute: angle)",
        "    slider on rail (translational: length)",
    ]
    assert lines[5] == "  with coordinates of their own: lone"
    assert lines[6] == "3 rows are left; rank 3, none is redundant"
    assert lines[7] == "3 rows of wrist move nothing in these trees: left out"
    assert lines[8].startswith("tether carries no body: ")
    assert json.loads(json.dumps(trees.as_dict()))["closing"] == {"wrist": 2, "tether": 1}


def test_check_prints_it_and_stores_it(tmp_path):
    for coordinates in ("maximal", "joint"):
        (tmp_path / "scene.toml").write_text(MIXED + solver(end=1, coordinates=coordinates))
        done = inside("check", "scene.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert ("crank on main (revolute: angle)" in done.stdout) == (coordinates == "joint")
        told = json.loads(inside("check", "scene.toml", "--json", cwd=tmp_path).stdout)
        if coordinates == "joint":
            assert told["joint_coordinates"]["trees"][0][1]["joint"] == "pin"
        else:
            assert told["joint_coordinates"] is None


def test_a_run_says_it_in_one_line():
    line = "joint coordinates: 7 bodies in 4 trees, 7 velocities; 6 rows of E3, E4 and E6 close loops"
    system = mb.System.from_file(SCENES / "andrews_squeezer")
    system.solver.raw["coordinates"] = "joint"
    assert line in [text for _, level, text in system.simulate().messages if level == "info"]
    result = system.run(files=False, end=1e-3)
    assert line in str(result.messages)
    system.solver.raw["coordinates"] = "maximal"
    assert not any("joint coordinates" in text for *_, text in system.simulate().messages)


@pytest.mark.parametrize(
    ("links", "kind", "advised"), [(61, "galpha", True), (60, "galpha", False), (61, "rk", False)]
)
def test_maximal_coordinates_are_advised_where_a_tree_is_a_large_dense_block(links, kind, advised):
    text = world() + chain(links, kinds=("revolute",)) + solver(type=kind, end=1)
    prepared, trees = report(text, with_rank=False)
    assert (trees.advice != "") == (trees.advice in trees.lines()) == advised
    assert prepared.coordinates_message() == [text for text in (trees.line(), trees.advice) if text]
    if advised:
        assert f"of b0 has {links} velocities" in trees.advice
        assert "galpha" in trees.advice


def test_small_trees_on_which_many_rows_act_form_their_mass_matrices_if_no_method_is_named():
    looped, chained = MIXED + solver(end=1), world() + chain(3) + solver(end=1)
    named = MIXED + solver(end=1, method="articulated_body", coordinates="joint")
    forms = [report(text, with_rank=False)[0].joint.folded.form for text in (looped, chained, named)]
    assert [form.forms_mass for form in forms] == [True, False, False]


@pytest.mark.parametrize("scene", ["double_pendulum", "piston_crank", "heavy_top"])
def test_explain_shows_numbers_of_the_recursion_whose_product_is_the_determinant(scene, tmp_path):
    """det M = Π det D: the recursion factors M."""
    keys = ("--set", "solver.coordinates=joint", "--set", "solver.method=articulated_body")
    done = inside("explain", str(SCENES / scene), *keys, "-o", "told", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    section = (tmp_path / "told/equations.md").read_text().partition("## In joint coordinates")[2]
    (M,) = matrices(section, "M")
    product = np.prod([np.linalg.det(D) for D in matrices(section, "D")])
    assert np.linalg.det(M) == pytest.approx(product, rel=1e-4)
    assert sum(S.shape[1] for S in matrices(section, "S")) == len(M)


def matrices(text, name):
    """The matrices of this name on a page."""
    found = re.findall(rf"^{name} = \\begin{{bmatrix}} (.*?) \\end{{bmatrix}}$", text, re.MULTILINE)
    number = lambda x: float(re.sub(r"\\cdot 10\^\{(.*?)\}", r"e\1", x).replace(" ", ""))
    return [np.array([[number(x) for x in row.split("&")] for row in one.split(r"\\")]) for one in found]
