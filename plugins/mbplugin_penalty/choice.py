"""Stiffness and damping of each row: given, or chosen automatically.

    k = F / δ            F: load at t = 0, norm over the joint's rows of that unit;  δ: allowed deviation
    k ≤ m (ω h)² / h²    with ω h = 1/2, if the solver's step h is fixed;  m = 1/(G M⁻¹ Gᵀ)_rr
    d = 2 ζ √(k m)

F are the constraint forces of the assembled system, shared by redundant rows. A joint without torque gets
F ℓ, one without force T / ℓ, with ℓ² the ratio of its largest mass in radians to that in metres; one without
any load gets that of 1 g on its own masses. The predicted deviation is F / k.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import AUTO, POSITION_LEVEL, EnforcedRow
from mbplugin_penalty.parameters import PenaltyParameters

#: phase ω h of the fastest penalty oscillation in one fixed step
PHASE = 0.5
#: default of the allowed deviation of rows in metres, over the mechanism's size
DEVIATION = 1e-4
#: acceleration that gives the load of a joint without any at t = 0 [m/s²]
GRAVITY = 9.81


def loads(rows: list[EnforcedRow]) -> dict[str, float]:
    """Load of the joint's rows in metres [N] and in radians [N·m] at t = 0; a substitute if there is none."""
    load = {unit: sqrt(sum(row.load**2 for row in rows if row.unit == unit)) for unit in ("m", "rad")}
    mass = {unit: max((row.mass for row in rows if row.unit == unit), default=0.0) for unit in ("m", "rad")}
    arm = sqrt(mass["rad"] / mass["m"]) if mass["m"] > 0.0 and mass["rad"] > 0.0 else 1.0
    least = {"m": 1e-9 * GRAVITY * mass["m"], "rad": 1e-9 * GRAVITY * mass["rad"] / arm}
    unloaded = {unit: not load[unit] > least[unit] for unit in load}
    if unloaded["m"] and unloaded["rad"]:
        return {"m": GRAVITY * mass["m"], "rad": GRAVITY * mass["rad"] / arm}
    if unloaded["rad"]:
        load["rad"] = load["m"] * arm
    elif unloaded["m"]:
        load["m"] = load["rad"] / arm
    return load


def numbers(params: PenaltyParameters, rows: list[EnforcedRow]) -> list[dict[str, float]]:
    """stiffness, damping, allowed and predicted deviation of each row of a joint."""
    F = loads(rows)
    return [row_numbers(params, row, F[row.unit]) for row in rows]


def row_numbers(params: PenaltyParameters, row: EnforcedRow, F: float) -> dict[str, float]:
    """Numbers of one row under the load F [N] or [N·m]."""
    angular = row.unit == "rad"
    allowed = params.angular_deviation if angular else params.deviation or DEVIATION * row.size
    k, d = (
        (params.angular_stiffness, params.angular_damping) if angular else (params.stiffness, params.damping)
    )
    given = params.direction.get(row.label)
    if given is not None:
        k = k if given.stiffness is None else given.stiffness
        d = d if given.damping is None else given.damping
    if k == AUTO:
        k = F / allowed
        if row.step is not None:
            k = min(k, row.mass * (PHASE / row.step) ** 2)
    if row.level != POSITION_LEVEL:
        # Φ does not exist at velocity level: the damping that belongs to the stiffness
        d = 2.0 * params.damping_ratio * sqrt(k * row.mass) if d == AUTO else d
        return {"stiffness": 0.0, "damping": d, "allowed": 0.0, "predicted": 0.0}
    if d == AUTO:
        d = 2.0 * params.damping_ratio * sqrt(k * row.mass)
    return {"stiffness": k, "damping": d, "allowed": allowed, "predicted": F / k if k > 0.0 else 0.0}
