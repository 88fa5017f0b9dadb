"""Spheres that collide without friction and without restitution: a solver whose contacts come and go.

    [solver]
    type = "spheres"
    step = 1e-3

    M (v₁ − v₀) = h f + Gᵀ P,    0 ≤ P ⊥ G v₁ + φ/h ≥ 0,    q₁ = q₀ ⊕ h v₁

(J. J. Moreau's time stepping with the gap φ at the start of the step; P by projected Gauss-Seidel, begun with
the impulses of the last step.) Against each other and against planes of the ground; and joints whose rows are
λ ≥ 0. Bodies are rigid, and no other joint holds them.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from mbplugin.interface import Count, OutputList, hookimpl, internal
from mbplugin.math.vec3 import column, dot, norm, scale, sub
from mbplugin.stepping import (
    NONNEGATIVE,
    OVERFLOW,
    Blocks,
    Bodies,
    CompiledSolver,
    Control,
    FixedStep,
    Rates,
    Rows,
    State,
    Step,
    TransientRows,
    add_transient_block,
    add_transient_impulse,
    advance_coordinates,
    clear_transient,
    copy,
    place_block,
    rates_on_constraints,
    request_capacity,
    set_row,
    solve_mass,
    transient_jacobian,
    transient_row_rate,
    view,
)
from mbplugin.stepping.arrays import Floats, Ints, solver_tables
from mbplugin.stepping.shapes import PLANE_SHAPE, SPHERE_SHAPE, Shapes, shape_pose

SWEEPS = 60
#: gap below which two shapes have a contact, in radii
NEAR = 0.5
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@solver_tables
class Tables(NamedTuple):
    v_dot: Floats  # (nv,) accelerations at the start of the step
    aux_dot: Floats  # (na,)
    dq: Floats  # (nv,)
    G: Floats  # of rows λ ≥ 0 of joints, at the start of the step, in the layout of Blocks.G
    X: Floats  # M⁻¹ Gᵀ
    phi: Floats  # (nc,) their gaps
    inverse_mass: Floats  # (nc,)
    lam: Floats  # (nc,) their mean multipliers
    held: Ints  # (1,) contacts of the last step
    pair: Ints  # their numbers
    impulse: Floats  # and impulses [N·s]
    sweeps: Ints  # (1,) done in this step


def begin_step(tables):
    status = rates_on_constraints(tables)
    if status == 0:
        mine, rates = view(tables, Tables), view(tables, Rates)
        copy(rates.v_dot, mine.v_dot)
        copy(rates.aux_dot, mine.aux_dot)
        prepare_stops(tables)
        status = find_contacts(tables)
    return status


def try_step(tables, h):
    mine, transient, state, start = (
        view(tables, Tables),
        view(tables, TransientRows),
        view(tables, State),
        view(tables, Step),
    )
    n = transient.used[0]
    if n > mine.pair.shape[0]:
        return request_capacity(tables, 0, n)
    for k in range(state.v.shape[0]):
        state.v[k] = start.v0[k] + h * mine.v_dot[k]
    for k in range(state.aux.shape[0]):
        state.aux[k] = start.aux0[k] + h * mine.aux_dot[k]
    for k in range(n):
        # begin with the impulse of the last step, also if this step is tried again
        transient.impulse[k] = 0.0
        for i in range(mine.held[0]):
            if mine.pair[i] == transient.index[k].label:
                transient.impulse[k] = mine.impulse[i]
        add_transient_impulse(transient, k, 0, transient.impulse[k], state.v)
        transient.target[k] = -transient.phi[k] / h
    for r in range(mine.lam.shape[0]):
        mine.lam[r] = 0.0
    for sweep in range(SWEEPS):
        sweep_stops(tables, h)
        for k in range(n):
            change = (
                transient_row_rate(transient, k, 0, state.v) - transient.target[k]
            ) / transient.inverse_mass[k]
            P = max(0.0, transient.impulse[k] - change)
            add_transient_impulse(transient, k, 0, P - transient.impulse[k], state.v)
            transient.impulse[k] = P
    mine.sweeps[0] = SWEEPS if n > 0 else 0
    mine.held[0] = n
    for k in range(n):
        mine.pair[k], mine.impulse[k] = transient.index[k].label, transient.impulse[k]
    for k in range(mine.dq.shape[0]):
        mine.dq[k] = h * state.v[k]
    return advance_coordinates(tables, mine.dq)


@internal
def prepare_stops(tables):
    """G, X and gaps of the rows λ ≥ 0 of joints."""
    mine, blocks, bodies = view(tables, Tables), view(tables, Blocks), view(tables, Bodies)
    copy(view(tables, Rows).phi, mine.phi)
    copy(blocks.G, mine.G)
    copy(blocks.G, mine.X)
    for r in range(mine.inverse_mass.shape[0]):
        mine.inverse_mass[r] = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        if block.row_type != NONNEGATIVE:
            continue
        for m in range(block.first_member, block.first_member + block.members):
            member = blocks.member[m]
            for r in range(block.rows):
                g = member.first_G + r * member.nv
                solve_mass(bodies, member.body, mine.X, g)
                for c in range(member.nv):
                    mine.inverse_mass[block.first_row + r] += mine.X[g + c] * mine.G[g + c]


@internal
def sweep_stops(tables, h):
    """One sweep over the rows λ ≥ 0 of joints."""
    mine, blocks, v = view(tables, Tables), view(tables, Blocks), view(tables, State).v
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows if block.row_type == NONNEGATIVE else 0):
            row = block.first_row + r
            rate = mine.phi[row] / h
            for m in range(block.first_member, block.first_member + block.members):
                member = blocks.member[m]
                for c in range(member.nv):
                    rate += mine.G[member.first_G + r * member.nv + c] * v[member.first_v + c]
            P = max(0.0, h * mine.lam[row] - rate / mine.inverse_mass[row])
            for m in range(block.first_member, block.first_member + block.members):
                member = blocks.member[m]
                for c in range(member.nv):
                    X = mine.X[member.first_G + r * member.nv + c]
                    v[member.first_v + c] += X * (P - h * mine.lam[row])
            mine.lam[row] = P / h


@internal
def find_contacts(tables):
    """A block of one row for each pair of near shapes. Returns a status."""
    clear_transient(tables)
    shapes = view(tables, Shapes)
    n = shapes.index.shape[0]
    for i in range(n):
        if shapes.index[i].type != SPHERE_SHAPE:
            continue
        c, _ = shape_pose(tables, i)
        radius = shapes.p[shapes.index[i].first]
        for j in range(n):
            if j < i and shapes.index[j].type == SPHERE_SHAPE:
                other, _ = shape_pose(tables, j)
                d = sub(c, other)
                normal = scale(1.0 / norm(d), d)
                gap = norm(d) - radius - shapes.p[shapes.index[j].first]
            elif shapes.index[j].type == PLANE_SHAPE:
                other, R = shape_pose(tables, j)
                normal = column(R, 2)
                gap = dot(normal, sub(c, other)) - radius
            else:
                continue
            if gap < NEAR * radius:
                status = add_contact(tables, j, i, sub(c, scale(radius, normal)), normal, gap)
                if status != 0:
                    return status
    return transient_jacobian(tables)


@internal
def add_contact(tables, j, i, x, normal, gap):
    """A contact at the point x of shape i; the normal points from shape j to it. Returns a status."""
    shapes, transient = view(tables, Shapes), view(tables, TransientRows)
    k = add_transient_block(tables, shapes.index[j].body, shapes.index[i].body, 1, NONNEGATIVE)
    if k < 0:
        return OVERFLOW
    transient.index[k].label = j * shapes.index.shape[0] + i
    transient.phi[k] = gap
    status = place_block(tables, k, sub(x, scale(gap, normal)), x, UPRIGHT)
    set_row(tables, k, 0, normal, (0.0, 0.0, 0.0))
    return status


class Keys(FixedStep):
    places: Count = Field(16, description="contacts that fit before arrays become longer")


class Spheres(CompiledSolver):
    name = "spheres"
    order = 1
    parameters = Keys
    begin_step = staticmethod(begin_step)
    try_step = staticmethod(try_step)
    stateful_arrays = ("held", "pair", "impulse")
    growing = (("pair", "impulse"),)
    mean_accelerations = True
    examples = ({"step": 1e-3},)
    multipliers = "lam"
    row_types = ("equality", "nonnegative")
    outputs = {"sweeps": "1"}
    lists = {"pairs": OutputList("held", {"pair": "1", "impulse": "N s"})}

    @classmethod
    def control(cls, params, chosen):
        return Control(1, fixed=params.step)

    @classmethod
    def arrays(cls, problem, params, chosen):
        nv, n = problem.nv, params.places
        return Tables(
            np.zeros(nv),
            np.zeros(problem.na),
            np.zeros(nv),
            *(np.zeros(len(problem[Blocks].G)) for _ in range(2)),
            *(np.zeros(problem.nc) for _ in range(3)),
            np.zeros(1, np.int64),
            np.zeros(n, np.int64),
            np.zeros(n),
            np.zeros(1, np.int64),
        )

    @classmethod
    def transient(cls, problem, params):
        return params.places


@hookimpl
def mbplugin_solvers(register):
    register(Spheres)
