"""Mesh files of robots: found, copied or converted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from mbplugin.errors import MissingLibraryError
from mbplugin_import.poses import Array
from mbplugin_import.solids import HOLLOW_PART, Losses, hollow, hull
from mbplugin_import.words import unused

#: formats that scenes take as they are
FORMATS = (".stl", ".obj", ".ply")
FOLDER = "meshes"


class Meshes:
    """The mesh files of a scene, each once."""

    def __init__(self) -> None:
        self.files: dict[str, Path | bytes] = {}
        self.names: dict[Any, str] = {}  # (path, scale) -> name in the scene
        self.triangles: dict[Path, tuple[Array, Array]] = {}  # of meshes that collide
        self.losses = Losses()

    def add(self, path: Path, scale: Array) -> dict[str, Any]:
        """The table of a mesh. Raises OSError, ValueError, MissingLibraryError."""
        uniform = len({float(s) for s in scale}) == 1 and scale[0] > 0.0
        if path.suffix.lower() in FORMATS and uniform:
            name = self.names.get(path) or self.new(path, path.suffix.lower(), path)
            self.names[path] = name
            return {"type": "mesh", "file": name, "scale": float(scale[0])}
        key = (path, *map(float, scale))
        if key not in self.names:
            points, triangles = triangles_of(path)
            points = points * scale
            if np.prod(scale) < 0.0:
                triangles = triangles[:, ::-1]
            self.names[key] = self.new(path, ".ply", ply(points, triangles))
        return {"type": "mesh", "file": self.names[key], "scale": 1.0}

    def solid(self, path: Path, scale: Array, concave: str) -> dict[str, Any]:
        """The table of a mesh that collides: of its convex hull, or as `concave` says of one with hollows.
        Raises OSError, ValueError, MissingLibraryError.
        """
        if path not in self.triangles:
            self.triangles[path] = triangles_of(path)
        points, triangles = self.triangles[path]
        if (empty := hollow(points, triangles)) > HOLLOW_PART:
            self.losses.concave(path.name, empty, concave)
            if concave != "hull":
                return self.add(path, scale) | as_parts(concave)
        table, depth = hull(points * scale)
        if table is None:
            raise ValueError("is flat, and does not collide")
        self.losses.corners(path.name, depth)
        return table

    def new(self, path: Path, suffix: str, content: Path | bytes) -> str:
        """Take a file under a new name."""
        stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in path.stem)
        name = unused(f"{FOLDER}/{stem}", self.files, suffix)
        self.files[name] = content
        return name


def as_parts(concave: str) -> dict[str, str]:
    """The keys of a mesh that collides as its parts, or as it is."""
    return {"collision": "parts"} if concave == "parts" else {}


def triangles_of(path: Path) -> tuple[Array, Array]:
    """Points (n, 3) [m] and triangles (m, 3) of a mesh file. Raises ValueError, MissingLibraryError."""
    import trimesh  # 0.4 s, and only where a file has to be converted

    try:
        if path.suffix.lower() == ".dae":
            import collada  # noqa: F401
        loaded: Any = trimesh.load(str(path), force="mesh", process=False, skip_materials=True)
        points, triangles = np.array(loaded.vertices, float), np.array(loaded.faces, np.int64)
    except ImportError as error:
        raise MissingLibraryError(f"needs {error.name}: pip install 'mbplugin[import]'") from None
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    if not len(triangles):
        raise ValueError("has no triangles")
    return points, triangles


def ply(points: Array, triangles: Array) -> bytes:
    """A binary PLY file."""
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        "property float x\nproperty float y\nproperty float z\n"
        f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    faces = np.empty(len(triangles), [("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    return header.encode() + points.astype("<f4").tobytes() + faces.tobytes()


def mesh_path(uri: str, file: Path, packages: Mapping[str, str]) -> Path | None:
    """The mesh file of a robot described in `file`; None if it is not found."""
    return next((path for path in candidates(uri, file.resolve(), packages) if is_file(path)), None)


def is_file(path: Path) -> bool:
    """Whether there is such a file; there is none of a name that the system does not take."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long; a zero byte
        return False


def candidates(uri: str, file: Path, packages: Mapping[str, str]) -> Iterator[Path]:
    """Where it may be: a package is the folder given for it, or one of its name above the file. If there is
    none, a folder above the file may be one that the address goes through.
    """
    scheme, separator, rest = uri.partition("://")
    if not separator:
        yield file.parent / uri
        return
    rest = unquote(rest)
    if scheme == "file":
        yield Path(rest)
        return
    name, _, inner = rest.partition("/")
    if name in packages:
        yield Path(packages[name]) / inner
        return
    for folder in file.parents:
        if folder.name == name:
            yield folder / inner
        yield folder / name / inner
    parts = inner.split("/")
    for k, part in enumerate(parts[:-1], start=1):
        yield from (folder.joinpath(*parts[k:]) for folder in file.parents if folder.name == part)


def why_missing(uri: str, packages: Mapping[str, str]) -> str:
    """The reason why a mesh file is not found."""
    scheme, _, rest = uri.partition("://")
    name, _, inner = unquote(rest).partition("/")
    if scheme != "package":
        return "there is no such file"
    if name in packages:
        return f"there is no {inner.rpartition('/')[0] or 'file'} with it in {packages[name]}"
    return f"there is no such file; --set packages.{name}=FOLDER says where that package is"
