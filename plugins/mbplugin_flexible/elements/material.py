"""The elastic material of a mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.interface import Array
from mbplugin.math.elasticity import lame


@dataclass(frozen=True)
class Material:
    """An isotropic elastic material.

    young:   Young's modulus [Pa]
    poisson: Poisson's ratio
    law:     elastic law, of those of the element kind; None: its first
    """

    young: float
    poisson: float
    law: str | None = None

    @property
    def lame(self) -> tuple[float, float]:
        """λ and μ [Pa]."""
        return lame(self.young, self.poisson)

    @property
    def matrix(self) -> Array:
        """(6, 6) stress xx, yy, zz, xy, yz, xz from strains in this order, the last three doubled [Pa]."""
        lam, mu = self.lame
        C = np.diag([2.0 * mu] * 3 + [mu] * 3)
        C[:3, :3] += lam
        return C
