"""The plan of the solver: attempts at the impulses of an island, in the order in which they are made.

An attempt is made where the island is in all of the situations that it needs and in none that bars it. After
each one the situation is looked at anew. `plan_text` prints the plan.
"""

from __future__ import annotations

from typing import NamedTuple

from mbplugin_contact.parts import INTERIOR, LAW, PASSES

#: situations of an island: the last step is near; the residual is above the goal; above that of a polish;
#: contacts slide; they slide and a factorization is costly; joints hold bodies; all laws are those of cones;
#: the residual is far above the goal; above that of a near start; impulses of the last step are a start for
#: those of this one; the exact map has been tried
NEAR, ABOVE, ROUGH, SLIDES, COSTLY, JOINED, CONES, FAR, REMOTE, WARM, TRIED = (1 << k for k in range(11))
SITUATIONS = (
    "near",
    "above",
    "rough",
    "slides",
    "costly",
    "joined",
    "cones",
    "far",
    "remote",
    "warm",
    "tried",
)


class AttemptRecord(NamedTuple):
    """An attempt: one call of a part of the solver."""

    part: int  # PASSES, INTERIOR, or LAW: sweeps
    task: int  # of that part
    exact: int  # 1: exact map; 0: projection onto the cone, which is exact where nothing slides
    penalty: float  # σ of the first pass
    target: float  # residual at which it ends, in goals
    costly_target: float  # where the island is COSTLY at first
    passes: int  # at most
    factorizations: int  # at most
    needs: int  # situations
    bars: int  # situations


#: tasks of PASSES: from the present impulses, or to those nearest to them
FROM_PRESENT, NEAREST = range(2)
#: tasks of INTERIOR
QUICK, PATIENT = range(2)
#: task of LAW, which is made in `solve.py`
SWEEPS = 0
#: first penalty at least where the last step is near
FIRM = 1e3

PLAN = (
    # part, task, exact, penalty, target, costly target, passes, factorizations, needs, bars
    # from the last step
    AttemptRecord(PASSES, FROM_PRESENT, 0, FIRM, 1e-5, 1e-5, 4, 12, NEAR | ABOVE, SLIDES),
    AttemptRecord(PASSES, FROM_PRESENT, 0, 10.0, 1.0, 1.0, 60, 50, ABOVE | JOINED, SLIDES),
    AttemptRecord(PASSES, FROM_PRESENT, 0, 10.0, 1.0, 1.0, 60, 50, ABOVE, SLIDES | JOINED | CONES),
    AttemptRecord(PASSES, FROM_PRESENT, 1, FIRM, 1e-3, 0.1, 60, 25, WARM | ABOVE | CONES | JOINED, 0),
    AttemptRecord(LAW, SWEEPS, 1, 0.0, 1e-5, 1.0, 0, 0, WARM | ABOVE | CONES, JOINED),
    AttemptRecord(PASSES, FROM_PRESENT, 1, FIRM, 1e-3, 0.1, 60, 12, ROUGH | TRIED, JOINED | REMOTE),
    # from far
    AttemptRecord(INTERIOR, QUICK, 1, 1.0, 1e-3, 0.1, 0, 80, ABOVE | CONES, 0),
    AttemptRecord(INTERIOR, PATIENT, 1, 1.0, 1e-3, 0.1, 0, 250, ABOVE | CONES, 0),
    AttemptRecord(PASSES, FROM_PRESENT, 1, 10.0, 1.0, 1.0, 60, 20, ABOVE | CONES, 0),
    # laws that are no cones
    AttemptRecord(LAW, SWEEPS, 1, 0.0, 1e-5, 1.0, 0, 0, ABOVE, CONES | JOINED),
    AttemptRecord(PASSES, FROM_PRESENT, 1, 10.0, 1.0, 1.0, 60, 50, ABOVE, CONES),
    # a polish to rounding: what sticks must not creep
    AttemptRecord(PASSES, FROM_PRESENT, 0, 1e6, 1e-5, 1e-5, 4, 25, ROUGH, SLIDES),
    AttemptRecord(PASSES, FROM_PRESENT, 1, 1e4, 1e-5, 1e-5, 4, 25, ROUGH | SLIDES, COSTLY | TRIED),
    # once more
    AttemptRecord(PASSES, FROM_PRESENT, 1, FIRM, 1.0, 1.0, 60, 20, ABOVE | CONES, JOINED | FAR),
    AttemptRecord(PASSES, FROM_PRESENT, 1, FIRM, 1.0, 1.0, 60, 50, ABOVE, JOINED | CONES),
    # not in turn: from a point of the path (`interior.py`); to the nearest impulses (`nearest.py`)
    AttemptRecord(PASSES, FROM_PRESENT, 1, FIRM, 1e-2, 1.0, 60, 8, 0, 0),
    AttemptRecord(PASSES, NEAREST, 0, 1e6, 1e-5, 1e-5, 4, 60, 0, 0),
)
#: places of the last two; attempts before them are made in turn
FROM_PATH, TO_NEAREST = len(PLAN) - 2, len(PLAN) - 1


def plan_text() -> str:
    """The plan as a Markdown table."""
    head = "attempt | map | penalty | target | where costly | passes | factorizations | where | not where"
    parts = {PASSES: ("passes", "nearest passes"), INTERIOR: ("quick path", "patient path"), LAW: ("sweeps",)}
    names = lambda bits: ", ".join(name for k, name in enumerate(SITUATIONS) if bits & 1 << k)
    rows = [f"| {head} |", "|---" * 9 + "|"]
    for a in PLAN:
        numbers = (a.penalty, a.target, a.costly_target, a.passes, a.factorizations)
        cells = [parts[a.part][a.task], "exact" if a.exact else "projection"]
        cells += [*(f"{x:g}" if x > 0 else "" for x in numbers), names(a.needs), names(a.bars)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)
