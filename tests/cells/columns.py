"""What is tried with each feature: solvers in both coordinates, analyses, and what surrounds a run.

Each column is a function of a feature. It raises `AssertionError` where a result violates an invariant:
constraints hold, energies balance, and all solvers and coordinates give the motion of the first solver that
takes the scene.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from cells.features import Feature
from scene_text import solver, table

import mbplugin as mb
from mbplugin.errors import SceneError

END = 0.01
#: between two solvers [m], of motions of up to 10 mm; of energies, relative to those that change
SAME_MOTION, SAME_ENERGY = 2e-4, 1e-2
SOLVERS: dict[str, dict[str, Any]] = {
    "rk": {"type": "rk", "tolerance": 1e-8},
    "galpha": {"type": "galpha", "tolerance": 1e-6},
    "contact": {"type": "contact", "step": 5e-4},
}
COORDINATES = {"": "maximal", " joint": "joint"}


def scene(feature: Feature, kind: str, coordinates: str, *, drive: bool = False) -> mb.System:
    """The feature with a solver, and three frames of a short run."""
    keys = {**SOLVERS[kind], "end": END, "coordinates": coordinates if coordinates == "joint" else None}
    text = feature.text + (feature.drive if drive else "") + solver(**keys) + table("output", every=END / 2)
    return mb.System.from_text(text)


def run(feature: Feature, kind: str, coordinates: str) -> None:
    """A short run closes, keeps its energy balance, and moves as with the first solver that takes it."""
    result = scene(feature, kind, coordinates).run(files=False)
    summary = result.summary
    assert summary.drift_position < 1e-6, summary.drift_position
    found = last_positions(result)
    assert np.isfinite(found).all()
    energy = result.energy
    moved = energy.kinetic.max() + np.ptp(energy.potential) + np.ptp(energy.work)
    assert np.ptp(energy.balance) < SAME_ENERGY * moved + 1e-9, np.ptp(energy.balance)
    if (other := reference(feature)) is not None:
        assert np.abs(found - other).max() < SAME_MOTION, (found - other).tolist()


def last_positions(result: Any) -> Any:
    return np.array([result[name].position[-1] for name in result.bodies])


@functools.cache
def served_by(feature: Feature) -> str:
    """The first solver that takes a feature."""
    for kind in SOLVERS:
        try:
            scene(feature, kind, "maximal").run(files=False)
        except SceneError:
            continue
        return kind
    raise AssertionError("no solver takes it")


@functools.cache
def reference(feature: Feature) -> Any:
    """Positions at the end with the first solver that takes the feature, in maximal coordinates."""
    return last_positions(scene(feature, served_by(feature), "maximal").run(files=False))


def chosen(feature: Feature, **keys: Any) -> mb.System:
    return scene(feature, served_by(feature), "maximal", **keys)


def analyze(what: str, feature: Feature, **options: Any) -> None:
    """An analysis has a finite report, and lines."""
    report = chosen(feature, drive=what in ("kinematic", "inverse")).analyze(what, **options)
    assert report.lines()
    for name in ("position", "velocity", "acceleration", "reactions", "drive", "frequencies"):
        numbers = getattr(report, name, ())
        assert callable(numbers) or np.isfinite(np.asarray(numbers, float)).all(), name


def acceleration(feature: Feature) -> None:
    """Accelerations are those of the first frame of a run, where its solver knows forces at one instant."""
    report = chosen(feature).analyze("acceleration")
    if served_by(feature) == "rk":
        result = chosen(feature).run(files=False)
        for name, a in zip(report.bodies, report.acceleration):
            expected = result[name].acceleration[0]
            assert np.allclose(a, expected, atol=1e-7 * (1 + np.abs(expected).max())), (name, a, expected)


def static(feature: Feature) -> None:
    """Each position has finite forces, and the number of its free motions."""
    report = chosen(feature).analyze("static")
    assert np.isfinite(report.position).all() and np.isfinite(report.reactions).all()


def sweep(feature: Feature) -> None:
    """The first position is that of `static`; all have finite forces."""
    report = chosen(feature).analyze("static", positions=3)
    found = [chosen(feature).analyze("static").position, report.position[0]]
    assert np.abs(found[0] - found[1]).max() < 1e-9, found
    assert np.isfinite(report.position).all() and np.isfinite(report.reactions).all()


def linear(feature: Feature) -> None:
    """Poles are those of the modes."""
    model = chosen(feature).linearize(about="static")
    assert np.isfinite(model.A).all()
    assert model.A.shape[0] == model.A.shape[1]


def resume(feature: Feature) -> None:
    """A run that is resumed in the middle ends where a whole one does."""
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        chosen(feature).run(Path(folder) / "out", end=END / 2)
        result = chosen(feature).run(Path(folder) / "out", resume=True, end=END)
        assert result.time[-1] == END
        assert np.abs(last_positions(result) - reference(feature)).max() < SAME_MOTION
        assert len(list((Path(folder) / "out").glob("result.pvd"))) == 1
        steps = (Path(folder) / "out" / "result.pvd").read_text().count("<DataSet")
        assert steps == len(result.time) == 3


def set_parameter(feature: Feature) -> None:
    """A problem whose key is changed runs as a scene that is written so."""
    key, value = feature.key
    problem = chosen(feature).compile()
    problem.set_parameter(key, value)
    changed = last_positions(problem.run())
    written = last_positions(chosen(feature).with_values({key: value}).run(files=False))
    assert np.array_equal(changed, written), np.abs(changed - written).max()


def simulate(feature: Feature) -> None:
    """A loop in Python, stepped by its caller, ends where a run does."""
    simulation = chosen(feature).simulate()
    for _ in range(2):
        simulation.step(END / 2)
    found = np.array([simulation[name].position for name in simulation_bodies(feature)])
    assert np.abs(found - reference(feature)).max() < SAME_MOTION


def simulation_bodies(feature: Feature) -> list[str]:
    return [one.name for one in chosen(feature).bodies]


RUNS: dict[str, Callable[[Feature], None]] = {
    kind + short: functools.partial(run, kind=kind, coordinates=coordinates)
    for kind in SOLVERS
    for short, coordinates in COORDINATES.items()
}
ANALYSES: dict[str, Callable[[Feature], None]] = {
    "position": functools.partial(analyze, "position"),
    "velocity": functools.partial(analyze, "velocity"),
    "acceleration": acceleration,
    "kinematic": functools.partial(analyze, "kinematic", positions=3),
    "inverse": functools.partial(analyze, "inverse", positions=3),
    "redundancy": functools.partial(analyze, "redundancy"),
    "static": static,
    "static over time": sweep,
    "eigen": functools.partial(analyze, "eigen"),
    "eigen motion": functools.partial(analyze, "eigen", about="motion"),
    "linearize": linear,
}
AROUND: dict[str, Callable[[Feature], None]] = {
    "resume": resume,
    "set_parameter": set_parameter,
    "simulate": simulate,
}
COLUMNS = {**RUNS, **ANALYSES, **AROUND}
#: columns that have no meaning where the scene has no motion for its last degree of freedom
ALONG_MOTIONS = ("kinematic", "inverse")
