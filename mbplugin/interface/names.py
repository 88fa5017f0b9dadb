"""Argument names of plugin functions, by role.

A function receives the arguments that it names, as in pluggy, so new names never break old plugins. `VERSION`
increases when a name is added; a plugin that uses an unknown name is refused with that name.
"""

from __future__ import annotations

VERSION = 6

INPUTS = {
    "m": "tuple of markers; of a kind for any number of them a list, m[k] and len(m)",
    "a": (
        "first marker: position `x` [m], axes `R` (nine numbers, row by row), velocity `v` [m/s], angular "
        "velocity `w` [rad/s], world axes"
    ),
    "b": "second marker",
    "p": "parameters, by name",
    "t": "time [s]",
    "u": (
        "parameters of type `Function`, by name: (value, first, second time derivative); of an expression "
        "that depends on the motion, derivatives with accelerations or reactions are nan"
    ),
    "mem": "(memory,) constant during a step, written by `accept` and `sample`; 0 at the start",
}

TANGENT = {
    "K": (
        "(6 markers, 6 markers) minus the derivative of the wrenches by displacements of the markers "
        "(translation, rotation), world axes; zero on entry"
    ),
    "D": (
        "(6 markers, 6 markers) minus the derivative of the wrenches by the velocities of the markers, "
        "world axes; zero on entry"
    ),
}

#: constants of a body
PLAN = {"p": "parameters", "ints": "integers of its plan"}

