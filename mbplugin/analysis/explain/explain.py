"""The equations of a small model at t = 0 as a page with its numbers, and as a script in plain numpy that
needs nothing of this package.

M v̇ = h + Gᵀ λ,   G v̇ = γ     →     X = M⁻¹ Gᵀ,  Y = M⁻¹ h,  (G X) λ = γ − G Y,  v̇ = Y + X λ
reaction of a joint on its second body:  (F, T) = G_mᵀ λ over the joint's own rows
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.analysis.explain import formulas
from mbplugin.analysis.explain.joint_section import joint_section
from mbplugin.analysis.rank.rank import joint_rows
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Measure
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Rates, Rows, State

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Equations:
    """All numbers at the assembled initial state. reactions: joint -> (its rows, (rows, 6) G_m of its last
    marker).
    """

    M: Array
    h: Array
    Phi: Array
    G: Array
    gamma: Array
    v_dot: Array
    lam: Array
    velocities: list[str]
    rows: list[str]
    reactions: dict[str, tuple[list[int], Array]]
    sections: list[str]
    joint: list[str] = field(default_factory=list)  # paragraphs on joint coordinates, if the solver has them


def equations(prepared: Any, registry: Registry) -> Equations:
    """The equations of a `run.prepare.Prepared` at t = 0, and what the engine makes of them."""
    problem = prepared.problem
    integrator = prepared.start(1.0)
    integrator.show(0.0)
    prepared.recorder.frame()
    v_dot, lam = problem[Rates].v_dot.copy(), problem[Rows].lam.copy()
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    phi, _ = problem.residuals(t, q, v)
    active = np.flatnonzero(problem.on)
    place = {int(r): k for k, r in enumerate(active)}
    names = [f"{r.owner}: {r.label} [{r.unit}]" for r in problem.names.rows]
    return Equations(
        M,
        h,
        phi[active],
        G[active],
        gamma[active],
        v_dot,
        lam[active],
        velocities=velocity_names(problem),
        rows=[names[r] for r in active],
        reactions=reactions(problem, place),
        sections=formula_sections(problem, registry),
        joint=in_joint_coordinates(prepared),
    )


def in_joint_coordinates(prepared: Any) -> list[str]:
    """Markdown paragraphs on the joint coordinates of a system; none if the solver uses those of bodies."""
    if prepared.joint is None:
        return []
    return joint_section(prepared.joint.begin(prepared.problem), prepared.joint.folded, matrix)


def velocity_names(problem: Problem) -> list[str]:
    """Body and number of each velocity, in the order of v."""
    body = problem.names.body
    return [f"{body(i)}.v{k}" for i, row in enumerate(problem[Bodies].index) for k in range(row.nv)]


def reactions(problem: Problem, place: dict[int, int]) -> dict[str, tuple[list[int], Array]]:
    """Joint -> places of its active rows, and (rows, 6) G_m of its last marker."""
    found = {}
    for joint in problem.names.joints:
        rows, G_marker = joint_rows(problem, joint)
        active = [k for k, r in enumerate(rows.tolist()) if r in place]
        found[joint.name] = [place[r] for r in rows[active].tolist()], G_marker[active]
    return found


def formula_sections(problem: Problem, registry: Registry) -> list[str]:
    """Markdown sections: each kind of joint in the model with the names of its joints, and the measures that
    its rows and motions are made of.
    """
    joints: dict[Any, list[str]] = {}
    measures: list[Measure] = []
    for number, joint in enumerate(problem.names.joints):
        joints.setdefault(joint.kind, []).append(joint.name)
        driven = [
            c.name.rpartition(".")[2]
            for c in problem.names.coordinates
            if c.joint == number and c.motion_rows
        ]
        measures += formulas.measures_of(joint.kind, driven, registry.measure)
    sections = [
        f"### Joints of type `{kind.name}`: {', '.join(names)}\n\n{formulas.of_kind(kind)}"
        for kind, names in joints.items()
    ]
    found = formulas.of_measures(measures, "####")
    return [formulas.WORDS, *sections, *(["### Measures in the rows", *found] if found else [])]


def matrix(name: str, values: Array) -> str:
    """A matrix in LaTeX."""
    rows = np.atleast_2d(values)
    body = r" \\ ".join(" & ".join(number(x) for x in row) for row in rows)
    return f"$$\n{name} = \\begin{{bmatrix}} {body} \\end{{bmatrix}}\n$$"


def number(x: float) -> str:
    text = f"{x:.6g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}"


def page(name: str, e: Equations, further: Sequence[str] = ()) -> str:
    """The equations as Markdown with LaTeX; further: paragraphs behind them."""
    parts = [
        f"# {name} at t = 0",
        "Velocities $v$ of rigid bodies in space are those of the mass centre along the world's axes and the "
        "angular velocity along the body's principal axes.",
        "| | velocity |\n|---|---|\n"
        + "\n".join(f"| $v_{{{k}}}$ | {v} |" for k, v in enumerate(e.velocities)),
        "## Constraints\n\nEvery row says $\\Phi(q, t) = 0$, with $\\dot\\Phi = G v + \\Phi_t$ and "
        "$\\ddot\\Phi = G \\dot v - \\gamma$; one of velocities (rolling, a speed that is given) says "
        "$\\dot\\Phi = 0$ alone, one of accelerations $\\ddot\\Phi = 0$.",
        "| row | joint: what it holds | $\\Phi$ |\n|---|---|---|\n"
        + "\n".join(f"| {k} | {r} | {phi:.3g} |" for k, (r, phi) in enumerate(zip(e.rows, e.Phi))),
        *e.sections,
        "## Equations of motion\n\n$$\nM \\dot v = h + G^T \\lambda, \\qquad G \\dot v = \\gamma\n$$",
        matrix("M", e.M),
        matrix("h^T", e.h),
        matrix("G", e.G),
        matrix(r"\gamma^T", e.gamma),
        "## Constraint forces first\n\n$$\nX = M^{-1} G^T, \\quad Y = M^{-1} h, \\quad "
        "(G X)\\, \\lambda = \\gamma - G Y, \\quad \\dot v = Y + X \\lambda\n$$",
        matrix(r"\lambda^T", e.lam),
        matrix(r"\dot v^T", e.v_dot),
        "## Reactions\n\nForce and torque on the second body about its marker, world axes, from "
        "the rows of the "
        "joint: $(F, T) = G_m^T \\lambda$.",
    ]
    for joint, (rows, G_marker) in e.reactions.items():
        forces = ", ".join(f"\\lambda_{{{r}}}" for r in rows)
        parts.append(f"### {joint}\n\n" + matrix(f"({forces})\\, G_m", e.lam[rows] @ G_marker))
    return "\n\n".join([*parts, *e.joint, *further]) + "\n"


def script(name: str, e: Equations) -> str:
    """A numpy script that finds the accelerations and reactions again."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=160):
        arrays = {
            key: np.array2string(value, separator=", ")
            for key, value in {"M": e.M, "h": e.h, "G": e.G, "gamma": e.gamma, "expected": e.v_dot}.items()
        }
        joints = "".join(
            f"    {joint!r}: ({rows!r}, np.array({np.array2string(G_marker, separator=', ')})),\n"
            for joint, (rows, G_marker) in e.reactions.items()
        )
    given = "\n".join(f"{key} = np.array({value})" for key, value in arrays.items())
    return f'''"""{name} at t = 0: accelerations and reactions, computed by way of the constraint forces."""

import numpy as np

# M v' = h + G^T lambda,  G v' = gamma; `expected` is what the engine found for v'
{given}
velocities = {e.velocities!r}
rows = {e.rows!r}

X = np.linalg.solve(M, G.T)
Y = np.linalg.solve(M, h)
# if rows repeat others, lambda is not unique: take the one of least norm, with rows scaled to unit length
scale = 1 / np.sqrt(np.maximum(np.einsum("ij,ji->i", G, X), 1e-300))
lam = scale * np.linalg.lstsq((scale[:, None] * (G @ X)) * scale, scale * (gamma - G @ Y), rcond=1e-12)[0]
v_dot = Y + X @ lam

# joint: its rows, and G_m of them over (force, torque) on its second body
joints = {{
{joints}}}

if __name__ == "__main__":
    for name, value in zip(velocities, v_dot):
        print(f"d/dt {{name:20s}} {{value: .12g}}")
    for name, (own, G_m) in joints.items():
        print(f"reaction of {{name:20s}}", np.array2string(lam[own] @ G_m, precision=9))
    print("largest difference from the engine:", np.abs(v_dot - expected).max())
'''
