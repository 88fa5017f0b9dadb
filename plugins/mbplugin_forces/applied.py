"""A force or torque on one marker, whose world components are functions."""

from __future__ import annotations

from mbplugin.interface import ForceKind, Function, Parameters
from mbplugin.math.vec3 import dot


class ForceParameters(Parameters):
    force_x: Function = 0.0  # type: ignore[assignment]
    force_y: Function = 0.0  # type: ignore[assignment]
    force_z: Function = 0.0  # type: ignore[assignment]
    """Components along the world axes [N], functions of `time`."""


class AppliedForce(ForceKind):
    name = "force"
    parameters = ForceParameters
    markers = 1

    @staticmethod
    def kernel(a, u, wrench, power):
        f = (u.force_x[0], u.force_y[0], u.force_z[0])
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = f[k], 0.0
        power[0] = dot(f, a.v)

    @staticmethod
    def tangent(K):
        """World components do not depend on the marker: K = 0."""


class TorqueParameters(Parameters):
    torque_x: Function = 0.0  # type: ignore[assignment]
    torque_y: Function = 0.0  # type: ignore[assignment]
    torque_z: Function = 0.0  # type: ignore[assignment]
    """Components along the world axes [N·m], functions of `time`."""


class AppliedTorque(ForceKind):
    name = "torque"
    exerts_torque = True
    parameters = TorqueParameters
    markers = 1

    @staticmethod
    def kernel(a, u, wrench, power):
        t = (u.torque_x[0], u.torque_y[0], u.torque_z[0])
        for k in range(3):
            wrench[0, k], wrench[0, 3 + k] = 0.0, t[k]
        power[0] = dot(t, a.w)

    @staticmethod
    def tangent(K):
        """World components do not depend on the marker: K = 0."""
