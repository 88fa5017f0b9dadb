"""How marker b of a joint moves relative to marker a, from its rows and coordinates alone.

Over the twists V_a, V_b of both markers, rows and coordinates are

    [G_b; J_b] V_b + [G_a; J_a] V_a = [0; ṡ],   B = [G_b; J_b]⁻¹
    V_b = X V_a + S ṡ,                          X = −B [G_a; J_a],   S = last k columns of B

A joint that carries marker b holds all but k of its motions, its coordinates tell these, and X is the shift
of a rigid body from a to b. If a line and a rotation about one axis give the pose at all coordinates, or two
rotations in turn about a fixed point, that is the form of the joint; otherwise S depends on s.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mbplugin.compile.joint_poses import (
    ALIGNED,
    condition,
    matrix,
    pose_at,
    pose_of_rows,
    rotation_by,
    without_turns,
)
from mbplugin.compile.joint_rows import JointRows, Pose, Values, cross
from mbplugin.compile.joint_rules import CannotCarry, too_few
from mbplugin.tables.spec import Array

#: values of the coordinates at which a joint is tried [m, rad]: so many within ±1, at other lengths too
#: where these are out of reach
TRIALS, LENGTHS = 4, (1.0, 0.1, 0.01)
#: largest error of a pose by its form, and of X [m, rad]
FORM_ERROR, SHIFT_ERROR = 1e-11, 1e-8
#: largest condition number of rows and coordinates of unit length
MOST_CONDITION = 1e7
#: smaller deviations from −1, 0 and 1 are rounding
ROUNDING = 1e-14

DEPENDENT = "its rows and coordinates are not independent"
NOT_RELATIVE = "its rows or coordinates change as both markers move together"
NO_POSE = "no position that satisfies its rows was found"
NOT_FOUND = "its position at given coordinates was not found"

#: a pose of marker a for which nothing is special
TURNED = Pose(np.array([0.7, -1.1, 0.4]), rotation_by(np.array([0.9, -0.5, 1.3])))


@dataclass(frozen=True)
class JointMotion:
    """How marker b of a joint moves relative to marker a, in axes of a.

    Position and axes of b at the coordinates s, for all forms but "derived":

        p(s) = p0 + P s,   R(s) = exp([u] (w·s)) R0

    In the forms "turning" and "sliding" w or P is a unit. A "cross" has P = 0 and
    R(s) = exp([t₁] s₁) exp([t₂] s₂) R0; a "ball" has any R, and p0.
    """

    form: str  # "fixed", "turning", "sliding", "constant", "cross", "ball" or "derived"
    coordinates: tuple[str, ...]  # names in the order of s and ṡ; () of "fixed" and "ball"
    p0: Array  # (3,) [m]
    P: Array  # (3, k) per unit of s
    u: Array  # (3,) unit axis of the rotations; 0 without one
    w: Array  # (k,) rotation per unit of s
    R0: Array  # (3, 3)
    t: Array = field(default_factory=lambda: np.zeros((2, 3)))  # of a "cross"

    def pose(self, s: Array) -> Pose:
        """The pose of b in axes of a at the coordinates s (k,)."""
        if self.form == "cross":
            return Pose(self.p0, rotation_by(self.t[0] * s[0]) @ rotation_by(self.t[1] * s[1]) @ self.R0)
        return Pose(self.p0 + self.P @ s, rotation_by(self.u * (self.w @ s)) @ self.R0)


def motion_of(rows: JointRows, drawn: Pose) -> JointMotion:
    """The motion near the pose `drawn` of b in axes of a, or near aligned markers. Raises CannotCarry."""
    try:
        return motion_near(rows, drawn)
    except CannotCarry as error:
        try:
            return motion_near(rows, ALIGNED)
        except CannotCarry:
            raise error from None


def motion_near(rows: JointRows, drawn: Pose) -> JointMotion:
    """The motion that Newton's method leads to from this pose of b in axes of a. Raises CannotCarry."""
    met = pose_of_rows(rows, drawn)
    if met is None:
        raise CannotCarry(NO_POSE)
    k = 6 - rows.rows
    if k > len(rows.names):
        return ball(rows, met)
    chosen = best_coordinates(rows, met, k)
    origin = pose_at(rows, chosen, np.zeros(k), met)
    if origin is None:
        raise CannotCarry(NOT_FOUND)
    check(rows, chosen, origin)
    names = tuple(rows.names[i] for i in chosen)
    trials = np.random.default_rng(1).uniform(-1.0, 1.0, (TRIALS if k else 0, k))
    for motion in forms_at(rows, chosen, origin):
        if all(reproduced(rows, motion, s) for s in [np.zeros(k), *trials]):
            for s in trials:
                check(rows, numbers_of(rows, motion), motion.pose(s))
            return motion
    for s in trials:
        pose = reached(rows, chosen, s, origin)
        if pose is None:
            raise CannotCarry(NOT_FOUND)
        check(rows, chosen, pose)
    nothing = np.zeros(3)
    return JointMotion("derived", names, nothing, np.zeros((3, k)), nothing, np.zeros(k), np.eye(3))


