"""A system over the coordinates of its joints, beside the problem that is stepped or studied: mass matrix,
bias forces and Jacobians at the state of that problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK
from mbplugin.codegen.core_functions import loaded_address
from mbplugin.compile.frames import on_body
from mbplugin.compile.tree.form import TreeForm
from mbplugin.compile.tree.links import Link
from mbplugin.errors import SceneError
from mbplugin.hooks.registry import Registry
from mbplugin.kernels import entries
from mbplugin.kernels.tree.alone import evaluate_alone, evaluate_coordinates, write_jacobian
from mbplugin.kernels.tree.mass_matrix import add_mass_by_recursion
from mbplugin.model import System
from mbplugin.model.plane import AXES
from mbplugin.problem import Problem
from mbplugin.run.joint_coordinates import JointCoordinates, coordinates_of
from mbplugin.tables.groups import Bodies, DerivedRows, Markers, Measures, State, Trees, Wrenches
from mbplugin.tables.purposes import LOCATE, PREPARE
from mbplugin.tables.records import BALL, FREE, ON
from mbplugin.tables.spec import Array

AXIS_NAMES = ("x", "y", "z")


class JointSpace:
    """Quantities of a system over the velocities of its joints. `take` sets the state.

    Every rigid body is in a tree: one that no joint carries and that carries none is a tree by itself.
    """

    def __init__(self, system: System, registry: Registry, full: Problem) -> None:
        """full: the problem of the system in maximal coordinates. Raises SceneError, PluginError."""
        self.system = system
        full.call_purpose(PREPARE)
        full.call_purpose(LOCATE)
        self.coordinates = JointCoordinates.of(full, TreeForm(lone=True), rows=False)
        self.problem = problem = self.coordinates.problem
        bodies = problem[Bodies].index
        #: (link, its number, first place in q, first place in v)
        self.links = list(placed_links(problem))
        self.names = self.column_names()
        q, v = self.coordinates.other_places(problem, full)
        self.here_q, self.other_q, self.here_v, self.other_v = q[:, 0], q[:, 1], v[:, 0], v[:, 1]
        scalar = [one for one in self.links if is_scalar(one[0])]
        self.others = [one for one in self.links if not is_scalar(one[0])]
        measure = {c.name: c.measure for c in full.names.coordinates}
        joints = full.names.joints
        self.scalar_names = [
            f"{joints[link.joint].name}.{c}" for link, *_ in scalar for c in link.coordinates
        ]
        self.measures = np.array([measure[name] for name in self.scalar_names], np.int64)
        self.scalar_q = np.array([q + k for link, _, q, _ in scalar for k in range(link.nq)], np.int64)
        self.scalar_v = np.array([v + k for link, _, _, v in scalar for k in range(link.rates)], np.int64)
        #: (number of the tree, place of its velocities)
        self.trees = [
            (t, slice(int(bodies[int(tree.body)].first_v), int(bodies[int(tree.body)].first_v + nv)))
            for t, tree in enumerate(problem[Trees].index)
            for nv in [int(bodies[int(tree.body)].nv)]
        ]
        self.covered = sum(v.stop - v.start for _, v in self.trees) == problem.nv
        carrying = self.carrying = {joints[link.joint].name for link, *_ in self.links if link.joint >= 0}
        #: (name, place in State.mode) of the joints that carry bodies
        self.acting = [
            (one.name, full.nc + k)
            for k, one in enumerate(full.names.activities)
            if one.what == "joint" and one.name in carrying
        ]
        self.acting_places = np.array([place for _, place in self.acting], np.int64)
        # views of the tables
        self.q, self.v, self.h = problem[State].q, problem[State].v, problem[Bodies].h
        self.factor, self.mass_places = problem[Trees].number, problem[Trees].places
        # addresses and functions, which take time to make
        self.address = problem.addresses.ctypes.data
        self.add_mass, self.write_jacobian, self.evaluate_alone, self.evaluate_coordinates = (
            CALLBACK(loaded_address(function))
            for function in (add_mass_by_recursion, write_jacobian, evaluate_alone, evaluate_coordinates)
        )
        self.places: dict[str, Any] = {}  # marker -> what its Jacobian is made of
        self.taken: Any = None  # the state of `full` that is present
        self.bias: Array = np.zeros(0)
        self.gravity: Array | None = None
        self.place(full)
        self.leave_weights()

    def column_names(self) -> list[str]:
        """Names of the velocities."""
        problem = self.problem
        names = [""] * problem.nv
        for link, _, _, v in self.links:
            own = names_of(link, problem, self.system.scene.plane)
            names[v : v + link.rates] = own
        for i, body in enumerate(problem[Bodies].index):
            if body.tree < 0:
                name, nv = problem.names.body(i), int(body.nv)
                own = [name] if nv == 1 else [f"{name}.v{k}" for k in range(nv)]
                names[int(body.first_v) : int(body.first_v) + nv] = own
        return names

    def leave_weights(self) -> None:
        """Let only the weights of bodies that are no links stand in the table of wrenches."""
        self.problem.check(entries.evaluate(self.problem.addresses))
        wrenches = self.problem[Wrenches]
        weights = len(self.system.bodies) if any(self.system.scene.gravity) else 0
        kept = [
            (6 * int(force.first_slot), 6 * int(force.first_slot + force.slots))
            for force in wrenches.index[:weights]
        ]
        before = wrenches.wrench.copy()
        wrenches.wrench[:] = 0.0
        for start, stop in kept:
            wrenches.wrench[start:stop] = before[start:stop]

    def take(self, full: Problem) -> JointSpace:
        """Set the state to the present one of a problem in maximal coordinates. Raises SceneError where a
        joint that carries a body has been let go, PhysicsError, PluginError.
        """
        state = full[State]
        self.refuse_open(state.mode, self.acting_places)
        key = state.q.tobytes(), state.v.tobytes(), full[Measures].last.tobytes()
        if key == self.taken:
            return self
        self.taken = None
        self.place(full)
        self.bias, self.gravity = self.minus_h(), None
        self.taken = key
        return self

    def refuse_open(self, mode: Array, places: Array) -> None:
        """Raises SceneError if a joint that carries a body does not act; places: as `acting_places`, in this
        mode.
        """
        if (mode[places] == ON).all():
            return
        name = next(name for (name, _), place in zip(self.acting, places) if mode[place] != ON)
        mend = "it carries a body in them, and does not act now; give it `active` or `release` in the scene"
        raise SceneError("quantities over joint coordinates: joint", name, mend)

    def place(self, full: Problem) -> None:
        """Put the coordinates and velocities of the present state of `full` into the tables. Raises
        PhysicsError, PluginError.
        """
        state = full[State]
        full.check(self.evaluate_coordinates(0, 0, full.addresses.ctypes.data))
        measures = full[Measures]
        self.q[self.scalar_q] = measures.value[self.measures]
        self.v[self.scalar_v] = measures.rate[self.measures]
        for link, _, q, v in self.others:
            self.q[q : q + link.nq], self.v[v : v + link.rates] = coordinates_of(full, link)
        if len(self.here_v):
            self.q[self.here_q], self.v[self.here_v] = state.q[self.other_q], state.v[self.other_v]
        if len(self.problem[DerivedRows].index):
            self.coordinates.put_poses(self.problem, full)

    def minus_h(self) -> Array:
        """(n,) −h of the bodies alone, at the present state. Raises PhysicsError, PluginError."""
        self.problem.check(self.evaluate_alone(0, 0, self.address))
        return np.negative(self.h)

    def positions(self) -> Array:
        return self.q.copy()

    def velocities(self) -> Array:
        return self.v.copy()

    def mass_matrix(self) -> Array:
        problem = self.problem
        if not self.covered:
            return problem.present_mass()
        if len(self.trees) == 1:
            return self.mass_of_tree(0, problem.nv)
        M = np.zeros((problem.nv, problem.nv))
        for t, v in self.trees:
            M[v, v] = self.mass_of_tree(t, v.stop - v.start)
        return M

    def mass_of_tree(self, t: int, n: int) -> Array:
        M = np.zeros((n, n))
        self.factor[0], self.mass_places[0], self.mass_places[1] = 1.0, M.ctypes.data, n
        self.add_mass(t, 0, self.address)
        return M

    def bias_forces(self) -> Array:
        return self.bias.copy()

    def gravity_forces(self) -> Array:
        if self.gravity is None:
            self.gravity = self.at_rest()
        return self.gravity.copy()

    def at_rest(self) -> Array:
        """(n,) the part of gravity in the bias forces."""
        v = self.v.copy()
        self.v[:] = 0.0
        try:
            found = self.minus_h()
            if not self.covered:
                found -= self.without_weights()
        finally:
            self.v[:] = v
        return found

    def without_weights(self) -> Array:
        """(n,) the same without gravity: elastic forces of bodies that are not rigid."""
        wrench, gravity = self.problem[Wrenches].wrench, self.problem[Trees].gravity
        before = wrench.copy(), gravity.copy()
        wrench[:], gravity[:] = 0.0, 0.0
        try:
            return self.minus_h()
        finally:
            wrench[:], gravity[:] = before

    def jacobian(self, marker: str) -> Array:
        """The one of `JointQuantities`."""
        place = self.places.get(marker)
        if place is None:
            place = self.places[marker] = self.place_of(marker)
        n = self.problem.nv
        out = np.zeros(3 + 6 * n)
        J = out[3:].reshape(6, n)
        if isinstance(place, int):
            self.twists_by_differences(place, J)
        elif place is not None:
            link, out[:3] = place
            self.write_jacobian(link, out.ctypes.data, self.address)
        return J

    def place_of(self, marker: str) -> Any:
        """What the Jacobian of a marker is made of. Of a link: its number and the place in its frame; of
        another body the number of the marker at its mass centre; None: it stands still. Raises SceneError.
        """
        key = "jacobian"
        self.system.check_reference(marker, key)
        name = marker.partition(".")[0]
        if name == "ground":
            return None
        number = self.problem.names.bodies.index(name)
        body = self.system.body(name)
        frame = on_body(self.system, marker, {name: number})
        found = next((one for one in self.links if one[0].number == number), None)
        if found is None:
            centre = name == marker or not self.kind_of(number).rotates
            if not centre:
                mend = f'"{name}" is no rigid body: ask for its mass centre, "{name}"'
                raise SceneError(key, marker, mend)
            return int(self.problem.names.body_marker[number])
        link, at = found[0], found[1]
        in_body = body.axes().T @ (frame.x - np.array(body.position))
        r = link.R.T @ (in_body - link.x)
        return at, r

    def kind_of(self, number: int) -> Any:
        return self.problem.names.kinds[self.problem.names.body_index[number]]

    def twists_by_differences(self, marker: int, J: Array) -> None:
        """J of a marker in the tables: its twist by each velocity, in which it is linear."""
        problem, markers = self.problem, self.problem[Markers]
        body = problem[Bodies].index[int(markers.index[marker].body)]
        v = self.v.copy()
        try:
            for k in range(int(body.first_v), int(body.first_v + body.nv)):
                self.v[:] = 0.0
                self.v[k] = 1.0
                problem.call_purpose(PREPARE)
                problem.call_purpose(LOCATE)
                J[:3, k], J[3:, k] = markers.v[marker], markers.w[marker]
        finally:
            self.v[:] = v
            self.minus_h()


def placed_links(problem: Problem) -> Iterator[tuple[Link, int, int, int]]:
    """Each link of the trees of a problem, its number, and where its coordinates and velocities begin."""
    folded, number = problem.folded, 0
    for t, links in enumerate(folded.trees if folded is not None else ()):
        body = problem[Bodies].index[folded.first_body + t]
        q, v = int(body.first_q), int(body.first_v)
        for link in links:
            yield link, number, q, v
            number, q, v = number + 1, q + link.nq, v + link.rates


def is_scalar(link: Link) -> bool:
    """Whether its coordinates are measures of its joint."""
    return link.joint >= 0 and link.form != BALL


def names_of(link: Link, problem: Problem, plane: str) -> list[str]:
    """Names of the velocities of a link."""
    if is_scalar(link):
        joint = problem.names.joints[link.joint].name
        return [f"{joint}.{coordinate}" for coordinate in link.coordinates]
    turns = [f"w{axis}" for axis in AXIS_NAMES]
    if link.form == BALL:
        own, name = turns, problem.names.joints[link.joint].name
    else:
        name = link.body
        own = [*AXIS_NAMES, *turns] if link.form == FREE else [*(AXIS_NAMES[k] for k in AXES[plane]), "angle"]
    return [f"{name}.{one}" for one in own]
