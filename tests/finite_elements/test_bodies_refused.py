"""What a body of finite elements cannot be is refused by name."""

from __future__ import annotations

import pytest
from bodies_of_elements import block, material
from refusals import refused
from scene_text import NO_GRAVITY, body, joint, solver, table

END = solver(end=1.0)
MESH = {"shape": "box", "size": [0.4, 0.1, 0.1], "divisions": [4, 2, 2]}


def elements(**keys):
    return body("block", **({"type": "finite_element", "material": "elastic", "mesh": MESH} | keys))


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"mesh": {"shape": "box", "size": [1, 1, 1]}}, "mesh.divisions"),
        ({"mesh": {"shape": "box", "file": "a.vtu"}}, "mesh.shape"),
        ({"mesh": {"divisions": [1, 1, 1]}}, "mesh.shape"),
        ({"mesh": MESH | {"radius": 1.0}}, "mesh.radius"),
        ({"mesh": MESH | {"scale": 0.001}}, "mesh.scale"),
        ({"mesh": MESH | {"divisions": [0, 1, 1]}}, "mesh.divisions[0]"),
        ({"mesh": MESH | {"elements": "hex20"}}, "mesh.elements"),
        ({"mesh": {"file": "missing.vtu"}}, "mesh.file"),
        ({"fix": [{"nodes": "left"}]}, "fix[0].nodes"),
        ({"fix": [{"nodes": "x-", "axes": "xw"}]}, "fix[0].axes"),
        ({"mass": 1.0}, "mass"),
        ({"shape": [{"type": "sphere", "radius": 1.0}]}, "shape"),
        ({"marker": [{"name": "m"}]}, "marker[0].nodes"),
        ({"marker": [{"name": "m", "nodes": "nowhere"}]}, "marker[0].nodes"),
        ({"marker": [{"name": "m", "nodes": 45}]}, "marker[0].nodes"),
        ({"marker": [{"name": "m", "nodes": 3, "coupling": "rbe2"}]}, "marker[0].nodes"),
        ({"center_of_mass": [0.1, 0, 0]}, "center_of_mass"),
        ({"marker": [{"name": "m", "nodes": 3, "position": [0, 0, 0]}]}, "marker[0].position"),
        ({"marker": [{"name": "m", "nodes": "x+", "coupling": "node"}]}, "marker[0].coupling"),
        (
            {"marker": [{"name": n, "nodes": s, "coupling": "rbe2"} for n, s in (("a", "x+"), ("b", "y+"))]},
            "marker[1].nodes",
        ),
        (
            {"fix": [{"nodes": "y-"}], "marker": [{"name": "m", "nodes": "x+", "coupling": "rbe2"}]},
            "marker[0].nodes",
        ),
        (
            {"fix": [{"nodes": "x+"}], "marker": [{"name": "m", "nodes": "x+", "coupling": "rbe2"}]},
            "marker[0].nodes",
        ),
    ],
)
def test_keys_of_the_body(runs, keys, key):
    with refused(f"body[0].{key}"):
        runs.prepare(NO_GRAVITY + material() + elements(**keys) + END)


@pytest.mark.parametrize(
    ("keys", "of_body", "key"),
    [
        ({"young": None}, {}, "body[0].material"),
        ({"density": None}, {}, "body[0].material"),
        ({"poisson": 0.5}, {}, "material[0].poisson"),
        ({"young": 0.0}, {}, "material[0].young"),
        ({"elasticity": "neo_hookean"}, {}, "body[0].material"),
        ({}, {"material": None}, "body[0].material"),
        ({}, {"material": "steel"}, "body[0].material"),
    ],
)
def test_materials(runs, keys, of_body, key):
    with refused(key):
        runs.prepare(NO_GRAVITY + material(**keys) + elements(**of_body) + END)


def test_a_body_that_is_held_altogether(runs):
    mesh = {"shape": "box", "size": [1, 1, 1], "divisions": [1, 1, 1]}
    with refused("body[0].fix"):
        runs.prepare(
            NO_GRAVITY + material() + elements(mesh=mesh, fix=[{"nodes": "x-"}, {"nodes": "x+"}]) + END
        )


def test_joints_and_loads_need_a_marker_on_nodes(runs):
    text = NO_GRAVITY + material() + block()
    with refused("joint[0]"):
        runs.prepare(text + joint("pin", "ball", "ground", "block", at=[0.2, 0, 0]) + END)
    with refused("force[0]"):
        runs.prepare(
            text + table("force", name="push", type="force", body="block", at=[0.2, 0, 0], force_x=1) + END
        )


def test_a_single_node_has_no_axes(runs):
    text = NO_GRAVITY + material() + block(marker=[{"name": "tip", "nodes": 3}])
    with refused("joint[0]"):
        runs.prepare(text + joint("pin", "revolute", "ground", "block.tip", axis=[0, 0, 1]) + END)
    with refused("force[0]"):
        runs.prepare(text + table("force", name="turn", type="torque", body="block.tip", torque_x=1) + END)
    runs.prepare(text + joint("pin", "ball", "ground", "block.tip") + END)


def test_nodes_are_of_bodies_with_a_mesh(runs):
    lump = body("lump", mass=1.0, inertia=[1, 1, 1], marker=[{"name": "m", "nodes": "x-"}])
    with refused("body[0].marker[0].nodes"):
        runs.prepare(NO_GRAVITY + lump + END)


@pytest.mark.parametrize(
    "keys", [{"type": "contact", "step": 1e-3}, {"type": "rk", "integrator": "rk4", "step": 1.5e-3}]
)
def test_a_step_above_the_stable_one(runs, keys):
    text = NO_GRAVITY + material(young=1e7) + block()
    with refused("solver.step"):
        runs.prepare(text + solver(end=1.0, **keys))
    shorter = keys | {"step": 1e-4}
    prepared = runs.prepare(text + solver(end=1.0, **shorter))
    assert any("steps up to" in remark for remark in prepared.solver.remarks)
