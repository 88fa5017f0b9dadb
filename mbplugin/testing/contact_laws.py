"""Checks of a law of contact: map, slope and local solution belong together, and friction takes energy."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from mbplugin.hooks.registry import Registry, validated_keys
from mbplugin.interface import OPEN, SLIP, STICK, Array, ContactLaw
from mbplugin.math.jit import with_bounds
from mbplugin.testing.report import Checks
from mbplugin.testing.samples import sample

#: tolerances: of rounding, of differences, relative to the numbers that are compared
ROUNDING, DIFFERENCES = 1e-9, 1e-5
POINTS = 200
#: arguments of `begin` of a law with memory; numbers of a memory; steps that are tried, memories at most
BEGIN_WITH_MEMORY, MEMORY, MEMORY_STEPS, MOST_MEMORIES = 7, 3, 2, 12
#: step [s], coefficients of friction, gaps [m]
STEP, FRICTION, GAPS = 1e-3, (0.0, 0.3, 0.9), (0.0, -1e-6, 1e-4)


class Law(NamedTuple):
    """The compiled functions of a law."""

    begin: Any
    map: Any
    slope: Any
    solve: Any
    projection: Any
    slope_of_projection: Any
    cone: Any
    start: Any
    accept: Any


def law_checks(
    checks: Checks, kind: type[ContactLaw], registry: Registry, keys: dict[str, Any] | None = None
) -> None:
    """Map, slope and local solution of a law of contact."""
    missing = [f for f in ("begin", "map", "slope", "solve") if getattr(kind, f) is None]
    if (kind.projection is None) != (kind.slope_of_projection is None):
        missing.append("one of `projection` and `slope_of_projection`")
    if missing:
        checks.fact("it has its functions", False, f"missing: {', '.join(missing)}")
        return
    functions = [getattr(kind, f) for f in Law._fields]
    law = Law(*(None if f is None else with_bounds(f) for f in functions))
    params = validated_keys(kind, sample(kind) if keys is None else keys, checks.kind)
    own = (*map(float, kind.numbers(params)), 0.0, 0.0, 0.0, 0.0)[:4]
    if (kind.start is None) != (kind.accept is None):
        checks.fact("it has its functions", False, "missing: one of `start` and `accept`")
        return
    memories: list[tuple[Any, ...]] = [()]
    if kind.accept is not None:
        found = memory_checks(checks, law, own)
        if len(signature(kind.begin).parameters) == BEGIN_WITH_MEMORY:
            memories = [(memory,) for memory in found]
    numbers = [
        law.begin(mu, 1.2 * mu, own, gap, STEP, stuck, *memory)
        for mu in FRICTION
        for gap in GAPS
        for stuck in (False, True)
        for memory in memories
    ]
    finite = all(len(p) == 4 and np.isfinite(p).all() and p[0] >= 0.0 for p in numbers)
    if not checks.fact("begin gives four finite numbers", finite, f"{numbers[0]}"):
        return
    random = np.random.default_rng(0)
    solution_checks(checks, law, numbers, random)
    slope_checks(checks, "map", law.map, law.slope, numbers, random)
    check_isotropy(checks, law.map, numbers, random)
    if law.projection is not None:
        what, slope = "projection", law.slope_of_projection
        slope_checks(checks, what, law.projection, slope, numbers, random, symmetric=True)
        projection_checks(checks, law.projection, numbers, random)
    if law.cone is not None:
        cone_checks(checks, law, numbers, random)


def memory_checks(checks: Checks, law: Law, own: Any) -> list[Any]:
    """Memory of new contacts, and what becomes of it: three finite numbers, the same for the mirror image and
    for any axes of the contact. Returns those that were met.
    """
    met = {tuple(map(float, law.start(own, begins))) for begins in (False, True)}
    for _ in range(MEMORY_STEPS):
        for memory in sorted(met):
            for status in (OPEN, STICK, SLIP):
                for r_n, r_1, r_2 in ((1e-3, 2e-4, 0.0), (-1e-3, 0.0, 3e-4), (0.0, 1e-4, -1e-4)):
                    new = tuple(map(float, law.accept(own, memory, r_n, r_1, r_2, STEP, status)))
                    turned_r = turned(np.array([r_n, r_1, r_2]), 1.0)
                    for r in ((r_n, r_1, -r_2), tuple(turned_r)):
                        other = law.accept(own, memory, *r, STEP, status)
                        apart = float(np.abs(np.subtract(new, other)).max())
                        checks.see("accept: the same of a mirror image, in any axes", apart, ROUNDING)
                    met.add(new)
        if len(met) > MOST_MEMORIES:
            break
    sound = all(len(memory) == MEMORY and np.isfinite(memory).all() for memory in met)
    checks.fact("memory is three finite numbers", sound, f"{sorted(met)[0]}")
    return sorted(met)[:MOST_MEMORIES]


def contacts(random: Any) -> tuple[Array, Array]:
    """W of a body with random masses, and q; impulses are of the order of 1e-2 N·s."""
    A = random.normal(size=(3, 3))
    W = A @ A.T + 0.2 * np.eye(3)
    return W, 1e-2 * random.normal(size=3)


def tries(numbers: Any, random: Any) -> Iterator[tuple[Any, Array]]:
    """Numbers of a contact, and an argument (3,) of its functions."""
    for k in range(POINTS):
        yield numbers[k % len(numbers)], 1e-2 * random.normal(size=3)


def turned(x: Array, angle: float) -> Array:
    """x (3,), turned about the normal."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([x[0], c * x[1] - s * x[2], s * x[1] + c * x[2]])


