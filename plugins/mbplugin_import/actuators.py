"""Actuators of MuJoCo as inputs and forces on coordinates.

    f = gain u + bias,  gain, bias = p₀ + p₁ l + p₂ l̇,  l = Σ cᵢ sᵢ;      cᵢ f acts on the coordinate sᵢ

u is the input of the actuator's name. Ranges of controls and forces are limits, and left out.
"""

from __future__ import annotations

from typing import Any

from mbplugin_import.equalities import tendon_sum
from mbplugin_import.words import few, total

AT_JOINT, AT_JOINT_IN_PARENT, AT_TENDON = 0, 1, 3
FIXED, AFFINE = 0, 1  # types of gains; of biases: none, affine


def add_actuators(reader: Any) -> None:
    """Add an input for each actuator of a coordinate or of a fixed tendon, and its forces."""
    model, robot = reader.model, reader.robot
    left_out, ranged = [], []
    used: set[int] = set()
    for k in range(model.nu):
        name = reader.name("actuator", k)
        terms = driven(reader, k)
        simple = int(model.actuator_dyntype[k]) == 0
        affine = all(int(getattr(model, f"actuator_{t}type")[k]) in (FIXED, AFFINE) for t in ("gain", "bias"))
        if terms is None or not simple or not affine:
            left_out.append(name)
            continue
        if int(model.actuator_trntype[k]) == AT_TENDON:
            used.add(int(model.actuator_trnid[k, 0]))
        if model.actuator_ctrllimited[k] or model.actuator_forcelimited[k]:
            ranged.append(name)
        add_actuator(reader, k, reader.signals.new(name), terms)
    if left_out:
        robot.left_out.append(few(left_out, "actuator", "actuators"))
    if ranged:
        robot.left_out.append(f"ranges of {few(ranged, 'actuator', 'actuators')}")
    acting = (
        "tendon_stiffness",
        "tendon_damping",
        "tendon_armature",
        "tendon_frictionloss",
        "tendon_limited",
    )
    kept = [
        t for t in range(model.ntendon) if t in used and not any(getattr(model, a)[t].any() for a in acting)
    ]
    others = [reader.name("tendon", t) for t in range(model.ntendon) if t not in kept]
    if others:
        robot.left_out.append(few(others, "tendon", "tendons"))


def driven(reader: Any, k: int) -> list[tuple[float, str]] | None:
    """Factors and coordinates that an actuator acts on; None if a scene has no such transmission."""
    model = reader.model
    gear, target = float(model.actuator_gear[k, 0]), int(model.actuator_trnid[k, 0])
    kind = int(model.actuator_trntype[k])
    if kind in (AT_JOINT, AT_JOINT_IN_PARENT):
        name, coordinate = reader.joint[target]
        return [(gear, f"{name}.{coordinate}")] if coordinate else None
    if kind == AT_TENDON:
        terms = tendon_sum(reader, target)
        return None if terms is None else [(gear * c, s) for c, s in terms]
    return None


def add_actuator(reader: Any, k: int, name: str, terms: list[tuple[float, str]]) -> None:
    """Add the input and the forces of one actuator."""
    model, robot = reader.model, reader.robot
    gain = [float(p) for p in model.actuator_gainprm[k][:3]]
    bias = [float(p) for p in model.actuator_biasprm[k][:3]]
    if int(model.actuator_gaintype[k]) == FIXED:
        gain[1:] = 0.0, 0.0
    if int(model.actuator_biastype[k]) == 0:
        bias = [0.0] * 3
    length = [(c, s) for c, s in terms]
    rate = [(c, f"rate({s})") for c, s in terms]
    affine = lambda p: [(p[0], ""), *((p[1] * c, s) for c, s in length), *((p[2] * c, s) for c, s in rate)]
    control = f"{gain[0]!r}*{name}" if not any(gain[1:]) else f"({total(affine(gain))})*{name}"
    rest = total(affine(bias))
    force = control if rest == "0" else f"{control} + {rest}"
    start = float(reader.ctrl[k])
    robot.inputs.append({"name": name, **({"start": start} if start else {})})
    if len(terms) > 1:
        variable = reader.signals.new(f"{name}_force")
        robot.variables.append({"name": variable, "value": force})
        force = variable
    for c, s in terms:
        joint, _, coordinate = s.partition(".")
        key = "torque" if coordinate == "angle" else "force"
        value = force if c == 1.0 else f"{c!r}*({force})"
        label = name if len(terms) == 1 else reader.signals.new(f"{name}_{joint}")
        robot.forces.append({"name": label, "type": "joint_force", "joint": joint, key: value})
