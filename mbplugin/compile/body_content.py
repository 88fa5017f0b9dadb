"""Bodies whose mass and markers follow from the keys of their kind, such as those with a mesh."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.bodies import plan_of
from mbplugin.compile.parameters import validated_keys
from mbplugin.errors import NOT_GIVEN, SceneError, errors_at
from mbplugin.hooks.registry import Registry
from mbplugin.interface.body import BodyKeys, MarkerKeys
from mbplugin.model import System
from mbplugin.model.body import Body
from mbplugin.model.orientation import matrix

#: keys of a body that its content takes the place of
TAKEN = ("shapes", "mass", "inertia", "density", "center_of_mass")


def complete_bodies(system: System, registry: Registry) -> None:
    """Give bodies their content. Once is enough. Raises SceneError, PluginError."""
    for k, body in enumerate(system.bodies):
        key = f"body[{k}]"
        kind = registry.body_kind(body.type, f"{key}.type")
        if kind.content is None:
            refuse_nodes(body, key)
            if body.collide and not body.shapes:
                raise SceneError(f"{key}.collide", True, "there is no `shape` that could collide; give one")
            if kind.stretches:
                params = validated_keys(kind, body.raw, key, type(body).keys(), system)
                with errors_at(key):
                    plan = plan_of(kind, params, body, system)
                body._vibration = plan.frequency, plan.damping
        elif body.content is None:
            refuse_mass(body, key)
            params = validated_keys(kind, body.raw, key, type(body).keys(), system)
            with errors_at(key):
                content = body._content = kind.content(params, keys_of(system, body, key))
            body._vibration = content.frequency, content.damping
            if body.collide and body._content.surface is None:
                mend = f'bodies of type = "{body.type}" have no surface that could collide; leave it out'
                raise SceneError(f"{key}.collide", True, mend)


def refuse_nodes(body: Body, key: str) -> None:
    """Raises SceneError for a marker on nodes, of which the body has none."""
    for n, marker in enumerate(body.markers):
        for name in ("nodes", "coupling"):
            if getattr(marker, name) is not None:
                mend = f'a body of type = "{body.type}" has no nodes; give `position`'
                raise SceneError(f"{key}.marker[{n}].{name}", getattr(marker, name), mend)


def refuse_mass(body: Body, key: str) -> None:
    """Raises SceneError for a key whose value follows from the content."""
    for name in TAKEN:
        value = getattr(body, name)
        if value not in (None, ()):
            where = "shape" if name == "shapes" else name
            shown = value if name != "shapes" else NOT_GIVEN
            mend = f'a body of type = "{body.type}" has it from its elements and their material; leave it out'
            raise SceneError(f"{key}.{where}", shown, mend)


def keys_of(system: System, body: Body, key: str) -> BodyKeys:
    """Keys of a body as `content` of a kind gets them."""
    joined = {name for joint in system.joints for name in (joint.a, joint.b, *(joint.markers or ())) if name}
    markers = [
        MarkerKeys(
            marker.name,
            f"{key}.marker[{n}]",
            marker.nodes,
            marker.coupling,
            np.array(marker.position, float) if "position" in marker.model_fields_set else None,
            matrix(tuple(marker.rotation())),
            f"{body.name}.{marker.name}" in joined,
        )
        for n, marker in enumerate(body.markers)
    ]
    return BodyKeys(body.name, key, system.folder, system.material_of(body), markers)
