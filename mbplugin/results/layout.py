"""Content of a result: every array with its dimensions, unit and meaning.

One table, read by the writer, by the reader and by the test that compares `docs/result-format.md` with it.
A key is `group/array`, the same in a frame, in the store and in `RawResult[key]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import Array as Array

CHUNK_BYTES = 256 * 1024  # of one chunk of the largest array
CHUNK_FRAMES = (16, 1024)  # least and most frames in a chunk
LARGE_CHUNK_BYTES = 16 * 1024 * 1024  # above this a chunk has fewer


class Described(NamedTuple):
    """The description of one array."""

    dims: tuple[str, ...]  # without the frame axis
    units: str
    meaning: str
    dtype: str = "<f8"
    words: tuple[str, ...] = ()  # what each whole number from 0 on means

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the array in a store."""
        return {"units": self.units, "meaning": self.meaning} | (
            {"words": list(self.words)} if self.words else {}
        )


#: statuses of rows that switch, by number: of limits; clutches; friction; motions; joints with an enforcement
#: law
STATUSES = (
    *("off", "free", "at limit", "locked", "sticks", "slips forwards", "slips backwards"),
    *("follows", "at upper effort", "at lower effort", "exact", "compliant", "acts", "released"),
    *("taut", "slack", "broken", "closed", "open", "slips"),
)

FRAME_ARRAYS: dict[str, Described] = {
    "time": Described((), "s", "time of the frame"),
    "bodies/position": Described(("body", "xyz"), "m", "origin of the body frame, world"),
    "bodies/orientation": Described(("body", "wxyz"), "1", "unit quaternion, body frame to world"),
    "bodies/velocity": Described(("body", "xyz"), "m/s", "of the origin, world"),
    "bodies/angular_velocity": Described(("body", "xyz"), "rad/s", "world axes"),
    "bodies/acceleration": Described(("body", "xyz"), "m/s2", "of the origin, world"),
    "bodies/angular_acceleration": Described(("body", "xyz"), "rad/s2", "world axes"),
    "bodies/center_of_mass": Described(("body", "xyz"), "m", "mass centre, world"),
    "bodies/center_of_mass_velocity": Described(("body", "xyz"), "m/s", "of the mass centre, world"),
    "bodies/kinetic_energy": Described(("body",), "J", "of each body"),
    "joints/position": Described(("joint", "xyz"), "m", "marker of b, world"),
    "joints/orientation": Described(("joint", "wxyz"), "1", "unit quaternion, marker of b to world"),
    "joints/force": Described(("joint", "xyz"), "N", "on body b, world axes"),
    "joints/torque": Described(("joint", "xyz"), "N m", "on body b about its marker, world axes"),
    "joints/local_force": Described(
        ("joint", "xyz"), "N", "the same in joint axes, zero along free directions"
    ),
    "joints/local_torque": Described(
        ("joint", "xyz"), "N m", "the same in joint axes, zero about free directions"
    ),
    "joints/determined": Described(
        ("joint", "direction"),
        "1",
        "0 undetermined or zero by priority, 1 shared, 2 determined, 3 all by priority; "
        "force x y z, torque x y z",
        "|i1",
    ),
    "coordinates/value": Described(("coordinate",), "m or rad", "joint coordinate; angles count full turns"),
    "coordinates/speed": Described(("coordinate",), "m/s or rad/s", "its rate"),
    "coordinates/drive": Described(("coordinate",), "N or N m", "generalized force of the motion along it"),
    "forces/wrench": Described(
        ("force", "component"),
        "N and N m",
        "force and torque on b at its marker, world axes; of a force on faces the resultant and its moment "
        "about the mass centre of the body",
    ),
    "forces/energy": Described(("force",), "J", "potential energy of the element"),
    "forces/power": Described(("force",), "W", "power delivered to the bodies"),
    "bounds/status": Described(
        ("bound",), "1", f"{', '.join(f'{k} {word}' for k, word in enumerate(STATUSES))}", "|i1", STATUSES
    ),
    "bounds/force": Described(("bound",), "N or N m", "along its coordinate"),
    "activities/status": Described(
        ("activity",), "1", "the same numbers, of what acts under a condition", "|i1", STATUSES
    ),
    "states/value": Described(("state",), "of the state", "inner states of forces and constraints"),
    "inputs/value": Described(("input",), "of the input", "inputs, each held until it changes"),
    "outputs/value": Described(
        ("output",), "of the output", "variables, outputs of elements and of the solver"
    ),
    "lines/ends": Described(
        ("line", "end", "xyz"), "m", "the two markers that a rod, spring, ... connects, world"
    ),
    "loads/wrench": Described(
        ("load", "component"), "N and N m", "force on its body and torque about its mass centre, world axes"
    ),
    "energy/kinetic": Described((), "J", "of all bodies and of armatures"),
    "energy/potential": Described((), "J", "gravity and force elements"),
    "energy/dissipated": Described(
        (), "J", "taken by dampers, dissipative forces and compliant joints since t = 0; not contacts"
    ),
    "energy/work": Described((), "J", "work of motions and time-dependent forces since t = 0"),
    "energy/balance": Described(
        (), "J", "kinetic + potential + dissipated + friction + impacts - work, minus its value at t = 0"
    ),
    "constraints/drift_position": Described((), "m or rad", "largest residual of a position row"),
    "constraints/drift_velocity": Described((), "m/s or rad/s", "largest residual of a velocity row"),
    "constraints/dof": Described(
        (), "1", "degrees of freedom: velocities minus rank of the rows that hold; not of contacts", "<i8"
    ),
}

