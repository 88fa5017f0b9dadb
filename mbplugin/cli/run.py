"""`mbplugin run`."""

from __future__ import annotations

import sys
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Json, Scene, Strict
from mbplugin.cli.streams import print_answer
from mbplugin.results.summary import RunSummary
from mbplugin.run.default_folder import folder_of
from mbplugin.run.observers import Observers

if TYPE_CHECKING:
    from mbplugin.run.loop import Progress


def run_scene(
    scene: Scene,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="folder of the result; default out/<scene>")
    ] = None,
    changes: Changes = NONE,
    end: Annotated[float | None, typer.Option(help="end time \\[s]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="continue from the last checkpoint of the result")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.hooks.load import loaded_plugins
    from mbplugin.run.loop import run_system

    system = read(scene, changes)
    registry, plugins = loaded(no_plugin, strict)
    folder = Path(out) if out is not None else folder_of(system, Path(scene).stem)
    used = loaded_plugins(plugins)
    start = time.monotonic()
    with ProgressBar(json) as progress:
        summary = run_system(
            system, folder, registry, plugins=used, end=end, resume=resume, progress=progress
        )
    wall = time.monotonic() - start
    print_answer(
        json, lambda: {**summary.as_dict(), "wall_seconds": wall}, lambda: summary_text(summary, wall)
    )


#: time after which a run without a terminal first prints its progress; then after twice that, and so on [s]
SILENT = 10.0


class ProgressBar:
    """Simulated and remaining time on standard error: a bar; without a terminal lines, if the run is long."""

    def __init__(self, quiet: bool) -> None:
        self.bar: Any = None  # rich's Progress
        self.task: Any = None  # of the bar; None: it has not begun
        self.quiet = quiet
        self.begin: tuple[float, float] | None = None  # clock and simulated time of the first report
        self.silent = SILENT

    def __enter__(self) -> Any:
        if self.quiet:
            return None
        if not sys.stderr.isatty():
            return self.asked(self.report)
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("t = {task.completed:.4g} of {task.total:.4g} s"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        return self.asked(self.show)

    def asked(self, display: Progress) -> Progress:
        """A display that does not end the run if it fails."""
        ask = Observers().ask
        return lambda t, end: ask("the progress display", lambda: display(t, end), None)

    def show(self, t: float, end: float) -> None:
        """Show the time that the run has reached. The bar begins here: compilation uses its line before."""
        if self.task is None:
            self.bar.start()
            self.task = self.bar.add_task("run", total=end)
        self.bar.update(self.task, completed=t, total=end)

    def report(self, t: float, end: float) -> None:
        """Print a line if the run has been silent for long."""
        now = time.monotonic()
        clock, start = self.begin = self.begin or (now, t)
        if now - clock < self.silent:
            return
        self.silent = 2.0 * (now - clock)
        text = f"mbplugin: t = {t:.4g} of {end:.4g} s after {now - clock:.0f} s"
        if start < t < end < inf:
            text += f", about {(now - clock) * (end - t) / (t - start):.0f} s more"
        print(text, file=sys.stderr, flush=True)

    def __exit__(self, *problem: Any) -> None:
        if self.task is not None:
            self.bar.stop()


#: how ParaView opens a result, by the kind of its series
IN_PARAVIEW = {
    "surface": "open {}/result.pvd in ParaView, or ",
    "points": "load the state {}/paraview_state.py in ParaView, or ",
    None: "run mbplugin paraview {}, or ",
}


def events_text(s: RunSummary) -> list[str]:
    """How many events there are, and the first ones; nothing if there is none."""
    return [f"events               {s.events}", *(f"  {text}" for text in s.first_events)] if s.events else []


def summary_text(s: RunSummary, wall: float) -> str:
    """The summary of a run as lines of text; `wall` is its wall-clock time [s]."""
    redundant = s.rows - s.rank
    hint = f", {redundant} redundant (see messages.txt)" if redundant else ""
    since = " since then" if s.resume_from > 0.0 else ""
    lines = [
        *s.notes,
        *(f"warning: {line}" for line in s.dropped),
        *([s.stopped] if s.stopped else []),
        f"degrees of freedom   {s.dof}",
        f"constraint rows      {s.rows}{hint}",
        f"largest drift        {s.drift_position:.1e} of the size, {s.drift_velocity:.1e} in velocity",
        f"energy balance       {s.energy_error:.1e} of the largest energy",
        f"steps                {s.steps} ({s.evaluations} evaluations)",
        *(f"warning: {line}" for line in s.warnings),
        *events_text(s),
        *s.remarks,
        f"time                 {s.cpu_seconds:.3g} s in the loop{since}, {wall:.3g} s in total",
        f"result               {s.frames} frames in {s.out}; {IN_PARAVIEW[s.series].format(s.out)}"
        f"run mbplugin info {s.out}",
    ]
    return "\n".join(lines)
