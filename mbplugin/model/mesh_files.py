"""Points and triangles of mesh files, of which nothing is left out in silence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, value_text

#: vertices of a file
MOST = 2**40
#: counts of a PLY file's header
ELEMENT = re.compile(rb"^element\s+(\w+)\s+(\d+)", re.MULTILINE)


def read_obj(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) and triangles (m, 3) of an OBJ file; materials, groups, textures and normals are none of
    its shape. Raises SceneError that names the line.
    """
    points: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    lines: list[int] = []  # of the triangles
    for line, words in lines_of(content):
        try:
            if words[0] == "v":
                points.append(point_of(words[1:]))
            elif words[0] == "f":
                corners = [corner_of(word, len(points)) for word in words[1:]]
                if len(corners) < 3:
                    raise SceneError(mend="a face needs three vertices or more")
                triangles += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
                lines += [line] * (len(triangles) - len(lines))
        except SceneError as error:
            raise SceneError(mend=f"line {line} ({value_text(' '.join(words))}): {error.mend}") from None
    found = np.array(triangles, np.int64).reshape(-1, 3)
    wrong = np.flatnonzero((found < 0).any(axis=1) | (found >= len(points)).any(axis=1))
    if len(wrong):
        mend = f"has a vertex that does not exist; there are {len(points)}, numbered from 1"
        raise SceneError(mend=f"line {lines[wrong[0]]}: {mend}")
    return np.array(points, float).reshape(-1, 3), found


def lines_of(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Number and words of each line that has some; one that ends in a backslash goes on in the next."""
    words: list[str] = []
    for line, text in enumerate(content.decode("utf-8-sig", "replace").split("\n"), 1):
        words += (text.partition("#")[0] if "#" in text else text).split()
        if words and words[-1] == "\\":
            words.pop()
        elif words:
            yield line, words
            words = []


def point_of(words: list[str]) -> list[float]:
    """The first three numbers. Raises SceneError."""
    try:
        x, y, z = map(float, words[:3])
    except ValueError:
        raise SceneError(mend="a vertex needs three numbers") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise SceneError(mend="a vertex is not finite")
    return [x, y, z]


def corner_of(word: str, points: int) -> int:
    """Index from 0 of the vertex in a word such as 3, 3/1/2 or -1. Raises SceneError."""
    try:
        number = int(word.partition("/")[0] if "/" in word else word)
    except ValueError:
        raise SceneError(mend=f'"{word}" is no number of a vertex') from None
    if number == 0 or -number > points or number > MOST:
        raise SceneError(mend=f"the vertex {number} does not exist; numbers begin at 1, or at -1 backwards")
    return number - 1 if number > 0 else points + number


def check_ply(content: bytes, faces: Any) -> None:
    """Raises SceneError if a PLY file has not all that its header says. faces: triangles read from it"""
    head, _, data = content.partition(b"end_header")
    counts = {name: int(count) for name, count in ELEMENT.findall(head)}
    lines = sum(1 for line in data.splitlines() if line.strip())
    missing = b"format ascii" in head and lines < sum(counts.values())
    if missing or len(faces) < counts.get(b"face", 0):
        raise SceneError(mend="has fewer vertices or faces than its header says, or faces of two vertices")
