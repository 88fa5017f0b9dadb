"""Enforcement `lagrange`: the rows are enforced by Lagrange multipliers.

M v̇ = h + Gᵀ λ,   G v̇ = γ
"""

from __future__ import annotations

from mbplugin.interface import EnforcementKind


class Lagrange(EnforcementKind):
    name = "lagrange"
