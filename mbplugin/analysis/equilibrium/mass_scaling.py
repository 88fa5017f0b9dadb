"""Masses by which the search for an equilibrium measures motions.

Where an equilibrium is does not depend on how masses are distributed, but the search compares the stiffness
per mass, K / M, of motions, and below rounding of the largest one it counts as zero. A light node of a cable,
or a body of next to no inertia, raises the largest one until a pendulum seems to have no stiffness. Masses
are therefore raised (selective mass scaling) where K / M of a velocity is far above κ:

    W = M + diag a,   Wⱼⱼ ≥ max(|Kⱼⱼ|, F l rⱼ²) / (STIFFEST κ),   κ = F l / m

F: largest force; l: size of the mechanism; rⱼ: stride of a unit velocity j [sizes or rad], so that F l rⱼ² is
its stiffness where a force F at an arm l turns with the body; m: largest mass of a unit stride.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.null_space import body_twists
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Wrenches
from mbplugin.tables.spec import Array

#: largest K / W of a velocity, relative to κ
STIFFEST = 1e5
#: forces are rounded by this part of the largest stiffness times the size
ROUNDED = 1e-14


class MassScaling:
    """Mass scaling of one problem, with the masses at the position at which it is made."""

    def __init__(self, problem: Problem, masses: Array) -> None:
        """masses: (nv,) diagonal of M."""
        index, size = problem[Bodies].index, problem.names.size
        self.size = size
        self.reach: Array = np.zeros(problem.nv)  # (nv,) stride of a unit velocity [sizes or rad]
        self.heaviest = 0.0  # largest mass of a unit stride [kg m²]
        for k in range(int(index.nv.max(initial=0))):
            # velocity k of all bodies, and of all parts of each, at once
            moved = index.nv > k
            place, whole = index.first_v[moved] + k, index.whole[moved]
            v = np.zeros(problem.nv)
            v[place] = 1.0
            twists = body_twists(problem, v[:, None])[:, :, 0]
            travel, angle = (np.linalg.norm(twists[:, part], axis=1) for part in (slice(3), slice(3, 6)))
            stride, mass = np.zeros(len(index)), np.zeros(len(index))
            np.maximum.at(stride, problem.names.body_index, np.maximum(travel / size, angle))
            np.add.at(mass, whole, masses[place])
            self.reach[place] = stride[whole]
            moves = stride > 0.0
            self.heaviest = max(self.heaviest, float((mass[moves] / stride[moves] ** 2).max(initial=0.0)))

    def added(self, masses: Array, stiffnesses: Array, force: float) -> Array:
        """(nv,) what is added to the diagonal of M. stiffnesses: (nv,) diagonal of K; force: the largest."""
        stiff = np.abs(stiffnesses)
        moment = self.size * max(force, ROUNDED * float(stiff.max(initial=0.0)) * self.size)
        least = np.maximum(stiff / moment, self.reach**2) * self.heaviest / STIFFEST
        return np.maximum(least - masses, 0.0)

    def moments(self, force: float) -> Array:
        """(nv,) F l r²: stiffness of each velocity by a force at an arm of one size. force: the largest."""
        return force * self.size * self.reach**2

    def rounding(self, force: float) -> Array:
        """(nv,) rounding of the forces at each velocity by that of lever arms. force: the largest."""
        return ROUNDED * self.size * force * self.reach


def largest_force(problem: Problem, lam: Array) -> float:
    """Reference for unbalanced forces: the largest force that acts [N, or N·m per size]."""
    wrench, size = np.abs(problem[Wrenches].wrench.reshape(-1, 6)), problem.names.size
    force, torque = wrench[:, :3].max(initial=0.0), wrench[:, 3:].max(initial=0.0) / size
    return float(
        max(np.abs(problem[Bodies].h).max(initial=0.0), force, torque, np.abs(lam).max(initial=0.0), 1e-300)
    )
