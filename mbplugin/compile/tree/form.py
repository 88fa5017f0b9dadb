"""Demands on the trees of a problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

#: velocities of a tree up to which X = M⁻¹ Gᵀ costs less with the factor of M than by the recursion
SMALL_TREE = 8
#: rows for each velocity from which that outweighs the time to form M
MANY_ROWS = 0.5


@dataclass(frozen=True)
class TreeForm:
    """How the equations of trees are set up."""

    forms_mass: bool = False  # M of each tree is formed and factored; else a recursion applies M⁻¹
    fits: bool = False  # M is formed where trees are small, and rows many
    momenta: bool = False  # these are states
    largest: float = inf  # a tree of more velocities is none: its bodies keep their own, and its joints rows
    lone: bool = False  # a rigid body that no joint carries and that carries none is a tree by itself

    def fitted(self, velocities: list[int], rows: int) -> TreeForm:
        """The form for trees of so many velocities each, on which so many rows act."""
        small = max(velocities, default=inf) <= SMALL_TREE and rows >= MANY_ROWS * sum(velocities)
        return replace(self, forms_mass=self.forms_mass or (self.fits and small))
