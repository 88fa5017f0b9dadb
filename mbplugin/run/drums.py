"""Drums and sheaves on which lines of joints lie, and axes of bushings, for pictures and series."""

from __future__ import annotations

import numpy as np

from mbplugin.problem import Problem
from mbplugin.problem.names import Names
from mbplugin.run.limits import axis_on_body

Z = np.array([0.0, 0.0, 1.0])


def radii_of_lines(names: Names) -> list[float]:
    """Radius of the drum on which each line lies [m]; 0: none."""
    found = {one.name: float(one.kind.drum(one.params)) for one in names.joints if one.kind is not None}
    return [found.get(line.owner, 0.0) for line in names.lines]


def sheaves_of(problem: Problem) -> list[list[list[float]] | None]:
    """Of each line with sheaves, or of rings: at both of its ends the radius [m], negative if the rope runs
    about −axis, 0 if there is none; the index of its body, −1 the ground; and its axis there, three numbers.
    """
    names = problem.names
    found: list[list[list[float]] | None] = [None] * len(names.lines)
    for k, line in enumerate(names.lines):
        if line.look == "rings":
            found[k] = [sheave(problem, 0.0, end) for end in (line.a, line.b)]
    for joint in names.joints:
        if joint.kind is None or not any(of_markers := joint.kind.sheaves(joint.params)):
            continue
        radii = dict(zip(joint.markers, of_markers))
        for k, line in enumerate(names.lines):
            if line.owner == joint.name:
                found[k] = [sheave(problem, radii[end], end) for end in (line.a, line.b)]
    return found


def sheave(problem: Problem, radius: float, marker: int) -> list[float]:
    body, axis = axis_on_body(problem, marker, Z)
    return [float(radius), body, *axis.tolist()]