#: role of a function -> name -> meaning
NAMES: dict[str, dict[str, str]] = {
    "measure": INPUTS
    | {
        "value": "(rows,) value of the measure [m] or [rad]",
        "J": "(rows * 6 * markers,) Jacobian over [v, w] of each marker in turn, row by row",
        "bias": "(rows,) second derivative of the value without J times the twist rates [m/s²] or [rad/s²]",
    },
    "constraint": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "active": "(rows,) 1: the row holds; else not, as a slack rope or a limit that is not reached",
        "phi": "(rows,) residual [m] or [rad]",
        "G": "(rows * 6 * markers,) Jacobian over marker twists, row by row",
        "gamma": "(rows,) right-hand side of G (twist rates) = gamma [m/s²] or [rad/s²]",
        "phi_t": "(rows,) partial time derivative of the residual [m/s] or [rad/s]",
        "x_dot": "(states,) rates of the inner states, per second",
    },
    "force": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "s": "(measures,) values of the measures that the kind declares [m] or [rad]",
        "s_dot": "(measures,) their rates [m/s] or [rad/s]",
        "J": "(measures * 6 * markers,) their Jacobians over marker twists",
        "wrench": "(markers, 6) force [N] and torque about the marker [N·m], world axes",
        "x_dot": "(states,) rates of the inner states, per second",
        "energy": "(1,) potential energy [J]",
        "power": "(1,) power of the forces not derived from `energy` [W]",
    },
    "force_tangent": INPUTS
    | {
        "x": "(states,) inner states",
        "s": "(measures,) values of the measures that the kind declares [m] or [rad]",
        "s_dot": "(measures,) their rates [m/s] or [rad/s]",
    }
    | TANGENT,
    "measure_tangent": INPUTS
    | {
        "lam": "(rows,) loads; the wrenches are the transpose of J times these, without a D",
        "K": TANGENT["K"],
    },
    "constraint_tangent": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "lam": "(rows,) multipliers; the wrenches are the transpose of G times these",
        "K": TANGENT["K"],
    },
    "enforcement": {
        "p": "the row's numbers, by name",
        "t": "time [s]",
        "mem": "memory: constant during a step, written by `accept`",
        "phi": "deviation of the row [m] or [rad]",
        "phi_dot": "its rate [m/s] or [rad/s]",
        "load": "(1,) load along the row [N] or [N·m]; restoring: < 0 for a deviation > 0",
        "energy": "(1,) potential energy of the load [J]",
        "power": "(1,) power of the load not derived from `energy` [W]; < 0: dissipation",
    },
    "enforcement_tangent": {
        "p": "the row's numbers, by name",
        "t": "time [s]",
        "mem": "memory: constant during a step, written by `accept`",
        "phi": "deviation of the row [m] or [rad]",
        "phi_dot": "its rate [m/s] or [rad/s]",
        "slope": "(1,) derivative of the load by phi; < 0 for a spring; zero on entry",
        "slope_dot": "(1,) derivative of the load by phi_dot; < 0 for a damper; zero on entry",
    },
    "enforcement_accept": {
        "p": "the row's numbers, by name",
        "t": "time [s]",
        "mem": "memory",
        "phi": "deviation of the row [m] or [rad]",
        "load": "load along the row [N] or [N·m]",
        "mem_new": "(memory,) memory for the next step",
    },
    "accept": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "s": "(measures,) values of the measures that the kind declares [m] or [rad], if it has events",
        "s_dot": "(measures,) their rates [m/s] or [rad/s]",
        "mem_new": "(memory,) memory for the next step",
    },
    "sample": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "s": "(measures,) values of the measures that the kind declares [m] or [rad]",
        "s_dot": "(measures,) their rates [m/s] or [rad/s]",
        "x_new": "(states,) inner states after the sample; the same places as `x`",
        "mem_new": "(memory,) memory after the sample; the same places as `mem`",
    },
    "event": INPUTS
    | {
        "x": "(states,) inner states, in the units of `states`",
        "s": "(measures,) values of the measures that the kind declares [m] or [rad]",
        "s_dot": "(measures,) their rates [m/s] or [rad/s]",
        "event": "(events,) event functions, any unit; a step ends where one changes sign",
    },
    "prepare": {"q": "coordinates", "v": "velocities", **PLAN, "c": "scratch, written here"},
    "locate": {"q": "coordinates", "v": "velocities", **PLAN, "c": "scratch", "r": "point record"},
    "point_at": {
        "q": "coordinates",
        **PLAN,
        "c": "scratch",
        "x": "position of the new marker [m], world",
        "R": "its axes as nine numbers, row by row, marker to world",
        "r": "point record, written here",
        "part_number": "of a kind with parts: the part with which the marker moves",
        "face_number": "of a kind whose surface has faces: the triangle on which the marker is; −1: none",
    },
    "to_generalized_force": {
        "q": "coordinates",
        **PLAN,
        "c": "scratch",
        "r": "point record",
        "x": "position of the point [m], world",
        "force": "force at the point [N], world axes",
        "torque": "torque [N·m], world axes",
        "out": "generalized force, written here",
    },
    "rate": {"q": "coordinates", "v": "velocities", "q_dot": "rates of the coordinates"},
    "retract": {"q": "coordinates, changed in place: q ⊕ dq", "dq": "increment in velocity space"},
    "retract_tangent": {
        **PLAN,
        "dq": "increment in velocity space",
        "T": ("(nv, nv) with q ⊕ (dq + e) = (q ⊕ dq) ⊕ (T e) to first order in e; the unit matrix on entry"),
    },
    "normalise": {"q": "coordinates, changed in place", "v": "velocities"},
    "inertia": {
        "q": "coordinates",
        **PLAN,
        "c": "scratch",
        "M": "(nv * nv,) mass matrix, row by row; with `ends` by its profile",
        "ends": "(nv + 1,) of a sparse mass matrix: M_ij, j <= i, is M[ends[i + 1] - 1 - i + j]",
    },
    "internal": {
        "q": "coordinates",
        "v": "velocities",
        **PLAN,
        "c": "scratch",
        "h": "(nv,) gyroscopic and elastic forces; zero on entry",
        "power": "(1,) power of the forces not derived from `elastic` [W]; < 0: dissipation",
    },
    "geometric": {
        "q": "coordinates",
        "v": "velocities",
        **PLAN,
        "c": "scratch",
        "r": "point record",
        "x": "position of the point [m], world",
        "force": "force at the point [N], world axes",
        "torque": "torque [N·m], world axes",
        "K": (
            "(nv, nv) minus the derivative of the generalized force by increments of q at constant wrench; "
            "zero on entry; of a kind with parts over the velocities of the parts of the point"
        ),
        "E": (
            "(6, nv) derivative of the point's velocity and angular velocity by increments of q at constant "
            "v; zero on entry"
        ),
    },
    "own_tangent": {
        "q": "coordinates",
        "v": "velocities",
        **PLAN,
        "c": "scratch",
        "K": (
            "(nv, nv) minus the derivative of `internal` by increments of q; zero on entry; of a kind with "
            "parts the blocks of `coupled`, one after another, each row by row"
        ),
        "D": "(nv, nv) minus the derivative of `internal` by v; zero on entry; likewise",
    },
    "elastic": {"q": "coordinates", **PLAN, "c": "scratch", "energy": "(1,) potential energy [J]"},
    "nodes": {
        "q": "coordinates",
        "v": "velocities",
        **PLAN,
        "c": "scratch",
        "x": "(3 n,) positions of the nodes [m], world, written here",
        "u": "(3 n,) their velocities [m/s], world, written here",
    },
    "stress": {
        "q": "coordinates",
        "v": "velocities",
        **PLAN,
        "c": "scratch",
        "stress": (
            "(6 m,) Cauchy's stress at the m points of the cells, xx, yy, zz, xy, yz, xz of each [Pa], world "
            "axes, written here"
        ),
    },
}