def best_coordinates(rows: JointRows, pose: Pose, k: int) -> tuple[int, ...]:
    """Numbers of the k coordinates that tell the pose best. Raises CannotCarry.

    A joint with a relation between its coordinates has more of them than free motions.
    """
    on_b = rows.at(ALIGNED, pose).on_b
    # rounded, so that the first of equally good ones is taken
    found = [
        (float(f"{condition(matrix(rows, on_b, chosen)):.6g}"), chosen)
        for chosen in itertools.combinations(range(len(rows.names)), k)
    ]
    least, chosen = min(found)
    if not least < MOST_CONDITION:
        raise CannotCarry(DEPENDENT)
    return chosen


def forms_at(rows: JointRows, chosen: tuple[int, ...], origin: Pose) -> list[JointMotion]:
    """The forms that the joint may have, from S at s = 0; the coordinates of a cross in either order."""
    names = tuple(rows.names[i] for i in chosen)
    S = np.linalg.inv(matrix(rows, rows.at(ALIGNED, origin).on_b, chosen))[:, rows.rows :]
    P, rates = rounded(S[:3]), rounded(S[3:])
    one = form_of(names, P, rates, origin)
    if one is not None:
        return [one]
    if len(chosen) != 2 or P.any():
        return []
    p0, R0, nothing = rounded(origin.x), rounded(origin.R), np.zeros(3)
    return [
        JointMotion("cross", (names[i], names[j]), p0, P, nothing, np.zeros(2), R0, rates[:, [i, j]].T)
        for i, j in ((0, 1), (1, 0))
    ]


def numbers_of(rows: JointRows, motion: JointMotion) -> list[int]:
    """Numbers of the coordinates of a motion."""
    return [rows.names.index(name) for name in motion.coordinates]


def form_of(names: tuple[str, ...], P: Array, rates: Array, origin: Pose) -> JointMotion | None:
    """The form with S = [P; rates] in axes of a; None if it rotates about several axes."""
    k = len(names)
    u, w = np.zeros(3), np.zeros(k)
    if k and rates.any():
        column = rates[:, int(np.argmax(np.abs(rates).max(axis=0)))]
        u = rounded(column / np.linalg.norm(column))
        w = rounded(u @ rates)
        if np.abs(rates - np.outer(u, w)).max() > FORM_ERROR * np.abs(rates).max():
            return None
    form = "fixed" if k == 0 else "constant"
    if k == 1 and not P.any() and abs(w[0]) == 1.0:
        form = "turning"
    if k == 1 and not w.any() and is_unit(P[:, 0]):
        form = "sliding"
    return JointMotion(form, names, rounded(origin.x), P, u, w, rounded(origin.R))


def is_unit(a: Array) -> bool:
    """Whether a vector has the length 1, to rounding."""
    return bool(abs(np.linalg.norm(a) - 1.0) <= ROUNDING)


