"""Kernels by hand against their own derivation, in every branch.

A kernel is traced with velocities; its values are taken as Φ, and J, bias, Φₜ and K are derived from them and
compared with those that it writes, at random poses. Rows at velocity level are compared by ψ = G v + Φₜ.
A branch is compared if a search among poses of many sizes enters it: not one for markers that coincide, where
a kernel writes limits. Its formulas are compared wherever they have values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

from mbplugin.derive import motion
from mbplugin.derive.author import python_of
from mbplugin.derive.derivatives import forward
from mbplugin.derive.graph import Graph, Node, TraceError, below, fixed
from mbplugin.derive.kernels import OF_TIME, straight_derivatives
from mbplugin.derive.plans import best_plan, evaluated, numbers_of, random_numbers
from mbplugin.derive.trace import Choice, Leaf, Traced, Tree, is_possible, traced, ways
from mbplugin.derive.unknowns import Unknowns

Pairs = Sequence[tuple[Node, Node]]
J_WHAT = "its Jacobian is derived from its values, in every branch"
BIAS_WHAT = "its bias is derived from its values, in every branch"
TIME_WHAT = "its derivative by time is derived from its values, in every branch"
K_WHAT = "its tangent is derived from its values, in every branch"
K_OF_FORCE = "its tangent K is derived from its wrenches, in every branch"
D_OF_FORCE = "its tangent D is derived from its wrenches, in every branch"
POWER_WHAT = "power of its wrenches = power - rate of energy, in every branch"


def errors_of(
    kernel: Callable[..., Any],
    tangent: Callable[..., Any] | None,
    markers: int,
    levels: Sequence[int],
    is_measure: bool,
    further: Sequence[str] = (),
) -> dict[str, float]:
    """The largest error of each comparison, relative to the size of its numbers.

    further: names of other outputs of the kernel. Raises TraceError for a kernel that cannot be traced.
    """
    rows, width = len(levels), 6 * markers
    names = ("value", "J", "bias") if is_measure else ("phi", "G", "gamma", "phi_t")
    shapes = dict(zip(names, ((rows,), (rows * width,), (rows,), (rows,))))
    asked = arguments_of(kernel)
    sizes = {name: math.prod(shape) for name, shape in shapes.items() if name in asked}
    outputs = {**shapes, **dict.fromkeys(further, (1,))}
    functions = [Traced(kernel, moving=True, outputs={n: s for n, s in outputs.items() if n in asked})]
    if tangent is not None:
        functions.append(Traced(tangent, moving=True, outputs={"K": (width, width)}))
    g, tree = traced(functions, markers)
    refuse_entries(tree)
    found: dict[str, float] = {}
    for taken, leaf in ways(tree):
        if not is_entered(taken, markers):
            continue
        given = split(leaf, sizes, g, shapes)
        K = leaf[-width * width :] if tangent is not None else None
        value, J, bias = (given[name] for name in names[:3])
        by_time = given.get("phi_t", [g.zero] * rows)
        bias = bias if is_measure else [-n for n in bias]
        for what, pairs in compared(g, levels, value, J, bias, by_time, K, markers).items():
            found[what] = max(found.get(what, 0.0), error(pairs, markers))
    return found


def errors_of_force(
    kernel: Callable[..., Any], tangent: Callable[..., Any] | None, markers: int, further: Sequence[str] = ()
) -> dict[str, float]:
    """The same of a force element: its tangents, and its power where it writes `energy` or `power`.

    further: names of other outputs of the kernel. Raises TraceError for functions that cannot be traced.
    """
    width = 6 * markers
    shapes: dict[str, tuple[int, ...]] = {"wrench": (markers, 6), "energy": (1,), "power": (1,)}
    shapes |= {name: (1,) for name in further} | {"K": (width, width), "D": (width, width)}
    functions = [kernel, *([tangent] if tangent is not None else [])]
    asked = [
        (f, {name: shape for name, shape in shapes.items() if name in arguments_of(f)}) for f in functions
    ]
    g, tree = traced([Traced(f, moving=True, outputs=outputs) for f, outputs in asked], markers)
    refuse_entries(tree)
    twists = motion.twists(g, markers)
    found: dict[str, float] = {}
    for taken, leaf in ways(tree):
        if not is_entered(taken, markers):
            continue
        given = named(leaf, [outputs for _, outputs in asked])
        wrench = given["wrench"]
        pairs: dict[str, Pairs] = {}
        if {"energy", "power"} & given.keys() and not any(n.op in OF_TIME for n in below(leaf)):
            zero = [g.zero]
            energy, power = given.get("energy", zero), given.get("power", zero)
            in_world = motion.rates_in_world(g, motion.places_of(g, energy))
            (rate,) = forward(energy, {n: one for n, (one, _) in in_world.items()})
            work = sum((load * twist for load, twist in zip(wrench, twists)), g.zero)
            pairs[POWER_WHAT] = [(work, power[0] - rate)]
        minus = [-n for n in wrench]
        if "K" in given:
            pairs[K_OF_FORCE] = list(zip(given["K"], straight_derivatives(g, minus, markers)))
        if "D" in given:
            columns = [forward(minus, {twist: g.one}) for twist in twists]
            derived = [column[row] for row in range(width) for column in columns]
            pairs[D_OF_FORCE] = list(zip(given["D"], derived))
        for what, each in pairs.items():
            found[what] = max(found.get(what, 0.0), error(each, markers))
    return found


def refuse_entries(tree: Tree) -> None:
    """Raises TraceError for functions that read entries of vectors or matrices: these may depend on each
    other, as those of a unit vector or of a symmetric matrix, and are drawn at random here.
    """
    nodes = (n for _, leaf in ways(tree) for n in below(leaf))
    if any(n.op == "parameter" and "[" in n.args[0] for n in nodes):
        raise TraceError("it reads entries of parameters")


def arguments_of(function: Callable[..., Any]) -> tuple[str, ...]:
    python = python_of(function)
    return tuple(python.__code__.co_varnames[: python.__code__.co_argcount])


def named(leaf: Leaf, outputs: Sequence[Mapping[str, tuple[int, ...]]]) -> dict[str, Leaf]:
    """Values of all outputs in turn, by name."""
    found, first = {}, 0
    for name, shape in (item for each in outputs for item in each.items()):
        found[name] = leaf[first : first + math.prod(shape)]
        first += math.prod(shape)
    return found


def split(
    leaf: Leaf, sizes: Mapping[str, int], g: Graph, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Leaf]:
    """Outputs by name, from the values of all in turn; those that a kernel does not write are zero."""
    given = {name: [g.zero] * math.prod(shape) for name, shape in shapes.items()}
    first = 0
    for name, size in sizes.items():
        given[name] = leaf[first : first + size]
        first += size
    return given


def compared(
    g: Graph,
    levels: Sequence[int],
    value: Leaf,
    J: Leaf,
    bias: Leaf,
    by_time: Leaf,
    K: Leaf | None,
    markers: int,
) -> dict[str, Pairs]:
    """(written, derived) of each comparison in one branch."""
    width, twists = 6 * markers, motion.twists(g, markers)
    pairs: dict[str, list[tuple[Node, Node]]] = {J_WHAT: [], BIAS_WHAT: []}
    position = [r for r, level in enumerate(levels) if level == 0 and not is_nan(value[r])]
    phi = [value[r] for r in position]
    if phi:
        plan = best_plan(g, phi, markers, Unknowns(g))
        rate = {n: one for n, (one, _) in motion.rates_of_time(g, phi, 2).items()}
        for k, (r, phi_t) in enumerate(zip(position, forward(phi, rate))):
            pairs[J_WHAT] += zip(J[width * r : width * (r + 1)], plan.J[width * k : width * (k + 1)])
            pairs[BIAS_WHAT].append((bias[r], plan.bias[k]))
            pairs.setdefault(TIME_WHAT, []).append((by_time[r], phi_t))
    for r in range(len(levels)):
        if levels[r] == 0:
            continue
        row = J[width * r : width * (r + 1)]
        psi = sum((entry * twist for entry, twist in zip(row, twists)), by_time[r])
        in_world = motion.rates_in_world(g, motion.places_of(g, [psi]))
        rates = {n: one for n, (one, _) in {**in_world, **motion.rates_of_time(g, [psi], 1)}.items()}
        pairs[BIAS_WHAT].append((bias[r], forward([psi], rates)[0]))
    if K is not None:
        loads = loads_of(g, levels, value, J, markers)
        derived = straight_derivatives(g, [-load for load in loads], markers)
        pairs[K_WHAT] = list(zip(K, derived))
    return pairs  # type: ignore[return-value]


#: poses of many sizes [m] that are tried, and the range of their sizes as powers of 10
TRIED, SIZES = 300, (-2.0, 2.3)


def is_entered(taken: Sequence[Choice], markers: int) -> bool:
    """Whether a pose of some size fulfils the conditions of a branch; those on parameters alone may hold."""
    on_poses = [(condition, holds) for condition, holds in taken if not fixed(condition)]
    if not is_possible(taken):
        return False
    random = Random(2)
    for _ in range(TRIED if on_poses else 0):
        size = 10.0 ** random.uniform(*SIZES)
        number = numbers_of(markers, random, partial(random.uniform, -size, size))
        with suppress(ValueError, ZeroDivisionError, OverflowError):
            found = evaluated([condition for condition, _ in on_poses], number)
            if all(bool(value) == holds for value, (_, holds) in zip(found, on_poses)):
                return True
    return not on_poses


def is_nan(value: Node) -> bool:
    """Whether a kernel says that it has no value in a branch."""
    return bool(value.op == "const" and math.isnan(value.args[0]))


def loads_of(g: Graph, levels: Sequence[int], value: Leaf, J: Leaf, markers: int) -> Leaf:
    """(6 markers) Gᵀ λ: of rows at position level from their values, of others from G as it is written."""
    width = 6 * markers
    lam = [g.node("load", r) for r in range(len(levels))]
    phi = sum((lam[r] * value[r] for r, level in enumerate(levels) if level == 0), g.zero)
    loads = motion.wrenches(g, phi, motion.places_of(g, [phi]), markers)
    for r, level in enumerate(levels):
        if level != 0:
            loads = [load + lam[r] * n for load, n in zip(loads, J[width * r : width * (r + 1)])]
    return loads


def error(pairs: Pairs, markers: int) -> float:
    """The largest difference of numbers that both have values, at random poses, relative to their size."""
    largest = 0.0
    flat = [n for pair in pairs for n in pair]
    for number in random_numbers(markers):
        try:
            found = evaluated(flat, number)
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        size = 1.0 + max(map(abs, found), default=0.0)
        if math.isfinite(size):
            largest = max(largest, *(abs(a - b) / size for a, b in zip(found[::2], found[1::2])), 0.0)
    return largest
