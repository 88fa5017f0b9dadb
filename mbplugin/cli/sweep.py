"""`mbplugin sweep`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Json, Scene, Strict
from mbplugin.cli.streams import print_answer
from mbplugin.errors import PhysicsError, SceneError
from mbplugin.run.default_folder import folder_of
from mbplugin.viz.plot import KINDS

if TYPE_CHECKING:
    from mbplugin.sweeps import Sweep

#: failed points of which the summary lists the message
LISTED = 3


def sweep_scene(
    scene: Scene,
    values: Annotated[
        list[str],
        typer.Argument(
            help="keys and their values: length=0.1:0.5:50 (first:last:count), rate=1:1e3:7:log, mass=1,2,3"
        ),
    ],
    measure: Annotated[
        list[str],
        typer.Option(
            "--measure",
            "-m",
            help="what is kept of each run: a quantity over time such as pin.angle, or a reduction such as "
            "max(norm(joint.pin.force)); max, min, range, mean, rms, first, last; norm, abs",
        ),
    ],
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="folder of the sweep; default out/<scene>_sweep")
    ] = None,
    processes: Annotated[int, typer.Option(help="worker processes")] = 1,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="the first values together, the second ones, ...: no grid")
    ] = False,
    changes: Changes = NONE,
    end: Annotated[float | None, typer.Option(help="end time of the runs \\[s]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="continue: points that were run stay as they are")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="write over a sweep of other values or measures")
    ] = False,
    plot: Annotated[
        str | None, typer.Option(help="picture: a .png, .svg or .pdf file; default sweep.png in the folder")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="a measure in the place of time in the picture, such as pen.position.x")
    ] = None,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.hooks.load import loaded_plugins
    from mbplugin.sweeps.grid import Grid, read_values
    from mbplugin.sweeps.measure import measures_of
    from mbplugin.sweeps.run import run
    from mbplugin.sweeps.store import FILE, PICTURE, TABLE

    grid, parsed = Grid(read_values(values), pairs), measures_of(measure)
    if plot is not None and Path(plot).suffix.lower() not in KINDS:
        raise SceneError("--plot", plot, f"must end in {', '.join(KINDS)}")
    system = read(scene, changes)
    registry, plugins = loaded(no_plugin, strict)
    folder = Path(out) if out is not None else folder_of(system, Path(scene).stem)
    folder = folder if out is not None else folder.with_name(f"{folder.name}_sweep")
    start = time.monotonic()
    found = run(
        system,
        grid,
        parsed,
        registry,
        loaded_plugins(plugins),
        processes,
        end,
        folder,
        resume,
        None,
        not json,
        no_plugin,
        replace=replace,
        against=against,
    )
    drawn = [Path(plot or folder / PICTURE)] if found.arrays else []
    for file in drawn:
        found.plot(file=file, against=against)
    seconds = time.monotonic() - start
    files = [folder / FILE, folder / TABLE, *drawn]
    print_answer(json, lambda: document(found, files, seconds), lambda: summary(found, files, seconds))
    if found.failed:
        sys.exit(PhysicsError.exit_code)


def summary(found: Sweep, files: list[Path], seconds: float) -> str:
    """The summary of a sweep as lines of text."""
    from mbplugin.sweeps.store import FILE, TABLE

    failed = found.failed
    lines = [f"points   {len(found)}, {len(failed)} failed"]
    for point, message in failed[:LISTED]:
        lines.append(f"failed   {', '.join(f'{key} = {value}' for key, value in point.items())}: {message}")
    if len(failed) > LISTED:
        lines.append(f"         and {len(failed) - LISTED} more; {files[0]} and {files[1]} have all messages")
    for label, values in ((label, found[label]) for label in found.arrays):
        if len(failed) < len(found):
            unit = found.unit(label)
            low, high = float(values[values == values].min()), float(values[values == values].max())
            lines.append(f"measure  {label}: {low:.6g} to {high:.6g} {unit}".rstrip())
    if courses := [label for label in found.arrays if found.is_course(label)]:
        lines.append(f"courses  {', '.join(courses)}: in {FILE} alone; {TABLE} has one row for each point")
    lines += [f"time     {seconds:.3g} s", f"files    {', '.join(map(str, files))}"]
    return "\n".join(lines)


def document(found: Sweep, files: list[Path], seconds: float) -> dict[str, Any]:
    """The same, with the values, for --json."""
    return {
        "points": len(found),
        "failed": [{"values": point, "message": message} for point, message in found.failed],
        "dims": list(found.grid.dims),
        "values": found.grid.values,
        "measures": {
            label: {"unit": v.unit, "dims": list(v.dims), "values": v.values.tolist()}
            for label, v in found.variables.items()
        },
        "files": list(map(str, files)),
        "wall_seconds": seconds,
    }
