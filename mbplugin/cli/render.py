"""`mbplugin render` and `mbplugin plot`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mbplugin.cli.streams import opened
from mbplugin.errors import SceneError


def render_result(
    result: str,
    out: str | None,
    time: float | None,
    speed: float | None,
    fps: float,
    size: str,
    view: str | None,
    forces: str | None,
    force_scale: float | None,
    names: bool,
    joints: bool,
    vectors: bool,
    drawings: bool,
    trace: list[str],
    follow: str | None,
    color_by: str,
    deformation: float,
    undeformed: bool,
    quality: str,
    window: bool,
) -> None:
    from mbplugin import viz

    shown = opened(result)
    gravity = shown.raw.gravity
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
        viz.view(shown.raw, gravity, options)
        return
    file = Path(out) if out is not None else shown.folder / "picture.png"
    progress = (
        (lambda k, n: print(f"\rpicture {k} of {n}", end="\n" if k == n else "", file=sys.stderr))
        if sys.stderr.isatty()
        else None
    )
    print(
        viz.render(
            shown.raw, gravity, file, time=time, fps=fps, speed=speed, options=options, progress=progress
        )
    )


def plot_result(
    result: str,
    what: list[str],
    out: str | None,
    against: str | None,
    beside: list[str],
    size: str,
    degrees: bool = False,
) -> None:
    from mbplugin.viz import plot

    shown = opened(result)
    file = Path(out) if out is not None else shown.folder / "plot.png"
    others = {str(other): opened(other).raw for other in beside}
    plot(shown.raw, what, file, against, others, pixels(size) if size else None, result, degrees)
    print(file)


def pixels(size: str) -> tuple[int, int]:
    """Width and height. Raises SceneError."""
    if not re.fullmatch(r"[1-9]\d{1,4}x[1-9]\d{1,4}", size):
        raise SceneError("--size", size, "write WIDTHxHEIGHT in pixels, such as 1280x720")
    width, height = size.split("x")
    return int(width), int(height)
