"""Exporter `glb`: the moving bodies in one binary glTF 2.0 file, for browsers, Blender and slides.

A node for each body, turned and moved by an animation; its shapes are nodes below it, and a mesh is stored
once for all shapes of one colour that are alike. Specification: Khronos Group, glTF 2.0 (ISO/IEC 12113:2022).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.interface import Exporter

#: names of glTF for types of numbers, and for what a buffer is used as
FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963
#: largest turn between two keys [rad], largest number of keys between two frames; what turns faster turns the
#: short way
LARGEST_TURN, MAX_KEYS = 0.5 * np.pi, 256
#: a turn whose half has a smaller sine counts as none, or as a whole one
SINE_OF_NO_TURN = 1e-3
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942


class Glb(Exporter):
    """An animation of rigid bodies: poses of each frame, shapes once. The scene's up is that of glTF, +Y."""

    name = "glb"
    suffix = ".glb"

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        drawn, raw = result.drawn, result.raw
        content = Content()
        meshes = Meshes(content, drawn)
        x, q = raw["bodies/position"], raw["bodies/orientation"]
        names = [*result.bodies, "ground"]
        shapes: list[list[int]] = [[] for _ in names]
        nodes: list[dict[str, Any]] = []
        for k in range(len(drawn)):
            body = drawn.body[k]
            shapes[body].append(len(nodes))
            nodes.append(
                {
                    "mesh": meshes.number(k),
                    "translation": drawn.position[k].tolist(),
                    "rotation": xyzw(drawn.orientation[k]).tolist(),
                    "scale": drawn.scale[k].tolist(),
                }
            )
        first = len(nodes)
        for name, children in zip(names, shapes):
            nodes.append({"name": name} | ({"children": children} if children else {}))
        bodies = list(range(first, len(nodes)))
        nodes.append({"name": "scene", "rotation": upright(raw.gravity).tolist(), "children": bodies})
        document = {
            "asset": {"version": "2.0", "generator": "mbplugin"},
            "scene": 0,
            "scenes": [{"nodes": [len(nodes) - 1]}],
            "nodes": nodes,
            **meshes.document(),
        }
        if len(result.time) > 0:
            for k, body in enumerate(bodies[:-1]):
                nodes[body] |= {"translation": x[0, k].tolist(), "rotation": xyzw(q[0, k]).tolist()}
        if len(result.time) > 1 and len(result.bodies):
            w = raw["bodies/angular_velocity"]
            document["animations"] = [animation(content, result.time, x, q, w, first)]
        file.write_bytes(container(document | content.document(), bytes(content.data)))


