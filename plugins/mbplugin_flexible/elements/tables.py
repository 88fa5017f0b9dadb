"""Derivatives of shape functions at the Gauss points, as constants of compiled code.

Each is a pair: ∂N_a/∂ξ_j as (k, 3 ng), by node, and as (3 ng, k), by derivative.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import KINDS


def table(kind: str) -> tuple[Array, Array]:
    gradients = KINDS[kind].gradients
    forward = np.ascontiguousarray(np.moveaxis(gradients, 0, 1).reshape(KINDS[kind].k, -1))
    return forward, np.ascontiguousarray(forward.T)


TET4, TET10, HEX27 = (table(kind) for kind in ("tet4", "tet10", "hex27"))
