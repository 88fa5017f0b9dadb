"""The names that an author's functions may ask for, and what each of them is.

A function gets the arguments that it names, as in pluggy, so new names never break old plugins. `VERSION`
grows when a name is added;
a plugin that asks for a name that this version lacks is refused with that name.
"""

from __future__ import annotations

VERSION = 2

INPUTS = {
    "m": "tuple of markers",
    "a": "first marker",
    "b": "second marker",
    "p": "parameters, by name",
    "t": "time [s]",
    "u": "bound functions of time, by name: (value, first, second derivative)",
    "mem": "memory: constant during a step, written by `accept`",
}

TANGENT = {
    "K": "(6 markers, 6 markers) minus the derivative of the wrenches by displacements of the markers (shift, turn), world axes; begins as zero",
    "D": "(6 markers, 6 markers) minus the derivative of the wrenches by the velocities of the markers, world axes; begins as zero",
}

#: role of a function -> name -> meaning
NAMES: dict[str, dict[str, str]] = {
    "measure": INPUTS
    | {
        "value": "(rows,) value of the measure [m] or [rad]",
        "J": "(rows * 6 * markers,) Jacobian over [v, w] of each marker in turn, row by row",
        "bias": "(rows,) what the second derivative has beside J times the twist rates",
    },
    "constraint": INPUTS
    | {
        "x": "inner states",
        "phi": "(rows,) residual [m] or [rad]",
        "G": "(rows * 6 * markers,) Jacobian over marker twists, row by row",
        "gamma": "(rows,) right-hand side of G (twist rates) = gamma",
        "phi_t": "(rows,) partial time derivative of the residual",
        "x_dot": "rates of the inner states",
    },
    "force": INPUTS
    | {
        "x": "inner states",
        "s": "(measures,) values of the measures that the kind declares",
        "s_dot": "(measures,) their rates",
        "J": "(measures * 6 * markers,) their Jacobians over marker twists",
        "wrench": "(markers, 6) force [N] and torque about the marker [N·m], world axes",
        "x_dot": "rates of the inner states",
        "energy": "(1,) potential energy [J]",
        "power": "(1,) power of what is not derived from `energy` [W]",
    },
    "force_tangent": INPUTS | {"x": "inner states"} | TANGENT,
    "measure_tangent": INPUTS
    | {
        "lam": "(rows,) loads: the wrenches are the transpose of J times them, and have no D",
        "K": TANGENT["K"],
    },
    "constraint_tangent": INPUTS
    | {
        "x": "inner states",
        "lam": "(rows,) multipliers: the wrenches are the transpose of G times them",
        "K": TANGENT["K"],
    },
    "enforcement": {
        "p": "the row's numbers, by name",
        "t": "time [s]",
        "mem": "memory: constant during a step, written by `accept`",
        "phi": "deviation of the row [m] or [rad]",
        "phi_dot": "its rate",
        "load": "(1,) load along the row, that of a deviation > 0 being < 0 where it is held [N] or [N·m]",
        "energy": "(1,) energy behind it [J]",
        "power": "(1,) power of what is not derived from `energy` [W]: < 0 where it is dissipated",
    },
    "enforcement_accept": {
        "p": "the row's numbers, by name",
        "t": "time [s]",
        "mem": "memory",
        "phi": "deviation of the row [m] or [rad]",
        "load": "load along the row",
        "mem_new": "memory for the next step",
    },
    "accept": INPUTS
    | {"x": "inner states", "lam": "(rows,) multipliers", "mem_new": "memory for the next step"},
    "event": INPUTS | {"x": "inner states", "event": "event functions; a step ends where one changes sign"},
    "prepare": {"q": "coordinates", "v": "velocities", "p": "parameters", "c": "scratch, filled here"},
    "locate": {"q": "coordinates", "v": "velocities", "p": "parameters", "c": "scratch", "r": "point record"},
    "to_generalized_force": {
        "q": "coordinates",
        "p": "parameters",
        "c": "scratch",
        "r": "point record",
        "x": "position of the point",
        "force": "force at the point",
        "torque": "torque",
        "out": "generalized force, written here",
    },
    "rate": {"q": "coordinates", "v": "velocities", "q_dot": "rates of the coordinates"},
    "retract": {"q": "coordinates, changed in place: q ⊕ dq", "dq": "increment in velocity space"},
    "normalise": {"q": "coordinates, changed in place"},
    "inertia": {
        "q": "coordinates",
        "p": "parameters",
        "c": "scratch",
        "M": "(nv * nv,) mass matrix, row by row",
    },
    "internal": {
        "q": "coordinates",
        "v": "velocities",
        "p": "parameters",
        "c": "scratch",
        "h": "gyroscopic and elastic forces",
    },
    "geometric": {
        "q": "coordinates",
        "v": "velocities",
        "p": "parameters",
        "c": "scratch",
        "r": "point record",
        "x": "position of the point",
        "force": "force at the point",
        "torque": "torque",
        "K": "(nv, nv) minus the derivative of the generalized force by increments of q, the wrench held; begins as zero",
        "E": "(6, nv) derivative of the point's velocity and angular velocity by increments of q, v held; begins as zero",
    },
    "own_tangent": {
        "q": "coordinates",
        "v": "velocities",
        "p": "parameters",
        "c": "scratch",
        "K": "(nv, nv) minus the derivative of `internal` by increments of q; begins as zero",
        "D": "(nv, nv) minus its derivative by v; begins as zero",
    },
    "elastic": {"q": "coordinates", "p": "parameters", "c": "scratch", "energy": "(1,) potential energy [J]"},
}