class Content:
    """The binary part: arrays one after another, each with its description."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: Any, kind: str, use: int | None = None, extent: bool = False) -> int:
        """The number of an array (n,) or (n, k); kind: "SCALAR", "VEC3", "VEC4"."""
        array = np.ascontiguousarray(array, np.uint32 if use == INDICES else np.float32)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.views.append(view | ({"target": use} if use is not None else {}))
        self.data += array.tobytes()
        accessor = {
            "bufferView": len(self.views) - 1,
            "componentType": UNSIGNED if use == INDICES else FLOAT,
            "count": len(array),
            "type": kind,
        }
        if extent:
            rows = array.reshape(len(array), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def document(self) -> dict[str, Any]:
        """Its part of the document; glTF knows no empty lists."""
        if not self.data:
            return {}
        buffers = [{"byteLength": len(self.data)}]
        return {"buffers": buffers, "bufferViews": self.views, "accessors": self.accessors}


class Meshes:
    """The meshes of the shapes, one for each shape and colour."""

    def __init__(self, content: Content, drawn: Any) -> None:
        self.content, self.drawn = content, drawn
        self.colours = drawn.colours()
        self.numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self.arrays: dict[int, dict[str, int]] = {}
        self.materials: dict[tuple[int, ...], int] = {}

    def number(self, k: int) -> int:
        """That of shape k."""
        mesh, colour = int(self.drawn.mesh[k]), tuple(int(c) for c in self.colours[k])
        if mesh not in self.arrays:
            points, triangles = self.drawn.meshes[mesh]
            self.arrays[mesh] = {
                "POSITION": self.content.add(points, "VEC3", VERTICES, extent=True),
                "indices": self.content.add(triangles.ravel(), "SCALAR", INDICES),
            }
        self.materials.setdefault(colour, len(self.materials))
        return self.numbers.setdefault((mesh, colour), len(self.numbers))

    def document(self) -> dict[str, Any]:
        """Their part of the document."""
        if not self.numbers:
            return {}
        meshes = [
            {
                "primitives": [
                    {
                        "attributes": {"POSITION": self.arrays[mesh]["POSITION"]},
                        "indices": self.arrays[mesh]["indices"],
                        "material": self.materials[colour],
                    }
                ]
            }
            for mesh, colour in self.numbers
        ]
        return {"meshes": meshes, "materials": [material(colour) for colour in self.materials]}


def material(colour: Sequence[int]) -> dict[str, Any]:
    """A dull surface, seen from both sides; glTF has linear colours (IEC 61966-2-1)."""
    s = np.array(colour) / 255.0
    linear = np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)
    surface = {"baseColorFactor": [*linear.tolist(), 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7}
    return {"pbrMetallicRoughness": surface, "doubleSided": True}


def animation(content: Content, time: Any, x: Any, q: Any, w: Any, first: int) -> dict[str, Any]:
    """Positions (n, bodies, 3), quaternions (n, bodies, 4) and angular velocities (n, bodies, 3) over time;
    first: node of the first body.
    """
    times = content.add(time - time[0], "SCALAR", extent=True)
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for k in range(x.shape[1]):
        at, turns = with_turns(time - time[0], q[:, k], w[:, k])
        own = times if len(at) == len(time) else content.add(at, "SCALAR", extent=True)
        for path, kind, when, values in (
            ("translation", "VEC3", times, x[:, k]),
            ("rotation", "VEC4", own, xyzw(continuous(turns))),
        ):
            channels.append({"sampler": len(samplers), "target": {"node": first + k, "path": path}})
            samplers.append({"input": when, "output": content.add(values, kind), "interpolation": "LINEAR"})
    return {"name": "motion", "channels": channels, "samplers": samplers}


def with_turns(time: Any, q: Any, w: Any) -> tuple[Any, Any]:
    """Times and quaternions of a body, with further ones between two frames where it turns by more than half
    a turn: viewers turn the short way from each to the next. The mean of w (n, 3) tells how far it turns.
    """
    dt = np.diff(time)
    between = product(q[1:], q[:-1] * [1.0, -1.0, -1.0, -1.0])
    between *= np.where(between[:, :1] < 0.0, -1.0, 1.0)
    mean = 0.5 * (w[1:] + w[:-1]) * dt[:, None]
    # of a whole turn the frames do not tell the axis
    seen = np.linalg.norm(between[:, 1:], axis=1) > SINE_OF_NO_TURN
    axis = np.where(seen[:, None], between[:, 1:], mean)
    axis /= np.maximum(np.linalg.norm(axis, axis=1), 1e-300)[:, None]
    along = lambda vectors: np.einsum("ni,ni->n", vectors, axis)
    angle = 2.0 * np.arctan2(along(between[:, 1:]), between[:, 0])
    angle += 2.0 * np.pi * np.round((along(mean) - angle) / (2.0 * np.pi))
    parts = np.where(np.abs(angle) > np.pi, np.ceil(np.abs(angle) / LARGEST_TURN), 1.0)
    parts = np.where(parts <= MAX_KEYS, parts, 1.0).astype(int)
    frame = np.repeat(np.arange(len(parts)), parts)
    fraction = (np.arange(len(frame)) - (np.cumsum(parts) - parts)[frame]) / parts[frame]
    half = 0.5 * angle[frame] * fraction
    turn = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis[frame]])
    keys = np.where(fraction[:, None] > 0.0, product(turn, q[frame]), q[frame])
    return np.append(time[frame] + fraction * dt[frame], time[-1]), np.concatenate([keys, q[-1:]])


def product(a: Any, b: Any) -> Any:
    """(n, 4) the quaternions a b, w x y z."""
    vector = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.column_stack([a[:, 0] * b[:, 0] - np.einsum("ni,ni->n", a[:, 1:], b[:, 1:]), vector])


def continuous(q: Any) -> Any:
    """(n, 4) with the sign of each that is nearer to the one before, so that viewers turn the short way."""
    turned = np.einsum("ni,ni->n", q[1:], q[:-1]) < 0.0
    return q * np.concatenate([[1.0], np.cumprod(np.where(turned, -1.0, 1.0))])[:, None]


def xyzw(q: Any) -> Any:
    """Quaternions (..., w x y z) in the order of glTF."""
    return np.roll(q, -1, axis=-1)


def upright(gravity: Any) -> Any:
    """(4,) the rotation, x y z w, that takes the direction against gravity (z without gravity) to +Y."""
    length = float(np.linalg.norm(gravity))
    up = -np.asarray(gravity, float) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    if up[1] < -1.0 + 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0])
    turn = np.array([*np.cross(up, [0.0, 1.0, 0.0]), 1.0 + up[1]])
    return turn / np.linalg.norm(turn)


def container(document: dict[str, Any], data: bytes) -> bytes:
    """The file: a header, the document as JSON padded by spaces, the binary part padded by zeros."""
    text = json.dumps(document, separators=(",", ":")).encode()
    chunks = [(JSON_CHUNK, text + b" " * (-len(text) % 4))]
    if data:
        chunks.append((BINARY_CHUNK, data + bytes(-len(data) % 4)))
    body = b"".join(struct.pack("<II", len(part), kind) + part for kind, part in chunks)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body
