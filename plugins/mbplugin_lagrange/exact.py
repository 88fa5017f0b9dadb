"""Enforcement `lagrange`: the rows enter the system of the constraint forces and hold exactly.

M v̇ = h + Gᵀ λ,   G v̇ = γ
"""

from __future__ import annotations

from mbplugin.interface import EnforcementKind


class Lagrange(EnforcementKind):
    name = "lagrange"
