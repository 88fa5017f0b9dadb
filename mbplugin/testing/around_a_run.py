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
from mbplugin.testing.report import Check, fact

#: keys of a kind without `examples`
NO_KEYS: tuple[Mapping[str, Any]] = ({},)


def run(scene: str, registry: Registry, *elements: Any) -> Any:
    """The system and the result of a scene with these elements; "": that of the kit."""
    system = System.from_text(scene or SCENE)
    for element in elements:
        system.add(element)
    return system, without_files(prepare(system, registry), None)


def same_motion(first: Any, second: Any) -> bool:
    """Whether two results have the same positions, bit for bit."""
    return np.array_equal(first.raw["bodies/position"], second.raw["bodies/position"])


def sensor_checks(kind: Any, registry: Registry) -> list[Check]:
    """Numbers of a sensor at every frame, the same in a second run, and the motion as without it."""
    name = f'sensor "{kind.name}"'
    checks = []
    for keys in kind.examples or NO_KEYS:
        sensor = Sensor(name="tried", type=kind.name, **keys)
        (_, plain), (_, first), (_, second) = (
            run(kind.scene, registry, *elements) for elements in ((), (sensor,), (sensor,))
        )
        numbers, again = (
            [result.output(each) for each in result.outputs if each.startswith("sensor.tried")]
            for result in (first, second)
        )
        checks += [
            fact(
                name, "has numbers at every frame", len(numbers) == len(kind.outputs), "outputs are missing"
            ),
            fact(name, "tells the same in a second run", np.array_equal(numbers, again), "they differ"),
            fact(name, "leaves the motion as it is", same_motion(plain, first), "positions have changed"),
        ]
    return checks


def drawing_checks(kind: Any, registry: Registry) -> list[Check]:
    """A drawing can be drawn at every frame, and again."""
    name, what = f'drawing "{kind.name}"', "draws the same of a frame again"
    checks = []
    for keys in kind.examples or NO_KEYS:
        first, second = (files(kind, keys, registry) for _ in range(2))
        checks.append(fact(name, what, first == second, "the points or arrays differ"))
    return checks


def files(kind: Any, keys: Mapping[str, Any], registry: Registry) -> list[bytes]:
    """The file of each frame of the kind's scene. Raises PluginError for a drawing that is none."""
    system, result = run(kind.scene, registry, Drawing(name="tried", type=kind.name, **keys))
    drawings = Drawings(system, result.raw.static())
    return [drawings.file(0, float(frame["time"]), frame) for frame in result.raw.each_frame()]


def watcher_checks(kind: Any, registry: Registry, without: Registry) -> list[Check]:
    """A run of the kit has the same frames with a watcher and without. registry: has it; without: has not,
    or has it too if it is installed.
    """
    offers = {name: {} if name == "watcher" else things for name, things in without.offers.items()}
    bare = Registry(offers, without.problems, without.homes)
    (_, watched), (_, plain) = (run("", each) for each in (registry, bare))
    what = "leaves a run that is not its own as it is"
    return [fact(f'watcher "{kind.name}"', what, same_motion(watched, plain), "the frames differ")]


NONE = "has no form in JSON"


def analysis_checks(kind: Any, registry: Registry) -> list[Check]:
    """An analysis reports the same twice, with values that JSON holds."""
    name = f'analysis "{kind.name}"'
    type_of = lambda value: f"{type(value).__name__} {NONE}"
    checks = []
    for keys in kind.examples or NO_KEYS:
        system = System.from_text(kind.scene or SCENE)
        before = system.to_toml()
        reports = [analyze(system, kind.name, registry, **keys).report for _ in range(2)]
        texts = [report.lines() for report in reports]
        documents = [json.dumps(report.document(), default=type_of) for report in reports]
        same = texts[0] == texts[1] and documents[0] == documents[1]
        checks += [
            fact(name, "reports something", bool(texts[0]), "it has no lines"),
            fact(name, "reports the same twice", same, "they differ"),
            fact(name, "has values that JSON holds", NONE not in documents[0], f"not so {documents[0]}"),
            fact(name, "leaves the system as it was", system.to_toml() == before, "the system has changed"),
        ]
    return checks


def command_checks(kind: Any) -> list[Check]:
    """The help of a command ends well."""
    out, note = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            kind.run(["--help"])
    except SystemExit as end:
        note = f"it ends with exit code {end.code}" if end.code else ""
    except MbpluginError as error:
        note = str(error)
    name, text = f'command "{kind.name}"', (kind.__doc__ or "").strip()
    return [
        fact(name, "has a docstring", bool(text), "its first line is shown by mbplugin --help"),
        fact(name, "ends --help without an error", not note, note),
        fact(name, "prints help", bool(out.getvalue().strip()), "--help prints nothing"),
    ]
