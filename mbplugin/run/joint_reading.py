"""What control laws read of a simulation over the coordinates of its joints: compiled code writes it into
arrays of the problem that is stepped, each part once for a state (`kernels/joint_space.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK
from mbplugin.codegen.core_functions import core_units, load, loaded_address
from mbplugin.compile.tree.links import Link
from mbplugin.kernels.joint_space import BIAS, COORDINATES, GRAVITY, MASS_MATRIX, read_joint_space
from mbplugin.problem import Problem
from mbplugin.run.joint_coordinates import pairs
from mbplugin.run.joint_space import JointSpace, is_scalar, placed_links
from mbplugin.tables.groups import Controls, DerivedRows, Step
from mbplugin.tables.records import DERIVED, FREE, ReadLinkRecord
from mbplugin.tables.spec import Array, records, table


def can_be_read(space: JointSpace, stepped: Problem) -> bool:
    """Whether compiled code reads all: rigid bodies, in joint coordinates on joints in closed form."""
    derived = len(space.problem[DerivedRows].index)
    return space.covered and (stepped.folded is None or not derived)


def places_of_coordinates(problem: Problem) -> dict[str, tuple[int, int]]:
    """Places in q and v of the scalar coordinates of joints that are coordinates of a problem, by name."""
    found: dict[str, tuple[int, int]] = {}
    for link, _, q, v in placed_links(problem):
        if is_scalar(link):
            joint = problem.names.joints[link.joint].name
            found |= {f"{joint}.{name}": (q + k, v + k) for k, name in enumerate(link.coordinates)}
    return found


class ReadLinks:
    """How compiled code reads the links whose coordinates are no measures, and joints without closed form.

    index, axes: `Controls.link` and its axes; q, v: (n, 2) places there and here of what stands here
    """

    def __init__(self, space: JointSpace, stepped: Problem) -> None:
        self.index: list[ReadLinkRecord] = []
        self.axes: list[Array] = []
        self.q: list[tuple[int, int]] = []
        self.v: list[tuple[int, int]] = []
        here = {link.number: (link, q, v) for link, _, q, v in placed_links(stepped)}
        derived = 0
        for link, _, q, v in space.links:
            number = derived
            derived += link.form == DERIVED
            if is_scalar(link) and link.form != DERIVED:
                continue
            markers = self.markers(link, stepped)
            own, q_here, v_here = here.get(link.number, (None, 0, 0))
            if own is not None and own.form == link.form and own.joint == link.joint:
                # the same joint carries the same body there
                markers = (-1, -1)
                self.q += [(q + k, q_here + k) for k in range(link.nq)]
                self.v += [(v + k, v_here + k) for k in range(link.rates)]
            self.index.append(ReadLinkRecord(link.form, *markers, q, v, number))
            self.axes.append(link.R if link.form == FREE else link.axes)

    @staticmethod
    def markers(link: Link, stepped: Problem) -> tuple[int, int]:
        """Markers on the carrying body, or -1, and on the body."""
        names = stepped.names
        if link.joint < 0:
            return -1, int(names.body_marker[link.number])
        a, b = names.joints[link.joint].markers
        return (a, b) if link.forward else (b, a)


class JointReading:
    """The quantities of `JointQuantities` at the end of the last step of a problem."""

    def __init__(self, space: JointSpace, stepped: Problem, check: Any) -> None:
        """space: with `can_be_read`; check: raises the error of a status."""
        self.space, self.stepped, self.check = space, stepped, check
        nq, n = space.problem.nq, space.problem.nv
        # the functions of the bodies alone, and those that compiled code calls
        load(core_units("alone", "mass of trees", "inputs"))
        measure = {c.name: c.measure for c in stepped.names.coordinates}
        other_q, other_v = space.coordinates.other_places(space.problem, stepped)
        here = places_of_coordinates(stepped)
        scalar = list(zip(space.scalar_names, space.scalar_q.tolist(), space.scalar_v.tolist()))
        same = [((q, here[name][0]), (v, here[name][1])) for name, q, v in scalar if name in here]
        measured = [(measure[name], q, v) for name, q, v in scalar if name not in here]
        links = ReadLinks(space, stepped)
        columns = np.array(measured, np.int64).reshape(-1, 3).T.copy()
        stepped.put(
            table(
                Controls,
                space=np.array([space.address], np.int64),
                measure=columns[0],
                scalar_q=columns[1],
                scalar_v=columns[2],
                other_q=np.concatenate([other_q, pairs([q for q, _ in same]), pairs(links.q)]),
                other_v=np.concatenate([other_v, pairs([v for _, v in same]), pairs(links.v)]),
                link=records(ReadLinkRecord, links.index),
                axes=np.array(links.axes, float).reshape(-1, 9),
                positions=np.zeros(nq),
                velocities=np.zeros(n),
                mass_matrix=np.zeros(n * n),
                bias_forces=np.zeros(n),
                gravity_forces=np.zeros(n),
                address=np.zeros(1, np.int64),
                parts=np.zeros(1, np.int64),
                before=np.zeros(len(stepped.names.inputs)),
                sample=np.zeros(1, np.int64),
                every=np.zeros(1),
                rate=np.zeros(1),
                next_time=np.full(1, np.inf),
                stop=np.zeros(1),
            )
        )
        self.arrays = stepped[Controls]
        self.M = self.arrays.mass_matrix.reshape(n, n)
        self.call, self.address = CALLBACK(loaded_address(read_joint_space)), stepped.addresses.ctypes.data
        self.names = space.names
        self.acting = np.array(
            [stepped.nc + k for k, one in enumerate(stepped.names.activities) if one.name in space.carrying],
            np.int64,
        )
        #: modes of activities, and those in which all joints that carry act
        self.modes, self.closed = stepped[Step].mode1[stepped.nc :], b""
        self.done = 0  # parts that are those of the present state
        self.asked = self.usual = 0  # parts that were asked for at this state, and at the one before

    def forget(self) -> None:
        """The present state is another one."""
        if self.done:
            self.done, self.usual, self.asked = 0, self.asked, 0

    def need(self, part: int) -> None:
        """Let the arrays of a part be those of the present state, and of what was asked for at the last one,
        which a control law asks for at each of its samples.
        """
        self.asked |= part
        missing = (part | COORDINATES | (0 if self.done else self.usual)) & ~self.done
        if not missing:
            return
        if status := self.call(missing, 0, self.address):
            self.check(status)
        if missing & COORDINATES and (modes := self.modes.tobytes()) != self.closed:
            self.space.refuse_open(self.stepped[Step].mode1, self.acting)
            self.closed = modes
        self.done |= missing

    def positions(self) -> Array:
        self.need(COORDINATES)
        return self.arrays.positions.copy()

    def velocities(self) -> Array:
        self.need(COORDINATES)
        return self.arrays.velocities.copy()

    def mass_matrix(self) -> Array:
        self.need(MASS_MATRIX)
        return self.M.copy()

    def bias_forces(self) -> Array:
        self.need(BIAS)
        return self.arrays.bias_forces.copy()

    def gravity_forces(self) -> Array:
        self.need(GRAVITY)
        return self.arrays.gravity_forces.copy()

    def jacobian(self, marker: str) -> Array:
        self.need(BIAS)
        return self.space.jacobian(marker)
