"""Read frames of the result from the tables.

Compiled code copies the numbers of each frame into a row (`stepping/frames.py`); the arrays of a result are
made of many rows at once, by operations that give each frame the same bits however many there are.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np

from mbplugin.analysis.rank.rank import DETERMINED
from mbplugin.analysis.redundancy.priority import Priorities, reaction_flags
from mbplugin.compile.row_wrenches import row_parts
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.model.orientation import from_matrices
from mbplugin.problem import Problem
from mbplugin.results.events import EVENTS, arrays_of_events
from mbplugin.results.frame_view import FrameView
from mbplugin.results.impacts import IMPACTS
from mbplugin.results.layout import DEFORMATIONS, FRAME_ARRAYS, NODAL
from mbplugin.results.ragged import Lists, entries_at
from mbplugin.run.drums import radii_of_lines, sheaves_of
from mbplugin.run.frame_rows import FrameRows, Values
from mbplugin.run.impacts import IMPACT
from mbplugin.run.joint_coordinates import JointCoordinates
from mbplugin.run.limits import MARK, axes_of, limits_of
from mbplugin.run.loads import row_wrenches
from mbplugin.run.observers import Observers, directly
from mbplugin.run.orientations import oriented
from mbplugin.run.pair_sums import NO_SUMS, PairSums
from mbplugin.run.places import places_of
from mbplugin.run.sensors import samples
from mbplugin.run.static_arrays import nodal_arrays, rest_of, shape_arrays
from mbplugin.stepping.frames import read_frame
from mbplugin.tables import groups
from mbplugin.tables.records import ChangeRecord
from mbplugin.tables.spec import Array, records

#: largest number of rows for which each frame determines the shared reactions; larger models keep the result
#: of the start
FOLLOWED = 120
#: the observer that decides how reactions are shared
SHARES = "the sharing of reactions by priority"
#: places and row of a frame of which nothing is read but what `FrameValues` gets
NOTHING = np.zeros((0, 2), np.int64), np.zeros(0, np.int64)


class Recorder:
    """Reads a problem's tables. `determined`: (joints, 6) from the rank analysis at the start; without: keys
    of frame arrays that the frames do not have.

    Create it after assembly, so that the energy balance starts at the initial state.
    """

    def __init__(
        self, problem: Problem, system: System, determined: Array, without: Collection[str] = ()
    ) -> None:
        self.problem, self.system, self.determined = problem, system, determined
        self.places = places_of(problem)
        makers = MAKERS | OF_DEFORMATIONS if len(self.places.stretched) > 0 else MAKERS
        self.makers = {key: make for key, make in makers.items() if key not in without}
        if problem.names.nodal:
            read = self.places.rows.further
            self.makers |= {key: make for key, (of, make) in OF_NODES.items() if of in read}
        self.rest = rest_of(problem.names.nodal)
        self.local_centres = local_centres(system)
        self.off_centre = bool(self.local_centres.any())
        #: shared components rotate with the joints, so each frame determines them again
        self.follows = bool((determined < DETERMINED).any()) and problem.nc <= FOLLOWED
        self.priorities = Priorities(problem, system)
        self._rows: FrameRows | None = None
        self._solver: Any = None
        #: degrees of freedom at the last frame
        self.dof = 0
        #: those of the run whose frames it reads; None: what fails is the reader's
        self.observers: Observers | None = None
        self.begin()
        self.axes = axes_of(problem)
        self.sheaves = sheaves_of(problem)
        #: number of inner states of the scene
        self.states = len(problem.names.states)
        self.locked = [
            [problem.names.rows[row].label for row in joint.rows] for joint in problem.names.joints
        ]
        #: in joint coordinates those of the run, of which `problem` and `places` are then
        self.joint: JointCoordinates | None = None
        self.maximal, self.maximal_places = problem, self.places

    def begin(self) -> None:
        """Let the energy balance start at the present state."""
        problem = self.problem
        problem.check(entries.evaluate(problem.addresses))
        problem.check(read_frame(problem.addresses, problem.names.size, *NOTHING))
        kinetic, potential = problem[groups.FrameValues].numbers[:2]
        self.start_energy = float(kinetic + potential)

    def follow(self, problem: Problem, joint: JointCoordinates) -> None:
        """Read the frames of a run from a problem in joint coordinates, which is at its start."""
        self.problem, self.joint, self.places = problem, joint, joint.places
        self.begin()

    def of(self, problem: Problem) -> Recorder:
        """The recorder of a copy of the problem."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.problem = other.maximal = problem
        other.joint, other.places = None, self.maximal_places
        other._rows = other._solver = None
        return other

    @property
    def rows(self) -> FrameRows:
        """The layout of a row, with the outputs of the solver that was started last."""
        of_solver = self.problem.solver_outputs
        columns = of_solver.columns if of_solver is not None else []
        if not columns:
            return self.places.rows
        if self._rows is None or self._solver is not of_solver:
            self._rows = FrameRows(self.problem, [*self.places.rows.further, *columns])
            self._solver = of_solver
        return self._rows

    @property
    def one_by_one(self) -> bool:
        """Whether a frame needs more than its row, so that it is read before the tables change again."""
        of_solver = self.problem.solver_outputs
        return self.needs_tables or (of_solver is not None and of_solver.has_entries)

    @property
    def needs_tables(self) -> bool:
        """Whether every frame is read before the tables change, also one without contacts."""
        # a sensor that fails loses no frame before its own
        return self.follows or self.priorities.active or bool(self.system.sensors)

    def is_quiet(self, sums_before: PairSums) -> bool:
        """Whether the frame in the tables needs no more than its row."""
        of_solver = self.problem.solver_outputs
        return not self.needs_tables and (of_solver is None or of_solver.is_quiet(sums_before))

    def static(self) -> dict[str, Any]:
        """Names, meshes and all other constant data."""
        return self.names() | self.meshes()

    def names(self) -> dict[str, Any]:
        """Names and numbers of the elements."""
        return {key: make(self) for key, make in self.name_makers.items()}

    @property
    def name_makers(self) -> dict[str, Callable[[Recorder], Any]]:
        """Key of the layout -> what makes names or numbers of the elements."""
        return NAMES | NAMES_OF_DEFORMATIONS if len(self.places.stretched) else NAMES

    def meshes(self) -> dict[str, Any]:
        """Points and triangles of the shapes, and nodes of bodies."""
        deforming = {one.number for one in self.problem.names.deformable}
        return shape_arrays(self.system, deforming) | nodal_arrays(self.problem.names.nodal)

    def row(self) -> Array:
        """(1, width) numbers of the frame in the tables."""
        problem, rows = self.problem, self.rows.empty(1)
        problem.check(read_frame(problem.addresses, problem.names.size, self.rows.places, rows[0]))
        return rows

    def at_present(self) -> Frames:
        """The frame in the tables, with an axis of one frame; later changes of the tables do not matter.
        Raises PhysicsError where a body has no orientation.
        """
        frames = self.frames(self.row(), np.array([self.problem.time]))
        _, error = oriented(frames)
        if error is not None:
            raise error
        return frames

    def frame(self) -> dict[str, Any]:
        """All arrays of the frame in the tables, as `results/layout.py` names them."""
        return {key: array[0] for key, array in self.at_present().items()} | self.entries()

    def entries(self, sums_before: PairSums | None = None, quiet: bool = False) -> dict[str, Array]:
        """The entries of the lists whose length changes from frame to frame, by "lists/name/array"; without
        events and impacts, which no state has. Of the sums of pairs those that differ from the ones before.
        quiet: there are none, whatever the tables hold
        """
        of_solver = self.problem.solver_outputs
        found: dict[str, Array] = {}
        if of_solver is not None:
            found = of_solver.no_entries() if quiet else of_solver.entries(sums_before)
        return found | self.events(records(ChangeRecord, []))

    def events(self, changes: Array) -> dict[str, Array]:
        """The entries of the list of events for records of changes; no list where no row switches."""
        if not self.places.switching.switches:
            return {}
        found = self.places.switching.events(changes)
        return {f"lists/{EVENTS}/{name}": values for name, values in found.items()}

    def impacts(self, noted: Array) -> dict[str, Array]:
        """The entries of the list of impacts for those that were noted; no list where no solver notes any."""
        of_solver = self.problem.solver_outputs
        noting = of_solver is not None and of_solver.kind.notes_impacts
        return of_solver.impacts(noted) if noting else {}

    @property
    def pair_sums(self) -> PairSums:
        """Impulses of each two shapes that have touched, in the state of the tables."""
        of_solver = self.problem.solver_outputs
        return of_solver.pair_sums() if of_solver is not None else NO_SUMS

    def frames(self, rows: Array, times: Array) -> Frames:
        """The frames of n rows (n, width), at these times [s]; with `one_by_one` that of the present
        tables.
        """
        values = self.rows.split(rows)
        flags = None
        if self.follows or self.priorities.active:
            ask, nothing = self.observers.ask if self.observers is not None else directly, None
            shared: Any = ask(SHARES, lambda: self.shared(values), nothing)
            if shared is not None:
                values[groups.Rows, "lam"], values[groups.RowWrenches, "wrench"], flags = (
                    one[None] for one in shared
                )
        return Frames(self, values, times, flags)

    def shared(self, values: Values) -> tuple[Array, Array, Array]:
        """λ of the frame in the tables, shared by priority, the wrenches of its rows, and the flags of
        reactions. Where that fails a run goes on with λ as solved, and the flags of the start.
        """
        lam, problem = values[groups.Rows, "lam"][0], self.maximal
        if self.joint is not None:
            self.joint.put_back(self.problem, problem)
            lam = self.joint.every_multiplier(problem, values)
        shares = self.priorities.at_present(problem)
        lam = shares.of(lam if self.joint is None else shares.least(lam))
        wrenches, flags = row_wrenches(problem, lam), reaction_flags(problem, shares)
        if self.joint is None:
            return lam, wrenches, flags
        rows = self.joint.folded.rows
        return np.where(rows >= 0, lam[rows], 0.0), wrenches[same_parts(self.problem, problem)], flags

    @property
    def losses(self) -> dict[str, tuple[Any, str]]:
        """Term of the energy balance -> array of the solver: "energy/friction" -> (group, name)."""
        of_solver = self.problem.solver_outputs
        if of_solver is None:
            return {}
        return {f"energy/{term}": (of_solver.own, name) for term, name in of_solver.kind.losses.items()}

    @property
    def frame_arrays(self) -> list[str]:
        """Keys of the arrays of each frame."""
        keys = FRAME_ARRAYS | DEFORMATIONS | NODAL
        return [*(key for key in keys if key in self.makers), *self.losses]

    def lists(self) -> Lists:
        """Descriptions of the lists whose length changes from frame to frame."""
        switching = self.places.switching
        events = {EVENTS: arrays_of_events(switching.elements)} if switching.switches else {}
        return {**self.lists_of_solver(), **events}

    def lists_of_solver(self) -> Lists:
        """Lists of its contacts and further ones, with the present entries."""
        of_solver = self.problem.solver_outputs
        return of_solver.lists() if of_solver is not None else {}


