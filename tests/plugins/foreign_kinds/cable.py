"""Cables that run over any number of markers without friction: one of constant length, and an elastic one.

With e = (y − x)/|y − x| for each leg from a marker to the next, the length s = Σ |y − x| has the rate
ṡ = Σ e·u, u = v_y − v_x, and  d/dt e·u = e·u̇ + (u·u − (e·u)²)/|y − x|.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import ConstraintKind, ForceKind, Measure, NonNegative, Parameters, Positive, jit
from mbplugin.math.patch import add_diagonal, add_outer
from mbplugin.math.vec3 import dot, norm, scale, sub


class CableParameters(Parameters):
    length: Positive | None = None
    """Length [m]; default: that at t = 0."""


class ElasticCableParameters(CableParameters):
    stiffness: Positive
    """Tension for a change of the length [N/m]."""
    damping: NonNegative = 0.0
    """Tension for its rate [N·s/m]."""


def with_length(params, markers):
    """The parameters with the length at t = 0 if none is given."""
    if params.length is not None:
        return params
    x = np.array([x for x, _ in markers])
    return params.model_copy(update={"length": float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum())})


class Cable(ConstraintKind):
    """Σ |x_{k+1} − x_k| = length."""

    name = "foreign_cable"
    parameters = CableParameters
    markers = None
    labels = ("length of the cable",)

    @classmethod
    def defaults(cls, params, markers):
        return with_length(params, markers)

    @staticmethod
    def kernel(m, p, phi, G, gamma):
        s, bias = add_legs(m, G)
        phi[0], gamma[0] = s - p.length, -bias


class ElasticCable(ForceKind):
    """Tension k (s − length) + c ṡ, the same in all legs."""

    name = "foreign_elastic_cable"
    parameters = ElasticCableParameters
    markers = None
    dissipates = True

    @classmethod
    def defaults(cls, params, markers):
        return with_length(params, markers)

    @staticmethod
    def kernel(m, p, wrench, energy, power):
        s, s_dot = extension(m)
        tension = p.stiffness * (s - p.length) + p.damping * s_dot
        for k in range(len(m)):
            for i in range(6):
                wrench[k, i] = 0.0
        for k in range(len(m) - 1):
            d = sub(m[k + 1].x, m[k].x)
            e = scale(1.0 / norm(d), d)
            for i in range(3):
                wrench[k, i] += tension * e[i]
                wrench[k + 1, i] -= tension * e[i]
        energy[0] = 0.5 * p.stiffness * (s - p.length) ** 2
        power[0] = -p.damping * s_dot * s_dot

    @staticmethod
    def tangent(m, p, K, D):
        s, s_dot = extension(m)
        tension = p.stiffness * (s - p.length) + p.damping * s_dot
        for j in range(len(m) - 1):
            d, u = sub(m[j + 1].x, m[j].x), sub(m[j + 1].v, m[j].v)
            length = norm(d)
            e = scale(1.0 / length, d)
            turned = scale(1.0 / length, sub(u, scale(dot(e, u), e)))
            # the leg turns under the tension
            for a in range(2):
                for b in range(2):
                    sign = 1.0 if a == b else -1.0
                    add_diagonal(K, 6 * (j + a), 6 * (j + b), sign * tension / length)
                    add_outer(K, 6 * (j + a), 6 * (j + b), -sign * tension / length, e, e)
            # and every leg feels the extension of every other
            for i in range(len(m) - 1):
                d = sub(m[i + 1].x, m[i].x)
                pull = scale(1.0 / norm(d), d)
                for a in range(2):
                    for b in range(2):
                        sign = 1.0 if a == b else -1.0
                        add_outer(K, 6 * (i + a), 6 * (j + b), sign * p.stiffness, pull, e)
                        add_outer(K, 6 * (i + a), 6 * (j + b), sign * p.damping, pull, turned)
                        add_outer(D, 6 * (i + a), 6 * (j + b), sign * p.damping, pull, e)


def path(m, value, J, bias):
    value[0], bias[0] = add_legs(m, J)


#: the length of the path over its markers
Path = Measure(path, markers=None)


@jit
def extension(m):
    """s and ṡ."""
    s, s_dot = 0.0, 0.0
    for k in range(len(m) - 1):
        d = sub(m[k + 1].x, m[k].x)
        s += norm(d)
        s_dot += dot(d, sub(m[k + 1].v, m[k].v)) / norm(d)
    return s, s_dot


@jit
def add_legs(m, J):
    """J of s, from zero; returns s and the bias of s̈."""
    for k in range(6 * len(m)):
        J[k] = 0.0
    s, bias = 0.0, 0.0
    for k in range(len(m) - 1):
        d, u = sub(m[k + 1].x, m[k].x), sub(m[k + 1].v, m[k].v)
        length = norm(d)
        e = scale(1.0 / length, d)
        rate = dot(e, u)
        s += length
        bias += (dot(u, u) - rate * rate) / length
        for i in range(3):
            J[6 * k + i] -= e[i]
            J[6 * k + 6 + i] += e[i]
    return s, bias
