"""A made-up run with known values: three bodies on circles, two joints, exact in every array."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import numpy as np

from mbplugin.results import ResultWriter
from mbplugin.results.layout import FRAME_ARRAYS, sizes

RADII = np.array([0.5, 1.0, 2.0])
RATES = np.array([3.0, -2.0, 1.0])
DT = 0.01


def static(mesh: bool = True) -> dict:
    """Three bodies, two joints, two coordinates, one force shown as a line, no states; one tetrahedron on
    body 1.
    """
    found = {
        "bodies/name": ["crank", "rod", "piston"],
        "bodies/kind": ["spatial"] * 3,
        "bodies/mass": [1.0, 2.0, None],
        "bodies/local_center_of_mass": np.array([[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]]),
        "joints/name": ["shoulder", "elbow"],
        "joints/type": ["revolute", "ball"],
        "joints/a": ["ground", "crank"],
        "joints/b": ["crank", "rod"],
        "coordinates/name": ["shoulder.angle", "elbow.angle"],
        "coordinates/joint": np.array([0, 1]),
        "coordinates/limits": np.array([[-1.0, np.inf], [-np.inf, np.inf]]),
        "coordinates/axis": np.zeros((2, 3)),
        "coordinates/axis_body": np.array([-1, -1]),
        "forces/name": ["spring_1"],
        "forces/type": ["spring_damper"],
        "states/name": [],
        "lines/name": ["spring_1"],
        "loads/name": ["shoulder on crank", "spring_1 on rod"],
        "loads/part": ["constraint", "applied"],
        "loads/element": ["shoulder", "spring_1"],
        "loads/body": ["crank", "rod"],
        "loads/point": np.array([[0.0, 0.0, 0.0], [0.1, 0.2, 0.3]]),
        "bodies/inertia": np.tile(np.eye(3).ravel(), (3, 1)),
    }
    if mesh:
        found |= {
            "meshes/points": np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
            "meshes/triangles": np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
            "meshes/point_stop": np.array([4]),
            "meshes/triangle_stop": np.array([4]),
            "shapes/name": ["rod_0", "ground_0"],
            "shapes/type": ["mesh", "mesh"],
            "shapes/body": np.array([1, -1]),
            "shapes/mesh": np.array([0, 0]),
            "shapes/position": np.zeros((2, 3)),
            "shapes/orientation": np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0]]),
            "shapes/scale": np.ones((2, 3)),
            "shapes/color": np.array([[0.25, 0.5, 0.75], [0.5, 0.5, 0.5]]),
            "shapes/visible": np.array([1, 1]),
        }
    return found


STATIC = static()


def frame(i: int, static: dict | None = None) -> dict[str, np.ndarray]:
    """Frame i. Mass centres go round on circles, (r cos wt, r sin wt, 0), and bodies turn with them about z.
    The rest tells i, key and place.
    """
    return dict(kept_frame(i)) if static is None else made_frame(i, static)


@functools.lru_cache(maxsize=4000)
def kept_frame(i: int) -> dict[str, np.ndarray]:
    """Frame i, made once: many tests store the same ones."""
    found = made_frame(i, STATIC)
    for array in found.values():
        array.flags.writeable = False
    return found


def made_frame(i: int, static: dict) -> dict[str, np.ndarray]:
    size = sizes(static)
    t = i * DT
    found = {}
    for k, (key, array) in enumerate(FRAME_ARRAYS.items()):
        shape = tuple(size[dim] for dim in array.dims)
        n = int(np.prod(shape))
        if array.dtype in ("|i1", "<i8"):
            found[key] = ((np.arange(n) + i) % 3).reshape(shape).astype(array.dtype)
        else:
            found[key] = np.sin(i + 0.1 * k + np.arange(n)).reshape(shape)
    found["time"] = np.array(t)
    angle = RATES * t
    zero = np.zeros(3)
    nb = size["body"]
    if nb == 3:
        cos, sin = np.cos(angle), np.sin(angle)
        x, y, z = STATIC["bodies/local_center_of_mass"].T
        arm = np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=1)
        centre = np.stack([RADII * cos, RADII * sin, zero], axis=1)
        found["bodies/orientation"] = np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=1)
        found["bodies/angular_velocity"] = np.stack([zero, zero, RATES], axis=1)
        found["bodies/center_of_mass"], found["bodies/position"] = centre, centre - arm
        for key, of in (("center_of_mass_velocity", centre), ("velocity", centre - arm)):
            found[f"bodies/{key}"] = np.stack([-RATES * of[:, 1], RATES * of[:, 0], zero], axis=1)
    return found


def write(path, frames, start=0, **options) -> ResultWriter:
    """A store with the frames from `start` on, still open."""
    writer = ResultWriter(path, static(), {"scene": "made up"}, **options)
    for i in range(start, frames):
        writer.append(frame(i))
    return writer


def chunks(store) -> dict[str, bytes]:
    """Every chunk file of a store."""
    return {str(path.relative_to(store)): path.read_bytes() for path in sorted(store.rglob("c.*"))}


def script(code: str, **names: object) -> list[str]:
    """A command that runs Python in which `made_up` and these names are defined."""
    paths = [str(Path(__file__).parent), *[p for p in sys.path if p]]
    head = ["import sys", f"sys.path[:0] = {paths!r}", "import made_up"]
    return [sys.executable, "-c", "\n".join([*head, *(f"{k} = {v!r}" for k, v in names.items()), code])]
