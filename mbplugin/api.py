"""What people use from Python: System, Result, load."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from mbplugin import model
from mbplugin.analysis.redundancy.redundancy import Redundancy, redundancy
from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.hooks.load import Plugin, load_plugins
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.results import RawResult, store_of
from mbplugin.run.loop import RunSummary, folder_of, run_system
from mbplugin.run.prepare import prepare

Array = np.ndarray[Any, Any]


@functools.cache
def plugins() -> tuple[Registry, list[Plugin]]:
    """All installed plugins, loaded once in a process."""
    return load_plugins()


class System(model.System):
    """A system that runs: `model.System` with the engine behind it."""

    def run(
        self,
        out: str | Path | None = None,
        *,
        end: float | None = None,
        resume: bool = False,
        progress: Any = None,
    ) -> Result:
        """Run into the folder `out` (default out/<name>) and return the result. Raises SceneError,
        PhysicsError, PluginError, StoreError.
        """
        registry, found = plugins()
        folder = Path(out) if out is not None else folder_of(self, "system")
        used = [
            {"name": f.name, "distribution": f.distribution, "version": f.version}
            for f in found
            if f.state == "loaded"
        ]
        summary = run_system(self, folder, registry, plugins=used, end=end, resume=resume, progress=progress)
        result = load(folder)
        result.summary = summary
        return result

    def compile(self) -> Problem:
        """The compiled problem, its initial state assembled; for solvers and studies in numpy."""
        return prepare(self, plugins()[0]).problem

    def check(self) -> Redundancy:
        """Counts at t = 0, which rows are redundant and why; `print` tells it in words. Raises SceneError,
        PhysicsError.
        """
        prepared = prepare(self, plugins()[0])
        return redundancy(prepared.problem, self, report=prepared.rank)

    def analyze(self, what: str, **options: Any) -> Any:
        """The report of an analysis without time steps: "position", "velocity", "acceleration", "kinematic",
        "inverse", "static", "eigen", "redundancy".

        Options are those of `mbplugin analyze`, such as positions=1000. Raises SceneError, PhysicsError,
        PluginError.
        """
        from mbplugin.run.analyze import analyze

        return analyze(self, what, plugins()[0], **options).report

    def simulate(self) -> Simulation:
        """Step without files, for control loops and learning."""
        return Simulation(self)


class Simulation:
    """A system that is stepped from outside."""

    def __init__(self, system: System) -> None:
        self._prepared = prepare(system, plugins()[0])
        self._integrator = self._prepared.start(float("inf"))
        #: (time, level, text) of all that there was to say so far
        self.messages: list[tuple[float, str, str]] = [
            (0.0, "info", text) for text in self._prepared.assembly.messages
        ]
        for law in self._prepared.laws:
            self.messages += [(0.0, level, text) for level, text in law.before()]
        self._warned: set[int] = set()
        self._show(0.0)

    def _show(self, t: float) -> None:
        self._integrator.show(t)
        self._frame = self._prepared.recorder.frame()

    @property
    def time(self) -> float:
        return float(self._integrator.time)

    def step(self, dt: float) -> None:
        """Go on by `dt` [s]."""
        until = self.time + dt
        while self._integrator.advance(until, np.inf, 1_000_000) != "end":
            pass
        self.messages += self._integrator.messages()
        self._show(until)
        for number, law in enumerate(self._prepared.laws):
            warnings = (
                [
                    (self.time, level, text)
                    for level, text in law.after(self._prepared.problem)
                    if level == "warning"
                ]
                if number not in self._warned
                else []
            )
            self.messages += warnings
            self._warned |= {number} if warnings else set()

    def deviations(self) -> list[str]:
        """What joints that a law holds have reached so far, such as the largest deviation beside the
        predicted one. A warning is in `messages` once for each joint.
        """
        return [text for law in self._prepared.laws for _, text in law.after(self._prepared.problem)]

    def __getitem__(self, name: str) -> SimpleNamespace:
        return body_view(self._frame, self._prepared.problem.names.bodies, name)

    def joint(self, name: str) -> SimpleNamespace:
        return joint_view(self._frame, [j.name for j in self._prepared.problem.names.joints], name)

    def coordinate(self, name: str) -> SimpleNamespace:
        """A joint coordinate such as "shoulder.angle": value, speed and drive as numbers."""
        k = place([c.name for c in self._prepared.problem.names.coordinates], name, "coordinate")
        return SimpleNamespace(
            **{key: float(self._frame[f"coordinates/{key}"][k]) for key in ("value", "speed", "drive")}
        )

    def save(self) -> dict[str, Any]:
        return {name: array.copy() for name, array in self._integrator.save().items()}

    def load(self, saved: dict[str, Any]) -> None:
        self._integrator.load(saved)
        self._show(self.time)


BODY = ("position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
JOINT = ("position", "orientation", "force", "torque", "local_force", "local_torque", "determined")
ENERGY = ("kinetic", "potential", "dissipated", "work", "balance")


def place(names: list[str], name: str, kind: str) -> int:
    if name not in names:
        raise SceneError(
            kind,
            name,
            f"there is no such {kind}{did_you_mean(name, names) or f'; there are {listed(names)}'}",
        )
    return names.index(name)


def body_view(arrays: Any, names: list[str], name: str) -> SimpleNamespace:
    k = place(names, name, "body")
    return SimpleNamespace(**{key: arrays[f"bodies/{key}"][..., k, :] for key in BODY})


def joint_view(arrays: Any, names: list[str], name: str) -> SimpleNamespace:
    k = place(names, name, "joint")
    return SimpleNamespace(
        **{key: arrays[f"joints/{key}"][..., k, :] for key in JOINT if f"joints/{key}" in arrays}
    )


class Result:
    """A stored result. Arrays have the frames as first axis; SI units, world axes."""

    summary: RunSummary | None = None

    def __init__(self, path: str | Path) -> None:
        store = store_of(path)
        self.folder = store.parent
        self.raw = RawResult(store)

    @property
    def time(self) -> Array:
        """(frames,) [s]"""
        return self.raw.time

    @property
    def bodies(self) -> list[str]:
        return self.raw.names("bodies")

    def __getitem__(self, name: str) -> SimpleNamespace:
        """A body: position (frames, 3) of its mass centre, orientation (frames, 4), velocity,
        angular_velocity, acceleration, angular_acceleration.
        """
        return body_view(self.raw, self.bodies, name)

    def joint(self, name: str) -> SimpleNamespace:
        """position and orientation (frames, 3 and 4) of the marker on b; force and torque on b (frames, 3),
        in the world's axes and (local_...) in the joint's; determined (frames, 6); the names of its free and
        locked directions. What a motion exerts is not in it: that is `drive` of the coordinate.
        """
        names = self.raw.names("joints")
        view = joint_view(self.raw, names, name)
        for key in ("free", "locked"):
            known = self.raw.attribute(f"joints/{key}")
            setattr(view, key, tuple(known[names.index(name)]) if known else ())
        return view

    def coordinate(self, name: str) -> SimpleNamespace:
        """A joint coordinate such as "shoulder.angle": value, speed, drive, (frames,) each."""
        k = place(self.raw.names("coordinates"), name, "coordinate")
        return SimpleNamespace(
            **{key: self.raw[f"coordinates/{key}"][:, k] for key in ("value", "speed", "drive")}
        )

    @property
    def energy(self) -> SimpleNamespace:
        """kinetic, potential, dissipated, work, balance, (frames,) each [J]."""
        return SimpleNamespace(**{key: self.raw[f"energy/{key}"] for key in ENERGY})

    @property
    def drift_position(self) -> Array:
        return self.raw["constraints/drift_position"]

    @property
    def drift_velocity(self) -> Array:
        return self.raw["constraints/drift_velocity"]

    @property
    def system(self) -> System:
        """The system that was run."""
        return System.from_text(str(self.raw.attributes["scene"]), file=str(self.folder / "result.zarr"))

    @property
    def messages(self) -> Any:
        return self.raw.messages

    def render(self, file: str | Path, **options: Any) -> Path:
        """Draw into a PNG, GIF or MP4; options as in `mbplugin.viz.render`, and those of
        `mbplugin.viz.Options` by name.

        Raises SceneError for an ending that is none of these, NoGraphicsError where VTK finds no GL library.
        """
        from dataclasses import fields

        from mbplugin.viz import Options, render

        params = {field.name: options.pop(field.name) for field in fields(Options) if field.name in options}
        return render(
            self.raw, np.array(self.system.scene.gravity), file, options=Options(**params), **options
        )

    def plot(self, *what: str, file: str | Path | None = None) -> Any:
        """Curves of stored quantities over time, such as "energy.kinetic" or "joint.pin.force"; a matplotlib
        figure. Raises SceneError with the nearest names.
        """
        from mbplugin.viz import plot

        return plot(self.raw, what, file)


def load(path: str | Path) -> Result:
    """The result in a folder that a run left. Raises StoreError."""
    return Result(path)