#: parts of the loads on a body
APPLIED, CONSTRAINT = "applied", "constraint"

#: frame arrays of solvers with contacts only
LOSSES: dict[str, Described] = {
    "energy/friction": Described(
        (), "J", "taken by friction in contacts since t = 0; not in energy/dissipated"
    ),
    "energy/impacts": Described((), "J", "taken by impacts since t = 0"),
}

#: frame arrays of results with bodies that deform homogeneously only
DEFORMATIONS: dict[str, Described] = {
    "deformations/gradient": Described(
        ("deformation", "matrix"),
        "1",
        "F of the body, row by row: a point s of its frame, before it deforms, is at position + F s, world",
    ),
    "deformations/rate": Described(("deformation", "matrix"), "1/s", "its rate"),
    "deformations/stress": Described(
        ("deformation", "matrix"), "Pa", "Cauchy stress in the body, damping included, world axes"
    ),
}

#: frame arrays of bodies with nodes only
NODAL: dict[str, Described] = {
    "nodes/displacement": Described(("node", "xyz"), "m", "from `nodes/rest`, world axes"),
    "nodes/velocity": Described(("node", "xyz"), "m/s", "world axes"),
    "nodes/stress": Described(
        ("stress_point", "tensor"), "Pa", "Cauchy's stress at the points of the cells, world axes"
    ),
}

#: frame arrays that only some results have
IN_SOME = LOSSES | DEFORMATIONS | NODAL

STATIC_ARRAYS: dict[str, Described] = {
    "bodies/local_center_of_mass": Described(("body", "xyz"), "m", "mass centre in the body frame"),
    "bodies/inertia": Described(
        ("body", "matrix"), "kg m2", "about the mass centre, body axes, row by row; NaN: none is given"
    ),
    "loads/point": Described(
        ("load", "xyz"), "m", "first marker of the element on its body, in the body frame at t = 0"
    ),
    "coordinates/joint": Described(("coordinate",), "1", "index of its joint", "<i8"),
    "coordinates/limits": Described(
        ("coordinate", "end"), "m or rad", "least and largest value; infinite: none"
    ),
    "coordinates/axis": Described(
        ("coordinate", "xyz"), "1", "of one with limits, in the axes of `axis_body`; zero: none is known"
    ),
    "coordinates/axis_body": Described(("coordinate",), "1", "index of a body, -1 the ground", "<i8"),
    "meshes/points": Described(("point", "xyz"), "m", "of all meshes, one mesh after another"),
    "meshes/triangles": Described(
        ("triangle", "corner"),
        "1",
        "indices into the points of the mesh, counter-clockwise from outside",
        "<i8",
    ),
    "meshes/point_stop": Described(("mesh",), "1", "number of points up to and including this mesh", "<i8"),
    "meshes/triangle_stop": Described(("mesh",), "1", "number of triangles up to and including it", "<i8"),
    "shapes/body": Described(("shape",), "1", "index of its body, -1 the ground", "<i8"),
    "shapes/mesh": Described(("shape",), "1", "index of its mesh", "<i8"),
    "shapes/position": Described(("shape", "xyz"), "m", "origin of the mesh in the body frame"),
    "shapes/orientation": Described(("shape", "wxyz"), "1", "unit quaternion, mesh to body frame"),
    "shapes/scale": Described(("shape", "xyz"), "1", "factors along the axes of the mesh"),
    "shapes/color": Described(("shape", "rgb"), "1", "red, green, blue from 0 to 1; NaN: not given"),
    "shapes/visible": Described(("shape",), "1", "0: not in pictures; without this array all are", "<i8"),
}

