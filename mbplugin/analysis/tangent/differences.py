"""Differences of what gives no tangent: elements whose markers are moved, and bodies by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mbplugin.analysis.tangent.marker_motion import MarkerMotion
from mbplugin.analysis.tangent.ridders import ridders
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, Rates, State
from mbplugin.tables.purposes import BODY_FORCE, RETRACT
from mbplugin.tables.spec import Array

#: first step [rad, or sizes]
STEP = 0.1


def colours(reach: Mapping[int, set[int]]) -> list[list[int]]:
    """What moves, in groups whose members reach nothing in common."""
    taken: dict[int, set[int]] = {}
    groups: list[list[int]] = []
    for mover, reached in reach.items():
        used = set().union(*(taken.get(r, set()) for r in reached))
        colour = next(c for c in range(len(groups) + 1) if c not in used)
        if colour == len(groups):
            groups.append([])
        groups[colour].append(mover)
        for r in reached:
            taken.setdefault(r, set()).add(colour)
    return groups


def turn(axis: int, angle: float) -> Array:
    """(3, 3) rotation about a world axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def displace(problem: Problem, at: Array, c: int) -> Callable[[float], None]:
    """A function of s that shifts markers by s along world axis c, or turns them by s about axis c − 3 in
    place.
    """
    markers = problem[Markers]
    if c < 3:
        x = markers.x[at, c].copy()

        def move(s: float) -> None:
            markers.x[at, c] = x + s
    else:
        R = markers.R.reshape(-1, 3, 3)
        before = R[at].copy()

        def move(s: float) -> None:
            R[at] = turn(c - 3, s) @ before if s else before

    return move


def hasten(problem: Problem, at: Array, c: int) -> Callable[[float], None]:
    """A function of s that adds s to one component of the markers' velocities."""
    markers = problem[Markers]
    array = markers.v if c < 3 else markers.w
    before = array[at, c % 3].copy()

    def move(s: float) -> None:
        array[at, c % 3] = before + s

    return move


def by_markers(
    problem: Problem,
    reach: Mapping[int, set[int]],
    groups: list[list[int]],
    f: Callable[[], Array],
    way: Callable[[Problem, Array, int], Callable[[float], None]],
) -> tuple[Array, Array, Array]:
    """Derivatives of f() (6 points + more,) by displacements (or velocities) of markers: values, rows and
    columns.

    reach: of each marker that moves, the markers whose six numbers in f depend on it; `more` numbers are
    numbered as markers too, one each.
    """
    size = problem.names.size
    nothing = np.zeros(0, np.int64)
    values, rows, columns = [np.zeros(0)], [nothing], [nothing]
    beyond = 6 * len(problem[Markers].index)
    places = {
        mover: np.concatenate(
            [
                np.arange(6 * r, 6 * r + 6) if 6 * r < beyond else [beyond + r - beyond // 6]
                for r in sorted(reach[mover])
            ]
        )
        for mover in reach
    }
    for group in groups:
        at = np.array(group)
        for c in range(6):
            move = way(problem, at, c)

            def moved_by(s: float, move: Callable[[float], None] = move) -> Array:
                move(s)
                problem.check(entries.evaluate_elements(problem.addresses))
                return f()

            slopes = ridders(moved_by, STEP * (size if c < 3 else 1.0))
            move(0.0)
            for mover in group:
                values.append(slopes[places[mover]])
                rows.append(places[mover])
                columns.append(np.full(len(places[mover]), 6 * mover + c))
    return np.concatenate(values), np.concatenate(rows), np.concatenate(columns)


def internal(problem: Problem) -> Array:
    """(nv,) the bodies' own forces at the present state."""
    h = problem[Bodies].h
    h[:] = 0.0
    problem.check(entries.call_purpose(problem.addresses, BODY_FORCE))
    return h.copy()


def retracted(problem: Problem, q: Array, dq: Array) -> None:
    """Put the coordinates at q ⊕ δ."""
    problem[State].q[:] = q
    problem[Rates].v_dot[:] = dq
    problem.check(entries.call_purpose(problem.addresses, RETRACT))


def by_bodies(
    problem: Problem, markers: MarkerMotion, wrench: Array, chosen: Array
) -> tuple[Array, Array, Array]:
    """Of the chosen bodies (numbers), all moved at once: −∂(Hᵀw + own forces)/∂q and −∂(own forces)/∂v, (nv,
    nv) each, and E = ∂(H v)/∂q (6 points, nv).
    """
    bodies, state = problem[Bodies].index[chosen], problem[State]
    q, v = state.q.copy(), state.v.copy()
    nv = problem.nv
    K, D, E = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((6 * len(markers.body), nv))

    def at(dq: Array) -> Array:
        retracted(problem, q, dq)
        H = markers.jacobian()
        return np.concatenate([H.T @ wrench + internal(problem), H @ v])

    def under(dv: Array) -> Array:
        state.v[:] = v + dv
        markers.locate()
        return internal(problem)

    for k in range(int(bodies.nv.max(initial=0))):
        moving = bodies[bodies.nv > k]
        unit = np.zeros(nv)
        unit[moving.first_v + k] = 1.0
        by_q = ridders(lambda s, unit=unit: at(s * unit), STEP)  # type: ignore[misc]
        retracted(problem, q, np.zeros(nv))
        state.q[:] = q
        by_v = ridders(lambda s, unit=unit: under(s * unit), STEP)  # type: ignore[misc]
        state.v[:] = v
        for body, row in zip(chosen[bodies.nv > k], moving):
            params, column = slice(row.first_v, row.first_v + row.nv), row.first_v + k
            K[params, column], D[params, column] = -by_q[:nv][params], -by_v[params]
            mine = np.repeat(markers.body == body, 6)
            E[mine, column] = by_q[nv:][mine]
    markers.locate()
    return K, D, E
