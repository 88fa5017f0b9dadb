"""The limits of joint coordinates, exact or soft, and their axes, as pictures show them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.compile.parameters import shared_key
from mbplugin.model import System
from mbplugin.model.expression import parse
from mbplugin.problem import Problem
from mbplugin.problem.names import Names
from mbplugin.tables.groups import Markers
from mbplugin.tables.spec import Array

#: size of drawn limits, of the mechanism's
MARK = 0.1


def limits_of(system: System, names: Names) -> Array:
    """(coordinates, 2) least and largest value of each [m or rad]; infinite where there is none."""
    found = np.tile([-np.inf, np.inf], (len(names.coordinates), 1))
    place = {coordinate.name: k for k, coordinate in enumerate(names.coordinates)}
    kinds = {joint.name: joint.kind for joint in names.joints}
    of_kinds = {joint.name: joint.kind.ends(joint.params) for joint in names.joints}
    for joint in system.joints:
        given = shared_key(kinds[joint.name], joint, "limits")
        if given is None:
            continue
        if not isinstance(given, Mapping):
            own = next(name for name in place if name.rpartition(".")[0] == joint.name)
            given = {own.rpartition(".")[2]: given}
        for name, ends in given.items():
            pair = (
                of_kinds[joint.name][name]
                if ends == "ends"
                else [value_of(*one, system) for one in zip(ends, (-1.0, 1.0))]
            )
            found[place[f"{joint.name}.{name}"]] = pair
    return found


def axes_of(problem: Problem) -> tuple[Array, Array]:
    """Body (coordinates,) of each coordinate with limits, −1: the ground; and its axis (coordinates, 3)
    there, zero if there is none. The tables hold the poses of any state.
    """
    names = problem.names
    body, axis = np.full(len(names.coordinates), -1), np.zeros((len(names.coordinates), 3))
    for k, coordinate in enumerate(names.coordinates):
        if coordinate.axis is not None:
            which, own = coordinate.axis
            marker = names.joints[coordinate.joint].markers[-which]
            body[k], axis[k] = axis_on_body(problem, marker, own)
    return body, axis


def axis_on_body(problem: Problem, marker: int, own: Any) -> tuple[int, Array]:
    """Body of a marker, −1: the ground; and there the axis (3,) that is `own` in the marker's axes."""
    names, markers = problem.names, problem[Markers]
    axis = markers.R[marker].reshape(3, 3) @ own
    if (number := int(markers.index[marker].body)) < 0:
        return -1, axis
    body = names.body_index.index(number)
    return body, markers.R[names.body_marker[body]].reshape(3, 3).T @ axis


def value_of(end: Any, side: float, system: System) -> float:
    """The number of an end, which has been checked; infinite, to its side, of one that moves."""
    if isinstance(end, float) and math.isinf(end):
        return end
    value = parse(end, system.symbols).constant
    return side * math.inf if value is None else value
