"""Shapes of URDF: what is seen and what collides, with meshes and colours. One that is half written is listed
and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import MissingLibraryError, SceneError
from mbplugin_import.meshes import Meshes, mesh_path, why_missing
from mbplugin_import.poses import Pose, of_rpy
from mbplugin_import.words import LeftOut
from mbplugin_import.xml import Element, attribute, child, optional_child, vector

#: what is lost with an element
LOST = {"visual": "look", "collision": "shape that collides"}


class Shapes:
    """The shapes of one file. drop: lists what is lost, with the name of the link and what that is."""

    def __init__(self, root: Element, file: Path, params: Any, drop: Callable[..., None]) -> None:
        self.file, self.params, self.drop = file, params, drop
        self.meshes = Meshes()
        self.missing: dict[str, str] = {}  # mesh -> why it is left out
        self.colors: dict[str, list[float]] = {}  # by name of a <material>
        for material in root.findall("material"):
            color = self.color_of(material, material.get("name", ""), "material")
            if color is not None:
                self.colors[material.get("name", "")] = color

    def shape(self, visual: Element, link: str) -> dict[str, Any] | None:
        """The table of a <visual> or <collision> with its `pose`; None, and listed, for one that is half
        written, or cannot collide.
        """
        try:
            table = self.form(visual, link)
            if table is None:
                return None
            pose = pose_of(visual, f"<{visual.tag}>")
        except SceneError as error:
            self.drop(f"a {LOST[visual.tag]} ({error})", link, "link")
            return None
        material = visual.find("material")
        color = None
        if material is not None:
            color = self.color_of(material, link) or self.colors.get(material.get("name", ""))
        return {**table, **({"color": color} if color else {}), "pose": pose}

    def form(self, visual: Element, link: str) -> dict[str, Any] | None:
        """The table of a shape, without its place; None for a mesh that is not found. Raises SceneError."""
        solid = visual.tag == "collision"
        owner = f"<{visual.tag}>"
        geometry = child(visual, "geometry", owner)
        if len(geometry) != 1:
            raise SceneError(owner, mend=f"<geometry> has {len(geometry)} elements")
        (form,) = geometry
        match form.tag:
            case "box":
                return {"type": "box", "size": positive(form, "size", owner, 3)}
            case "sphere":
                return {"type": "sphere", "radius": positive(form, "radius", owner, 1)[0]}
            case "cylinder" | "capsule":
                sizes = {key: positive(form, key, owner, 1)[0] for key in ("radius", "length")}
                return {"type": form.tag, **sizes}
            case "mesh":
                return self.mesh(form, owner, solid)
        raise SceneError(owner, mend=f"<{form.tag[:40]}> is no shape of URDF")

    def mesh(self, form: Element, owner: str, solid: bool) -> dict[str, Any] | None:
        """The table of a mesh as it is seen, or as it collides; None if it is left out. Raises SceneError."""
        uri = attribute(form, "filename", owner)
        if len(form.get("scale", "").split()) == 1:
            scale = np.repeat(vector(form, "scale", owner, 1), 3)
        else:
            scale = vector(form, "scale", owner, 3, [1.0, 1.0, 1.0])
        path = mesh_path(uri, self.file, self.params.packages)
        if path is None:
            self.missing[uri] = why_missing(uri, self.params.packages)
            return None
        try:
            if solid:
                return self.meshes.solid(path, scale, self.params.concave)
            return self.meshes.add(path, scale)
        except (MissingLibraryError, ValueError, OSError) as error:
            self.missing[uri] = str(error)
            return None

    def color_of(self, material: Element, name: str, one: str = "link") -> list[float] | None:
        """The colour of a <material>, red, green, blue from 0 to 1; None, and listed, if it is none."""
        if material.find("texture") is not None:
            self.drop("the texture", name, one)
        color = material.find("color")
        if color is None:
            return None
        try:
            return [min(1.0, max(0.0, float(value))) for value in vector(color, "rgba", "<material>", 4)[:3]]
        except SceneError as error:
            self.drop(f"a color ({error})", name, one)
            return None

    def list_left_out(self, left_out: LeftOut) -> None:
        """Add meshes that are not there, and how those with hollows collide."""
        for uri, why in self.missing.items():
            left_out.add(f"{{}}: {why}", [uri.rpartition("/")[2]], "mesh", "meshes")
        self.meshes.losses.list(left_out)


def same_shape(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two shapes look alike and are in the same place."""
    others = ("color", "pose", "collision")
    forms = [{k: v for k, v in shape.items() if k not in others} for shape in (one, other)]
    (x, R), (y, Q) = ((shape["pose"].x, shape["pose"].R) for shape in (one, other))
    return forms[0] == forms[1] and np.array_equal(x, y) and np.array_equal(R, Q)


def positive(form: Element, key: str, owner: str, size: int) -> list[float]:
    """An attribute that is a list of positive numbers. Raises SceneError."""
    values: list[float] = vector(form, key, owner, size).tolist()
    if min(values) <= 0.0:
        raise SceneError(f"{owner}: <{form.tag} {key}>", form.get(key), "must be positive")
    return values


def pose_of(element: Element, owner: str) -> Pose:
    """The pose of the <origin> of an element. Raises SceneError."""
    origin, zero = optional_child(element, "origin", owner), [0.0, 0.0, 0.0]
    return Pose(vector(origin, "xyz", owner, 3, zero), of_rpy(vector(origin, "rpy", owner, 3, zero).tolist()))