def reproduced(rows: JointRows, motion: JointMotion, s: Array) -> bool:
    """Whether the form satisfies the rows at s, and the coordinates are s there."""
    pose, chosen = motion.pose(s), numbers_of(rows, motion)
    values = rows.at(ALIGNED, pose)
    deviation = without_turns(values.s[chosen] - s, rows.periods[chosen])
    error = np.abs(np.concatenate([values.phi, deviation])).max(initial=0.0)
    return bool(error <= FORM_ERROR * (1.0 + np.abs(pose.x).max()))


def reached(rows: JointRows, chosen: tuple[int, ...], s: Array, origin: Pose) -> Pose | None:
    """The pose at s, or at a part of the lengths in it; None if none is found."""
    angles = rows.periods[list(chosen)] > 0.0
    for length in LENGTHS:
        pose = pose_at(rows, chosen, np.where(angles, s, length * s), origin)
        if pose is not None:
            return pose
    return None


def check(rows: JointRows, chosen: Sequence[int], pose: Pose) -> None:
    """Raise CannotCarry unless B is well conditioned and X a rigid shift at this pose of b in axes of a."""
    given = rows.at(ALIGNED, pose)
    for a in (ALIGNED, TURNED):
        b = pose.after(a)
        values = given if a is ALIGNED else rows.at(a, b)
        A = matrix(rows, values.on_b, chosen)
        if not condition(A) < MOST_CONDITION:
            raise CannotCarry(DEPENDENT)
        X = -np.linalg.solve(A, matrix(rows, values.on_a, chosen))
        d = b.x - a.x
        size = 1.0 + np.abs(d).max()
        if not (same(rows, given, values, size) and np.abs(X - shift(d)).max() < SHIFT_ERROR * size):
            raise CannotCarry(NOT_RELATIVE)


def same(rows: JointRows, given: Values, values: Values, size: float) -> bool:
    """Whether rows and coordinates have the same values at two poses."""
    change = np.concatenate([values.phi - given.phi, without_turns(values.s - given.s, rows.periods)])
    return bool(np.abs(change).max(initial=0.0) < SHIFT_ERROR * size)


def ball(rows: JointRows, met: Pose) -> JointMotion:
    """The motion of three rows that leave all rotations of b free, and no translation. Raises CannotCarry."""
    random = np.random.default_rng(1)
    p0 = rounded(met.x)
    for a in (ALIGNED, TURNED):
        for R in [met.R, *(rotation_by(random.uniform(-2.0, 2.0, 3)) for _ in range(TRIALS))]:
            b = Pose(p0, R).after(a)
            values, d = rows.at(a, b), b.x - a.x
            size = 1.0 + np.abs(d).max()
            held = np.abs(values.phi).max() <= FORM_ERROR * size
            rotates = np.abs(values.on_b[:, 3:]).max() <= FORM_ERROR * np.abs(values.on_b).max()
            if not (held and rotates and condition(values.on_b[:, :3]) < MOST_CONDITION):
                raise too_few(rows.rows, len(rows.names), 6)
            X = -np.linalg.solve(values.on_b[:, :3], values.on_a)
            if not np.abs(X - shift(d)[:3]).max() < SHIFT_ERROR * size:
                raise CannotCarry(NOT_RELATIVE)
    return JointMotion("ball", (), p0, np.zeros((3, 0)), np.zeros(3), np.zeros(0), np.eye(3))


def shift(d: Array) -> Array:
    """(6, 6) the twist of a rigid body at a point d from that at its first one."""
    X = np.eye(6)
    for k in range(3):
        X[:3, 3 + k] = cross(np.eye(3)[k], d)
    return X


def rounded(values: Array) -> Array:
    """The values, of which those next to −1, 0 and 1 are these."""
    whole = np.clip(np.round(values), -1.0, 1.0)
    return np.where(np.abs(values - whole) < ROUNDING, whole, values) + 0.0
