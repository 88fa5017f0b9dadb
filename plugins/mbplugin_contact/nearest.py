"""Forces that are not unique: of all impulses that obey the law, those nearest to the last ones.

    min Σ tr(W_cc) |r_c − r_c⁰|²   over the solutions of the step,

r⁰ is the impulse of the same contact in the last step without a blow, 0 of a new one. Self-stress lies in the
null space of W, so that a norm weighted by W would select nothing. One pass of the augmented Lagrangian that
begins at r⁰, with a large penalty, is that: dual to its minimum is min ½ rᵀ W r + qᵀ r + Σ (1/2ρ) |r − r⁰|²,
with 1/ρ ∝ tr(W_cc) → 0.

Sweeps from r⁰ lead to a solution nearby, but not to the nearest; where contacts begin, or after a blow, they
lead anywhere: a gripper that closes on a box would press it on its table. Where bodies slide over each other,
and in large heaps, impulses are left as they are found: they change with every step, and a search that begins
at the nearest ones takes ten times as long (a wall that is pushed over).
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.math.vec3 import load
from mbplugin.stepping import State, TransientRows, run_part, view
from mbplugin.stepping.members import first_member
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.attempts import TO_NEAREST
from mbplugin_contact.best import POINT, keep, map_exactly, return_to
from mbplugin_contact.impulses import set_impulse
from mbplugin_contact.islands import BODIES, CONTACTS, JOINTS, island
from mbplugin_contact.newton import sliding
from mbplugin_contact.operators import begin_attempt
from mbplugin_contact.parts import PASSES

#: how impulses of a contact are found: they are unique, or the nearest; it was not tried, in vain
UNIQUE, LEFT, IN_VAIN = range(3)
#: change of a velocity by the impulse that is r − r⁰, as a part of `ContactRecord.sliding_threshold`, up to
#: which r is near
SPEED_OF_NEAR_IMPULSE = 1e-3
#: contacts of an island, at most
MAX_CONTACTS = 100


@internal
def choose(tables):
    """Take the nearest impulses of the present island, solved for, where its impulses may not be unique, and
    are far from r⁰. Where that is not tried, r⁰ stays what it is. Returns a status.
    """
    contacts = view(tables, Contacts)
    record, status, found = contacts.record[0], 0, LEFT
    if not far_from_last(tables) or not closes_loops(tables):
        return 0
    few = len(island(contacts, CONTACTS)) <= MAX_CONTACTS
    if few and not slides(tables) and record.reached <= record.goal:
        status, nearest = take_nearest(tables)
        found = UNIQUE if nearest else IN_VAIN
    for k in island(contacts, CONTACTS):
        contacts.choice[k] = found
    return status


@internal
def far_from_last(tables):
    """Whether impulses are far from r⁰ in a step without blows: r − r⁰ of a contact would change its velocity
    by more than a limit.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record = contacts.record[0]
    if record.only_sweeps == 1 or record.rebounding > 0 or record.phases > 0:
        return False
    limit = SPEED_OF_NEAR_IMPULSE * record.sliding_threshold
    for k in island(contacts, CONTACTS):
        for c in range(3):
            change = transient.impulse[3 * k + c] - contacts.reference[k, c]
            if abs(change) * contacts.W[k, 4 * c] > limit:
                return True
    return False


@internal
def may_choose(tables):
    """Whether nearer impulses are to be looked for, where sweeps have solved for all."""
    return far_from_last(tables) and not slides(tables)


@internal
def slides(tables):
    """Whether a contact of the island slides, or has a law whose impulses cannot be chosen so."""
    record = view(tables, Contacts).record[0]
    return record.convex == 0 or sliding(tables) > record.sliding_threshold


@internal
def closes_loops(tables):
    """Whether loaded contacts of the island hold bodies on more ways than a tree, or a joint holds one. Pairs
    of shapes stand together; each shape of the ground counts, as a leg of a table does.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    pairs, grounded, a, b, key = 0, 0, -2, -2, -1
    for k in island(contacts, CONTACTS):
        if transient.impulse[3 * k] == 0.0:
            continue
        first = transient.member[first_member(transient, k, 0)]
        second = transient.member[first_member(transient, k, 1)]
        of_ground = first.nv == 0 or second.nv == 0
        same = first.body == a and second.body == b and (contacts.key[k] == key or not of_ground)
        pairs += 0 if same else 1
        grounded = 1 if of_ground else grounded
        a, b, key = first.body, second.body, contacts.key[k]
    joined = len(island(contacts, JOINTS)) > 0
    return pairs > 1 and (joined or pairs >= len(island(contacts, BODIES)) + grounded)


@internal
def take_nearest(tables):
    """Take the impulses nearest to r⁰, by attempt TO_NEAREST of the plan, if they are found; else those that
    are there. Returns a status, and whether they are.
    """
    transient, contacts = view(tables, TransientRows), view(tables, Contacts)
    record = contacts.record[0]
    keep(tables, POINT)
    before = record.reached
    for k in island(contacts, CONTACTS):
        set_impulse(transient, k, load(contacts.reference, k))
    record.reached = 1e300
    begin_attempt(contacts, TO_NEAREST)
    status = run_part(tables, PASSES, TO_NEAREST)
    found = record.reached <= max(before, record.target)
    if not found:
        return_to(tables, POINT)
        map_exactly(tables, view(tables, State).v)
        record.reached = before
    return status, found
