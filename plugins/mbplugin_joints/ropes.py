"""Ropes, which only pull, and struts that only push.

    Φ = l − s ≥ 0,  λ ≥ 0,  s = Σ L,  L = |d|,  d = y − x       over the parts of a rope between its markers
    L̇ = e·u,  L̈ = e·u̇ + (u·u − L̇²)/L                            e = d/L,  u = ḋ
    Φ̈ = l̈ − s̈,  l(t) of a rope that is let out or taken in

The multiplier λ is the tension, the same in all parts: markers between the ends are frictionless eyes.
Derived here; the conformance kit checks G, γ and the tangent. The rope is written by hand, although a sum
along markers takes 0.85 of its time: its memory names the part that may have passed an eye, and Φ has no
index that a memory gives; a slack rope may have parts of no length, which have no direction.
"""

from __future__ import annotations

from math import nan
from typing import Annotated, Literal

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import (
    ConstraintKind,
    Entries,
    Function,
    NonNegative,
    Numbers,
    Parameters,
    Positive,
    jit,
)
from mbplugin.math.patch import add_between
from mbplugin.math.vec3 import dot, sub
from mbplugin_joints.basics import Distance
from mbplugin_joints.directions import APART, BetweenPoints, with_z
from mbplugin_joints.measures.distance import line

#: of the length of a rope: a part of it that has none; how much longer its path is where it is overstretched
NOTHING, OVERSTRETCHED = 1e-12, 1e-9


class RopeParameters(Parameters):
    length: Function | None = None
    """Length [m], or a function of `time`; default: that along its markers in the scene as written."""
    restitution: NonNegative = 0.0
    """Part of the speed with which the markers go back after a jerk, 0 to 1."""
    strength: Positive | None = None
    """Tension above which it breaks [N]; default: it does not."""
    radius: Annotated[Numbers, Entries("m")] | None = None
    """Radii of the sheaves about z of the markers between its ends [m], 0: an eye; default: all are eyes."""
    direction: tuple[Literal["positive", "negative"], ...] | None = None
    """Of each of these markers the sense about z in which the rope runs over it, from the first marker to the
    last; default: that in which it turns at their centres.
    """


class Rope(ConstraintKind):
    """A rope without mass from `a` to `b`, or along `markers`, of which those between its ends are eyes or
    small pulleys without friction on any bodies: its path is no longer than `length` l (1 row), Φ ≥ 0. It
    only pulls, λ ≥ 0. The formulas are those of three markers 0, 1, 2.
    """

    name = "rope"
    formula = r"""
\Phi = l - L_1 - L_2, \quad L_1 = |r_1 - r_0|, \quad L_2 = |r_2 - r_1|
\dot \Phi = \dot l - e_1 \cdot (v_1 - v_0) - e_2 \cdot (v_2 - v_1), \quad e_1 = (r_1 - r_0) / L_1
e_2 = (r_2 - r_1) / L_2
\gamma = -\ddot l + \frac{|v_1 - v_0|^2 - \dot L_1^2}{L_1} + \frac{|v_2 - v_1|^2 - \dot L_2^2}{L_2}
F_1 = \lambda (e_2 - e_1), \quad F_2 = -\lambda e_2
"""
    parameters = RopeParameters
    markers = None
    labels = ("length of the rope",)
    row_type = "nonnegative"
    bound_names = ("tension",)
    outputs = {"slack": "m"}
    memory = 4
    memory_acts = False
    at_mass_centres = True
    lines = "chain"
    singular = "a part of no length"
    avoided = APART
    undefined = (
        "a part of the rope between two of its markers has shrunk to nothing while it is taut, and has no "
        "direction there; keep the body from reaching the eye, by `limits` of its joint or a `separator`, or "
        "take a `rope` with fewer eyes"
    )

    @classmethod
    def variant(cls, params):
        from mbplugin_joints.sheaves import RopeOverSheaves

        return RopeOverSheaves if params.radius is not None else cls

    @classmethod
    def defaults(cls, params, markers):
        if len(markers) < 2:
            raise SceneError(
                "markers", mend="a rope has two ends: give `a` and `b`, or two or more `markers`"
            )
        if params.direction is not None:
            raise SceneError("direction", list(params.direction), "is that of sheaves: give their `radius`")
        return with_length(params, markers)

    @classmethod
    def axes(cls, markers):
        """z is along the last part."""
        return with_z(markers[-1][0] - markers[-2][0])

    @classmethod
    def breaks(cls, params, name):
        if params.strength is None:
            return None
        return f"reaction({name}.force) > {params.strength!r}"

    @classmethod
    def refuse_outside(cls, params, by):
        mend = f"at t = 0 it is shorter than its path along its markers by {by:.3g} m; "
        if (length := params.length.constant) is not None:
            path = f"at t = 0 its path along its markers is {length + by:.9g} m"
            mend = f"{path}; it is shorter by {by:.3g} m: "
        mend += "give a `length` of at least that, or move them together"
        raise SceneError("length", given(params.length), mend)

    @staticmethod
    def kernel(m, u, mem, active, phi, phi_t, G, gamma, slack):
        l, l_dot, l_dot_dot = u.length
        s, bias = add_parts(m, l, G)
        phi[0] = slack[0] = l - s
        phi_t[0], gamma[0] = l_dot, bias - l_dot_dot
        if (active[0] == 1 or phi[0] < -OVERSTRETCHED * l) and has_passed(m, mem):
            phi[0] = gamma[0] = nan

    @staticmethod
    def accept(m, p, mem_new):
        """The part that ends first at its present speed, and its direction."""
        k, d = first_to_end(m)
        mem_new[0] = k
        for i in range(3):
            mem_new[1 + i] = d[i]

    @staticmethod
    def tangent(m, u, lam, K):
        """A part turns under the tension λ."""
        for k in range(len(m) - 1):
            length, e, _ = line(m[k], m[k + 1])
            if length > NOTHING * u.length[0]:
                add_between(K, 6 * k, 6 * k + 6, lam[0] / length, -lam[0] / length, e, e)


