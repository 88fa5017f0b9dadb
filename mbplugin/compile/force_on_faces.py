"""Forces on a set of faces of a body: each face has an element, whose markers are the nodes of the face.

So a face costs what its nodes cost, and its tangent is a block of these nodes, however many faces there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.force_places import MARKERS
from mbplugin.compile.frames import Frame
from mbplugin.compile.parameters import shared_key
from mbplugin.errors import NOT_GIVEN, PluginError, SceneError, errors_at
from mbplugin.interface import Faces, ForceKind
from mbplugin.model import Force
from mbplugin.model.names import GROUND

#: what a kind on faces cannot have: an element has it once, and such a force has many elements
ONCE = ("measures", "states", "outputs", "reads")


def refuse_faces(force: Force, kind: type[ForceKind], key: str) -> None:
    """Raises SceneError for `faces` of a kind that acts on markers."""
    value = shared_key(kind, force, "faces")
    if value is not None:
        mend = f'type "{kind.name}" acts on markers; leave it out, or choose a type that acts on faces'
        raise SceneError(f"{key}.faces", value, mend)


def faces_of(build: Builder, force: Force, kind: type[ForceKind], key: str) -> tuple[int, Faces]:
    """Number of the body on which a force acts, and the faces. Raises SceneError, PluginError."""
    check_kind(kind)
    acts = f'type "{kind.name}" acts on `faces` of a `body`'
    for name in (*(name for name in MARKERS if name != "body"), "joint", "coordinate"):
        value = getattr(force, name) if name in MARKERS else shared_key(kind, force, name)
        if value is not None:
            raise SceneError(f"{key}.{name}", value, f"{acts}; leave it out")
    if force.body is None:
        raise SceneError(f"{key}.body", NOT_GIVEN, f"{acts}; name the body")
    body, _, marker = force.body.partition(".")
    if marker:
        raise SceneError(f"{key}.body", force.body, f'{acts}, not on a marker; write "{body}"')
    if force.faces is None:
        raise SceneError(f"{key}.faces", NOT_GIVEN, f"{acts}; name a set of faces of its mesh")
    if not isinstance(force.faces, str):
        raise SceneError(f"{key}.faces", force.faces, "must be the name of a set of faces in quotes")
    content = build.system.body(body).content if body != GROUND else None
    if content is None or content.faces is None:
        what = "the ground" if body == GROUND else f'a body of type = "{build.system.body(body).type}"'
        raise SceneError(f"{key}.body", force.body, f"{acts} with a mesh, and {what} has no faces")
    with errors_at(key):
        faces = content.faces(force.faces)
    return build.index[body], faces


def check_kind(kind: type[ForceKind]) -> None:
    """Raises PluginError if a kind on faces declares what it cannot have."""
    wrong: list[Any] = [name for name in ONCE if getattr(kind, name)]
    if wrong:
        raise PluginError(f'force element "{kind.name}": `{wrong[0]}` is not for kinds with `on_faces`')
    if kind.markers is not None:
        mend = "`on_faces` needs `markers = None`: faces differ in the number of their nodes"
        raise PluginError(f'force element "{kind.name}": {mend}')


def node_points(build: Builder, number: int, faces: Faces) -> list[int]:
    """Add the nodes of faces to the draft, as markers of body `number`; returns their points."""
    body = build.bodies[number]
    world = body.x + np.asarray(faces.points) @ body.R.T
    return [build.point(Frame(number, x, body.R), record) for x, record in zip(world, faces.records)]