def solution_checks(checks: Checks, law: Law, numbers: Any, random: Any) -> None:
    """The solution of one contact is a fixed point of the map, whatever ρ is, and obeys what all laws do."""
    for k in range(POINTS):
        p = numbers[k % len(numbers)]
        W, q = contacts(random)
        *found, state = law.solve(tuple(W.ravel()), *q, p)
        r = np.array(found)
        u = W @ r + q
        size = np.linalg.norm(q)
        for factor in (0.1, 1.0, 10.0):
            rho = factor * 3.0 / np.trace(W)
            *image, of_map = law.map(*(r - rho * u), p)
            error = np.linalg.norm(np.array(image) - r) / (rho * size)
            checks.see("solve: r = S(r − ρ u) for every ρ", error, ROUNDING)
            moves = np.linalg.norm(u[1:]) > 1e-6 * size
            differs = state != of_map and (state == OPEN or moves)
            checks.see("solve: its status is that of the map", differs, 0.0)
            if law.projection is not None:
                shifted = u + np.array([p[0] * np.hypot(*u[1:]), 0.0, 0.0])
                image = law.projection(*(r - rho * shifted), p)[:3]
                error = np.linalg.norm(np.array(image) - r) / (rho * size)
                checks.see("solve: r = P(r − ρ ũ) for every ρ", error, ROUNDING)
        checks.see("solve: bodies do not approach any more", -u[0] / size, ROUNDING)
        checks.see("solve: friction takes energy", r[1:] @ u[1:] / size, ROUNDING)


def slope_checks(
    checks: Checks, what: str, image: Any, slope: Any, numbers: Any, random: Any, symmetric: bool = False
) -> None:
    """A derivative against differences, where the status stays; statuses against the derivative."""
    of_difference = f"slope of the {what} = its difference"
    of_status = f"{what}: open is constant, stick leaves x, slip shortens it"
    symmetry = f"slope of the {what} is symmetric"
    for name in (of_difference, of_status):
        checks.see(name, 0.0, DIFFERENCES)
    if symmetric:
        checks.see(symmetry, 0.0, ROUNDING)
    for p, x in tries(numbers, random):
        at = lambda d, x=x, p=p: image(*(x + d), p)
        e = 1e-6 * np.linalg.norm(x)
        ends = [[at(sign * e * axis) for sign in (1.0, -1.0)] for axis in np.eye(3)]
        *moved, state = at(np.zeros(3))[:4]
        if any(end[3] != state for pair in ends for end in pair):
            continue
        difference = np.column_stack([np.subtract(a[:3], b[:3]) / (2.0 * e) for a, b in ends])
        given = np.array(slope(*x, p)).reshape(3, 3)
        checks.see(of_difference, np.abs(given - difference).max(), DIFFERENCES)
        if symmetric:
            checks.see(symmetry, np.abs(given - given.T).max(), ROUNDING)
        if state == SLIP:
            checks.see(of_status, np.linalg.norm(moved[1:]) > np.linalg.norm(x[1:]), DIFFERENCES)
        elif state in (OPEN, STICK):
            expected = np.eye(3) if state == STICK else np.zeros((3, 3))
            checks.see(of_status, np.abs(difference - expected).max(), DIFFERENCES)


def check_isotropy(checks: Checks, image: Any, numbers: Any, random: Any) -> None:
    """The two tangents of a contact have no meaning of their own."""
    for p, x in tries(numbers, random):
        angle = random.uniform(0.0, 2.0 * np.pi)
        there = np.array(image(*turned(x, angle), p)[:3])
        error = np.abs(there - turned(np.array(image(*x, p)[:3]), angle)).max() / 1e-2
        checks.see("map: turned about the normal it is the same", error, ROUNDING)


def projection_checks(checks: Checks, image: Any, numbers: Any, random: Any) -> None:
    """A projection onto a convex set stays where it is and brings points no farther apart."""
    for p, x in tries(numbers, random):
        y = 1e-2 * random.normal(size=3)
        a, b = np.array(image(*x, p)[:3]), np.array(image(*y, p)[:3])
        moves = np.abs(np.array(image(*a, p)[:3]) - a).max() / 1e-2
        checks.see("projection: a point of the set stays", moves, ROUNDING)
        farther = np.linalg.norm(a - b) / np.linalg.norm(x - y) - 1.0
        checks.see("projection: points come no farther apart", farther, ROUNDING)


def cone_checks(checks: Checks, law: Law, numbers: Any, random: Any) -> None:
    """The map leads into |r_T| ≤ μ (r_N + c): onto its edge while it slides, to its tip if it is open."""
    on_edge = "cone: sliding impulses are on its edge, open ones at its tip"
    for p, x in tries(numbers, random):
        mu, c = law.cone(p)
        *r, status = law.map(*x, p)
        n, t = r[0] + c, np.hypot(r[1], r[2])
        checks.see("cone: what the map gives is in it", max(-n, t - mu * n, -c) / 1e-2, ROUNDING)
        apart = {SLIP: abs(t - mu * n), STICK: 0.0}.get(status, abs(n))
        checks.see(on_edge, apart / 1e-2, ROUNDING)
