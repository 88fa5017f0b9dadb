"""Places of the quantities of a frame in the tables: of bodies, joints, forces, and what switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mbplugin.analysis.singular.singular import MAX_WATCHED_ROWS
from mbplugin.compile.row_wrenches import bodies_of_markers
from mbplugin.interface import ConstraintKind
from mbplugin.problem import Names, Problem
from mbplugin.problem.tangent_plan import markers_of_slots
from mbplugin.results.layout import STATUSES
from mbplugin.run.frame_rows import FrameRows
from mbplugin.run.loads import LoadTerms
from mbplugin.tables.groups import Bearings, Blocks, Bounded, Functions, Markers, Nodal, Rows, State, Wrenches
from mbplugin.tables.records import COMPLIANT, LOWER, OFF, ON, RELEASED, UPPER
from mbplugin.tables.spec import Array


def places_of(problem: Problem) -> Places:
    """The places of a problem; problems whose tables have one layout share them."""
    layout = problem.structure.layout
    if layout is None:
        return Places.of(problem)
    if "places" not in layout.cache:
        layout.cache["places"] = Places.of(problem)
    places: Places = layout.cache["places"]
    return places


@dataclass(frozen=True)
class Places:
    """Numbers of markers, rows and slots."""

    bodies: Array  # (bodies,) markers of their mass centres
    in_tables: Array  # (bodies,) numbers in the tables
    stretched: Array  # (deformations,) bodies that stretch
    stretches: Array  # (deformations, 3) their markers 1 m from the mass centres
    first_marker: Array  # (joints,)
    last_marker: Array  # (joints,)
    own_axes: list[int]  # joints whose kind gives axes of its own
    measure: Array  # (coordinates,)
    motions: Array  # (motions, 2) number of the coordinate, and row of the motion
    lines: Array  # (lines, 2) markers of their ends
    forces: ForcePlaces
    loads: LoadTerms
    switching: Switching
    rows: FrameRows  # without outputs of a solver

    @classmethod
    def of(cls, problem: Problem) -> Self:
        names, joints = problem.names, problem.names.joints
        return cls(
            np.array(names.body_marker, np.int64),
            np.array(names.body_index, np.int64),
            np.flatnonzero(np.array(names.stretches, np.int64) >= 0),
            np.array([range(m, m + 3) for m in names.stretches if m >= 0], np.int64).reshape(-1, 3),
            np.array([joint.markers[0] for joint in joints], np.int64),
            np.array([joint.markers[-1] for joint in joints], np.int64),
            [k for k, joint in enumerate(joints) if not has_marker_axes(joint.kind)],
            np.array([c.measure for c in names.coordinates], np.int64),
            rows_of_motions(names),
            np.array([(line.a, line.b) for line in names.lines], np.int64).reshape(-1, 2),
            ForcePlaces.of(problem),
            LoadTerms.of(problem),
            Switching.of(problem),
            FrameRows(problem, further_arrays(problem)),
        )


def rows_of_motions(names: Names) -> Array:
    """(motions, 2) as in `Places.motions`."""
    pairs = [(k, row) for k, c in enumerate(names.coordinates) for row in c.motion_rows]
    return np.array(pairs, np.int64).reshape(-1, 2)


def further_arrays(problem: Problem) -> list[tuple[Any, str]]:
    """Arrays that only some problems need in `FrameRows`: for the detector of singular positions, inputs,
    variables, and rows that switch.
    """
    needed = {
        (Blocks, "G"): 0 < problem.nc <= MAX_WATCHED_ROWS,
        (Rows, "scale"): 0 < problem.nc <= MAX_WATCHED_ROWS,
        (State, "memory"): bool(problem.names.inputs),
        (State, "mode"): bool(problem.names.bounded)
        or any(one.conditional for one in problem.names.activities),
        (Functions, "u"): bool(problem.names.variables),
        (Nodal, "x"): bool(problem.names.nodal),
        (Nodal, "v"): bool(problem.names.nodal),
        (Nodal, "stress"): any(one.points for one in problem.names.nodal),
    }
    return [key for key, need in needed.items() if need]


def has_marker_axes(kind: Any) -> bool:
    """Whether the axes of a joint are those of its first and its last marker."""
    return getattr(kind.axes, "__func__", None) is ConstraintKind.axes.__func__  # type: ignore[attr-defined]


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
    """Places of the forces of the scene in `Wrenches`: of their elements, of which one on faces has many."""

    first: int  # element of the scene; gravity comes before
    starts: Array  # (forces of the scene,) first element of each, from `first`
    elements: int  # of the scene
    last_slot: Array  # (forces of the scene,)
    on_faces: list[OnFaces]

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """The places of the forces of a problem."""
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


#: last word of the name -> status while the row holds, while its force is the lower bound, and the upper one
WORDS = {
    "lower_limit": ("at limit", "free", "free"),
    "upper_limit": ("at limit", "free", "free"),
    "one_way": ("locked", "free", "free"),
    "friction": ("sticks", "slips forwards", "slips backwards"),
    "friction_1": ("sticks", "slips", "slips"),
    "friction_2": ("sticks", "slips", "slips"),
    "slip": ("sticks", "slips forwards", "slips backwards"),
    "slip_1": ("sticks", "slips", "slips"),
    "slip_2": ("sticks", "slips", "slips"),
    "gap": ("closed", "open", "open"),
    "push": ("at limit", "free", "free"),
    "tension": ("taut", "slack", "slack"),
    "hold": ("sticks", "slips forwards", "slips backwards"),
    "effort": ("follows", "at lower effort", "at upper effort"),
}


@dataclass(frozen=True)
class Switching:
    """Names of the elements whose rows switch, and what modes of these rows mean: limits, dry friction,
    one-way clutches, motions of limited effort; joints that are held exactly or by an enforcement law; and
    what may cease to act.
    """

    names: list[str]  # of the bounded rows, in the order of the tables, such as "pin.angle.friction"
    units: list[str]  # of their forces
    rows: Array  # (bounds,)
    conditional: list[str]  # what acts under a condition, in the order of the tables
    places: Array  # (conditional,) in State.mode
    elements: list[str]  # the bounded rows, the joints with an enforcement law, and all that may cease to act
    element: Array  # number of the element of each entry of State.mode; −1: it never switches
    status: Array  # (entries, modes) number in STATUSES
    resting: list[tuple[int, int]]  # friction, and a limit or clutch of its coordinate: numbers in `names`

    @property
    def switches(self) -> bool:
        """Whether anything switches in a run without calls of `Simulation`."""
        return bool(self.names or self.conditional)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        names, index = problem.names, problem[Bounded].index
        rows = np.array(index.row, np.int64)
        # the first two auxiliary states are energies; those of a row are called after it
        bounds = [
            names.states[k - 2].removesuffix(".impulse") for k in np.asarray(index.first_aux, int).tolist()
        ]
        acting = [one.label for one in names.activities]
        conditional = [k for k, one in enumerate(names.activities) if one.conditional]
        element = np.full(problem.nc + len(acting), -1)
        element[rows] = np.arange(len(rows))
        status = np.zeros((len(element), UPPER + 1), np.int64)
        status[:, [ON, COMPLIANT]] = [STATUSES.index(word) for word in ("exact", "compliant")]
        for row, bound in zip(rows, bounds):
            words = WORDS[bound.rpartition(".")[2]]
            status[row, [OFF, ON, LOWER, UPPER]] = [STATUSES.index(word) for word in ("off", *words)]
        idle = rows[problem[Bearings].index.bounded[problem[Bearings].index.pressing >= 0]]
        status[idle, OFF] = STATUSES.index("free")
        held = [names.joints[one.joint] for one in names.enforced]
        for k, joint in enumerate(held):
            element[joint.rows] = len(bounds) + k
        element[problem.nc :] = len(bounds) + len(held) + np.arange(len(acting))
        for k, one in enumerate(names.activities):
            words = ("acts", "off", "broken" if one.breaks else "released")
            status[problem.nc + k, [ON, OFF, RELEASED]] = [STATUSES.index(word) for word in words]
        elements = [*bounds, *(joint.name for joint in held), *acting]
        units = ["N" if names.rows[row].unit == "m" else "N m" for row in rows]
        own = [acting[k] for k in conditional]
        places = problem.nc + np.array(conditional, np.int64)
        resting = [
            (k, other)
            for k, bound in enumerate(bounds)
            for other, its in enumerate(bounds)
            if bound.rpartition(".")[0] == its.rpartition(".")[0]
            and bound.endswith(".friction")
            and its.endswith(("_limit", ".one_way"))
        ]
        return cls(bounds, units, rows, own, places, elements, element, status, resting)

    def statuses(self, modes: Array) -> Array:
        """(n, bounds) numbers in STATUSES from modes (n, entries). What rests on a limit does not slip, also
        where friction exerts all that it can.
        """
        found = self.status[self.rows, modes[:, self.rows]]
        for k, holds in self.resting:
            slips = (modes[:, self.rows[k]] == LOWER) | (modes[:, self.rows[k]] == UPPER)
            at_rest = slips & (modes[:, self.rows[holds]] == ON)
            found[at_rest, k] = self.status[self.rows[k], ON]
        return np.asarray(found)

    def events(self, changes: Array) -> dict[str, Array]:
        """The entries (n,) of the list of events for records of changes: rows of a joint are one element."""
        changes = changes[self.element[changes["row"]] >= 0]
        row = changes["row"]
        found: dict[str, Any] = {
            "time": changes["time"],
            "element": self.element[row],
            "before": self.status[row, changes["before"]],
            "after": self.status[row, changes["after"]],
            "impulse": changes["impulse"],
            "dof": changes["dof"],
        }
        same = np.ones(max(0, len(row) - 1), bool)
        for values in found.values():
            same &= values[1:] == values[:-1]
        kept = np.concatenate([np.ones(min(1, len(row)), bool), ~same])
        return {name: values[kept] for name, values in found.items()}
