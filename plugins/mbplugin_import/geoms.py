"""Geoms of MuJoCo as shapes."""

from __future__ import annotations

from typing import Any

from mbplugin_import.meshes import FOLDER, ply
from mbplugin_import.poses import Pose, of_quaternion

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = range(9)
#: groups of geoms from this on are hidden, as in MuJoCo's viewer
HIDDEN = 3


def add_geoms(reader: Any) -> None:
    """Add the geoms that MuJoCo's viewer shows as shapes; all, if it shows none."""
    model, robot = reader.model, reader.robot
    shown = [g for g in range(model.ngeom) if model.geom_group[g] < HIDDEN and color_of(model, g)[3] > 0.0]
    unknown: dict[str, int] = {}
    for g in shown or range(model.ngeom):
        table = shape_of(reader, g)
        if table is None:
            what = {HFIELD: "height fields", ELLIPSOID: "ellipsoids"}.get(int(model.geom_type[g]), "geoms")
            unknown[what] = unknown.get(what, 0) + 1
            continue
        pose = Pose(model.geom_pos[g].copy(), of_quaternion(model.geom_quat[g]))
        color = [float(c) for c in color_of(model, g)[:3]]
        link = robot.links[reader.link[model.geom_bodyid[g]]]
        link.shapes.append({**table, "color": color, "pose": pose})
    robot.left_out += [f"the pictures of {count} {what}" for what, count in unknown.items()]


def shape_of(reader: Any, g: int) -> dict[str, Any] | None:
    """The table of a geom, without its place; None if a scene has no such shape."""
    model = reader.model
    a, b, c = (float(size) for size in model.geom_size[g])
    match int(model.geom_type[g]):
        case t if t == PLANE:
            return {"type": "plane", **({"size": [2 * a, 2 * b]} if a > 0.0 and b > 0.0 else {})}
        case t if t == SPHERE:
            return {"type": "sphere", "radius": a}
        case t if t == CAPSULE:
            return {"type": "capsule", "radius": a, "length": 2 * b}
        case t if t == CYLINDER:
            return {"type": "cylinder", "radius": a, "length": 2 * b}
        case t if t == BOX:
            return {"type": "box", "size": [2 * a, 2 * b, 2 * c]}
        case t if t == MESH:
            return {"type": "mesh", "file": mesh_file(reader, int(model.geom_dataid[g])), "scale": 1.0}
        case _:
            return None


def mesh_file(reader: Any, mesh: int) -> str:
    """Name of the file of a mesh, which is written when it is first asked for."""
    model = reader.model
    stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in reader.name("mesh", mesh))
    name = f"{FOLDER}/{mesh}_{stem}.ply"
    if name not in reader.robot.files:
        v, n = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        f, m = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        reader.robot.files[name] = ply(model.mesh_vert[v : v + n], model.mesh_face[f : f + m])
    return name


def color_of(model: Any, g: int) -> Any:
    """(4,) red, green, blue, alpha: of the material, if there is one."""
    material = int(model.geom_matid[g])
    return model.mat_rgba[material] if material >= 0 else model.geom_rgba[g]
