"""`mbplugin explain`: the equations of a small model, as a page and as a script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Scene, Strict
from mbplugin.errors import SceneError, printable, writing
from mbplugin.results.folder import claim, make_folder
from mbplugin.run.default_folder import folder_of

if TYPE_CHECKING:
    from mbplugin.hooks.registry import Registry
    from mbplugin.model import System

LARGEST = 60  # velocities and rows


def explain_scene(
    scene: Scene,
    out: Annotated[str | None, typer.Option("-o", "--out", help="output folder; default out/<scene>")] = None,
    speed: Annotated[
        list[str], typer.Option("--speed", help="a speed of Kane's equations: u1=rate(pin.angle)")
    ] = NONE,
    equations: Annotated[
        bool, typer.Option("--equations", help="print the constraints in symbols instead")
    ] = False,
    changes: Changes = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.analysis.explain import explain
    from mbplugin.analysis.explain.kane_section import section
    from mbplugin.run.kane import kane
    from mbplugin.run.prepare import prepare

    system = read(scene, changes)
    registry, _ = loaded(no_plugin, strict)
    if equations:
        print_equations(system, registry)
        return
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
    numbers = explain.equations(prepared, registry)
    further = section(kane(system, registry, problem, speeds), speeds) if speeds else []
    folder = Path(out) if out is not None else folder_of(system, Path(scene).stem)
    make_folder(folder)
    claim(folder, "equations.md", "equations.py")
    for file, text in (
        (folder / "equations.md", explain.page(name, numbers, further)),
        (folder / "equations.py", explain.script(name, numbers)),
    ):
        with writing(file):
            file.write_text(text, encoding="utf-8")
        print(file)


def print_equations(system: System, registry: Registry) -> None:
    """Print the constraints in symbols, a line each; masses are not needed."""
    from mbplugin.analysis.explain import in_symbols
    from mbplugin.analysis.initial_state.placeholder_masses import with_masses
    from mbplugin.run.prepare import prepare

    problem = prepare(with_masses(system), registry).problem
    motions = {
        f"{motion.joint}.{motion.coordinate}": str(motion.expression)
        for motion in system.motions
        if motion.level == 0
    }
    found = in_symbols.equations(problem, registry, motions)
    width = max((len(equation.row) for equation in found), default=0)
    for equation in found:
        print(f"{equation.row:{width}}  {equation.text}")


def chosen(given: list[str]) -> dict[str, str]:
    """Name -> expression of speeds such as "u1=rate(pin.angle)". Raises SceneError."""
    speeds = {}
    for text in given:
        name, equals, expression = text.partition("=")
        if not (name.strip() and equals and expression.strip()):
            raise SceneError("--speed", text, "must be a name and an expression, such as u1=rate(pin.angle)")
        speeds[name.strip()] = expression.strip()
    return speeds
