"""Newton's method from points of a path inside the cones.

A path comes near a solution long before it reaches the goal: contacts that hardly touch keep the residual up,
which falls only as the root of κ there. From a point that is nearer than those before, Newton's method is
tried; where it misses the goal, the path goes on.
"""

from __future__ import annotations

from mbplugin.interface import inlined, internal
from mbplugin.stepping import run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import keep, return_to
from mbplugin_contact.parts import PASSES

#: steps between two tries; goals within which there is one; part of the residual of the last one
APART, WITHIN, NEARER = 10, 1e3, 0.7
#: penalty, passes and factorizations at most
PENALTY, PASSES_OF_TRY, FACTORIZATIONS = 1e3, 60, 20


@inlined
def worth_a_try(record, tau, steps, now, tried):
    """After so many steps since a try at the residual `tried`, at the residual `now`."""
    return tau > 0.0 and steps >= APART and now < NEARER * tried and now < WITHIN * record.goal


@internal
def try_newton(tables, now):
    """From the present point of the path, with this residual, to which v, r and Λ return. Where the goal is
    reached, the best of Newton's method is kept.
    """
    mine = view(tables, Contacts)
    record = mine.record[0]
    passes, target, most, exact, penalty = (
        record.passes,
        record.target,
        record.most,
        record.exact,
        record.penalty,
    )
    keep(tables, mine.v_inside, mine.impulse_inside, mine.inside)
    record.reached, record.target = now, record.goal
    record.exact, record.penalty = 1, PENALTY
    record.most, record.passes = PASSES_OF_TRY, record.factored + FACTORIZATIONS
    run_part(tables, PASSES, 0)
    record.passes, record.target, record.most = passes, target, most
    record.exact, record.penalty = exact, penalty
    return_to(tables, mine.v_inside, mine.impulse_inside, mine.inside)
