"""Keys that other programs give joints, and that need unilateral elements: limits, dry friction, efforts."""

from __future__ import annotations

from typing import Any

from mbplugin.compile.parameters import of_kind
from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint

LIMITS = ("limits", "limit", "lower", "upper", "range", "lower_limit", "upper_limit", "stop", "stops")
FRICTION = ("friction", "dry_friction", "coulomb_friction", "friction_loss", "frictionloss")
EFFORTS = (
    "effort",
    "max_effort",
    "effort_limit",
    "max_force",
    "max_torque",
    "velocity_limit",
    "max_velocity",
)


def refuse_unilateral(joint: Joint, kind: type[ConstraintKind], key: str) -> None:
    """Raises SceneError for a key of a joint that needs unilateral elements, with what to write instead."""
    for word, value in joint.raw.items():
        if word in (*LIMITS, *FRICTION, *EFFORTS) and not of_kind(kind, word):
            raise SceneError(f"{key}.{word}", value, f"{what(word)}; {instead(word, joint, kind)}")


def what(word: str) -> str:
    """What a key asks for."""
    meant = "limits" if word in LIMITS else "dry friction" if word in FRICTION else "limited efforts"
    return f"{meant} of joints come with unilateral elements, which this version does not have"


def instead(word: str, joint: Joint, kind: type[ConstraintKind]) -> str:
    """What to write today."""
    coordinates: dict[str, Any] = {**kind.coordinates, **(kind.planar_coordinates or {})}
    if not coordinates:
        return "leave it out"
    name = next(iter(coordinates))
    s = f"{quoted(joint.name)}.{name}"
    load = "force" if name in ("length", "x", "y", "z") else "torque"
    if word in EFFORTS:
        return (
            f'leave it out, and limit the {load} where it is given: {load} = "max(-10, min(10, ...))" of a '
            '[[force]] of type "joint_force"'
        )
    law = f"-1e4*max({s} - 1, 0)" if word in LIMITS else f"-0.1*tanh(rate({s})/1e-3)"
    given = f' coordinate = "{name}"' if len(coordinates) > 1 else ""
    like = "a stop that yields" if word in LIMITS else "friction that creeps"
    return (
        f'for {like}, give a [[force]] with type = "joint_force", joint = "{joint.name}",{given} '
        f'{load} = "{law}"'
    )


def quoted(name: str) -> str:
    """The name of a joint as expressions have it."""
    return name if name.isidentifier() else f"'{name}'"
