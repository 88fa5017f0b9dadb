"""Compliant (penalty) rows, linearly implicit in the step by the trapezoidal rule.

    Λ = h (load + a ΔΦ + b ΔΦ̇ − D Φ̇₁),  a = ∂load/∂Φ, b = ∂load/∂Φ̇, all of the middle of the step
    ΔΦ = ¼ h G (v₁ − v₀) − ⅛ h² γ,      ΔΦ̇ = ½ G (v₀ + v₁) − G v_m:   to the mean of both ends
    Φ̇₁ = G v₁ + Φₜ − ½ h γ,             D = 3 (w/h) z³ / (1 + z³),  w = −h (¼ h a + ½ b),  z = w / m
    G v₁ + c Λ = g,                     c = 1 / (w + h D)

The trapezoidal rule, of order 2 and without damping. It lets vibrations that a step does not resolve (z > 1)
alternate for ever, and turning bodies make them grow: D takes them away, by half in a step where z is large.
It is of order 7 in h for a spring, and of order 3 for a damper. a → −∞ leads to the row of an exact joint.

A row whose load is iterated (augmented Lagrangian) holds Φ̈ = load⁰ / m as the iteration does: c = 0, and Λ is
the change of its load by contacts. A row with w ≤ 0 stays explicit.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import internal
from mbplugin.stepping import Blocks, Bodies, Rates, Rows, State, Step, solve_mass, view
from mbplugin.stepping.compliant_rows import (
    COMPLIANT,
    Enforced,
    compliance_slopes,
    evaluate_compliances,
    is_iterated,
    times_row_of,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.momentum import add_row

#: of D; with 3 the largest factor of a vibration with z → ∞ is 1/2 in a step
STRENGTH = 3.0


@internal
def declare_compliant_rows(tables, h):
    """Write scale and c of all compliant rows, in the middle of a step of length h; v̇ loses their loads.
    Returns a status.
    """
    contacts, rows, enforced = view(tables, Contacts), view(tables, Rows), view(tables, Enforced)
    for r in range(contacts.row_scale.shape[0]):
        contacts.row_scale[r] = rows.scale[r]
        contacts.row_compliance[r] = contacts.row_load[r] = 0.0
    if enforced.index.shape[0] == 0:
        return 0
    status = compliance_slopes(tables, contacts.row_slope, contacts.row_slope_dot)
    for i in range(enforced.index.shape[0]):
        r, mass = enforced.index[i].row, enforced.mass[i]
        if view(tables, State).mode[r] != COMPLIANT:
            continue
        if is_iterated(tables, i):
            contacts.row_scale[r] = sqrt(mass)
            continue
        w = -h * (0.25 * h * contacts.row_slope[r] + 0.5 * contacts.row_slope_dot[r])
        if w > 0.0:
            z3 = (w / mass) ** 3
            contacts.row_damping[r] = STRENGTH * w / h * (z3 / (1.0 + z3) if z3 < 1e12 else 1.0)
            contacts.row_compliance[r] = 1.0 / (w + h * contacts.row_damping[r])
            contacts.row_scale[r] = 1.0 / sqrt(1.0 / mass + contacts.row_compliance[r])
            contacts.row_load[r] = rows.load[r]
    add_loads(tables, -1.0)
    return status


@internal
def compliant_velocity(tables, i, rate, h):
    """g of the enforced row i; rate: G v₀."""
    contacts, rows, enforced = view(tables, Contacts), view(tables, Rows), view(tables, Enforced)
    r = enforced.index[i].row
    if is_iterated(tables, i):
        return rate + h * (rows.gamma[r] + enforced.wanted[i])
    middle = rows.phi_dot[r] - rows.phi_t[r]
    by_position = -0.25 * h * rate - 0.125 * h * h * rows.gamma[r]
    by_speed = contacts.row_slope_dot[r] * (0.5 * rate - middle)
    load = contacts.row_load[r] + contacts.row_slope[r] * by_position + by_speed
    load -= contacts.row_damping[r] * (rows.phi_t[r] - 0.5 * h * rows.gamma[r])
    return h * load * contacts.row_compliance[r]


@internal
def settle_compliant_rows(tables, h):
    """Reads Λ; writes loads, power and work of the laws as the step has them, and v̇ with these loads. Returns
    a status.
    """
    contacts, rows, enforced = view(tables, Contacts), view(tables, Rows), view(tables, Enforced)
    v0, v1 = view(tables, Step).v0, view(tables, State).v
    aux_dot = view(tables, Rates).aux_dot
    if enforced.index.shape[0] == 0:
        return 0
    for i in range(enforced.index.shape[0]):
        r = enforced.index[i].row
        if contacts.row_compliance[r] == 0.0:
            continue
        load = contacts.joint_impulse[r] / h
        aux_dot[0] -= (load - contacts.row_load[r]) * rows.phi_t[r]
        aux_dot[1] += rows.power[r]
        before, after = (
            times_row_of(tables, enforced.index[i], v0),
            times_row_of(tables, enforced.index[i], v1),
        )
        rate = 0.5 * (before + after) + rows.phi_t[r]
        aux_dot[1] += contacts.row_damping[r] * (after + rows.phi_t[r] - 0.5 * h * rows.gamma[r]) * rate
        rows.phi[r] += 0.25 * h * (after - before) - 0.125 * h * h * rows.gamma[r]
        rows.phi_dot[r] = rate
        contacts.row_load[r] = load
    add_loads(tables, 1.0)
    status = evaluate_compliances(tables)
    for i in range(enforced.index.shape[0]):
        if contacts.row_compliance[enforced.index[i].row] > 0.0:
            aux_dot[1] -= rows.power[enforced.index[i].row]
    return status


@internal
def add_loads(tables, factor):
    """v̇ ← v̇ + factor M⁻¹ Gᵀ `Contacts.row_load`."""
    contacts, blocks, bodies = view(tables, Contacts), view(tables, Blocks), view(tables, Bodies)
    v_dot = view(tables, Rates).v_dot
    for c in range(v_dot.shape[0]):
        contacts.F[c] = 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            load = contacts.row_load[block.first_row + r]
            if load != 0.0:
                add_row(blocks, block, r, factor * load, contacts.F)
    for i in range(bodies.index.shape[0]):
        solve_mass(bodies, i, contacts.F, bodies.index[i].first_v)
    for c in range(v_dot.shape[0]):
        v_dot[c] += contacts.F[c]
