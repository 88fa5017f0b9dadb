"""Convex parts of a mesh, kept in a file beside it, so that a scene needs no library to run.

The parts are those of CoACD (X. Wei et al., ACM Trans. Graph. 41 (2022) 42), made once. An OBJ file with an
object for each part; its first line has the digest of the mesh. A file without that line is its author's, and
is taken as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import MissingLibraryError, SceneError, value_text
from mbplugin.math.primitives import Triangles
from mbplugin.model.convex import THIN, convex_surface, thickness
from mbplugin.model.mesh_files import lines_of, point_of

Array = NDArray[np.float64]
#: the digest in the first line of a file that was made here
STAMP = re.compile(rb"# convex parts of sha256 ([0-9a-f]{64})")
#: seed of the search, so that the same mesh has the same parts
SEED = 0
#: how to get the library
INSTALL = "pip install 'mbplugin[parts]'"


def parts_file(path: Path, concavity: float) -> Path:
    """The file of the parts of a mesh file."""
    return path.with_name(f"{path.name}.parts_{concavity:g}.obj")


def kept_parts(path: Path, surface: Any, concavity: float) -> list[Array]:
    """Corners (n, 3) of the parts of a mesh file, in its unit of length; made and written where there is no
    file of them, or the mesh has changed since. Raises SceneError, MissingLibraryError.

    surface: function that returns points and triangles of the file
    """
    target = parts_file(path, concavity)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    changed = ""
    if target.is_file():
        content = target.read_bytes()
        stamp = STAMP.match(content)
        if stamp is None or stamp[1].decode() == digest:
            return read_parts(content, target.name)
        changed = f"{target.name} has the parts of another mesh than {path.name} now is; "
    try:
        parts = decomposed(surface(), concavity)
    except ImportError:
        what = f"{changed}to cut {path.name} into convex parts needs coacd: {INSTALL}"
        raise MissingLibraryError(f"{what}; a scene that has the file {target.name} does not") from None
    write(target, digest, path.name, concavity, parts)
    return read_parts(target.read_bytes(), target.name)


def decomposed(surface: Triangles, concavity: float) -> list[Array]:
    """Corners of convex parts that cover a solid, within `concavity` of half its largest extent. Raises
    ImportError, SceneError.
    """
    import coacd

    coacd.set_log_level("error")
    points, triangles = surface
    found = coacd.run_coacd(coacd.Mesh(points, triangles), threshold=concavity, seed=SEED)
    parts = []
    for corners, _ in found:
        extents = thickness(np.array(corners))
        if len(corners) > 3 and extents[-1] > THIN * extents[0]:
            parts.append(convex_surface(corners)[0])
    if not parts:
        raise SceneError(mend="coacd finds no convex parts with a volume; is its surface closed?")
    return parts


def write(target: Path, digest: str, mesh: str, concavity: float, parts: list[Array]) -> None:
    """Write parts, whole or not at all. Raises SceneError."""
    about = f"# {mesh}, concavity {concavity:g}, by coacd, seed {SEED}"
    lines = [f"# convex parts of sha256 {digest}", about]
    first = 1
    for k, part in enumerate(parts):
        corners, triangles = convex_surface(part)
        lines.append(f"o part_{k}")
        lines += ["v " + " ".join(f"{x:.9g}" for x in corner) for corner in corners.tolist()]
        lines += ["f " + " ".join(str(first + i) for i in triangle) for triangle in triangles.tolist()]
        first += len(corners)
    part_file = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        part_file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        os.replace(part_file, target)
    except OSError as error:
        part_file.unlink(missing_ok=True)
        raise SceneError(mend=f"its parts cannot be kept in {target}: {error.strerror or error}") from None


def read_parts(content: bytes, name: str) -> list[Array]:
    """Corners (n, 3) of the objects of an OBJ file. Raises SceneError."""
    parts: list[list[list[float]]] = []
    for line, words in lines_of(content):
        try:
            if words[0] == "o":
                parts.append([])
            elif words[0] == "v":
                if not parts:
                    raise SceneError(mend='a vertex before the first part; a line "o NAME" begins each')
                parts[-1].append(point_of(words[1:]))
        except SceneError as error:
            raise SceneError(
                mend=f"{name}, line {line} ({value_text(' '.join(words))}): {error.mend}"
            ) from None
    found = [np.array(part, float).reshape(-1, 3) for part in parts]
    for k, corners in enumerate(found):
        extents = thickness(corners) if len(corners) > 3 else np.zeros(3)
        if not extents[-1] > THIN * extents[0]:
            raise SceneError(mend=f"{name}: object {k} has no volume; it needs 4 vertices not in one plane")
    if not found:
        raise SceneError(mend=f'{name} has no parts; a line "o NAME" begins each')
    return found
