"""Checks of plugins around a run: sensors, drawings, watchers, analyses, commands."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.api import System, without_files
from mbplugin.errors import MbpluginError
from mbplugin.export.drawings import Drawings
from mbplugin.hooks.registry import Registry
from mbplugin.model import Drawing, Sensor
from mbplugin.run.analyze import analyze
from mbplugin.run.prepare import prepare
from mbplugin.testing.exporters import SCENE
from mbplugin.testing.report import Checks
from mbplugin.testing.samples import each_example

#: what JSON shows in the place of a value that it does not hold
NONE = "has no form in JSON"


def run(scene: str, registry: Registry, *elements: Any) -> Any:
    """The system and the result of a scene with these elements; "": that of the kit."""
    system = System.from_text(scene or SCENE)
    for element in elements:
        system.add(element)
    return system, without_files(prepare(system, registry), None)


def same_motion(first: Any, second: Any) -> bool:
    """Whether two results have the same positions, bit for bit."""
    return np.array_equal(first.raw["bodies/position"], second.raw["bodies/position"])


def sensor_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """Numbers of a sensor at every frame, the same in a second run, and the motion as without it."""
    for of_example, keys in each_example(checks, kind.examples or ({},)):
        sensor = Sensor(name="tried", type=kind.name, **keys)
        (_, plain), (_, first), (_, second) = (
            run(kind.scene, registry, *elements) for elements in ((), (sensor,), (sensor,))
        )
        numbers, again = (
            [result.output(each) for each in result.outputs if each.startswith("sensor.tried")]
            for result in (first, second)
        )
        whole = len(numbers) == len(kind.outputs)
        of_example.fact("has numbers at every frame", whole, "outputs are missing")
        of_example.fact("tells the same in a second run", np.array_equal(numbers, again), "they differ")
        of_example.fact("leaves the motion as it is", same_motion(plain, first), "positions have changed")


def drawing_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """A drawing can be drawn at every frame, and again."""
    for of_example, keys in each_example(checks, kind.examples or ({},)):
        first, second = (files(kind, keys, registry) for _ in range(2))
        of_example.fact("draws the same of a frame again", first == second, "the points or arrays differ")


def files(kind: Any, keys: Mapping[str, Any], registry: Registry) -> list[bytes]:
    """The file of each frame of the kind's scene. Raises PluginError for a drawing that is none."""
    system, result = run(kind.scene, registry, Drawing(name="tried", type=kind.name, **keys))
    drawings = Drawings(system, result.raw.static())
    return [drawings.file(0, float(frame["time"]), frame) for frame in result.raw.each_frame()]


def watcher_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """A run of the kit has the same frames with the watchers of a registry and without."""
    bare = Registry({**registry.offers, "watcher": {}}, registry.problems, registry.homes)
    (_, watched), (_, plain) = (run("", each) for each in (registry, bare))
    same = same_motion(watched, plain)
    checks.fact("leaves a run that is not its own as it is", same, "the frames differ")


def analysis_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """An analysis reports the same twice, with values that JSON holds."""
    type_of = lambda value: f"{type(value).__name__} {NONE}"
    for of_example, keys in each_example(checks, kind.examples or ({},)):
        system = System.from_text(kind.scene or SCENE)
        before = system.to_toml()
        reports = [analyze(system, kind.name, registry, **keys).report for _ in range(2)]
        texts = [report.lines() for report in reports]
        documents = [json.dumps(report.document(), default=type_of) for report in reports]
        same = texts[0] == texts[1] and documents[0] == documents[1]
        kept = system.to_toml() == before
        of_example.fact("reports something", bool(texts[0]), "it has no lines")
        of_example.fact("reports the same twice", same, "they differ")
        of_example.fact("has values that JSON holds", NONE not in documents[0], f"not so {documents[0]}")
        of_example.fact("leaves the system as it was", kept, "the system has changed")


def command_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """The help of a command ends well."""
    out, note = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            kind.run(["--help"])
    except SystemExit as end:
        note = f"it ends with exit code {end.code}" if end.code else ""
    except MbpluginError as error:
        note = str(error)
    documented = bool((kind.__doc__ or "").strip())
    checks.fact("has a docstring", documented, "its first line is shown by mbplugin --help")
    checks.fact("ends --help without an error", not note, note)
    checks.fact("prints help", bool(out.getvalue().strip()), "--help prints nothing")
