"""Demands on the trees of a problem."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class TreeForm:
    """How the equations of trees are set up."""

    forms_mass: bool = False  # M of each tree is formed and factored; else a recursion applies M⁻¹
    momenta: bool = False  # these are states
    largest: float = inf  # a tree of more velocities is none: its bodies keep their own, and its joints rows
    lone: bool = False  # a rigid body that no joint carries and that carries none is a tree by itself
