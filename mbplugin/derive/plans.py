"""Ways to compute J and bias of a leaf; the one with the fewest operations is taken.

J comes from a reverse sweep or from forward sweeps; the bias from the motion in world axes. Where a common
rigid motion of all markers changes nothing, J of one marker may come from the balance of forces and torques,
and the bias from the motion relative to one marker, whose own axes then have no rates. Whether a rigid motion
changes nothing is tested with numbers at random poses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from mbplugin.derive import motion
from mbplugin.derive.derivatives import Rates, forward, second
from mbplugin.derive.graph import COMPARISONS, INPUTS, Graph, Node, below
from mbplugin.derive.motion import Vector
from mbplugin.derive.unknowns import Unknowns

LETTERS = "abcdefgh"
#: approximate costs of operations, in additions; of some functions of `math`; of all others
COSTS = {"add": 1, "sub": 1, "mul": 1, "scale": 1, "compare": 1, "select": 2, "recip": 5, "power": 30}
COSTS_OF_CALLS = {"fabs": 1, "sign": 1, "signum": 2, "sqrt": 5, "root": 5, "atan2": 40}
COST_OF_CALL = 20
#: random poses at which a rigid motion is tried, and how many must have values
POSES, MIN_POSES = 12, 3
#: factors of positions and parameters at these poses: a function may change at micrometres alone
SIZES = (1.0, 1e-3, 1e-6, 1e3)
#: largest unbalanced part of forces and torques, relative to the sum of their sizes
BALANCE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Plan:
    """J (rows * 6 markers) and bias (rows) as nodes, and how they are computed in words."""

    J: Vector
    bias: Vector
    words: str


def cost(roots: Sequence[Node]) -> int:
    """About how long the roots take [additions]."""
    return sum(
        COSTS_OF_CALLS.get(n.args[0], COST_OF_CALL) if n.op == "call" else COSTS.get(n.op, 0)
        for n in below(roots)
    )


def flat(parts: Any) -> Vector:
    return [n for part in parts for n in part]


def best_plan(
    g: Graph,
    leaf: Vector,
    markers: int,
    unknowns: Unknowns,
    of_states: Rates | None = None,
    beside: Sequence[Node] = (),
) -> Plan:
    """The plan with the fewest operations. of_states: rates of inner states; beside: what the kernel computes
    as well, with which the plan may share operations.
    """
    roots = [*leaf, *unknowns.equations]
    places = motion.places_of(g, roots)
    by_time = {**motion.rates_of_time(g, roots, 2), **(of_states or {})}
    directions = [unknowns.moving(seeds) for seeds in motion.displacements(g, places, markers)]
    columns = [forward(leaf, seeds) for seeds in directions]
    reverse = flat(unknowns.wrenches(root, places, markers) for root in leaf)
    bent = lambda rates: second(leaf, unknowns.with_rates({**rates, **by_time}))
    Js = {"reverse": reverse, "forward": flat(zip(*columns))}
    biases = {"in world axes": bent(motion.rates_in_world(g, places))}
    if is_rigid(g, Js["reverse"], len(leaf), markers):
        width = 6 * markers
        for k in range(markers):
            for way in ("reverse", "forward"):
                rows = [Js[way][width * r : width * r + width] for r in range(len(leaf))]
                name = f"{way}, {LETTERS[k]} by balance"
                Js[name] = flat(motion.balanced(g, row, k, markers) for row in rows)
            biases[f"seen from {LETTERS[k]}"] = bent(motion.rates_seen_from(g, places, k))
    plans = [Plan(J, bias, f"J {j}; bias {b}") for j, J in Js.items() for b, bias in biases.items()]
    return min(plans, key=lambda plan: cost([*leaf, *plan.J, *plan.bias, *beside]))


def is_rigid(g: Graph, J: Vector, rows: int, markers: int) -> bool:
    """Whether a common rigid motion of all markers changes no row: Σ J_v = 0 and Σ J_ω + x × J_v = 0 at
    random poses of several sizes. Sines stand in for splines, mixtures of both values for selects: none goes
    unseen.
    """
    points = flat(motion.vector(g, "x", m) for m in range(markers))
    tried = 0
    for numbers in random_numbers(markers, mixed=True, sizes=SIZES):
        try:
            found = evaluated([*J, *points], numbers)
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        if not all(map(math.isfinite, found)):
            continue
        tried += 1
        x = found[len(J) :]
        for r in range(rows):
            row = found[6 * markers * r : 6 * markers * (r + 1)]
            if not is_balanced(row, x, markers):
                return False
    return tried >= MIN_POSES


def is_balanced(row: Sequence[float], x: Sequence[float], markers: int) -> bool:
    """Whether the forces, and the torques about the origin, add up to nothing."""
    total, sizes = [0.0] * 6, [0.0] * 6
    for m in range(markers):
        f, moment, arm = row[6 * m : 6 * m + 3], row[6 * m + 3 : 6 * m + 6], x[3 * m : 3 * m + 3]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for at, term in ((k, f[k]), (3 + k, moment[k]), (3 + k, arm[i] * f[j]), (3 + k, -arm[j] * f[i])):
                total[at] += term
                sizes[at] += abs(term)
    return all(max(map(abs, total[k : k + 3])) <= BALANCE_TOLERANCE * sum(sizes[k : k + 3]) for k in (0, 3))


#: number(node, numbers of its arguments): the number of an input; None of other nodes
Numbers = Callable[[Node, list[Any]], Any]


def random_numbers(markers: int, mixed: bool = False, sizes: Sequence[float] = (1.0,)) -> Iterator[Numbers]:
    """Numbers of inputs at random poses, markers with true frames; selects are tossed, or mixed."""
    random = Random(1)
    toss = (lambda: random.uniform(0.1, 0.9)) if mixed else (lambda: random.random() < 0.5)
    for k in range(POSES):
        size = sizes[k % len(sizes)]
        yield numbers_of(markers, random, lambda size=size: size * random.uniform(0.1, 1.0), toss)  # type: ignore[misc]


def numbers_of(
    markers: int, random: Random, draw: Callable[[], float], toss: Callable[[], Any] | None = None
) -> Numbers:
    """Numbers of inputs at one random pose, each drawn once."""
    frames = [frame(random) for _ in range(markers)]
    numbers: dict[Any, Any] = {}

    def number(n: Node, args: list[Any]) -> Any:
        match n.op:
            case "axis":
                k = n.args[1]
                k = numbers.setdefault((n.op, k), random.randrange(3)) if isinstance(k, Node) else k
                return frames[n.args[0]][k][n.args[2]]
            case "compare" if toss is not None:
                return numbers.setdefault(n, toss())
            case "table" | "known":
                phase = numbers.setdefault((n.op, n.args[0]), random.uniform(0.0, 6.0))
                return math.sin(phase + args[1] + n.args[2] * math.pi / 2)
        return numbers.setdefault(n, draw()) if n.op in INPUTS else None

    return number


def frame(random: Random) -> list[list[float]]:
    """Three axes of a random orientation."""
    q = [random.gauss(0, 1) for _ in range(4)]
    size = math.sqrt(sum(c * c for c in q))
    w, x, y, z = (c / size for c in q)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]


def evaluated(roots: Sequence[Node], number: Callable[[Node, list[Any]], Any]) -> list[float]:
    """Numbers of the roots; number(node, numbers of its arguments) gives those of inputs, else None."""
    done: dict[Node, Any] = {}
    for n in below(roots):
        a = [done[x] if isinstance(x, Node) else x for x in n.args]
        given = number(n, a)
        done[n] = computed(n.op, a) if given is None else given
    return [done[root] for root in roots]


def computed(op: str, a: list[Any]) -> Any:
    """Value of an operation on numbers."""
    match op:
        case "const":
            return a[0]
        case "add":
            return a[0] + a[1]
        case "sub":
            return a[0] - a[1]
        case "mul" | "scale":
            return a[0] * a[1]
        case "recip":
            return 1.0 / a[0]
        case "power":
            return math.pow(a[0], a[1])
        case "select":
            if isinstance(a[0], bool):
                return a[1] if a[0] else a[2]
            return a[0] * a[1] + (1.0 - a[0]) * a[2]
        case "compare":
            return COMPARISONS[a[0]](a[1], a[2])
    if a[0] == "sign":
        return math.copysign(1.0, a[1])
    if a[0] == "signum":
        return (a[1] > 0.0) - (a[1] < 0.0)
    if a[0] == "root":
        return math.sqrt(a[1])
    return getattr(math, a[0])(*a[1:])
