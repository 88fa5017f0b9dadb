"""Enforcement `penalty`: a spring and a damper along each row.

    V = ½ k Φ²,   load = −k Φ − d Φ̇,   dissipated power d Φ̇²,   h ← h + Gᵀ load

A row at velocity level (rolling) has no Φ, and d alone. The wrenches on the markers are −G_mᵀ (k Φ + d Φ̇).
"""

from __future__ import annotations

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.interface import EnforcementKind
from mbplugin_penalty import report
from mbplugin_penalty.choice import numbers
from mbplugin_penalty.parameters import PenaltyParameters


class Penalty(EnforcementKind):
    name = "penalty"
    parameters = PenaltyParameters
    values = ("stiffness", "damping", "allowed", "predicted")
    memory = 1  # largest |Φ| so far

    @staticmethod
    def kernel(p, phi, phi_dot, load, energy, power):
        load[0] = -p.stiffness * phi - p.damping * phi_dot
        energy[0] = 0.5 * p.stiffness * phi * phi
        power[0] = -p.damping * phi_dot * phi_dot

    @staticmethod
    def tangent(p, slope, slope_dot):
        slope[0], slope_dot[0] = -p.stiffness, -p.damping

    @staticmethod
    def accept(phi, mem, mem_new):
        mem_new[0] = max(mem[0], abs(phi))

    @classmethod
    def check(cls, params, labels):
        for label in params.direction:
            if label not in labels:
                raise SceneError(
                    "direction",
                    label,
                    f"the joint has no such row{did_you_mean(label, labels) or f'; it has {listed(labels)}'}",
                )

    @classmethod
    def rows(cls, params, rows):
        return numbers(params, rows)

    @classmethod
    def tolerance(cls, params, row, values):
        """`tolerance` k / m: acceleration by an unbalanced load; without stiffness `tolerance` (d / m)²."""
        if not params.augment:
            return None
        k, d = values["stiffness"], values["damping"]
        return params.tolerance * (k / row.mass if k > 0.0 else (d / row.mass) ** 2)

    @classmethod
    def assembled(cls, params):
        return params.assemble

    before = classmethod(report.before)
    after = classmethod(report.after)
