"""Runs of round shapes and meshes that are cut and resumed: the same bits, in both coordinates."""

import numpy as np
import pytest
import trimesh
from on_surfaces import ring
from scene_text import body, joint, solver, table, world

import mbplugin as mb

ROUND = {
    "wheel": {"type": "cylinder", "radius": 0.1, "length": 0.06},
    "egg": {"type": "ellipsoid", "radii": [0.12, 0.08, 0.06]},
    "tip": {"type": "cone", "radius": 0.1, "length": 0.2},
}
SMOOTH = {"type": "plane", "size": [4, 4]}
MESHED = {"type": "mesh", "file": "ring.stl", "position": [0, 0, -0.2]}


def scene(ground, shapes, coordinates):
    """Bodies that fall onto the ground with spin, the first two of them on a hinge."""
    text = world(collide=True, material="stone", shape=[ground])
    text += table("material", name="stone", friction=0.4, restitution=0.3)
    for k, (name, shape) in enumerate(shapes.items()):
        place = {"position": [0.3 * k - 0.3, 0.05 * k, 0.2], "angular_velocity": [1.0, 3.0 - k, 0.5]}
        text += body(name, density=500, collide=True, material="stone", shape=[shape], **place)
    first, second = list(shapes)[:2]
    text += joint("hinge", "revolute", first, second, at=[-0.15, 0.02, 0.2], axis=[0, 1, 0])
    return text.replace("[scene]", '[scene]\ngiven_velocities = "impulse"', 1) + solver(
        type="contact", step=2e-3, end=0.4, coordinates=coordinates
    )


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize(
    ("ground", "shapes"),
    [(SMOOTH, ROUND), (MESHED, {"a": {"type": "sphere", "radius": 0.08}, "b": ROUND["wheel"]})],
    ids=["round", "mesh"],
)
def test_a_resumed_run_has_the_same_bits(ground, shapes, coordinates, tmp_path):
    trimesh.Trimesh(*ring(0.05, 1.5, 0.4, 12), process=False).export(tmp_path / "ring.stl")
    (tmp_path / "scene.toml").write_text(scene(ground, shapes, coordinates))
    load = lambda: mb.System.from_file(tmp_path)
    whole = load().run(files=False)
    load().run(tmp_path / "cut", end=0.2)
    resumed = load().run(tmp_path / "cut", resume=True)
    assert any(event.element.startswith("contact.") and event.time < 0.2 for event in whole.events)
    for name in shapes:
        for key in ("position", "orientation", "velocity", "angular_velocity"):
            ends = (getattr(run[name], key)[-1] for run in (whole, resumed))
            assert np.array_equal(*ends), (name, key)