#: static arrays of bodies with nodes only
NODAL_STATIC: dict[str, Described] = {
    "nodes/rest": Described(("node", "xyz"), "m", "of all bodies with nodes, undeformed, at t = 0, world"),
    "nodes/stop": Described(("deformable",), "1", "number of nodes up to and including this body", "<i8"),
    "nodes/connectivity": Described(
        ("entry",), "1", "nodes of the cells, numbered in their body, one block of cells after another", "<i8"
    ),
    "nodes/triangles": Described(
        ("surface_triangle", "corner"), "1", "nodes of the surface, numbered in their body", "<i8"
    ),
    "nodes/triangle_stop": Described(
        ("deformable",), "1", "number of triangles up to and including it", "<i8"
    ),
    "nodes/set_nodes": Described(("set_entry",), "1", "nodes of the sets, numbered in their body", "<i8"),
}

#: static arrays that only some results have
STATIC_IN_SOME = NODAL_STATIC | {
    "deformations/body": Described(("deformation",), "1", "index of the body", "<i8")
}

#: of a list: where each frame stops in its entries
STOP = Described((), "1", "number of entries of the list up to and including this frame", "<i8")


def frame_array(key: str) -> Described:
    """The description of the frame array `key`."""
    return STOP if key.startswith("lists/") else IN_SOME.get(key) or FRAME_ARRAYS[key]


# dimensions of fixed size, and the attribute whose length gives the others
FIXED_SIZES = {
    "xyz": 3,
    "wxyz": 4,
    "direction": 6,
    "component": 6,
    "corner": 3,
    "end": 2,
    "local": 3,
    "matrix": 9,
    "rgb": 3,
    "tensor": 6,
}
#: letters of the components along dimensions of fixed size
COMPONENTS = {
    "xyz": ("x", "y", "z"),
    "wxyz": ("w", "x", "y", "z"),
    "component": ("fx", "fy", "fz", "tx", "ty", "tz"),
    "direction": ("fx", "fy", "fz", "tx", "ty", "tz"),
    "tensor": ("xx", "yy", "zz", "xy", "yz", "xz"),
}
NAMED_SIZES = {
    "body": "bodies/name",
    "deformation": "deformations/name",
    "joint": "joints/name",
    "coordinate": "coordinates/name",
    "force": "forces/name",
    "bound": "bounds/name",
    "activity": "activities/name",
    "state": "states/name",
    "input": "inputs/name",
    "output": "outputs/name",
    "line": "lines/name",
    "load": "loads/name",
    "shape": "shapes/name",
}

GROUPS = (
    "bodies",
    "joints",
    "coordinates",
    "forces",
    "bounds",
    "activities",
    "states",
    "inputs",
    "outputs",
    "lines",
    "loads",
    "energy",
    "constraints",
    "meshes",
    "shapes",
    "messages",
)
#: group of bodies with nodes, which only their results have
NODES = "nodes"


def static_array(key: str) -> Described:
    """The description of the static array `key`. Raises KeyError if the layout has none."""
    return STATIC_IN_SOME.get(key) or STATIC_ARRAYS[key]


def mesh_arrays(meshes: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """The arrays of meshes: points (n, 3) and triangles (m, 3) of each."""
    points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)]
    for of_points, of_triangles in meshes:
        points.append(of_points)
        triangles.append(of_triangles)
    return {
        "meshes/points": np.concatenate(points),
        "meshes/triangles": np.concatenate(triangles),
        "meshes/point_stop": np.cumsum([len(of_mesh) for of_mesh in points[1:]], dtype=np.int64),
        "meshes/triangle_stop": np.cumsum([len(of_mesh) for of_mesh in triangles[1:]], dtype=np.int64),
    }


def sizes(static: Mapping[str, Any]) -> dict[str, int]:
    """Length of every dimension, from the name lists in `static`."""
    named = {dim: len(static.get(key, ())) for dim, key in NAMED_SIZES.items()}
    points = stress_points(static.get("nodes/cells", ()))
    return FIXED_SIZES | named | {"node": len(static.get("nodes/rest", ())), "stress_point": points}


def stress_points(cells: Iterable[Mapping[str, Any]]) -> int:
    """Points of stress of the blocks of cells in the attribute `cells` of the nodes."""
    return sum(len(of["to_nodes"][0]) * of["count"] for of in cells if of["to_nodes"])


def chunk_frames(bytes_per_frame: int, planned: int = 0) -> int:
    """Frames in a chunk, the same for all arrays.

    bytes_per_frame: of the largest array
    planned:         frames of the run; 0: unknown
    """
    low, high = CHUNK_FRAMES
    low = max(1, min(low, LARGE_CHUNK_BYTES // max(bytes_per_frame, 1)))
    low = min(low, planned or low)  # a short run holds no frames that never come
    return max(min(CHUNK_BYTES // max(bytes_per_frame, 1), high, planned or high), low)
