"""A stored result, or one in memory. Reading needs neither the engine nor the compiler."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.errors import StoreError, listed
from mbplugin.results import MemoryResult, RawResult, store_of
from mbplugin.results.body_loads import LoadsOfBody, loads_of_body
from mbplugin.results.contacts import PairOfContacts, contacts_of_pair
from mbplugin.results.curve import Curve
from mbplugin.results.events import Events, events_of, impacts_of
from mbplugin.results.frame_view import BODY, place_of_status
from mbplugin.results.impacts import Impacts
from mbplugin.results.layout import LOSSES, STATUSES, Array, frame_array
from mbplugin.results.nodes_of_body import NodesOfBody, nodes_of_body
from mbplugin.results.on_body import ForcesOnBody, forces_on_body
from mbplugin.results.quantities import index_of
from mbplugin.results.summary import RunSummary, read_summary
from mbplugin.results.table import columns, dataset, table

if TYPE_CHECKING:
    from mbplugin.api import System

Columns = list[Curve]

JOINT = ("position", "orientation", "force", "torque", "local_force", "local_torque", "determined")
FORCE = ("wrench", "energy", "power")
#: groups whose members `repr` counts
COUNTED = ("bodies", "joints", "coordinates", "forces", "states", "inputs")
ENERGY = ("kinetic", "potential", "dissipated", "work", "balance")


class View(SimpleNamespace):
    """The arrays of one body or joint, each read when it is first asked for; they do not change later."""

    def __init__(self, arrays: Any, group: str, keys: tuple[str, ...], k: int) -> None:
        super().__init__()
        self.__dict__["_source"] = arrays, group, keys, k

    def __getattr__(self, name: str) -> Any:
        arrays, group, keys, k = self.__dict__["_source"]
        key = f"{group}/{name}"
        if name not in keys or key not in arrays:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(dir(self))}")
        value = arrays[key][(..., k, slice(None))[: len(frame_array(key).dims) + 1]]
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        arrays, group, keys, _ = self.__dict__["_source"]
        own = [name for name in self.__dict__ if name != "_source"]
        return sorted({*own, *(name for name in keys if f"{group}/{name}" in arrays)})

    def __repr__(self) -> str:
        return f"View({', '.join(dir(self))})"


class JointView(View):
    """The arrays of one joint of a result, and its directions by name."""

    @property
    def free(self) -> tuple[str, ...]:
        """The free directions."""
        return self._directions("free")

    @property
    def locked(self) -> tuple[str, ...]:
        """The constrained directions."""
        return self._directions("locked")

    def _directions(self, which: str) -> tuple[str, ...]:
        raw, _, _, k = self.__dict__["_source"]
        directions = raw.attribute(f"joints/{which}")
        return tuple(directions[k]) if directions else ()

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), "free", "locked"])


def body_view(arrays: Any, names: list[str], name: str) -> View:
    """The arrays of one body. Raises SceneError."""
    return View(arrays, "bodies", BODY, index_of(names, name, "body"))


def joint_view(arrays: Any, names: list[str], name: str) -> View:
    """The arrays of one joint. Raises SceneError."""
    return View(arrays, "joints", JOINT, index_of(names, name, "joint"))


class ResultList:
    """A list whose length changes from frame to frame.

    `contacts["force"]` are the entries of all frames one after another; those of frame i are
    `offset[i] : offset[i + 1]`. `contacts.at(i)` has the arrays of frame i by name.
    """

    def __init__(self, raw: RawResult, name: str) -> None:
        self.raw, self.name = raw, name
        self.offset = raw.offsets(name)  # (frames + 1,)

    @property
    def units(self) -> dict[str, str]:
        """Array -> unit."""
        return {key: self.raw.units(f"lists/{self.name}/{key}") for key in self.raw.lists[self.name]}

    def __getitem__(self, array: str) -> Array:
        return self.raw.entries(self.name, array)

    def at(self, frame: int) -> SimpleNamespace:
        """The entries of one frame; negative: counted from the end."""
        frame = range(len(self.offset) - 1)[frame]
        first, last = int(self.offset[frame]), int(self.offset[frame + 1])
        keys = self.raw.lists[self.name]
        return SimpleNamespace(**{key: self.raw.entries(self.name, key, first, last) for key in keys})


class Result:
    """A stored result. The first axis of arrays is the frame; SI units, world axes. Raises StoreError."""

    #: counts and errors of the run; None while it goes on, after a kill, and of an analysis
    summary: RunSummary | None

    def __init__(self, path: str | Path) -> None:
        store = store_of(path)
        self.folder = store.parent
        self.raw: RawResult = RawResult(store)
        self.summary = read_summary(self.raw.attributes, str(self.folder))

    @classmethod
    def in_memory(cls, raw: MemoryResult, summary: RunSummary) -> Result:
        """The result of a run without files."""
        result = cls.__new__(cls)
        result.folder, result.raw, result.summary = Path(), raw, summary
        return result

    @property
    def time(self) -> Array:
        """(frames,) [s]"""
        return self.raw.time

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self.raw.names("bodies")

    def __getitem__(self, name: str) -> View:
        """A body as a namespace of arrays. Raises SceneError.

        position, velocity, acceleration: (frames, 3) of the origin of the body frame [m], [m/s], [m/s²]
        orientation:                      (frames, 4) quaternion (w, x, y, z), body frame to world
        angular_velocity:                 (frames, 3) [rad/s]
        angular_acceleration:             (frames, 3) [rad/s²]
        center_of_mass:                   (frames, 3) [m]
        center_of_mass_velocity:          (frames, 3) [m/s]
        kinetic_energy:                   (frames,) [J]
        """
        return body_view(self.raw, self.bodies, name)

    def nodes(self, name: str) -> NodesOfBody:
        """The nodes of a body that has a mesh: displacement, velocity, stress, ... Raises SceneError."""
        return nodes_of_body(self.raw, name)

    def joint(self, name: str) -> JointView:
        """A joint as a namespace of arrays. Raises SceneError.

        position:                  (frames, 3) of marker b [m]
        orientation:               (frames, 4) quaternion (w, x, y, z), marker b to world
        force, torque:             (frames, 3) on body b about its marker [N], [N·m]
        local_force, local_torque: (frames, 3) the same in the axes of the joint
        determined:                (frames, 6) codes as in docs/result-format.md
        free, locked:              names of the free and locked directions

        The driving force of a motion is not included; it is `drive` of the coordinate.
        """
        return JointView(self.raw, "joints", JOINT, index_of(self.raw.names("joints"), name, "joint"))

    def coordinate(self, name: str) -> SimpleNamespace:
        """A joint coordinate such as "shoulder.angle": value, speed and drive, (frames,) each.

        Units: [m] or [rad], their rates, and [N] or [N·m]. Raises SceneError.
        """
        k = index_of(self.raw.names("coordinates"), name, "coordinate")
        return self._stored("coordinates", ("value", "speed", "drive"), k)

    def _stored(self, group: str, keys: tuple[str, ...], k: int) -> SimpleNamespace:
        """The arrays of member k of a group that the result has: one of a kinematic analysis has fewer."""
        stored = [key for key in keys if f"{group}/{key}" in self.raw]
        return SimpleNamespace(**{key: self.raw[f"{group}/{key}"][:, k] for key in stored})

    def _units(self, group: str) -> dict[str, str]:
        """Names in a group -> unit."""
        names = self.raw.names(group)
        return dict(zip(names, self.raw.attribute(f"{group}/unit", []))) if names else {}

    @property
    def inputs(self) -> dict[str, str]:
        """Names of the inputs -> unit."""
        return self._units("inputs")

    def input(self, name: str) -> Array:
        """(frames,) an input; where it changes at a frame, its value from then on. Raises SceneError."""
        return self.raw["inputs/value"][:, index_of(list(self.inputs), name, "input")]

    @property
    def outputs(self) -> dict[str, str]:
        """Names of all outputs of elements and of the solver -> unit."""
        return self._units("outputs")

    def output(self, name: str) -> Array:
        """(frames,) an output of an element or of the solver, such as "brake.slip". Raises SceneError."""
        return self.raw["outputs/value"][:, index_of(list(self.outputs), name, "output")]

    @property
    def states(self) -> dict[str, str]:
        """Names of all inner states, of the scene ("y") and of elements ("brake.slip") -> unit."""
        return self._units("states")

    def state(self, name: str) -> Array:
        """(frames,) an inner state of the scene or of an element. Raises SceneError."""
        return self.raw["states/value"][:, index_of(self.raw.names("states"), name, "state")]

    @property
    def bounds(self) -> dict[str, str]:
        """Names of the rows that switch (limits, friction, clutches, motions of limited effort), such as
        "pin.angle.friction" -> unit of their forces.
        """
        return self._units("bounds")

    def status(self, name: str) -> Array:
        """(frames,) what a row that switches does, as words: "sticks", "slips forwards", "at limit", ...; of
        what acts under a condition "acts", "off" or "released".

        Their numbers are `raw["bounds/status"]` and `raw["activities/status"]`. Raises SceneError.
        """
        key, k = place_of_status(self.raw.names, name)
        return np.array(STATUSES)[self.raw[key][:, k]]

    @property
    def events(self) -> Events:
        """When rows that switch begin or cease to hold, and impacts, at limits and of bodies: a sequence of
        events, with `time`, `element`, `before`, `after`, `impulse` and `dof` as arrays; `table()` is for
        pandas.
        """
        return events_of(self.raw)

    @property
    def impacts(self) -> Impacts:
        """All impacts, of bodies, limits and ropes, also between frames: `time`, `element`, `impulse`,
        `velocity_before` and `velocity_after` along the axes of each, `energy`, `point`, ... as arrays;
        `of("floor", "ball")` chooses, `table()` is for pandas. Raises SceneError for contacts of a solver
        that notes none.
        """
        return impacts_of(self.raw)

    @property
    def dof(self) -> Array:
        """(frames,) degrees of freedom that the joints and the rows that hold leave."""
        return self.raw["constraints/dof"]

    def list(self, name: str) -> ResultList:
        """A list of the solver whose length changes from frame to frame, such as "contacts". Raises
        SceneError.
        """
        names = list(self.raw.lists)
        index_of(names, name, "list")
        return ResultList(self.raw, name)

    def contact(self, a: str, b: str) -> PairOfContacts:
        """All contacts between two bodies, "ground" or shapes, summed: what a does to b.

        force:        (frames, 3) on b [N], world axes
        torque:       (frames, 3) on b about its mass centre (the origin for the ground) [N·m]
        normal_force: (frames,) sum of the normal forces [N]
        impulse:      (frames, 3) on b of all steps since t = 0 [N·s]; differences are those between frames
        step_impulse: (frames, 3) of the step that leads to the frame [N·s]
        gap:          (frames,) the smallest [m]; NaN where none is near
        count:        (frames,) loaded contacts
        table():      a `pandas.DataFrame` of these over time

        Raises SceneError.
        """
        return contacts_of_pair(self.raw, a, b)

    def force(self, name: str) -> SimpleNamespace:
        """A force element as a namespace of arrays. Raises SceneError.

        wrench: (frames, 6) force [N] and torque [N·m] on body b at its marker, world axes; of a force on
                faces the resultant and its moment about the mass centre of the body
        energy: (frames,) potential energy of the element [J]
        power:  (frames,) power delivered to the bodies [W]
        """
        k = index_of(self.raw.names("forces"), name, "force")
        return self._stored("forces", FORCE, k)

    def forces(self, body: str) -> ForcesOnBody:
        """All that acts on a body, `applied` and `constraint`, by the names of the elements.

        Each has force (frames, 3) [N] and torque (frames, 3) about the mass centre [N·m], world axes. Their
        sums `force` and `torque` are m a and J ω̇ + ω × J ω of a rigid body. `dataset()` is for xarray.

        Raises SceneError, StoreError.
        """
        return forces_on_body(self.raw, body)

    def loads(self, body: str, times: Sequence[float] | None = None) -> LoadsOfBody:
        """The loads of a rigid body at the frames nearest to these times [s], by default at all: a sequence,
        each with `loads` at their points of attack, `gravity`, `acceleration`, `angular_velocity` and
        `angular_acceleration`, in the frame of the body. `table()` is for pandas. With inertia they are in
        equilibrium. Raises SceneError, StoreError.
        """
        return loads_of_body(self.raw, body, times)

    def columns(self, *what: str) -> Columns:
        """Time and quantities, component by component, each with `label`, `values` (frames,), `unit` and
        `heading`. what: names as for `plot`, none for all; "events" alone: the table of events. Raises
        SceneError with the nearest names.
        """
        return columns(self.raw, what)

    def table(self, *what: str) -> Any:
        """The same as a `pandas.DataFrame` over time; `attrs["units"]` has the unit of each column. Raises
        SceneError, MissingLibraryError.
        """
        return table(self.raw, what)

    def dataset(self, group: str) -> Any:
        """An `xarray.Dataset` of the arrays of a group, such as "bodies", with time and names as coordinates;
        of a list, such as "contacts", with one entry after another. Raises SceneError, MissingLibraryError.
        """
        return dataset(self.raw, group)

    @property
    def drawn(self) -> Any:
        """The shapes of the bodies and of the ground: `mbplugin.decoder.drawn.Drawn`."""
        from mbplugin.decoder.drawn import Drawn

        return Drawn(self.raw.static())

    @property
    def surface(self) -> Any:
        """The same merged into one set of triangles, with normals: `mbplugin.export.geometry.Geometry`."""
        from mbplugin.export.geometry import Geometry

        return Geometry(self.raw.static(), smooth=True)

    def export(self, file: str | Path, *what: str, **keys: Any) -> Path:
        """Write a file for another program, such as x.csv, x.parquet, x.vtkhdf or x.glb; returns its path.

        what: names of quantities, none for all; keys: of the exporter, such as separator=";"

        Raises SceneError, StoreError, PluginError, MissingLibraryError.
        """
        from mbplugin.export.one_file import export
        from mbplugin.hooks.load import load_plugins

        return export(self, load_plugins()[0], Path(file), what, keys)

    def __repr__(self) -> str:
        state = "" if self.raw.complete else ", incomplete"
        span = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.raw.frames else "no time"
        counts = ", ".join(f"{len(names)} {group}" for group in COUNTED if (names := self.raw.names(group)))
        return f"Result({str(self.raw.path)!r}): {self.raw.frames} frames, {span}{state}; {counts}"

    @property
    def energy(self) -> SimpleNamespace:
        """kinetic, potential, dissipated, work and balance, (frames,) each [J]; of a solver with contacts
        also friction and impacts; of an analysis kinetic and potential, if all bodies have masses.
        """
        keys = [*ENERGY, *(key.removeprefix("energy/") for key in LOSSES)]
        return SimpleNamespace(
            **{key: self.raw[f"energy/{key}"] for key in keys if f"energy/{key}" in self.raw}
        )

    @property
    def drift_position(self) -> Array:
        """(frames,) largest residual of a position row [m] or [rad]."""
        return self.raw["constraints/drift_position"]

    @property
    def drift_velocity(self) -> Array:
        """(frames,) largest residual of a velocity row [m/s] or [rad/s]."""
        return self.raw["constraints/drift_velocity"]

    @property
    def system(self) -> System:
        """The simulated system. Raises StoreError, SceneError."""
        if not isinstance(self.raw.attributes.get("scene"), str):
            raise StoreError(f"{self.raw.path}: damaged: zarr.json has no scene")
        from mbplugin.api import System

        return System.from_text(str(self.raw.attributes["scene"]), file=str(self.folder / "result.zarr"))

    @property
    def messages(self) -> Any:
        """Messages of the run: (time [s], level, text)."""
        return self.raw.messages

    def render(self, file: str | Path, **options: Any) -> Path:
        """Draw into a PNG, GIF, MP4 or HTML; returns its path.

        options: those of `mbplugin.viz.render` and of `mbplugin.viz.Options`

        Raises SceneError if the suffix is none of these, NoGraphicsError if VTK finds no GL library.
        """
        from mbplugin.viz import render

        others = "time", "fps", "speed", "progress"
        return render(self.raw, self.raw.gravity, file, **options_of_render(options, *others))

    def picture(self, time: float | None = None, **options: Any) -> Any:
        """A picture at a time [s], by default the middle of the run, which a notebook shows; `save(file)`
        writes it.

        options, those of `mbplugin.viz.Options`:
        view: "front", "top", ...; size: (width, height) in pixels; vectors, joints, names, ground, drawings,
        label: whether they are shown; forces: that too, or which, such as "contacts"; force_scale: [N] of an
        arrow of a sixth of the scene; trace: bodies and markers ("arm.tip") that leave a line; follow: body
        in the middle of the picture; quality: "auto", "normal", "high"

        Raises SceneError, NoGraphicsError.
        """
        from mbplugin.viz import picture

        return picture(self.raw, self.raw.gravity, time=time, **options_of_render(options))

    def view(self, time: float | None = None, size: tuple[int, int] = (800, 500), **options: Any) -> Any:
        """A view at a time [s], by default the middle of the run, which the mouse turns in a notebook;
        `save(file)` writes it as a page (.html) that needs nothing else. Needs trame-vtk.

        size:    width and height in pixels
        options: those of `picture`

        Raises SceneError, NoGraphicsError, MissingLibraryError.
        """
        from mbplugin.viz import turnable

        return turnable(self.raw, self.raw.gravity, time=time, **options_of_render({"size": size, **options}))

    def plot(
        self,
        *what: str,
        file: str | Path | None = None,
        against: str | None = None,
        others: Mapping[str, Result] | None = None,
        size: tuple[int, int] | None = None,
        degrees: bool = False,
    ) -> Any:
        """A matplotlib figure of stored quantities over time; saved if `file` is given.

        what:    names such as "energy.kinetic" or "joint.pin.force"
        against: a quantity in the place of time, such as "pin.angle"
        others:  further results by their labels, drawn in the same panels
        size:    width and height in pixels
        degrees: whether angles and their rates are in degrees

        Raises SceneError with the nearest names.
        """
        from mbplugin.viz import plot

        raws = {label: other.raw for label, other in (others or {}).items()}
        return plot(self.raw, what, file, against, raws, size, degrees=degrees)

    def report(self, file: str | Path) -> Path:
        """Write a page (.html) about this result, which loads nothing else; returns its path.

        It has a picture, key figures, energies, drift, redundancy, reactions, contacts, plots, messages and
        versions. Raises SceneError, StoreError; warns if a part cannot be drawn here.
        """
        from mbplugin.report import write_report

        return write_report(self.raw, self.summary, file)


def options_of_render(options: dict[str, Any], *others: str) -> dict[str, Any]:
    """Those of what a picture shows as one value, beside the `others`, of the file. Raises SceneError."""
    from mbplugin.viz.options import options_of

    chosen = options_of(options, others)
    return {name: options[name] for name in others if name in options} | {"options": chosen}


def load(path: str | Path) -> Result:
    """The result in the folder of a run. Raises StoreError; warns if chunks of its arrays are lost."""
    result = Result(path)
    if lost := result.raw.check(content=False):
        warnings.warn(f"{result.raw.path}: damaged: {listed(lost, 2)}; the rest can be read", stacklevel=2)
    return result
