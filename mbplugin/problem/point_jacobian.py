"""How a marker moves with the velocities of its body."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from mbplugin.tables.groups import Bodies, Markers, State
from mbplugin.tables.spec import Array


def point_jacobian(problem: Any, marker: int) -> Array:
    """(6, nv) velocity and angular velocity of a marker on a body with parts by each velocity, world axes.

    The generalized forces of the six unit wrenches; the problem is evaluated.
    """
    markers, bodies, state = problem[Markers], problem[Bodies], problem[State]
    record = markers.index[marker]
    body, kind = bodies.index[record.body], problem.names.kinds[record.body]
    r = markers.p[record.first_parameter :]
    parts = bodies.index[body.first_part + r[1 : 1 + int(r[0])].astype(int)]
    columns = [np.arange(part.first_v, part.first_v + part.nv) for part in parts]
    places = np.concatenate([np.zeros(0, int), *columns]).astype(int)
    known = {
        "q": state.q[body.first_q : body.first_q + body.kind_q],
        "p": bodies.p[body.first_parameter :],
        "ints": bodies.ints[body.first_integer :],
        "c": bodies.scratch[body.first_scratch : body.first_scratch + body.scratch],
        "r": r,
        "x": tuple(markers.x[marker].tolist()),
    }
    function = getattr(kind.to_generalized_force, "py_func", kind.to_generalized_force)
    H = np.zeros((6, len(state.v)))
    for row, wrench in enumerate(np.eye(6)):
        out = np.zeros(len(places))
        given = known | {"force": tuple(wrench[:3]), "torque": tuple(wrench[3:]), "out": out}
        function(*(given[name] for name in inspect.signature(function).parameters))
        H[row, places] = out
    return H
