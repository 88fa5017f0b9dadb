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
    transient_row_rate,
    view,
)
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.deep_overlap import MIN_PART_LEFT, remove_deep_overlap
from mbplugin_contact.rolling import TOUCHES
from mbplugin_contact.solve import loose

#: sweeps in each step; overlap that is left is removed in the next ones
MAX_SWEEPS = 30
#: overlap in smallest radii from which on more than sweeps is done
DEEP_OVERLAP = 1e-5
#: part of the overlap that may be left to the next steps where a scene asks for a large residual: impulses
#: make as much in each step
LOOSE_PART_LEFT = 0.1
#: gap of contacts that are left out [m]
GAP_LEFT_OUT = 1e300


def remove_overlap(tables, number):
    """A part: move bodies so that contacts overlap by no more than the slop. Reads `Contacts.after`, but
    before the start, when h is 0; writes the coordinates. Returns a status.
    """
    contacts, h = view(tables, Contacts), view(tables, Step).record[0].length
    d, deepest = contacts.work, deepest_overlap(tables, h)
    if deepest >= 0.0:
        return 0
    for c in range(d.shape[0]):
        d[c] = 0.0
    left = LOOSE_PART_LEFT if h > 0.0 and loose(contacts.record[0]) else MIN_PART_LEFT
    status = sweep_overlap(tables, d, left * deepest)
    if deepest < -DEEP_OVERLAP * contacts.record[0].size:
        status = status or remove_deep_overlap(tables, d, left)
    if status != 0 or h == 0.0:  # before the start: energies count from there
        return status or advance_coordinates(tables, d)
    status, before = potential_energy(tables)
    status = status or advance_coordinates(tables, d)
    if status != 0:
        return status
    status, after = potential_energy(tables)
    contacts.impact_loss[0] -= after - before
    contacts.totals[0].lifted += after - before
    return status


@internal
def deepest_overlap(tables, h):
    """Write the gap of every contact at the end of the step, beyond the slop; returns the smallest [m]."""
    transient, contacts, deepest = view(tables, TransientRows), view(tables, Contacts), 0.0
    for k in range(transient.used[0]):
        # a held mean velocity lets the gap dip by ⅛ h² of the normal acceleration between middles of steps
        rate = contacts.after[k, 0] + (contacts.held_rate[k, 0] if contacts.holds_mean[k] == 1 else 0.0)
        gap = transient.phi[3 * k] + 0.5 * h * rate + contacts.record[0].slop
        if (h > 0.0 and contacts.passing_by[k] > 0) or contacts.turns[k] != TOUCHES:
            # the plane of what passes by is not the one between the ways of its bodies
            gap = GAP_LEFT_OUT
        contacts.overlap[k].gap, contacts.overlap[k].impulse = gap, 0.0
        deepest = min(deepest, gap)
    return deepest


@internal
def sweep_overlap(tables, d, left):
    """Write the movement d by sweeps, until no gap is below `left` [m]. Returns a status."""
    transient, contacts, status = view(tables, TransientRows), view(tables, Contacts), 0
    for _ in range(MAX_SWEEPS):
        worst = 0.0
        for k in range(transient.used[0]):
            overlap = contacts.overlap[k]
            gap = overlap.gap + transient_row_rate(transient, k, 0, d)
            worst = min(worst, gap)
            change = max(-overlap.impulse, -gap / contacts.W[k, 0])
            overlap.impulse += change
            add_transient_impulse(transient, k, 0, change, d)
        # movements against joints would be undone by their projection, and made again in the next step
        if contacts.lam.shape[0] > 0:
            status = project_increment(tables, d, 0)
        if status != 0 or worst >= left:
            break
    return status


@internal
def potential_energy(tables):
    """A status, and the potential energy at the present state [J]."""
    status = evaluate_eom(tables, MASS_AND_G)
    if status != 0:
        return status, 0.0
    status, _, potential = energies(tables)
    return status, potential
