"""Overlap is removed from positions alone, by the smallest movement: velocities stay, and the change
of the potential energy is booked with the impacts.

    min ½ dᵀ M d   with   G_N d ≥ −(φ + slop),   G_j d = 0,      φ: gap at the end of the step

(as in 3 of J. Acary, Comput. Methods Appl. Mech. Engrg. 256 (2013) 224-250), by projected Gauss-Seidel, and
by conjugate gradients where that leaves overlap that is more than small (`deep_overlap.py`).
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import (
    MASS_AND_G,
    Step,
    TransientRows,
    add_transient_impulse,
    advance_coordinates,
    energies,
    evaluate_eom,
    project_increment,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.deep_overlap import LEFT, remove_deep_overlap

#: sweeps in each step; overlap that is left is removed in the next ones
SWEEPS = 30
#: overlap in smallest radii from which on more than sweeps is done
DEEP = 1e-5
#: gap of contacts that are left out [m]
FAR = 1e300


def remove_overlap(tables, number):
    """A part: move bodies so that contacts overlap by no more than the slop. `Contacts.after` is filled, but
    before the start, when h is 0. Returns a status.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    h = view(tables, Step).record[0].length
    record, d, push = contacts.record[0], contacts.work, contacts.kept_impulse
    deepest = 0.0
    for k in range(transient.used[0]):
        # a held mean velocity lets the gap dip by ⅛ h² of the normal acceleration between middles of steps
        rate = contacts.after[k, 0] + (contacts.held_rate[k, 0] if contacts.holds_mean[k] == 1 else 0.0)
        gap = transient.phi[3 * k] + 0.5 * h * rate
        push[k, 0], push[k, 1] = gap + record.slop, 0.0
        if h > 0.0 and contacts.passing_by[k] > 0:
            push[k, 0] = FAR  # its plane is not the one between the ways of its bodies
        deepest = min(deepest, push[k, 0])
    if deepest >= 0.0:
        return 0
    for c in range(d.shape[0]):
        d[c] = 0.0
    joined = contacts.lam.shape[0] > 0
    worst = 0.0
    for _ in range(SWEEPS):
        worst = 0.0
        for k in range(transient.used[0]):
            gap = push[k, 0]
            for s in range(2):
                member = transient.member[2 * k + s]
                for c in range(member.nv):
                    gap += transient.G[member.first_G + c] * d[member.first_v + c]
            worst = min(worst, gap)
            change = max(-push[k, 1], -gap / contacts.W[k, 0])
            push[k, 1] += change
            add_transient_impulse(transient, k, 0, change, d)
        # movements against joints would be undone by their projection, and made again in the next step
        status = project_increment(tables, d, 0) if joined else 0
        if status != 0:
            return status
        if worst >= LEFT * deepest:
            break
    if deepest < -DEEP * record.size:
        status = remove_deep_overlap(tables, d)
        if status != 0:
            return status
    if h == 0.0:  # before the start: energies count from there
        return advance_coordinates(tables, d)
    status, before = potential_energy(tables)
    if status == 0:
        status = advance_coordinates(tables, d)
    if status != 0:
        return status
    status, after = potential_energy(tables)
    contacts.impact_loss[0] -= after - before
    contacts.lifted[0] += after - before
    return status


@internal
def potential_energy(tables):
    """A status, and the potential energy at the present state [J]."""
    status = evaluate_eom(tables, MASS_AND_G)
    if status != 0:
        return status, 0.0
    status, _, potential = energies(tables)
    return status, potential
