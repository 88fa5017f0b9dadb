"""What goes wrong today, by its cause: these cases are left out of the laws until it is mended.

A case is a set of kinds and a seed.
"""

from __future__ import annotations

from typing import NamedTuple

#: every seed of a set
ALL = frozenset(range(10_000))


class Fault(NamedTuple):
    cause: str
    laws: tuple[str, ...]
    cases: dict[str, frozenset[int] | set[int]]


FAULTS = (
    Fault(
        "an impulse acts on a at the point of b, a gap away: with friction both depend on their order",
        ("renumbered",),
        {
            "supports": ALL,
            "turning": ALL,
            "trees": ALL,
            "swarm": ALL,
            "loose": {160},
            "loops": {63, 107, 132, 169, 172, 176},
            "motors": {27, 48, 66, 94, 138},
        },
    ),
    Fault(
        "the numerical damping of rows with a penalty depends on the axes of the rows",
        ("rotated",),
        {"soft": ALL},
    ),
    Fault(
        "the step after an impact takes its forces at velocities of the penalty alone",
        ("energy",),
        {"soft": ALL},
    ),
    Fault(
        "the same, until the motion diverges; more of them are among the slow seeds",
        ("momentum", "no jump", "values", "residual", "closing"),
        {"soft": {17}},
    ),
    Fault("a body that sticks and rocks gains energy", ("energy",), {"supports": {181}, "seams": {72}}),
    Fault(
        "a rebound with friction of which no impulse is the solution: impulses of 1e10 N·s, steps that miss",
        ("rotated",),
        {"gears": {126, 179}, "motors": {184}},
    ),
    Fault(
        "Newton's passes keep velocities at which neither the balance nor the law was measured",
        ("momentum", "no jump", "residual"),
        {"cradles": {121}, "motors": {63}},
    ),
    Fault(
        "a gap is closed along its present normal, where nothing meets",
        ("closing",),
        {"supports": {105}, "loops": {63, 72}, "motors": {187}, "seams": {17, 38, 53, 63, 84, 118, 151, 155}},
    ),
    Fault(
        "`separate` does not end with a level capsule on a box",
        ("momentum", "no jump", "residual", "mirror", "rotated", "renumbered", "beside"),
        {"resting": {53, 74, 117}},
    ),
    Fault(
        "drives that press a ball on the floor; overlap is removed as if there were no joints",
        ("energy", "momentum"),
        {"motors": {97, 185, 237, 261}},
    ),
)
#: seeds of flush seams that stop what slides over them ("seams and ghosts are one fault")
BLOCKED = {4, 14, 17, 21, 23}
HELD = "what sticks holds at v₁ with the Jacobian of the middle"
SPIKES = "with short steps the load jumps where a gap comes to 1e-7 of the size"
#: phases of `test_order.py` that are of order 1 today, or of none, and why
FIRST_ORDER = {
    "ball slides round": "friction acts along the slip at v₁",
    "ball rolls on a ball": SPIKES,
    "ball on a driven table": HELD,
    "block on a driven table": HELD,
    "block on a free table": HELD,
    "capsule rocks": f"{HELD}; {SPIKES}",
}
# Two faults are within what is allowed:
# - momentum may be open by ten times the residual of the step (`checker.OPEN`): Newton's passes keep
#   velocities at which the balance was not measured
# - energy may grow by (h Ω)² of what the motion has, which covers "a sticking, rocking capsule gains energy
#   at first order", and the work of the gyroscopic moment in a step with an impact


def known(law: str, kinds: str, seed: int) -> bool:
    return any(law in fault.laws and seed in fault.cases.get(kinds, ()) for fault in FAULTS)
