"""Numbers of rows and activities in the two problems of a run in joint coordinates: that which is stepped,
and that in maximal coordinates which shows its states. Both count as `State.mode` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array


def rows_shown(stepped: Problem) -> Array:
    """Number where it is shown of each row and activity that is stepped; −1: it moves nothing."""
    activities = stepped.maximal.nc + np.arange(len(stepped.names.activities))
    return np.concatenate([stepped.folded.rows, activities])


def rows_stepped(stepped: Problem, rows: Any) -> Array:
    """Numbers where they are stepped of rows and activities that are shown. Raises SceneError for a
    joint that carries a body.
    """
    maximal = stepped.maximal
    number = {int(there): here for here, there in enumerate(rows_shown(stepped))}
    found = []
    for row in np.asarray(rows).tolist():
        if row not in number:
            refuse(maximal.names.rows[row].owner)
        if row >= maximal.nc:
            refuse_carrier(stepped, row - maximal.nc)
        found.append(number[row])
    return np.array(found, np.int64)


def refuse_carrier(stepped: Problem, k: int) -> None:
    """Raises SceneError if activity k is that of a joint that carries a body."""
    names = stepped.maximal.names
    carried = {names.joints[joint].name for joint in stepped.folded.choice.carried}
    one = names.activities[k]
    if one.what == "joint" and one.name in carried:
        refuse(one.name)


def refuse(joint: str) -> None:
    mend = 'it carries a body in joint coordinates, and cannot cease to act; use coordinates = "maximal"'
    raise SceneError("joint", joint, mend)
