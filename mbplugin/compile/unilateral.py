"""Keys that other programs give joints, and that need unilateral elements: limits, dry friction, efforts."""

from __future__ import annotations

import re
from typing import Any

from mbplugin.compile.parameters import of_kind
from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint

#: words of such keys, as in max_angle, lowerLimit, static_friction
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
#: keys that joints had, and their names now
RENAMED = {"free": "rest"}
BOUND = re.compile("min|max|minimum|maximum|low|high|lower|upper|limits?|bounds?|range|stops?")
FRICTION = re.compile("friction|frictionloss")
EFFORT = re.compile("effort|force|torque|velocity|speed|power")
PLACE = re.compile(
    "angle|rotation|turn|twist|swing|length|position|translation|displacement|extension|travel|stroke|joint|"
    "coordinate|value|hard|soft|rad|deg|degrees|x|y|z"
)


def refuse_unilateral(joint: Joint, kind: type[ConstraintKind], key: str) -> None:
    """Raises SceneError for a key of a joint that has another name now or needs unilateral elements, with
    what to write instead.
    """
    for word, value in joint.raw.items():
        if of_kind(kind, word):
            continue
        if word in RENAMED:
            raise SceneError(f"{key}.{word}", value, f"is called `{RENAMED[word]}`")
        if meant := meaning(word):
            mend = f"{meant} of joints come with unilateral elements, which this version does not have"
            raise SceneError(f"{key}.{word}", value, f"{mend}; {instead(meant, joint, kind)}")


def meaning(key: str) -> str:
    """What a key asks for that needs unilateral elements; "" if nothing."""
    words = [word.lower() for word in WORD.findall(key)]
    bounded = any(map(BOUND.fullmatch, words))
    if any(map(FRICTION.fullmatch, words)):
        return "dry friction"
    if words == ["effort"] or (bounded and any(map(EFFORT.fullmatch, words))):
        return "limited efforts"
    return (
        "limits" if bounded and all(BOUND.fullmatch(word) or PLACE.fullmatch(word) for word in words) else ""
    )


def instead(meant: str, joint: Joint, kind: type[ConstraintKind]) -> str:
    """What to write today."""
    coordinates: dict[str, Any] = {**kind.coordinates, **(kind.planar_coordinates or {})}
    if not coordinates:
        return "leave it out"
    name = next(iter(coordinates))
    s = f"{quoted(joint.name)}.{name}"
    load = "force" if name in ("length", "x", "y", "z") else "torque"
    if meant == "limited efforts":
        return (
            f'leave it out, and limit the {load} where it is given: {load} = "max(-10, min(10, ...))" of a '
            '[[force]] of type "joint_force"'
        )
    law = f"-1e4*max({s} - 1, 0)" if meant == "limits" else f"-0.1*tanh(rate({s})/1e-3)"
    given = f' coordinate = "{name}"' if len(coordinates) > 1 else ""
    like = "a stop that yields" if meant == "limits" else "friction that creeps"
    return (
        f'for {like}, give a [[force]] with type = "joint_force", joint = "{joint.name}",{given} '
        f'{load} = "{law}"'
    )


def quoted(name: str) -> str:
    """The name of a joint as expressions have it."""
    return name if name.isidentifier() else f"'{name}'"