class Frames(Mapping[str, Any]):
    """Arrays (n, ...) of n frames, by the keys of `results/layout.py`, each made when it is first read."""

    def __init__(self, recorder: Recorder, values: Values, times: Array, flags: Array | None) -> None:
        self.recorder, self.numbers, self.times, self.flags = recorder, values, times, flags
        self.losses = recorder.losses
        #: records of the changes of rows since the frames before, in the order of time
        self.changes = records(ChangeRecord, [])
        #: impacts of bodies since then
        self.impacts = np.zeros(0, IMPACT)
        #: sums of pairs at the frame before; None: all are stored
        self.sums_before: PairSums | None = None
        self.quiet = False  # lists of the solver have no entries
        self.dof_before = recorder.dof
        self.made: dict[str, Any] = {}
        self._arms: Array | None = None

    def __contains__(self, key: object) -> bool:
        return key in self.recorder.makers or key in self.losses

    def __len__(self) -> int:
        return len(self.recorder.makers) + len(self.losses)

    def __iter__(self) -> Iterator[str]:
        yield from self.recorder.makers
        yield from self.losses

    def __getitem__(self, key: str) -> Any:
        if key not in self.made:
            of_solver = self.losses.get(key)
            self.made[key] = (
                self.recorder.makers[key](self) if of_solver is None else self.numbers[of_solver][:, 0]
            )
        return self.made[key]

    def lists(self) -> dict[str, Array]:
        """Entries of the lists, those of one frame after another, by "lists/name/array"; "lists/name/stop"
        (n,) is their number up to and including each frame. Lists of the solver are those of the present
        state, the last frame.
        """
        found = self.recorder.entries(self.sums_before, self.quiet) | self.recorder.events(self.changes)
        found |= self.recorder.impacts(self.impacts)
        for name, arrays in self.recorder.lists().items():
            entries = found[f"lists/{name}/{next(iter(arrays))}"]
            stop = np.full(self.count, len(entries))
            if name in (EVENTS, IMPACTS):
                stop = np.searchsorted(entries, self.times, side="right")
            found[f"lists/{name}/stop"] = stop
        return found

    @property
    def bytes(self) -> int:
        """Of all its numbers."""
        return int(self.numbers.rows.nbytes)

    @property
    def count(self) -> int:
        return len(self.times)

    def at(self, group: Any, name: str, places: Array) -> Array:
        """(n, places, ...) entries of an array."""
        return self.numbers[group, name][:, places]

    @property
    def arms(self) -> Array:
        """(n, bodies, 3) from the mass centres to the origins of the body frames, world axes [m]."""
        if self._arms is None:
            R = self.at(groups.Markers, "R", self.recorder.places.bodies).reshape(self.count, -1, 3, 3)
            c = self.recorder.local_centres
            if len(self.recorder.places.stretched):
                R = self.with_gradients(R, self.gradients(groups.Markers, "x"))
            self._arms = -(R[..., 0] * c[:, 0, None] + R[..., 1] * c[:, 1, None] + R[..., 2] * c[:, 2, None])
        return self._arms

    def gradients(self, group: Any, name: str) -> Array:
        """(n, deformations, 3, 3) F of bodies that stretch by positions of markers, its rates by theirs."""
        places = self.recorder.places
        arms = (
            self.at(group, name, places.stretches)
            - self.at(group, name, places.bodies)[:, places.stretched, None]
        )
        return np.swapaxes(arms, 2, 3)

    def with_gradients(self, R: Array, gradients: Array) -> Array:
        """(n, bodies, 3, 3) R with those of the bodies that stretch in their places."""
        R = R.copy()
        R[:, self.recorder.places.stretched] = gradients
        return R

    @property
    def orientations(self) -> tuple[Array, Array]:
        """(n, k, 3, 3) R of the k bodies with nodes, F of those that stretch and have a stress, and the
        numbers (k,) of these bodies.
        """
        places, names = self.recorder.places, self.recorder.problem.names
        kinds = [names.kinds[places.in_tables[body]] for body in places.stretched]
        stretched = [k for k, kind in enumerate(kinds) if kind.stretch_stress is not None]
        nodal = [names.bodies.index(one.name) for one in names.nodal]
        if not nodal and not stretched:
            return np.zeros((self.count, 0, 3, 3)), np.zeros(0, np.int64)
        R = self.at(groups.Markers, "R", places.bodies[nodal]).reshape(self.count, len(nodal), 3, 3)
        F = [self.gradients(groups.Markers, "x")[:, stretched]] if stretched else []
        return np.concatenate([R, *F], axis=1), np.array([*nodal, *places.stretched[stretched]], np.int64)

    def stretched_arms(self, group: Any, name: str) -> Array:
        """(n, deformations, 3) rates of the arms of bodies that stretch."""
        centres = self.recorder.local_centres[self.recorder.places.stretched]
        return -np.einsum("fnij,nj->fni", self.gradients(group, name), centres)

    def stresses(self) -> Array:
        """(n, deformations, 9) Cauchy stress [Pa] by the functions of the kinds."""
        places, problem = self.recorder.places, self.recorder.problem
        F, F_dot = self.gradients(groups.Markers, "x"), self.gradients(groups.Markers, "v")
        found = np.full((self.count, len(places.stretched), 3, 3), np.nan)
        for k, body in enumerate(places.stretched):
            number = places.in_tables[body]
            kind, first = problem.names.kinds[number], problem[groups.Bodies].index[number].first_parameter
            if kind.stretch_stress is not None:
                found[:, k] = kind.stretch_stress(F[:, k], F_dot[:, k], problem[groups.Bodies].p[first:])
        return found.reshape(self.count, -1, 9)

    def origins(self) -> Array:
        """(n, bodies, 3)"""
        x = self["bodies/center_of_mass"]
        return x + self.arms if self.recorder.off_centre else x

    def origin_velocities(self) -> Array:
        """(n, bodies, 3) v + ω × r"""
        v = self["bodies/center_of_mass_velocity"]
        if not self.recorder.off_centre:
            return v
        rates = np.cross(self["bodies/angular_velocity"], self.arms)
        if len(self.recorder.places.stretched):
            rates[:, self.recorder.places.stretched] = self.stretched_arms(groups.Markers, "v")
        return v + rates

    def origin_accelerations(self) -> Array:
        """(n, bodies, 3) a + α × r + ω × (ω × r)"""
        a = self.at(groups.FrameValues, "v_dot", self.recorder.places.bodies)
        if not self.recorder.off_centre:
            return a
        r, w = self.arms, self["bodies/angular_velocity"]
        turning, swinging = np.cross(self["bodies/angular_acceleration"], r), np.cross(w, np.cross(w, r))
        if len(self.recorder.places.stretched):
            turning[:, self.recorder.places.stretched] = self.stretched_arms(groups.FrameValues, "v_dot")
            swinging[:, self.recorder.places.stretched] = 0.0
        return a + turning + swinging

    def quaternions(self, places: Array) -> Array:
        """(n, places, 4) orientations of markers."""
        R = self.at(groups.Markers, "R", places)
        return from_matrices(R.reshape(-1, 3, 3)).reshape(len(R), len(places), 4)

    @property
    def reactions(self) -> Array:
        """(n, joints, 6) force and torque of each joint's rows on its last marker, world axes."""
        wrench = self.numbers[groups.RowWrenches, "wrench"]
        return wrench[:, wrench.shape[1] - len(self.recorder.places.last_marker) :]

    def in_joint_axes(self, first: int, markers: Array) -> Array:
        """(n, joints, 3) the force (first = 0) or torque (3) in the axes that each kind defines."""
        part, R = self.reactions[:, :, first : first + 3], self.at(groups.Markers, "R", markers)
        local = part[:, :, 0, None] * R[:, :, 0:3]
        local += part[:, :, 1, None] * R[:, :, 3:6]
        local += part[:, :, 2, None] * R[:, :, 6:9]
        for k in self.recorder.places.own_axes:
            joint = self.recorder.problem.names.joints[k]
            x, axes = self.numbers[groups.Markers, "x"], self.numbers[groups.Markers, "R"]
            for i in range(self.count):
                poses = [(x[i, m], axes[i, m].reshape(3, 3)) for m in joint.markers]
                local[i, k] = part[i, k] @ joint.kind.axes(poses)[first // 3]
        return local

    def inputs(self) -> Array:
        """(n, inputs), with which the memory begins."""
        count = len(self.recorder.problem.names.inputs)
        return self.numbers[groups.State, "memory"][:, :count] if count else np.zeros((self.count, 0))

    def outputs(self) -> Array:
        """(n, outputs): variables, then those of elements and of the solver."""
        of_solver = self.recorder.problem.solver_outputs
        own = of_solver.columns[: len(of_solver.kind.outputs)] if of_solver is not None else []
        arrays = [self.numbers[key].reshape(self.count, -1).astype(float) for key in own]
        places = [place for _, _, place in self.recorder.problem.names.variables]
        variables = [self.at(groups.Functions, "u", np.array(places))[:, :, 0]] if places else []
        values = np.concatenate([*variables, self.numbers[groups.Outputs, "value"], *arrays], axis=1)
        if not self.recorder.system.sensors:
            return values
        observers = self.recorder.observers
        numbers = [
            samples(self.recorder.system, self.view(i, values[i]), observers) for i in range(self.count)
        ]
        return np.concatenate([values, np.array(numbers).reshape(self.count, -1)], axis=1)

    def view(self, i: int, outputs: Array) -> FrameView:
        """Frame i as sensors get it. outputs: those of the engine, which sensors may read."""
        r = self.recorder
        names = r.name_makers | {"outputs/name": lambda r: [name for name, _ in engine_outputs(r)]}
        arrays: Any = ChainMap({"outputs/value": outputs}, OneFrame(self, i, {}))  # type: ignore[arg-type]
        return FrameView(arrays, lambda key: names[key](r) if key in names else None, lambda: r.system)

    def determined(self) -> Array:
        """(n, joints, 6)"""
        if self.flags is not None:
            return self.flags
        start = self.recorder.determined
        return np.broadcast_to(start, (self.count, *start.shape))

    def dof(self) -> Array:
        """(n,) degrees of freedom: they change with the rows that hold."""
        since = np.concatenate([[self.dof_before], self.changes["dof"]]).astype(np.int64)
        return np.asarray(since[np.searchsorted(self.changes["time"], self.times, side="right")])

    def balance(self) -> Array:
        """(n,) [J]"""
        sum_of = self["energy/kinetic"] + self["energy/potential"] + self["energy/dissipated"]
        for key in self.losses:
            sum_of = sum_of + self[key]
        return np.asarray(sum_of - self["energy/work"] - self.recorder.start_energy)


class OneFrame(Mapping[str, Any]):
    """Frame i of several, without the frame axis, with the entries of its lists; lists: those of all frames,
    as `Frames.lists` has them.
    """

    def __init__(self, frames: Frames, i: int, lists: Mapping[str, Any]) -> None:
        self.frames, self.i, self.lists = frames, i, entries_at(lists, i)

    def __contains__(self, key: object) -> bool:
        return key in self.frames or key in self.lists

    def __len__(self) -> int:
        return len(self.frames) + len(self.lists)

    def __iter__(self) -> Iterator[str]:
        yield from self.frames
        yield from self.lists

    def __getitem__(self, key: str) -> Any:
        return self.lists[key] if key in self.lists else self.frames[key][self.i]


def local_centres(system: System) -> Array:
    """(bodies, 3) mass centres in the body frames [m]; of a body without mass the point that it gives."""
    places = [
        body.mass_properties().center_of_mass if body.has_mass else body.center_of_mass or (0.0, 0.0, 0.0)
        for body in system.bodies
    ]
    return np.array(places, float).reshape(-1, 3)


def inertias(system: System) -> Array:
    """(bodies, 9) about the mass centres, in the body frames [kg·m²]; NaN without a mass."""
    return np.array(
        [
            body.mass_properties().inertia if body.has_mass else np.full((3, 3), np.nan)
            for body in system.bodies
        ],
        float,
    ).reshape(-1, 9)


def same_parts(problem: Problem, maximal: Problem) -> Array:
    """Number in `RowWrenches` of the problem in maximal coordinates of each part of one in joint ones."""

    def keys(of: Problem) -> list[Any]:
        """Owner and body of each part, and which it is of them; then joints."""
        parts = [part[:2] for part in row_parts(of)]
        numbered = [(part, parts[:k].count(part)) for k, part in enumerate(parts)]
        return [*numbered, *range(len(of.names.joints))]

    number = {key: k for k, key in enumerate(keys(maximal))}
    return np.array([number[key] for key in keys(problem)], np.int64)


def number(group: Any, name: str, place: int) -> Callable[[Frames], Array]:
    return lambda f: f.numbers[group, name][:, place]


def of_bodies(group: Any, name: str) -> Callable[[Frames], Array]:
    return lambda f: f.at(group, name, f.recorder.places.bodies)


def drive(f: Frames) -> Array:
    """(n, coordinates) what the motions of each coordinate exert, 0 without one."""
    places = f.recorder.places
    coordinate, row = places.motions.T
    force = np.zeros((f.count, len(places.measure)))
    np.add.at(force.T, coordinate, forces_of_rows(f, row).T)
    return force


def forces_of_rows(f: Frames, rows: Array) -> Array:
    """(n, rows) along their coordinates."""
    return np.asarray(f.numbers[groups.Rows, "lam"][:, rows] + f.numbers[groups.Rows, "load"][:, rows])


def statuses(f: Frames) -> Array:
    """(n, bounds) numbers in `STATUSES`."""
    switching = f.recorder.places.switching
    if not switching.names:
        return np.zeros((f.count, 0), np.int64)
    return switching.statuses(f.numbers[groups.State, "mode"])


def activities(f: Frames) -> Array:
    """(n, activities) numbers in `STATUSES`."""
    switching = f.recorder.places.switching
    if not switching.conditional:
        return np.zeros((f.count, 0), np.int64)
    return np.asarray(
        switching.status[switching.places, f.numbers[groups.State, "mode"][:, switching.places]]
    )


def outputs_of(r: Recorder) -> list[tuple[str, str]]:
    """(name, unit) of variables, of the outputs of elements and of the solver, and of sensors."""
    return engine_outputs(r) + [output for sensor in r.system.sensors for output in sensor.outputs]


def engine_outputs(r: Recorder) -> list[tuple[str, str]]:
    """(name, unit) of variables, and of the outputs of elements and of the solver."""
    names, of_solver = r.problem.names, r.problem.solver_outputs
    variables = [(name, unit) for name, unit, _ in names.variables]
    return variables + names.outputs + (of_solver.names() if of_solver is not None else [])


#: key of the layout -> names or numbers of the elements
NAMES: dict[str, Callable[[Recorder], Any]] = {
    "bodies/name": lambda r: list(r.problem.names.bodies),
    "bodies/kind": lambda r: [body.type for body in r.system.bodies],
    "bodies/mass": lambda r: [
        float(body.mass_properties().mass) if body.has_mass else None for body in r.system.bodies
    ],
    "bodies/local_center_of_mass": lambda r: r.local_centres,
    "bodies/inertia": lambda r: inertias(r.system),
    "joints/name": lambda r: [joint.name for joint in r.problem.names.joints],
    "joints/type": lambda r: [joint.type for joint in r.problem.names.joints],
    "joints/a": lambda r: [joint.a for joint in r.problem.names.joints],
    "joints/b": lambda r: [joint.b for joint in r.problem.names.joints],
    "joints/free": lambda r: [list(joint.free_directions) for joint in r.problem.names.joints],
    "joints/locked": lambda r: r.locked,
    "coordinates/name": lambda r: [c.name for c in r.problem.names.coordinates],
    "coordinates/joint": lambda r: np.array([c.joint for c in r.problem.names.coordinates], np.int64),
    "coordinates/limits": lambda r: limits_of(r.system, r.problem.names),
    "coordinates/axis": lambda r: r.axes[1],
    "coordinates/axis_body": lambda r: r.axes[0],
    "coordinates/mark": lambda r: MARK * r.problem.names.size,
    "coordinates/unit": lambda r: [c.unit for c in r.problem.names.coordinates],
    "forces/name": lambda r: [name for name, _ in r.problem.names.scene_forces],
    "forces/type": lambda r: [kind for _, kind in r.problem.names.scene_forces],
    "forces/gravity": lambda r: list(r.system.scene.gravity),
    "bounds/name": lambda r: r.places.switching.names,
    "activities/name": lambda r: r.places.switching.conditional,
    "bounds/unit": lambda r: r.places.switching.units,
    "states/name": lambda r: r.problem.names.states[: r.states],
    "states/unit": lambda r: r.problem.names.state_units[: r.states],
    "inputs/name": lambda r: [name for name, _ in r.problem.names.inputs],
    "inputs/unit": lambda r: [unit for _, unit in r.problem.names.inputs],
    "outputs/name": lambda r: [name for name, _ in outputs_of(r)],
    "outputs/unit": lambda r: [unit for _, unit in outputs_of(r)],
    "lines/name": lambda r: [line.owner for line in r.problem.names.lines],
    "lines/look": lambda r: [line.look for line in r.problem.names.lines],
    "lines/strands": lambda r: [line.strands for line in r.problem.names.lines],
    "lines/radius": lambda r: radii_of_lines(r.problem.names),
    "lines/sheaves": lambda r: r.sheaves,
    "loads/name": lambda r: [
        f"{load.element} on {r.problem.names.bodies[load.body]}" for load in r.places.loads.loads
    ],
    "loads/part": lambda r: [load.part for load in r.places.loads.loads],
    "loads/element": lambda r: [load.element for load in r.places.loads.loads],
    "loads/body": lambda r: [r.problem.names.bodies[load.body] for load in r.places.loads.loads],
    "loads/point": lambda r: r.places.loads.points(r.problem) + r.local_centres[r.places.loads.bodies],
}

#: key of the layout -> its array of n frames
MAKERS: dict[str, Callable[[Frames], Any]] = {
    "time": lambda f: f.times,
    "bodies/position": Frames.origins,
    "bodies/orientation": lambda f: f.quaternions(f.recorder.places.bodies),
    "bodies/velocity": Frames.origin_velocities,
    "bodies/angular_velocity": of_bodies(groups.Markers, "w"),
    "bodies/acceleration": Frames.origin_accelerations,
    "bodies/angular_acceleration": of_bodies(groups.FrameValues, "w_dot"),
    "bodies/center_of_mass": of_bodies(groups.Markers, "x"),
    "bodies/center_of_mass_velocity": of_bodies(groups.Markers, "v"),
    "bodies/kinetic_energy": lambda f: f.at(groups.Bodies, "kinetic", f.recorder.places.in_tables),
    "joints/position": lambda f: f.at(groups.Markers, "x", f.recorder.places.last_marker),
    "joints/orientation": lambda f: f.quaternions(f.recorder.places.last_marker),
    "joints/force": lambda f: f.reactions[:, :, :3],
    "joints/torque": lambda f: f.reactions[:, :, 3:],
    "joints/local_force": lambda f: f.in_joint_axes(0, f.recorder.places.first_marker),
    "joints/local_torque": lambda f: f.in_joint_axes(3, f.recorder.places.last_marker),
    "joints/determined": Frames.determined,
    "coordinates/value": lambda f: f.at(groups.Measures, "value", f.recorder.places.measure),
    "coordinates/speed": lambda f: f.at(groups.Measures, "rate", f.recorder.places.measure),
    "coordinates/drive": drive,
    "forces/wrench": lambda f: f.recorder.places.forces.wrenches(f.numbers),
    "forces/energy": lambda f: f.recorder.places.forces.sums(f.numbers[groups.Wrenches, "energy"]),
    "forces/power": lambda f: f.recorder.places.forces.sums(f.numbers[groups.Wrenches, "power"]),
    "bounds/status": statuses,
    "activities/status": activities,
    "bounds/force": lambda f: forces_of_rows(f, f.recorder.places.switching.rows),
    # momenta of trees come behind
    "states/value": lambda f: f.numbers[groups.State, "aux"][:, 2 : 2 + f.recorder.states],
    "inputs/value": Frames.inputs,
    "outputs/value": Frames.outputs,
    "lines/ends": lambda f: f.at(groups.Markers, "x", f.recorder.places.lines),
    "loads/wrench": lambda f: f.recorder.places.loads.wrenches(f.numbers),
    "energy/kinetic": number(groups.FrameValues, "numbers", 0),
    "energy/potential": number(groups.FrameValues, "numbers", 1),
    "energy/dissipated": number(groups.State, "aux", 1),
    "energy/work": number(groups.State, "aux", 0),
    "energy/balance": Frames.balance,
    "constraints/drift_position": number(groups.FrameValues, "numbers", 2),
    "constraints/drift_velocity": number(groups.FrameValues, "numbers", 3),
    "constraints/dof": Frames.dof,
}

#: the same of results with bodies that stretch
NAMES_OF_DEFORMATIONS: dict[str, Callable[[Recorder], Any]] = {
    "deformations/name": lambda r: [r.problem.names.bodies[k] for k in r.places.stretched],
    "deformations/body": lambda r: r.places.stretched,
}
OF_DEFORMATIONS: dict[str, Callable[[Frames], Any]] = {
    "deformations/gradient": lambda f: f.gradients(groups.Markers, "x").reshape(f.count, -1, 9),
    "deformations/rate": lambda f: f.gradients(groups.Markers, "v").reshape(f.count, -1, 9),
    "deformations/stress": Frames.stresses,
}
#: key of an array of nodes -> array that frames then have, and its maker
OF_NODES: dict[str, tuple[tuple[Any, str], Callable[[Frames], Any]]] = {
    "nodes/displacement": (
        (groups.Nodal, "x"),
        lambda f: f.numbers[groups.Nodal, "x"].reshape(f.count, -1, 3) - f.recorder.rest,
    ),
    "nodes/velocity": ((groups.Nodal, "v"), lambda f: f.numbers[groups.Nodal, "v"].reshape(f.count, -1, 3)),
    "nodes/stress": (
        (groups.Nodal, "stress"),
        lambda f: f.numbers[groups.Nodal, "stress"].reshape(f.count, -1, 6),
    ),
}
