"""What the paper on the constraint force algorithm (MSC.Software) claims: constraint forces found alone cost
O(N), the whole system of v̇ and λ more and more with N. The same of joint coordinates: a recursion costs O(N),
a mass matrix that is formed and factored O(N³).

µs a step of a chain of revolute links under RK4, with each way to the constraint forces; and the number of
links from which a dense solve takes eight times as long.
"""

from __future__ import annotations

import numpy as np
from chains import ours_chain
from timing import in_turn, sized, table

#: method -> its longest chain here
METHODS = {"constraint_force": 512, "newton_euler": 128, "kkt": 512}
LINKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
FACTOR = 8.0
#: the same of joint coordinates
JOINT_METHODS = {"articulated_body": 512, "mass_matrix": 128}


def methods() -> None:
    compare("Three ways to the constraint forces, chain of revolute links: µs a step", METHODS, {})


def joint_methods() -> None:
    """Of a chain of ball joints, which moves in space: three velocities a link."""
    title = "Two ways to the accelerations of joint coordinates, chain of ball joints: µs a step"
    compare(title, JOINT_METHODS, {"coordinates": "joint"}, "ball")


def compare(title: str, methods: dict[str, int], solver: dict[str, str], joint: str = "revolute") -> None:
    """Times of a step of these methods over the number of links, and the exponent of each."""
    found: dict[str, dict[int, float]] = {name: {} for name in methods}
    rows: list[list[object]] = []
    for links in sized(LINKS, (1, 2)):
        runs = {
            name: ours_chain(links, joint, method=name, **solver)
            for name, longest in methods.items()
            if links <= longest
        }
        for name, value in in_turn(runs).items():
            found[name][links] = value * 1e6
        values = [found[name].get(links, float("nan")) for name in methods]
        rows.append([links, *values, *(value / values[0] for value in values[1:])])
    first, *others = methods
    table(title, ["links", *methods, *(f"{name} / {first}" for name in others)], rows)
    for name in methods:
        ratio = {n: found[name][n] / found[first][n] for n in found[name]}
        above = [n for n in ratio if ratio[n] > FACTOR]
        exponent = np.polyfit(np.log(list(found[name])[-3:]), np.log(list(found[name].values())[-3:]), 1)[0]
        when = (
            f"more than {FACTOR:g} times as long from {above[0]} links on"
            if above
            else f"never {FACTOR:g} times as long"
        )
        print(f"\n{name}: exponent of the last three {exponent:.2f}{'; ' + when if name != first else ''}")
