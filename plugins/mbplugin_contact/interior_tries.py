"""Newton's method from points of a path inside the cones.

A path comes near a solution long before it reaches the goal: contacts that hardly touch keep the residual up,
which falls only as the root of κ there. Once it is near, Newton's method is tried, and mostly ends the path
by one or two factorizations; where it misses the goal, the path goes on, and it is tried again when that is
nearer.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.stepping import run_part, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.best import BEFORE, POINT, keep, keep_best, return_best, return_to
from mbplugin_contact.parts import PASSES

#: steps between two tries; part of the residual at the first that the second needs
APART, NEARER = 10, 0.7
#: residual at which a try ends, in that of the path, up to the goal
LAX = 10.0
#: penalty, passes and factorizations at most
PENALTY, PASSES_OF_TRY, FACTORIZATIONS = 1e3, 60, 8


@internal
def try_newton(tables, now):
    """From the present point of the path, with this residual, to which v, r and Λ return. What it leads to
    is kept if it is the best.
    """
    record = view(tables, Contacts).record[0]
    best, target, exact, penalty = record.reached, record.target, record.exact, record.penalty
    most, passes = record.max_iterations, record.max_factorizations
    keep(tables, POINT)
    return_best(tables)
    keep(tables, BEFORE)
    return_to(tables, POINT)
    record.reached, record.target = now, min(record.goal, LAX * target)
    record.exact, record.penalty = 1, PENALTY
    record.max_iterations, record.max_factorizations = PASSES_OF_TRY, record.factored + FACTORIZATIONS
    run_part(tables, PASSES, 0)
    if not record.reached < best:
        record.reached = best
        return_to(tables, BEFORE)
        keep_best(tables)
    record.target, record.exact, record.penalty = target, exact, penalty
    record.max_iterations, record.max_factorizations = most, passes
    return_to(tables, POINT)
