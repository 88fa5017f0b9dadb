"""A force that follows its command with a first-order lag:  τ ẋ = u(t) − x,  f = x along x of the world."""

from __future__ import annotations

from mbplugin.interface import ForceKind, Function, Parameters, Positive


class LagParameters(Parameters):
    command: Function
    """Force that is asked for [N], a function of `time`."""
    time_constant: Positive
    """τ [s]."""


class LaggedForce(ForceKind):
    name = "foreign_lag"
    parameters = LagParameters
    markers = 1
    states = 1

    @staticmethod
    def kernel(a, p, u, x, x_dot, wrench):
        x_dot[0] = (u.command[0] - x[0]) / p.time_constant
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = x[0]
