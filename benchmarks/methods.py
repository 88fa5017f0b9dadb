"""What the paper on the constraint force algorithm (MSC.Software) claims: constraint forces found alone cost
O(N), the whole system of v̇ and λ more and more with N.

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


def methods() -> None:
    found: dict[str, dict[int, float]] = {name: {} for name in METHODS}
    rows: list[list[object]] = []
    for links in sized(LINKS, (1, 2)):
        runs = {
            name: ours_chain(links, "revolute", method=name)
            for name, longest in METHODS.items()
            if links <= longest
        }
        for name, value in in_turn(runs).items():
            found[name][links] = value * 1e6
        values = [found[name].get(links, float("nan")) for name in METHODS]
        rows.append([links, *values, *(value / values[0] for value in values[1:])])
    first, *others = METHODS
    table(
        "Three ways to the constraint forces, chain of revolute links: µs a step",
        ["links", *METHODS, *(f"{name} / {first}" for name in others)],
        rows,
    )
    for name in others:
        ratio = {n: found[name][n] / found[first][n] for n in found[name]}
        above = [n for n in ratio if ratio[n] > FACTOR]
        exponent = np.polyfit(np.log(list(found[name])[-3:]), np.log(list(found[name].values())[-3:]), 1)[0]
        when = (
            f"more than {FACTOR:g} times as long from {above[0]} links on"
            if above
            else f"never {FACTOR:g} times as long"
        )
        print(f"\n{name}: exponent of the last three {exponent:.2f}; {when}")
