"""Rotors of heavy armatures while positions are closed.

A rotor is nowhere: its place only has to follow its coordinate. Beside an armature of 1e9 times the inertia
of the bodies, the row between them hides all others in M⁻¹, down to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies

#: armature, relative to the inertia of the bodies on its coordinate, above which it counts as this inertia
HEAVY_ARMATURE = 1e6


@contextmanager
def light_rotors(problem: Problem) -> Iterator[None]:
    """Context in which heavy rotors have the inertia of the bodies on their coordinates. The problem has to
    be evaluated.
    """
    inverse = problem[Bodies].inverse
    rotor = np.array([problem[Bodies].index[k].first_v for k in problem.names.rotors], int)
    # units do not matter by six orders of magnitude
    if not len(rotor) or inverse[rotor].min() * HEAVY_ARMATURE > inverse.max():
        yield
        return
    G, before = problem.jacobian(), inverse[rotor].copy()
    G = G[(G[:, rotor] != 0.0).any(axis=1)]
    bodies = G.copy()
    bodies[:, rotor] = 0.0
    # G M⁻¹ Gᵀ of the row of each rotor, in the order of the rows
    of_bodies = np.einsum("rv,vr->r", bodies, problem.solve_mass(bodies.T))
    for row, size in zip(G, of_bodies):
        at = rotor[np.flatnonzero(row[rotor])]
        if HEAVY_ARMATURE * inverse[at[0]] < size:
            inverse[at[0]] = size
    try:
        yield
    finally:
        inverse[rotor] = before
