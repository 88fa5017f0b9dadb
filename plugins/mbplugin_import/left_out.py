"""What a model of MuJoCo has and a scene has not. Cameras, lights and textures are looks, and not listed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mbplugin_import.options import list_settings
from mbplugin_import.words import few

FREE, BALL = 0, 1
#: softness of an equality where a file gives none
SOFT = {"solref": [0.02, 1.0], "solimp": [0.9, 0.95, 0.001, 0.5, 2.0]}
#: counts of what a scene does not have: one, several
COUNTS = {
    "nsensor": ("sensor", "sensors"),
    "nflex": ("flex", "flexes"),
    "nskin": ("skin", "skins"),
    "nplugin": ("plugin", "plugins"),
    "nnumeric": ("custom number", "custom numbers"),
    "ntext": ("custom text", "custom texts"),
    "ntuple": ("custom tuple", "custom tuples"),
    "nuserdata": ("number of user data", "numbers of user data"),
    "npair": ("contact pair", "contact pairs"),
}
#: flag -> counts that it disables
DISABLED = {"sensor": ("nsensor",), "contact": ("npair",)}


def list_left_out(reader: Any) -> None:
    """Add it to the robot; actuators, equalities and tendons are listed where they are read."""
    model, left_out = reader.model, reader.robot.left_out
    list_of_joints(reader)
    passive = not {"spring", "damper"} <= reader.off  # whether MuJoCo has passive forces
    bodies = range(1, model.nbody)
    if passive and any(reader.robot.gravity):
        held = [reader.name("body", b) for b in bodies if model.body_gravcomp[b]]
        left_out.add("gravity compensation of {}", held, "body", "bodies")
    if passive and (model.opt.density or model.opt.viscosity):
        left_out.say("forces of the medium (density, viscosity, wind)")
    mocap = [reader.name("body", b) for b in bodies if model.body_mocapid[b] >= 0]
    left_out.add("motion by mocap of {}: they stay in their places", mocap, "body", "bodies")
    soft = [reader.name("eq", k) for k in reader.equalities if is_soft(model, k)]
    left_out.add("softness (solref, solimp) of {}", soft, "equality", "equalities")
    off = {field for flag in reader.off for field in DISABLED.get(flag, ())}
    for field, words in COUNTS.items():
        count = int(getattr(model, field, 0))
        if count and field not in off:
            left_out.say(f"{count} {words[count > 1]}")
    list_settings(model, reader.off, left_out)
    list_keyframes(reader)


def list_of_joints(reader: Any) -> None:
    """Add what joints have."""
    model, left_out, off = reader.model, reader.robot.left_out, reader.off
    joints = range(model.njnt)

    def having(name: str, flag: str = "") -> list[int]:
        """Joints of which an array of joints or of velocities has something, unless a flag disables it."""
        array = np.asarray(getattr(model, name, np.zeros(model.nv + model.njnt)))
        at = reader.dofs if name.startswith("dof") else lambda j: j
        return [j for j in joints if array[at(j)].any() and flag not in off]

    limited, rubbing = having("jnt_limited", "limit"), having("dof_frictionloss", "frictionloss")
    kept = {joint.name for joint in reader.robot.joints if joint.type == "ball"}
    balls = {j for j in joints if reader.joint[j][0] in kept}
    bounded = {j for j in joints if (reader.joint[j][1] or j in balls) and reader.params.limits}
    held = bounded & {*limited, *rubbing}
    round_ones = {j for j in joints if model.jnt_type[j] in (FREE, BALL)}
    listed: dict[str, Iterable[int]] = {
        "limits": [j for j in limited if j not in bounded],
        "friction loss": [j for j in rubbing if j not in bounded],
        "ranges of the motor force": reader.shared,
        "softness or margin of limits and friction": {j for j in held if yields(model, reader.dofs(j), j)},
        "stiffness": round_ones & set(having("jnt_stiffness", "spring")) - balls,
        "damping": round_ones & set(having("dof_damping", "damper")) - balls,
        "friction loss about each axis, instead of that of swing and twist,": balls & {*rubbing} & bounded,
        "armature": round_ones & set(having("dof_armature")),
        "nonlinear stiffness": having("jnt_stiffnesspoly", "spring"),
        "nonlinear damping": having("dof_dampingpoly", "damper"),
        "yielding of springs": having("jnt_springyield", "spring"),
    }
    for what, numbers in listed.items():
        names = [reader.name("jnt", j, reader.joint[j][0]) for j in sorted(numbers)]
        left_out.add(what + " of {}", names, "joint", "joints")
    for flag, array in (("spring", "jnt_stiffness"), ("damper", "dof_damping")):
        if flag in off and np.any(getattr(model, array)):
            left_out.say(f'{flag}s of joints, switched off by <flag {flag}="disable"/>')


def list_keyframes(reader: Any) -> None:
    """Add the keyframes that are not the start, and what the chosen one has beside positions and speeds."""
    model, left_out, wanted = reader.model, reader.robot.left_out, reader.params.keyframe
    keys = [reader.name("key", k) for k in range(model.nkey)]
    others = [key for key in keys if key != wanted]
    if others and not wanted:
        left_out.say(f"{few(others, 'keyframe', 'keyframes')}; choose one: --set keyframe={others[0]}")
    elif others:
        left_out.say(f"{len(others)} other keyframe{'s' if len(others) > 1 else ''}")
    if reader.key is None:
        return
    for field, what in (("key_act", "activations"), ("key_time", "time"), ("key_plastic", "plastic state")):
        values = np.asarray(getattr(model, field, np.zeros((model.nkey, 1))))
        if values[reader.key].any():
            left_out.say(f"{what} of the keyframe {wanted}")


def yields(model: Any, dofs: slice, j: int) -> bool:
    """Whether the file says how soft limits and friction of a joint are, or from where on limits act."""
    given = {"solref": (model.jnt_solref[j], model.dof_solref[dofs][0])}
    given["solimp"] = (model.jnt_solimp[j], model.dof_solimp[dofs][0])
    soft = any(not np.array_equal(one, SOFT[name]) for name, those in given.items() for one in those)
    return soft or bool(model.jnt_margin[j])


def is_soft(model: Any, k: int) -> bool:
    """Whether the file says how soft an equality is."""
    given = {"solref": model.eq_solref[k], "solimp": model.eq_solimp[k]}
    return any(not np.array_equal(given[name], default) for name, default in SOFT.items())