def with_length(params, markers):
    """The parameters, with the length of the path along the markers if none is given. Raises SceneError."""
    if params.restitution > 1.0:
        raise SceneError("restitution", params.restitution, "must be from 0 to 1")
    if params.length is not None:
        if (length := params.length.constant) is not None and length <= 0.0:
            raise SceneError("length", length, "must be greater than 0")
        return params
    length = path([x for x, _ in markers])
    if length == 0.0:
        raise SceneError("length", mend="its markers are at one point; give its length [m]")
    return type(params).model_validate(params.model_dump() | {"length": length})


def given(length):
    """The value of a key, as messages show it."""
    return length.text if length.constant is None else length.constant


def path(x):
    """Length of the path along points (n, 3) [m]."""
    return float(np.linalg.norm(np.diff(np.asarray(x), axis=0), axis=1).sum())


@jit
def add_parts(m, most, G):
    """G of −s, from zero; returns s and the bias of s̈. A part of no length has no direction."""
    for k in range(6 * len(m)):
        G[k] = 0.0
    s, bias = 0.0, 0.0
    for k in range(len(m) - 1):
        length, e, bias_of_part = line(m[k], m[k + 1])
        s += length
        if length > NOTHING * most:
            bias += bias_of_part
            for i in range(3):
                G[6 * k + i] += e[i]
                G[6 * k + 6 + i] -= e[i]
    return s, bias


@jit
def has_passed(m, mem):
    """Whether the part that was to end first has passed its eye since the last step."""
    k = int(mem[0])
    return k > 0 and dot(sub(m[k].x, m[k - 1].x), (mem[1], mem[2], mem[3])) <= 0.0


@jit
def first_to_end(m):
    """The number of the part that shrinks to nothing first at its present speed, from 1, and d of it."""
    first, soonest, found = 1, 0.0, sub(m[1].x, m[0].x)
    for k in range(1, len(m)):
        d, u = sub(m[k].x, m[k - 1].x), sub(m[k].v, m[k - 1].v)
        # −L̇ / L
        shrinks = -dot(d, u) / max(dot(d, d), 1e-300)
        if shrinks > soonest:
            first, soonest, found = k, shrinks, d
    return first, found


class SeparatorParameters(Parameters):
    length: Function | None = None
    """Least distance [m], or a function of `time`; default: that of the markers in the scene as written."""
    restitution: NonNegative = 0.0
    """Part of the speed with which the markers go apart after an impact, 0 to 1."""


class Separator(BetweenPoints):
    """A strut without mass that only pushes, λ ≥ 0: two markers are at least `length` l apart (1 row),
    Φ ≥ 0.
    """

    name = "separator"
    formula = r"""
\Phi = |r_b - r_a| - l
"""
    parameters = SeparatorParameters
    basics = Distance(to="length")
    free_directions = ()
    row_type = "nonnegative"
    bound_names = ("push",)

    class Planar:
        """The row of a separator in the plane."""

    @classmethod
    def defaults(cls, params, markers):
        return with_length(params, markers)

    @classmethod
    def refuse_outside(cls, params, by):
        mend = f"at t = 0 its markers are closer than it is long by {by:.3g} m; "
        if (length := params.length.constant) is not None:
            mend = f"at t = 0 its markers are {length - by:.9g} m apart, closer by {by:.3g} m: "
        mend += "give a `length` of at most that, or move them apart"
        raise SceneError("length", given(params.length), mend)
