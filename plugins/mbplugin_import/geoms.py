"""Geoms of MuJoCo as shapes: those that are seen, and those that collide, with their friction."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from math import isclose, sqrt
from typing import Any, NamedTuple

from mbplugin_import.mesh_geoms import MeshGeoms
from mbplugin_import.meshes import FOLDER, ply
from mbplugin_import.poses import Pose, of_quaternion

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
#: groups of geoms from this on are hidden, as in MuJoCo's viewer
HIDDEN = 3
#: types of geoms in words
KINDS = {
    HFIELD: ("height field", "height fields"),
    ELLIPSOID: ("ellipsoid", "ellipsoids"),
    CYLINDER: ("cylinder", "cylinders"),
    MESH: ("mesh", "meshes"),
}


def add_geoms(reader: Any) -> None:
    """Add the geoms that MuJoCo's viewer shows (all, if it shows none) and those that collide as shapes."""
    model, robot = reader.model, reader.robot
    surfaces = Surfaces(model)
    collision = reader.params.collision and "contact" not in reader.off
    shown = {g for g in range(model.ngeom) if model.geom_group[g] < HIDDEN and color_of(model, g)[3] > 0.0}
    solids = [g for g in range(model.ngeom) if collision and collides(model, g)]
    meshes = MeshGeoms(model, reader.params.concave, solids)

    def drop(what: str, g: int) -> None:
        kind = KINDS.get(int(model.geom_type[g]), ("geom", "geoms"))
        robot.left_out.add(f"{what} of {{}}", [reader.name("geom", g)], *kind)

    for g in range(model.ngeom):
        pose = Pose(model.geom_pos[g].copy(), of_quaternion(model.geom_quat[g]))
        tables = []
        if not shown or g in shown:
            if (look := shape_of(reader, g)) is not None:
                tables.append({**look, "color": [float(c) for c in color_of(model, g)[:3]]})
            else:
                drop("the picture", g)
        if g in solids:
            solid = solid_of(reader, g, meshes)
            if solid is None:
                drop("contacts", g)
            elif tables and all(tables[0].get(key) == solid[key] for key in solid.keys() - {"collision"}):
                tables[0] |= {**solid, "collide": True, "material": surfaces.name(g)}
            else:
                tables.append({**solid, "visible": False, "collide": True, "material": surfaces.name(g)})
            if model.geom_condim[g] > 3:
                drop("friction against rolling and twisting", g)
            if model.geom_margin[g]:
                drop("contact margin", g)
        robot.links[reader.link[model.geom_bodyid[g]]].shapes += [{**table, "pose": pose} for table in tables]
    robot.materials, robot.contacts = surfaces.materials(), surfaces.rules()
    meshes.losses.list(robot.left_out)
    if collision:
        add_pairs(reader)


def collides(model: Any, g: int) -> bool:
    """Whether a geom collides with any other."""
    return bool(model.geom_contype[g] or model.geom_conaffinity[g])


def add_pairs(reader: Any) -> None:
    """Pairs of bodies that do not collide: `<exclude>`, and a body and its parent across several joints."""
    model, robot = reader.model, reader.robot
    pairs = [divmod(int(signature), 1 << 16) for signature in model.exclude_signature]
    for body in range(1, model.nbody):
        parent = int(model.body_parentid[body])
        if model.body_jntnum[body] > 1 and model.body_weldid[parent]:
            pairs.append((parent, body))
    robot.apart += [(reader.link[a], reader.link[b]) for a, b in pairs]


#: type -> table of a geom with the sizes a, b, c
FORMS: dict[int, Callable[[float, float, float], dict[str, Any]]] = {
    PLANE: lambda a, b, c: {"type": "plane", **({"size": [2 * a, 2 * b]} if a > 0.0 and b > 0.0 else {})},
    SPHERE: lambda a, b, c: {"type": "sphere", "radius": a},
    CAPSULE: lambda a, b, c: {"type": "capsule", "radius": a, "length": 2 * b},
    CYLINDER: lambda a, b, c: {"type": "cylinder", "radius": a, "length": 2 * b},
    ELLIPSOID: lambda a, b, c: {"type": "ellipsoid", "radii": [a, b, c]},
    BOX: lambda a, b, c: {"type": "box", "size": [2 * a, 2 * b, 2 * c]},
}


def shape_of(reader: Any, g: int) -> dict[str, Any] | None:
    """The table of a geom, without its place; None if a scene has no such shape."""
    model, kind = reader.model, int(reader.model.geom_type[g])
    if kind == MESH:
        return {"type": "mesh", "file": mesh_file(reader, int(model.geom_dataid[g])), "scale": 1.0}
    return FORMS[kind](*map(float, model.geom_size[g])) if kind in FORMS else None


def solid_of(reader: Any, g: int, meshes: MeshGeoms) -> dict[str, Any] | None:
    """The table of a geom that collides, without its place; None if a scene has no such shape."""
    if int(reader.model.geom_type[g]) != MESH:
        return shape_of(reader, g)
    mesh = int(reader.model.geom_dataid[g])
    return meshes.table(g, reader.name("mesh", mesh), lambda: mesh_file(reader, mesh))


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


class Surface(NamedTuple):
    """What MuJoCo combines where two geoms touch."""

    contype: int
    conaffinity: int
    priority: int
    condim: int
    friction: float


class Surfaces:
    """The surfaces of geoms that collide, each a material."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.names: dict[Surface, str] = {}

    def name(self, g: int) -> str:
        """The material of a geom. Names of bodies have no blanks, so none is that of a body."""
        model = self.model
        surface = Surface(
            int(model.geom_contype[g]),
            int(model.geom_conaffinity[g]),
            int(model.geom_priority[g]),
            int(model.geom_condim[g]),
            float(model.geom_friction[g, 0]),
        )
        return self.names.setdefault(surface, f"surface {len(self.names) + 1}")

    def materials(self) -> list[dict[str, Any]]:
        """The `[[material]]` tables."""
        return [{"name": name, "friction": friction(one, one)} for one, name in self.names.items()]

    def rules(self) -> list[dict[str, Any]]:
        """The `[[contact]]` tables of materials that pass through each other, or have another friction than
        the mean that a scene takes.
        """
        tables: list[dict[str, Any]] = []
        for (a, name_a), (b, name_b) in combinations_with_replacement(self.names.items(), 2):
            mu, mean = friction(a, b), sqrt(friction(a, a) * friction(b, b))
            if not (a.contype & b.conaffinity or b.contype & a.conaffinity):
                tables.append({"a": name_a, "b": name_b, "collide": False})
            elif not isclose(mu, mean, rel_tol=1e-12):
                tables.append({"a": name_a, "b": name_b, "friction": mu})
        return tables


def friction(a: Surface, b: Surface) -> float:
    """Of two surfaces: that of the higher priority, else the larger one; none if `condim` is 1."""
    winners = [one for one in (a, b) if one.priority == max(a.priority, b.priority)]
    slides = max(one.condim for one in winners) == 1
    return 0.0 if slides else max(one.friction for one in winners)
