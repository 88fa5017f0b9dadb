"""Where the forces of the scene are in the tables: their elements, of which one on faces has many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mbplugin.compile.row_wrenches import bodies_of_markers
from mbplugin.problem import Problem
from mbplugin.problem.tangent_plan import markers_of_slots
from mbplugin.tables.groups import Markers, Wrenches
from mbplugin.tables.spec import Array


@dataclass(frozen=True)
class OnFaces:
    """A force on faces: its number in the scene, and its slots with their markers and that of the mass centre
    of its body.
    """

    force: int
    slots: Array
    markers: Array
    centre: int


@dataclass(frozen=True)
class ForcePlaces:
    """Places in `Wrenches`."""

    first: int  # element of the scene; gravity comes before
    starts: Array  # (forces of the scene,) first element of each, from `first`
    elements: int  # of the scene
    last_slot: Array  # (forces of the scene,)
    on_faces: list[OnFaces]

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Those of a problem."""
        names, index = problem.names.forces, problem[Wrenches].index
        first = len(index) - len(names)
        starts = [k for k, name in enumerate(names) if k == 0 or name != names[k - 1]]
        stops = [*starts[1:], len(names)]
        last = np.asarray(index.first_slot + index.slots)[first:] - 1
        on_faces = []
        for number, (start, stop) in enumerate(zip(starts, stops)):
            if names[start][0] in problem.names.on_faces:
                slots = np.arange(index.first_slot[first + start], last[stop - 1] + 1)
                markers = markers_of_slots(problem)[slots]
                body = bodies_of_markers(problem)[markers[0]]
                on_faces.append(OnFaces(number, slots, markers, problem.names.body_marker[body]))
        last_element = np.array(stops, np.int64)[: len(starts)] - 1
        return cls(first, np.array(starts, np.int64), len(names), last[last_element], on_faces)

    def sums(self, values: Array) -> Array:
        """(n, forces of the scene) of numbers (n, elements)."""
        own = values[:, self.first :]
        if len(self.starts) == self.elements:
            return np.asarray(own)
        return np.asarray(np.add.reduceat(own, self.starts, axis=1))

    def wrenches(self, numbers: Any) -> Array:
        """(n, forces of the scene, 6) force [N] and torque [N·m] at the last marker, world axes; of a force
        on faces the resultant, with the moment about the mass centre of its body.

        numbers: of n frames, as `FrameRows` has them
        """
        wrench = numbers[Wrenches, "wrench"]
        wrench = wrench.reshape(len(wrench), -1, 6)
        found = wrench[:, self.last_slot]
        for one in self.on_faces:
            x, own = numbers[Markers, "x"], wrench[:, one.slots]
            moments = np.cross(x[:, one.markers] - x[:, one.centre, None], own[:, :, :3])
            found[:, one.force, :3] = own[:, :, :3].sum(axis=1)
            found[:, one.force, 3:] = (moments + own[:, :, 3:]).sum(axis=1)
        return np.asarray(found)
