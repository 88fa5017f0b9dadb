"""`mbplugin analyze`: a table for people, one JSON document for scripts, and with -o what can be drawn and a
block of messages.txt.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mbplugin.cli.common import keys_and_values, loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Json, Scene, Strict
from mbplugin.cli.streams import print_answer
from mbplugin.errors import SceneError, writing
from mbplugin.result import load
from mbplugin.results.files import replace_file
from mbplugin.results.folder import MESSAGES, claim, make_folder

if TYPE_CHECKING:
    from mbplugin.analysis.report import Report
    from mbplugin.run.analyze import Done

#: modes that are drawn where nothing else is asked for
DRAWN = 6
#: in `--set`, before a key of an analysis of a plugin; a scene has no such table
KEYS = "analysis."


def analyze_scene(
    scene: Scene,
    what: Annotated[
        str,
        typer.Argument(
            help="position, velocity, acceleration, kinematic, inverse, static, eigen or redundancy; or the "
            "name of one that a plugin offers, whose keys are set by --set analysis.KEY=VALUE"
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="folder for messages.txt and results; default: nothing is written"),
    ] = None,
    changes: Changes = NONE,
    positions: Annotated[
        int | None,
        typer.Option(
            help="kinematic, inverse: number of positions; default as the frames of a run; static: follow "
            "the equilibrium over time, at so many positions"
        ),
    ] = None,
    end: Annotated[
        float | None, typer.Option(help="kinematic, inverse, static: time of the last position \\[s]")
    ] = None,
    load_steps: Annotated[
        int | None, typer.Option(help="static, eigen: number of load increments; default 1")
    ] = None,
    friction: Annotated[
        str | None,
        typer.Option(
            help="static: what friction can hold stays where it is (hold, the default), or there is none"
        ),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="eigen: linearize about the equilibrium (static, the default), the initial position (start) "
            "or the initial motion (motion); static: search a position at rest (rest, the default) or a "
            "steady motion (motion)"
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            help="eigen, static --about motion: reference frame: rotating with the bodies (turning, the "
            "default), world, or angular velocity x,y,z \\[rad/s]"
        ),
    ] = None,
    lowest: Annotated[
        int | None,
        typer.Option(help="eigen: number of lowest modes to compute; default all, 20 of a large system"),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option(help="eigen: modes with rows that are closed without load closed (the default) or open"),
    ] = None,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="redundancy: propose replacements for redundant joints")
    ] = False,
    modes: Annotated[
        int | None, typer.Option(help="eigen with -o: number of mode shapes to write; default 6")
    ] = None,
    movie: Annotated[
        bool, typer.Option("--movie", help="eigen with -o: also write a movie of each mode")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.interface.analysis import BUILT_IN
    from mbplugin.run.analyze import analyze

    for key, given in (("--modes", modes), ("--movie", movie or None)):
        if given is not None and (what != "eigen" or out is None):
            raise SceneError(key, given, "draws the shapes of eigen modes; it needs eigen and a folder (-o)")
    if modes is not None and modes < 0:
        raise SceneError("--modes", modes, "must be at least 0")
    system = read(scene, [change for change in changes if not change.startswith(KEYS)])
    keys = keys_and_values(
        [change.removeprefix(KEYS) for change in changes if change.startswith(KEYS)], f"{KEYS}points=20"
    )
    registry, _ = loaded(no_plugin, strict)
    if keys and what in BUILT_IN:
        key = next(iter(keys))
        mend = f'the analysis "{what}" takes options, no keys; see `mbplugin analyze --help`'
        raise SceneError(f"--set {KEYS}{key}", keys[key], mend)
    options = {
        "positions": positions,
        "end": end,
        "load_steps": load_steps,
        "friction": friction,
        "about": about,
        "frame": frame,
        "lowest": lowest,
        "side": side,
        "repairs": repairs or None,
    }
    chosen = {key: value for key, value in options.items() if value is not None}
    if chosen and registry.offers["analysis"].get(what):
        key = next(iter(chosen))
        mend = f'is of analyses of the engine, not of "{what}"; its keys are set by --set {KEYS}KEY=VALUE'
        raise SceneError(f"--{key.replace('_', '-')}", chosen[key], mend)
    done = analyze(system, what, registry, **chosen, **keys)
    if out is not None:
        draw(done, Path(out), DRAWN if modes is None else modes, movie)
        write_block(Path(out), done.report)
    print_answer(json, done.report.document, lambda: "\n".join(done.report.whole()))


def draw(done: Done, folder: Path, modes: int, movie: bool) -> None:
    """The states of a report as a result and a ParaView series; of eigen modes, one folder for each."""
    from mbplugin.analysis.equilibrium.eigen import EigenReport, swinging
    from mbplugin.run.report_frames import write_states

    report = done.report
    if isinstance(report, EigenReport):
        for k in range(min(modes, len(report.modes))):
            here = folder / f"mode_{k + 1}"
            write_states(here, done.problem, done.system, swinging(done.problem, report, k))
            if movie:
                load(here).render(here / "mode.mp4")
    elif (states := getattr(report, "states", None)) is not None:
        write_states(folder, done.problem, done.system, states)


def write_block(folder: Path, report: Report) -> None:
    """The report's block into messages.txt, in the place of an older one of the same analysis."""
    file = folder / "messages.txt"
    make_folder(folder)
    claim(folder, *MESSAGES)
    with writing(file):
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        kept = re.sub(
            rf"== {report.what} analysis ==\n.*?(?=^== |\Z)", "", before, flags=re.DOTALL | re.MULTILINE
        )
        replace_file(file, (kept + report.block()).encode(), folder / ".messages.txt.part")
