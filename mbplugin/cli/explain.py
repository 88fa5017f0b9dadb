"""`mbplugin explain`: the equations of a small model, as a page and as a script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Scene, Strict
from mbplugin.errors import SceneError, printable, writing
from mbplugin.results.folder import claim, make_folder
from mbplugin.run.default_folder import folder_of

LARGEST = 60  # velocities and rows


def explain_scene(
    scene: Scene,
    out: Annotated[str | None, typer.Option("-o", "--out", help="output folder; default out/<scene>")] = None,
    speed: Annotated[
        list[str], typer.Option("--speed", help="a speed of Kane's equations: u1=rate(pin.angle)")
    ] = NONE,
    changes: Changes = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.analysis.explain import explain
    from mbplugin.run.kane import kane, section
    from mbplugin.run.prepare import prepare

    system = read(scene, changes)
    registry, _ = loaded(no_plugin, strict)
    prepared = prepare(system, registry)
    problem = prepared.problem
    if max(problem.nv, problem.nc) > LARGEST:
        raise SceneError(
            "explain",
            f"{problem.nv} velocities, {problem.nc} rows",
            f"is for models of up to {LARGEST} of each",
        )
    speeds = chosen(speed)
    name = printable(system.scene.name or Path(scene).stem)
    equations = explain.equations(prepared, registry)
    further = section(kane(system, registry, problem, speeds), speeds) if speeds else []
    folder = Path(out) if out is not None else folder_of(system, Path(scene).stem)
    make_folder(folder)
    claim(folder, "equations.md", "equations.py")
    for file, text in (
        (folder / "equations.md", explain.page(name, equations, further)),
        (folder / "equations.py", explain.script(name, equations)),
    ):
        with writing(file):
            file.write_text(text, encoding="utf-8")
        print(file)


def chosen(given: list[str]) -> dict[str, str]:
    """Name -> expression of speeds such as "u1=rate(pin.angle)". Raises SceneError."""
    speeds = {}
    for text in given:
        name, equals, expression = text.partition("=")
        if not (name.strip() and equals and expression.strip()):
            raise SceneError("--speed", text, "must be a name and an expression, such as u1=rate(pin.angle)")
        speeds[name.strip()] = expression.strip()
    return speeds
