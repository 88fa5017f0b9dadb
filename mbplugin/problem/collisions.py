"""Which shapes collide, and what holds where they touch; for solvers with contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.tables.spec import Array


@dataclass(eq=False)
class Collisions:
    """In the order of the table of shapes. A *surface* is a number for all shapes that touch others alike."""

    surface: Array  # (n,) surface of each shape; −1: it does not collide
    friction: Array  # (surfaces, surfaces) kinetic
    static: Array
    restitution: Array
    rolling: Array  # lever of rolling friction [m]
    spinning: Array  # lever of spinning friction [m]
    pass_through: Array  # 1: these surfaces pass through each other
    law: Array  # number of the law, in `laws`
    law_numbers: Array  # (surfaces, surfaces, 4) its own numbers
    laws: tuple[Any, ...]  # kinds; None: the solver's own, Coulomb's
    moments: bool  # some surfaces have rolling or spinning friction
    gravity: float  # size of the gravitational acceleration; 9.81 without gravity [m/s²]
    joined: Array  # (pairs, 2) bodies that a joint connects, the lower number first; sorted; −1: the ground

    @property
    def exist(self) -> bool:
        """Whether any shape collides."""
        return bool((self.surface >= 0).any())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collisions):
            return NotImplemented
        arrays = {name: value for name, value in vars(self).items() if name != "laws"}
        same = all(np.array_equal(array, getattr(other, name)) for name, array in arrays.items())
        return same and self.laws == other.laws
