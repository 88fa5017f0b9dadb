"""A push that allocates an array at every call, so that the test of allocations can be seen to fail."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import ForceKind, Parameters, Positive


class PushParameters(Parameters):
    size: Positive
    """Force [N]."""


class Wasteful(ForceKind):
    name = "foreign_wasteful"
    parameters = PushParameters
    markers = 1

    @staticmethod
    def kernel(a, p, wrench):
        f = np.zeros(6)
        f[0] = p.size * (1.0 + a.x[0])
        for k in range(6):
            wrench[0, k] = f[k]
