"""Actuators of MuJoCo as inputs, motors and forces on coordinates.

    f = gain u + bias,  gain, bias = p₀ + p₁ l + p₂ l̇,  l = Σ cᵢ sᵢ;      cᵢ f acts on the coordinate sᵢ

u is the input of the actuator's name. With a constant gain g and bias b₀ − k l − d l̇, k, d ≥ 0, of one
coordinate c f = c (g u + b₀) − c² k s − c² d ṡ is that of a motor. Others are expressions, with their ranges.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from mbplugin_import.equalities import TENDON as RELATION_OF_TENDONS
from mbplugin_import.equalities import tendon_sum
from mbplugin_import.options import is_disabled
from mbplugin_import.words import clamped, total

Range = tuple[float, float]

AT_JOINT, AT_JOINT_IN_PARENT, AT_TENDON = 0, 1, 3
FIXED, AFFINE = 0, 1  # types of gains; of biases: none, affine
#: what a tendon has beside its length: fields, the flag that disables it
OF_TENDONS = {
    "stiffness": (("stiffness", "stiffnesspoly", "springyield"), "spring"),
    "damping": (("damping", "dampingpoly"), "damper"),
    "armature": (("armature",), ""),
    "friction loss": (("frictionloss",), "frictionloss"),
    "limits": (("limited",), "limit"),
    "ranges of the motor force": (("actfrclimited",), "actuation"),
}


def add_actuators(reader: Any) -> None:
    """Add an input for each actuator of a coordinate or of a fixed tendon, and its forces."""
    model, robot = reader.model, reader.robot
    drop = lambda text, name: robot.left_out.add(text, [name], "actuator", "actuators")
    used: set[int] = set()
    kept: list[tuple[int, str, list[tuple[float, str]]]] = []
    for k in range(len(model.actuator_trntype)):
        name = reader.name("actuator", k)
        terms = driven(reader, k)
        simple = int(model.actuator_dyntype[k]) == 0 and place(model, "ctrlnum", k, 1) == 1
        affine = all(int(getattr(model, f"actuator_{t}type")[k]) in (FIXED, AFFINE) for t in ("gain", "bias"))
        if "actuation" in reader.off or is_disabled(model, k):
            drop("{} that the file switches off", name)
            continue
        if terms is None or not simple or not affine:
            drop("{}", name)
            continue
        if int(model.actuator_trntype[k]) == AT_TENDON:
            used.add(int(model.actuator_trnid[k, 0]))
        if not reader.params.limits and any(ranges_of(reader, k)):
            drop("ranges of {}", name)
        if place(model, "delay", k, 0):
            drop("delays of {}", name)
        if np.any(place(model, "dampingpoly", k, 0)):
            drop("nonlinear damping of {}", name)
        kept.append((k, reader.signals.new(name), terms))
    acting = Counter(s for _, _, terms in kept for _, s in terms)
    of_joints = ranges_at_joints(reader, acting)
    for k, name, terms in kept:
        add_actuator(reader, k, name, terms, of_joints)
    list_tendons(reader, used)


def ranges_of(reader: Any, k: int) -> tuple[Range | None, Range | None]:
    """Of the control and of the force of an actuator; None where there is none."""
    model, at = reader.model, place(reader.model, "ctrladr", k, k)
    controlled = model.actuator_ctrllimited[at] and "clampctrl" not in reader.off
    return (
        tuple(model.actuator_ctrlrange[at].tolist()) if controlled else None,
        tuple(model.actuator_forcerange[k].tolist()) if model.actuator_forcelimited[k] else None,
    )


def ranges_at_joints(reader: Any, acting: Counter[str]) -> dict[str, Range]:
    """Coordinate -> the range of what one actuator exerts on it; those that several share are left out."""
    model, ranges = reader.model, {}
    limited = getattr(model, "jnt_actfrclimited", np.zeros(model.njnt))
    for j, joint in reader.joint.items():
        s = ".".join(joint)
        if not (limited[j] and acting[s]):
            continue
        if acting[s] > 1 or not reader.params.limits:
            reader.shared.add(j)
        else:
            ranges[s] = tuple(model.jnt_actfrcrange[j].tolist())
    return ranges


def list_tendons(reader: Any, used: set[int]) -> None:
    """Add tendons that nothing of the scene reads, and what those that are read have beside their length."""
    model, left_out = reader.model, reader.robot.left_out
    tendons = range(model.ntendon)
    for k in reader.equalities:
        if int(model.eq_type[k]) == RELATION_OF_TENDONS:
            used |= {int(model.eq_obj1id[k]), int(model.eq_obj2id[k])}
    others = [reader.name("tendon", t) for t in tendons if t not in used]
    left_out.add("{}", others, "tendon", "tendons")
    for what, (fields, flag) in OF_TENDONS.items():
        arrays = [np.asarray(getattr(model, f"tendon_{f}", np.zeros(model.ntendon))) for f in fields]
        having = [t for t in sorted(used & set(tendons)) if flag not in reader.off]
        names = [reader.name("tendon", t) for t in having if any(array[t].any() for array in arrays)]
        left_out.add(what + " of {}", names, "tendon", "tendons")


def of_actuators(model: Any, j: int) -> tuple[float, float]:
    """Damping and armature that actuators add to a joint with one coordinate, gear² times their own."""
    at_joints = np.isin(model.actuator_trntype, (AT_JOINT, AT_JOINT_IN_PARENT))
    those = np.flatnonzero(at_joints & (model.actuator_trnid[:, 0] == j)).tolist()
    gears = [float(model.actuator_gear[place(model, "outadr", k, k), 0]) for k in those]
    damping, armature = (
        sum(float(place(model, what, k, 0.0)) * gear**2 for k, gear in zip(those, gears))
        for what in ("damping", "armature")
    )
    return damping, armature


def place(model: Any, field: str, k: int, default: Any) -> Any:
    """A field of an actuator that older versions of mujoco do not have."""
    array = getattr(model, f"actuator_{field}", None)
    return default if array is None else array[k]


def driven(reader: Any, k: int) -> list[tuple[float, str]] | None:
    """Factors and coordinates that an actuator acts on; None if a scene has no such transmission."""
    model = reader.model
    gear = float(model.actuator_gear[place(model, "outadr", k, k), 0])
    target, kind = int(model.actuator_trnid[k, 0]), int(model.actuator_trntype[k])
    if kind in (AT_JOINT, AT_JOINT_IN_PARENT):
        name, coordinate = reader.joint[target]
        return [(gear, f"{name}.{coordinate}")] if coordinate else None
    if kind == AT_TENDON:
        terms = tendon_sum(reader, target)
        return None if terms is None else [(gear * c, s) for c, s in terms]
    return None


def add_actuator(
    reader: Any, k: int, name: str, terms: list[tuple[float, str]], of_joints: dict[str, Range]
) -> None:
    """Add the input and the forces of one actuator."""
    model, robot = reader.model, reader.robot
    gain = [float(p) for p in model.actuator_gainprm[k][:3]]
    bias = [float(p) for p in model.actuator_biasprm[k][:3]]
    if int(model.actuator_gaintype[k]) == FIXED:
        gain[1:] = 0.0, 0.0
    if int(model.actuator_biastype[k]) == 0:
        bias = [0.0] * 3
    rate = [(c, f"rate({s})") for c, s in terms]
    affine = lambda p: [(p[0], ""), *((p[1] * c, s) for c, s in terms), *((p[2] * c, s) for c, s in rate)]
    of_control, of_force = ranges_of(reader, k) if reader.params.limits else (None, None)
    u = name if of_control is None else clamped(name, *of_control)
    control = f"{gain[0]!r}*{u}" if not any(gain[1:]) else f"({total(affine(gain))})*{u}"
    rest = total(affine(bias))
    force = control if rest == "0" else f"{control} + {rest}"
    if of_force is not None:
        force = clamped(force, *of_force)
    start = float(reader.ctrl[place(model, "ctrladr", k, k)])
    robot.inputs.append({"name": name, **({"start": start} if start else {})})
    if len(terms) == 1 and not any(gain[1:]):
        c, s = terms[0]
        demand = [(c * gain[0], u), (c * bias[0], "")]
        keys = motor(demand, -c * c * bias[1], -c * c * bias[2], effort_limit(c, of_force, of_joints.get(s)))
        if keys is not None:
            joint, _, coordinate = s.partition(".")
            at = {"joint": joint, **({"coordinate": coordinate} if joint in reader.merged else {})}
            robot.forces.append({"name": name, "type": "motor", **at, **keys})
            return
    if len(terms) > 1:
        variable = reader.signals.new(f"{name}_force")
        robot.variables.append({"name": variable, "value": force})
        force = variable
    for c, s in terms:
        joint, _, coordinate = s.partition(".")
        key = "torque" if coordinate == "angle" else "force"
        value = force if c == 1.0 else f"{c!r}*({force})"
        if s in of_joints:
            value = clamped(value, *of_joints[s])
        label = name if len(terms) == 1 else reader.signals.new(f"{name}_{joint}")
        table = {"name": label, "type": "joint_force", "joint": joint, key: value}
        robot.forces.append({**table, **({"coordinate": coordinate} if joint in reader.merged else {})})


def motor(
    demand: list[tuple[float, str]], stiffness: float, damping: float, limit: float | None
) -> dict[str, Any] | None:
    """Keys of a motor that exerts Σ demand − stiffness s − damping ṡ within a limit, math.inf if it has none;
    None if no motor does: a gain is negative, or limit is None.
    """
    if stiffness < 0.0 or damping < 0.0 or limit is None:
        return None
    mode = "position" if stiffness else "velocity" if damping else "torque"
    size = stiffness or damping or 1.0
    target = [(number / size, word) for number, word in demand]
    gains = {"stiffness": stiffness, "damping": damping, "effort_limit": limit if limit < math.inf else 0.0}
    text = target[0][1] if target[0][0] == 1.0 and not target[1][0] else total(target)
    return {"mode": mode, "target": text, **{key: value for key, value in gains.items() if value}}


def effort_limit(c: float, of_force: Range | None, of_joint: Range | None) -> float | None:
    """Largest |c f| of a force f in its range that acts by the factor c in that of the joint; math.inf
    without ranges, None where one is not symmetric.
    """
    limit = math.inf
    for factor, given in ((abs(c), of_force), (1.0, of_joint)):
        if given is None:
            continue
        if given[0] != -given[1] or not given[1] > 0.0:
            return None
        limit = min(limit, factor * given[1])
    return limit
