"""Imported robots in joint coordinates against maximal ones: motion, reactions and contacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robots import urdf_files
from runs_in_both import differences

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import MbpluginError
from mbplugin.imports.one_scene import import_scene

Array = Any
MODELS = Path(__file__).parents[1] / "imports" / "models"
DEFAULT = [MODELS / name for name in ("ur5_robot.urdf", "solo12.urdf")]
CASES = [
    *(pytest.param(file, id=file.stem) for file in DEFAULT),
    *(
        pytest.param(file, id=f"{file.parents[1].name}-{file.stem}", marks=pytest.mark.slow)
        for file in urdf_files()
    ),
]
#: solver and largest difference; that of `contact` is of first order: both have means of the step
SOLVERS = {
    "rk": ({"tolerance": 1e-10, "end": 0.05}, 1e-9),
    "galpha": ({"tolerance": 1e-8, "end": 0.02}, 1e-5),
    "contact": ({"step": 5e-4, "end": 0.02}, 1e-3),
}
#: part of a difference that is left in halved steps; differences that need not fall [relative]
HALF, SMALL = 0.8, 1e-6
#: gap and speed of the fall, radius of balls [m], [m/s]; steps, and the difference that one of them falls
#: below; of accelerations and loads, which are means of the step
GAP, SPEED, RADIUS = 1e-3, -0.5, 0.02
STEPS, AFTER_IMPACTS = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5), 5e-4
OF_MEANS = 2.5e-3
#: first words of the remark of a run in which contacts share loads that the motion does not tell
OPEN = "contacts: forces between"
#: what is a mean of the step and follows from the loads
REACTIONS = ("joints/force", "joints/torque", "loads/wrench")
OF_LOADS = (*REACTIONS, "contacts/force", "bodies/acceleration", "bodies/angular_acceleration")


def tables_of(file: Path, folder: Path, **keys: Any) -> dict[str, Any]:
    """Tables of the imported scene; skips a file that the importer refuses, or one of a single body."""
    try:
        import_scene(file, folder, plugins()[0], keys)
    except MbpluginError as error:
        assert file not in DEFAULT, error
        pytest.skip(f"refused: {error}")
    tables = mb.System.from_file(folder).tables()
    if not tables.get("joint"):
        pytest.skip("it has no joint")
    return tables


def set_in_motion(tables: dict[str, Any]) -> None:
    """Give joints with one coordinate random rates, but those that mimic others."""
    rng = np.random.default_rng(0)
    led = {joint["joints"][0].partition(".")[0] for joint in tables["joint"] if joint["type"] == "coupler"}
    for joint in tables["joint"]:
        if joint["type"] in ("revolute", "translational") and joint["name"] not in led:
            joint["start"] = {**joint.get("start", {}), "speed": float(rng.uniform(-1, 1))}


def in_both(tables: dict[str, Any], **solver: Any) -> list[mb.Result]:
    results = []
    for coordinates in ("maximal", "joint"):
        given = {**tables, "solver": {**solver, "coordinates": coordinates}, "output": {"frames": 2}}
        results.append(mb.System(**given).run(files=False))
    return results


def without_damping(tables: dict[str, Any]) -> None:
    """Take out viscous friction, which `contact` has by its start: that of some hands asks for 1 µs."""
    for joint in tables["joint"]:
        joint.pop("damping", None)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("file", CASES)
def test_a_robot_moves_as_in_maximal_coordinates(file, solver, tmp_path):
    tables = tables_of(file, tmp_path / "scene", limits=False, collision=False)
    for owner in (tables["scene"], *tables["body"]):
        owner.pop("shape", None)
    set_in_motion(tables)
    keys, tolerance = SOLVERS[solver]
    if solver != "contact":
        found = differences(*in_both(tables, type=solver, **keys))
        assert max(found.values()) < tolerance, found
        return
    without_damping(tables)
    coarse = differences(*in_both(tables, type=solver, **{**keys, "step": 2 * keys["step"]}))
    fine = differences(*in_both(tables, type=solver, **keys))
    assert all(fine[key] < min(tolerance, max(SMALL, HALF * coarse[key])) for key in fine), (coarse, fine)


@pytest.mark.parametrize("file", CASES)
def test_a_robot_falls_on_a_floor_as_in_maximal_coordinates(file, tmp_path):
    """Its shapes that collide, or balls at the mass centres, touch the floor: impacts, then friction. Series
    of impacts differ until steps are shorter than what is between them.
    """
    folder = tmp_path / "scene"
    tables = tables_of(file, folder, limits=False, floating=True)
    without_damping(tables)
    lay_floor(tables, folder)
    found = {}
    for h in STEPS:
        results = in_both(tables, type="contact", step=h, end=0.006)
        assert all(np.abs(result.impacts.impulse).max() > 0.0 for result in results)
        forces = [np.reshape(result.list("contacts").at(2).force, (-1, 3)).sum(axis=0) for result in results]
        remarks = [remark for result in results for remark in result.summary.remarks]
        left_open = REACTIONS if any(remark.startswith(OPEN) for remark in remarks) else ()
        found[h] = {**differences(*results), "contacts/force": relative(*forces) / 100.0}
        del found[h]["coordinates/value"]  # poses tell it, relative to more than the little that joints turn
        limit = lambda key: OF_MEANS if key in OF_LOADS else AFTER_IMPACTS
        if all(d < limit(key) for key, d in found[h].items() if key not in left_open):
            return
    raise AssertionError(found)


def relative(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max() / max(np.abs(a).max(), 1.0))


def lay_floor(tables: dict[str, Any], folder: Path) -> None:
    """Put a floor below the robot, which falls with a speed; only shapes that collide remain."""
    bodies = mb.System.from_file(folder).bodies
    height = np.inf
    balls = not any(shape.collide for body in bodies for shape in body.shapes)
    for table, body in zip(tables["body"], bodies):
        x, R = np.array(body.position), body.axes()
        table["velocity"] = [0, 0, SPEED]
        if balls:
            ball = {"type": "sphere", "radius": RADIUS, "position": table["center_of_mass"]}
            table["shape"] = [{**ball, "collide": True, "material": "ball"}]
            height = min(height, (x + R @ table["center_of_mass"])[2] - RADIUS)
            continue
        table["shape"] = [shape for shape in table.get("shape", []) if shape.get("collide")]
        for shape in table["shape"]:
            if "file" in shape:
                shape["file"] = str(folder / shape["file"])
        for shape in body.shapes:
            if shape.collide:
                height = min(height, (x + shape.mesh()[0] @ R.T)[:, 2].min())
    if balls:
        tables.setdefault("material", []).append({"name": "ball"})
        tables.setdefault("contact", []).append({"a": "ball", "b": "ball", "collide": False})
    tables.setdefault("material", []).append({"name": "floor", "friction": 0.8})
    plane = {"type": "plane", "position": [0, 0, height - GAP], "collide": True, "material": "floor"}
    tables["scene"] |= {"shape": [plane], "contacts": True}
