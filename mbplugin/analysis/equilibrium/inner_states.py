"""Inner states of a scene, as of controllers: which auxiliary states they are."""

from __future__ import annotations

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import Bounded
from mbplugin.tables.spec import Array

#: auxiliary states before those of a scene: work and dissipated energy
BOOKED = 2


def states_of_scene(problem: Problem) -> Array:
    """(nx,) places in `State.aux` of the inner states; what rows with bounds have done so far is none."""
    counted = {
        int(one.first_aux) + k
        for one in problem[Bounded].index
        for k in range(2 + int(one.works) + int(one.opening >= 0))
    }
    places = [BOOKED + k for k in range(len(problem.names.states)) if BOOKED + k not in counted]
    return np.array(places, np.int64)
