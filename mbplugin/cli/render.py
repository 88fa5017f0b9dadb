"""`mbplugin render` and `mbplugin plot`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.options import NONE, Stored
from mbplugin.cli.streams import opened
from mbplugin.errors import SceneError


def render_result(
    result: Stored,
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .gif, .mp4 or .html file; default picture.png in the result's folder"
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="time of a picture \\[s]; default the middle of the run")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(help="simulated seconds per second of a movie; default the whole run in eight seconds"),
    ] = None,
    fps: Annotated[float, typer.Option(help="frames per second of a movie")] = 25.0,
    size: Annotated[str, typer.Option(help="width x height in pixels")] = "1280x720",
    view: Annotated[
        str | None,
        typer.Option(help="front, back, left, right, top, bottom or corner; default by the motion"),
    ] = None,
    forces: Annotated[
        str | None,
        typer.Option(
            "--forces",
            metavar="[WHICH]",
            help="show forces as arrows: joints, drives, contacts, or all, which is the default",
        ),
    ] = None,
    force_scale: Annotated[
        float | None,
        typer.Option(help="force \\[N] of an arrow of a sixth of the scene; default the usual one"),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="show the names of joints, bodies, springs, dampers and ropes")
    ] = False,
    joints: Annotated[
        bool, typer.Option("--joints/--no-joints", help="show the points and axes of joints")
    ] = True,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors",
            help="show the vectors from the origin to the mass centres and from those to the joints",
        ),
    ] = False,
    drawings: Annotated[
        bool, typer.Option("--drawings/--no-drawings", help="show the drawings of the scene")
    ] = True,
    trace: Annotated[
        list[str], typer.Option(help="show the path of this body's mass centre or of this marker (arm.tip)")
    ] = NONE,
    follow: Annotated[str | None, typer.Option(help="keep this body in the middle of the picture")] = None,
    color_by: Annotated[
        str,
        typer.Option(help="what colours bodies with a mesh: auto, von_mises, displacement, velocity, none"),
    ] = "auto",
    deformation: Annotated[float, typer.Option(help="scale of the deformation of bodies with a mesh")] = 1.0,
    undeformed: Annotated[
        bool, typer.Option("--undeformed", help="show outlines of bodies with a mesh, undeformed")
    ] = False,
    quality: Annotated[
        str,
        typer.Option(
            help="normal, or high: darkens corners, slower; auto does where the ground is more than a floor"
        ),
    ] = "auto",
    window: Annotated[
        bool, typer.Option("--window", help="open a window with a time slider; the space bar plays")
    ] = False,
) -> None:
    from mbplugin import viz

    stored = opened(result)
    gravity = stored.raw.gravity
    options = viz.Options(
        size=pixels(size),
        forces=(forces == "all" or tuple(forces.split(","))) if forces else False,
        force_scale=force_scale,
        names=names,
        joints=joints,
        vectors=vectors,
        trace=tuple(trace),
        follow=follow,
        color_by=color_by,
        deformation=deformation,
        undeformed=undeformed,
        quality=quality,
        view=view,
        drawings=drawings,
    )
    if window:
        viz.view(stored.raw, gravity, options)
        return
    file = Path(out) if out is not None else stored.folder / "picture.png"
    progress = (
        (lambda k, n: print(f"\rpicture {k} of {n}", end="\n" if k == n else "", file=sys.stderr))
        if sys.stderr.isatty()
        else None
    )
    print(
        viz.render(
            stored.raw, gravity, file, time=time, fps=fps, speed=speed, options=options, progress=progress
        )
    )


def plot_result(
    result: Stored,
    what: Annotated[
        list[str],
        typer.Argument(
            help="names such as energy.kinetic, pin.angle, joint.pin.force, rod.tip.position.x, "
            "contact.floor.box.normal_force; `mbplugin info` lists them"
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .svg or .pdf file; default plot.png in the result's folder"
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="a quantity in the place of time, such as pin.angle: a phase plot")
    ] = None,
    beside: Annotated[
        list[str], typer.Option("--with", help="folder of another result, drawn in the same panels")
    ] = NONE,
    size: Annotated[str, typer.Option(help="width x height in pixels; default by the panels")] = "",
    degrees: Annotated[bool, typer.Option("--degrees", help="angles and their rates in degrees")] = False,
) -> None:
    from mbplugin.viz import plot

    stored = opened(result)
    file = Path(out) if out is not None else stored.folder / "plot.png"
    others = {str(other): opened(other).raw for other in beside}
    plot(stored.raw, what, file, against, others, pixels(size) if size else None, result, degrees)
    print(file)


def pixels(size: str) -> tuple[int, int]:
    """Width and height. Raises SceneError."""
    if not re.fullmatch(r"[1-9]\d{1,4}x[1-9]\d{1,4}", size):
        raise SceneError("--size", size, "write WIDTHxHEIGHT in pixels, such as 1280x720")
    width, height = size.split("x")
    return int(width), int(height)
