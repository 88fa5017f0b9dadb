"""Checks of a law of contact: map, slope and local solution belong together, and friction takes energy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mbplugin.interface import OPEN, SLIP, STICK, ContactLaw
from mbplugin.math.jit import with_bounds
from mbplugin.testing.report import Check, Worst, fact

Array = np.ndarray[Any, Any]
#: tolerances: of rounding, of differences, relative to the numbers that are compared
ROUNDING, DIFFERENCES = 1e-9, 1e-5
POINTS = 200
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
    smooth: Any
    cone: Any


def law_checks(kind: type[ContactLaw], keys: Any) -> list[Check]:
    """Every check of one law; `keys` are its validated keys."""
    name = f'contact law "{kind.name}"'
    missing = [f for f in ("begin", "map", "slope", "solve") if getattr(kind, f) is None]
    if (kind.projection is None) != (kind.slope_of_projection is None):
        missing.append("one of `projection` and `slope_of_projection`")
    if missing:
        return [fact(name, "it has its functions", False, f"missing: {', '.join(missing)}")]
    functions = [getattr(kind, f) for f in Law._fields]
    law = Law(*(None if f is None else with_bounds(f) for f in functions))
    own = (*map(float, kind.numbers(keys)), 0.0, 0.0, 0.0, 0.0)[:4]
    numbers = [
        law.begin(mu, 1.2 * mu, own, gap, STEP, stuck)
        for mu in FRICTION
        for gap in GAPS
        for stuck in (False, True)
    ]
    finite = all(len(p) == 4 and np.isfinite(p).all() and p[0] >= 0.0 for p in numbers)
    begins = fact(name, "begin gives four finite numbers", finite, f"{numbers[0]}")
    if not finite:
        return [begins]
    random = np.random.default_rng(0)
    checks = [
        begins,
        *solution_checks(name, law, numbers, random),
        *slope_checks(name, "map", law.map, law.slope, numbers, random),
        isotropy(name, law.map, numbers, random),
    ]
    if law.projection is not None:
        checks += slope_checks(
            name, "projection", law.projection, law.slope_of_projection, numbers, random, symmetric=True
        )
        checks += projection_checks(name, law.projection, numbers, random)
    if law.smooth is not None:
        checks += smooth_checks(name, law, numbers, random)
    if law.cone is not None:
        checks += cone_checks(name, law, numbers, random)
    return checks


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


def solution_checks(name: str, law: Law, numbers: Any, random: Any) -> list[Check]:
    """The solution of one contact is a fixed point of the map, whatever ρ is, and obeys what all laws do."""
    fixed, convex, work, approach, status = Worst(), Worst(), Worst(), Worst(), Worst()
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
            fixed.see(np.linalg.norm(np.array(image) - r) / (rho * size))
            moves = np.linalg.norm(u[1:]) > 1e-6 * size
            status.see(state != of_map and (state == OPEN or moves))
            if law.projection is not None:
                shifted = u + np.array([p[0] * np.hypot(*u[1:]), 0.0, 0.0])
                image = law.projection(*(r - rho * shifted), p)[:3]
                convex.see(np.linalg.norm(np.array(image) - r) / (rho * size))
        work.see(r[1:] @ u[1:] / size)
        approach.see(-u[0] / size)
    checks = [
        Check(name, "solve: r = S(r − ρ u) for every ρ", fixed.value, ROUNDING),
        Check(name, "solve: its status is that of the map", status.value, 0.0),
        Check(name, "solve: bodies do not approach any more", approach.value, ROUNDING),
        Check(name, "solve: friction takes energy", work.value, ROUNDING),
    ]
    if law.projection is not None:
        checks.append(Check(name, "solve: r = P(r − ρ ũ) for every ρ", convex.value, ROUNDING))
    return checks


def slope_checks(
    name: str, what: str, image: Any, slope: Any, numbers: Any, random: Any, symmetric: bool = False
) -> list[Check]:
    """A derivative against differences, where the status stays; statuses against the derivative."""
    error, statuses, skew = Worst(), Worst(), Worst()
    for p, x in tries(numbers, random):
        at = lambda d, x=x, p=p: image(*(x + d), p)
        e = 1e-6 * np.linalg.norm(x)
        ends = [[at(sign * e * axis) for sign in (1.0, -1.0)] for axis in np.eye(3)]
        state = at(np.zeros(3))[3]
        if any(end[3] != state for pair in ends for end in pair):
            continue
        difference = np.column_stack([np.subtract(a[:3], b[:3]) / (2.0 * e) for a, b in ends])
        given = np.array(slope(*x, p)).reshape(3, 3)
        error.see(np.abs(given - difference).max())
        skew.see(np.abs(given - given.T).max())
        expected = {OPEN: np.zeros((3, 3)), STICK: np.eye(3)}.get(state)
        if expected is not None:
            statuses.see(np.abs(difference - expected).max())
        elif state == SLIP:
            statuses.see(np.linalg.norm(at(np.zeros(3))[1:3]) > np.linalg.norm(x[1:]))
    checks = [
        Check(name, f"slope of the {what} = its difference", error.value, DIFFERENCES),
        Check(
            name, f"{what}: open is constant, stick leaves x, slip shortens it", statuses.value, DIFFERENCES
        ),
    ]
    if symmetric:
        checks.append(Check(name, f"slope of the {what} is symmetric", skew.value, ROUNDING))
    return checks


def isotropy(name: str, image: Any, numbers: Any, random: Any) -> Check:
    """The two tangents of a contact have no meaning of their own."""
    error = Worst()
    for p, x in tries(numbers, random):
        angle = random.uniform(0.0, 2.0 * np.pi)
        there = np.array(image(*turned(x, angle), p)[:3])
        error.see(np.abs(there - turned(np.array(image(*x, p)[:3]), angle)).max())
    return Check(name, "map: turned about the normal it is the same", error.value / 1e-2, ROUNDING)


def projection_checks(name: str, image: Any, numbers: Any, random: Any) -> list[Check]:
    """A projection onto a convex set stays where it is and brings points no farther apart."""
    stays, farther = Worst(), Worst()
    for p, x in tries(numbers, random):
        y = 1e-2 * random.normal(size=3)
        a, b = np.array(image(*x, p)[:3]), np.array(image(*y, p)[:3])
        stays.see(np.abs(np.array(image(*a, p)[:3]) - a).max() / 1e-2)
        farther.see(np.linalg.norm(a - b) / np.linalg.norm(x - y) - 1.0)
    return [
        Check(name, "projection: a point of the set stays", stays.value, ROUNDING),
        Check(name, "projection: points come no farther apart", farther.value, ROUNDING),
    ]


def smooth_checks(name: str, law: Law, numbers: Any, random: Any) -> list[Check]:
    """The smooth map becomes the map, and its slope S' is given by (1 − S')⁻¹."""
    limit, error = Worst(), Worst()
    for p, x in tries(numbers, random):
        exact = np.array(law.map(*x, p)[:3])
        limit.see(np.abs(np.array(law.smooth(*x, p, 1e-9)[0]) - exact).max() / np.linalg.norm(x))
        width = 1e-3
        at = lambda d, x=x, p=p, width=width: np.array(law.smooth(*(x + d), p, width)[0])
        e = 1e-5 * np.linalg.norm(x)
        slope = np.column_stack([(at(e * axis) - at(-e * axis)) / (2.0 * e) for axis in np.eye(3)])
        given = np.array(law.smooth(*x, p, width)[1]).reshape(3, 3)
        error.see(np.abs(given @ (np.eye(3) - slope) - np.eye(3)).max())
    return [
        Check(name, "smooth: the map for ε → 0", limit.value, DIFFERENCES),
        Check(name, "smooth: (1 − S')⁻¹ is that of its difference", error.value, 1e2 * DIFFERENCES),
    ]


def cone_checks(name: str, law: Law, numbers: Any, random: Any) -> list[Check]:
    """The map leads into |r_T| ≤ μ (r_N + c): onto its edge while it slides, to its tip if it is open."""
    outside, apart = Worst(), Worst()
    for p, x in tries(numbers, random):
        mu, c = law.cone(p)
        *r, status = law.map(*x, p)
        n, t = r[0] + c, np.hypot(r[1], r[2])
        outside.see(max(-n, t - mu * n, -c) / 1e-2)
        if status != STICK:
            apart.see(abs(t - mu * n if status == SLIP else n) / 1e-2)
    return [
        Check(name, "cone: what the map gives is in it", outside.value, ROUNDING),
        Check(name, "cone: sliding impulses are on its edge, open ones at its tip", apart.value, ROUNDING),
    ]
