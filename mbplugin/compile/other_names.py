"""Names that other programs give to limits, dry friction and limited efforts of joints, and ours."""

from __future__ import annotations

import re

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
SOFT = re.compile("stiffness|spring|damping|damper|compliance|cushion")
EFFORT = re.compile("effort|force|torque|velocity|speed|power")
PLACE = re.compile(
    "angle|rotation|turn|twist|swing|length|position|translation|displacement|extension|travel|stroke|joint|"
    "coordinate|value|hard|soft|rad|deg|degrees|x|y|z"
)


def refuse_other_names(joint: Joint, kind: type[ConstraintKind], key: str) -> None:
    """Raises SceneError for a key of a joint that has another name here, with that name."""
    for word, value in joint.raw.items():
        if of_kind(kind, word):
            continue
        if word in RENAMED:
            raise SceneError(f"{key}.{word}", value, f"is called `{RENAMED[word]}`")
        if mend := ours(word):
            raise SceneError(f"{key}.{word}", value, mend)


def ours(key: str) -> str:
    """Advice what to write instead of a key that asks for a limit, friction or a limited effort; "" for
    others.
    """
    words = [word.lower() for word in WORD.findall(key)]
    bounded = any(map(BOUND.fullmatch, words))
    if any(map(FRICTION.fullmatch, words)):
        return "dry friction is called `friction`, a coefficient, or `friction_torque` or `friction_force`"
    if bounded and any(map(SOFT.fullmatch, words)):
        return "limits that yield have `stop_stiffness` and `stop_damping` beside `limits`"
    if words == ["effort"] or (bounded and any(map(EFFORT.fullmatch, words))):
        return "a largest effort is the `effort_limit` of a [[motion]]"
    if bounded and all(BOUND.fullmatch(word) or PLACE.fullmatch(word) for word in words):
        return "limits are called `limits`, such as limits = [-1, 1]"
    return ""
